#include "trigger_command.h"

#include <errno.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <gcspy/memory.h>

#include "arena.h"
#include "show.h"
#include "tool.h"

extern char **environ;

struct environment {
	struct arena arena;
	char **list;
	size_t count, capacity;
	bool full;
};

static void add_line(struct environment *e, const char *line)
{
	if (e->count + 1 < e->capacity)
		e->list[e->count++] = (char *)(uintptr_t)line;
	else
		e->full = true;
}

/* GCSPY_NAME=value */
static void add(struct environment *e, const char *name, const char *value)
{
	const size_t length = strlen(name) + strlen(value) + 8;
	char *line = arena_alloc(&e->arena, length, 1);
	if (line == NULL) {
		e->full = true;
		return;
	}
	snprintf(line, length, "GCSPY_%s=%s", name, value);
	for (char *at = line; *at != '=' && *at != '\0'; at++)
		if (*at >= 'a' && *at <= 'z')
			*at = (char)(*at - 'a' + 'A');
		else if (!(*at >= 'A' && *at <= 'Z') && !(*at >= '0' && *at <= '9'))
			*at = '_';
	add_line(e, line);
}

static void add_attributes(struct environment *e, const struct gcs_snapshot *s)
{
	const struct gcs_model *m = gcs_snapshot_model(s);
	const uint32_t event = gcs_snapshot_occurrence(s)->event;
	for (uint32_t i = 0; event < m->event_count && i < m->events[event].attribute_count; i++) {
		const struct gcs_attribute *a = &m->events[event].attributes[i];
		const char *text = gcs_snapshot_text(s, i);
		char number[24];
		int64_t value;
		if (text == NULL && gcs_snapshot_number(s, i, &value)) {
			snprintf(number, sizeof number, "%" PRId64, value);
			text = a->kind == GCS_ATTRIBUTE_ENUM && value >= 0 &&
				       value < (int64_t)a->enum_count
				   ? a->enum_names[value]
				   : number;
		}
		if (text != NULL)
			add(e, a->name, text);
	}
}

static void run(const char *command, char **environment)
{
	char sh[] = "sh", c[] = "-c";
	char *arguments[] = {sh, c, (char *)(uintptr_t)command, NULL};
	pid_t process;
	int status = 0;
	const int failed = posix_spawn(&process, "/bin/sh", NULL, NULL, arguments, environment);
	if (failed != 0) {
		cli_warn("cannot run the command: %s", strerror(failed));
		return;
	}
	while (waitpid(process, &status, 0) == -1 && errno == EINTR)
		continue;
	if (WIFSIGNALED(status))
		cli_warn("the command was ended by signal %d", WTERMSIG(status));
	else if (WEXITSTATUS(status) != 0)
		cli_warn("the command failed with exit code %d", WEXITSTATUS(status));
}

void trigger_run_command(
    const char *command, const struct gcs_snapshot *snapshot, const struct gcs_fired *fired)
{
	enum { OURS = GCS_MAX_ATTRIBUTES + 4 };
	struct environment e = {.capacity = OURS};
	char times[24];
	while (environ[e.capacity - OURS] != NULL)
		e.capacity++;
	e.list = gcs_zalloc(e.capacity * sizeof e.list[0]);
	if (e.list == NULL) {
		cli_warn("no memory for the command's environment");
		return;
	}
	for (char **line = environ; *line != NULL; line++)
		if (strncmp(*line, "GCSPY_", 6) != 0)
			add_line(&e, *line);
	snprintf(times, sizeof times, "%" PRIu64, fired->times);
	add(&e, "TRIGGER", fired->trigger);
	add(&e, "TIMES", times);
	add(&e, "EVENT", show_event(snapshot));
	add_attributes(&e, snapshot);
	if (e.full)
		cli_warn("no memory for the command's environment");
	else
		run(command, e.list);
	arena_fini(&e.arena);
	gcs_free(e.list);
}
