/* The child processes that record, and what they say. */
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "net.h"
#include "recordings_internal.h"
#include "tool.h"

extern char **environ;

void recording_begin(struct recordings *r, struct running *one, const char *address,
    uint64_t seconds, const char *path)
{
	char name[] = "gcspy", command[] = "record", timeout[] = "--timeout", ten[] = "10",
	     seconds_option[] = "--seconds", number[24], size_option[] = "--max-size", size[24],
	     output[] = "--output", profiles[] = "--profiles", fifteen[] = "15";
	char *where = strdup(address), *file = strdup(path);
	char *words[] = {name, command, where, timeout, ten, seconds_option, number, size_option,
	    size, profiles, fifteen, output, file, NULL};
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	sigset_t none;
	int messages[2];
	if (!net_pipe(messages))
		messages[0] = messages[1] = -1;
	snprintf(number, sizeof number, "%llu", (unsigned long long)seconds);
	snprintf(size, sizeof size, "%llu", (unsigned long long)(r->bytes / RECORDINGS_AT_ONCE));
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&files, messages[1], STDERR_FILENO);
	/* This thread is one of the HTTP server's, where signals are blocked. */
	sigemptyset(&none);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	if (messages[0] == -1 || where == NULL || file == NULL ||
	    posix_spawn(&one->child, r->program, &files, &attributes, words, environ) != 0)
		one->child = 0;
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&files);
	free(where);
	free(file);
	net_close(messages[1]);
	one->messages = messages[0];
	if (one->child == 0)
		net_close(messages[0]);
}

/* Notes its last line, without the name of the program, and of the folder where a message begins with a file. */
static void note(const struct recordings *r, struct running *one, const char *line)
{
	static const char prefix[] = "gcspy: ";
	const size_t folder = strlen(r->folder);
	line += strncmp(line, prefix, sizeof prefix - 1) == 0 ? sizeof prefix - 1 : 0;
	cli_warn("%s", line);
	line += strncmp(line, r->folder, folder) == 0 && line[folder] == '/' ? folder + 1 : 0;
	snprintf(one->error, sizeof one->error, "%s", line);
	text_clean(one->error);
}

static void take_messages(const struct recordings *r, struct running *one)
{
	char text[1024], *rest, *line;
	ssize_t n;
	while ((n = read(one->messages, text, sizeof text - 1)) > 0) {
		text[n] = '\0';
		for (rest = text; (line = strtok_r(rest, "\n", &rest)) != NULL;)
			note(r, one, line);
	}
}

bool recording_has_ended(struct recordings *r, struct running *one)
{
	int status;
	const pid_t ended = waitpid(one->child, &status, WNOHANG);
	take_messages(r, one);
	if (ended == 0)
		return false;
	net_close(one->messages);
	if (ended == one->child && WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return true;
	struct failed *f = &r->failed[r->failures++ % RECORDINGS_FAILED];
	memcpy(f->name, one->name, sizeof f->name);
	snprintf(f->error, sizeof f->error, "%s",
	    one->error[0] == '\0' ? "the recorder has been ended" : one->error);
	return true;
}

const char *recording_error(const struct recordings *r, const char *name)
{
	for (int i = 0; i < RECORDINGS_FAILED; i++)
		if (strcmp(r->failed[i].name, name) == 0)
			return r->failed[i].error;
	return "";
}
