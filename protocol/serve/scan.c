/* Finds JVMs among the processes, and loads the agent where there is none. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gcspy/memory.h>
#include <gcspy/version.h>

#include "jvm.h"
#include "net.h"
#include "now.h"
#include "resolve.h"
#include "targets.h"
#include "text.h"

extern char **environ;

/* Beyond these a child is killed; `gcspy attach` ends by itself before. */
enum { ATTACH_SECONDS = 5, CHILD_MS = 8000, CHILD_TURN_MS = 20 };

/* A process that is no JVM is looked at less and less often, but again: it may execute one. */
struct dull {
	long pid;
	uint64_t again_ms;
	uint32_t looks;
};

static struct dull *dull;
static size_t dull_count;

/* Waits for the child, at most until the deadline; its exit code, or -1. */
static int wait_for(pid_t child)
{
	const uint64_t deadline = now_ms() + CHILD_MS;
	int status = 0;
	pid_t done;
	while ((done = waitpid(child, &status, WNOHANG)) == 0 && now_ms() < deadline)
		poll(NULL, 0, CHILD_TURN_MS);
	if (done == 0) {
		kill(child, SIGKILL);
		waitpid(child, &status, 0);
		return -1;
	}
	return done == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool attach_by_program(const struct targets_options *o, long pid, char *why, size_t size)
{
	char number[24], options[64], agent_option[] = "--agent", attach[] = "attach";
	char timeout[] = "--timeout", seconds[] = "5", name[] = "gcspy";
	char *words[] = {name, attach, number, options, timeout, seconds, NULL, NULL, NULL};
	posix_spawn_file_actions_t files;
	pid_t child;
	int ends[2];
	snprintf(number, sizeof number, "%ld", pid);
	snprintf(
	    options, sizeof options, "clock=5000,interval=%llu", (unsigned long long)o->interval);
	char *library = o->agent == NULL ? NULL : strdup(o->agent);
	if (library != NULL) {
		words[6] = agent_option;
		words[7] = library;
	}
	snprintf(why, size, "cannot execute %s", o->program);
	if (!net_pipe(ends)) {
		free(library);
		return false;
	}
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&files, ends[1], STDERR_FILENO);
	const int error = posix_spawn(&child, o->program, &files, NULL, words, environ);
	posix_spawn_file_actions_destroy(&files);
	close(ends[1]);
	const int code = error == 0 ? wait_for(child) : -1;
	const ssize_t n = error == 0 && code != 0 ? read(ends[0], why, size - 1) : -1;
	if (n > 0) {
		why[n] = '\0';
		why[strcspn(why, "\n")] = '\0';
		text_clean(why);
		if (strncmp(why, "gcspy: ", 7) == 0)
			memmove(why, why + 7, strlen(why + 7) + 1);
	} else if (error == 0 && code != 0) {
		snprintf(why, size, "`gcspy attach %ld` does not end", pid);
	}
	close(ends[0]);
	free(library);
	return code == 0;
}

static bool is_wanted(const struct targets *t, const struct jvm *jvm)
{
	if (!t->options.all && jvm->status.user != (long)geteuid())
		return false;
	return t->options.match == NULL || regexec(t->options.match, jvm->program, 0, NULL, 0) == 0;
}

static void changed(void *wake_end)
{
	net_wake(*(const int *)wake_end);
}

/* Connects to the agent of a JVM that announces one. */
static struct gcs_client *connect_to(
    struct targets *t, const struct jvm *jvm, char *address, size_t size, struct gcs_error *err)
{
	char text[32];
	struct resolved resolved;
	snprintf(text, sizeof text, "pid:%ld", jvm->pid);
	if (resolve(text, &resolved, err) != GCS_OK)
		return NULL;
	const struct gcs_client_options options = {
	    .address = resolved.address,
	    .name = "gcspy serve " GCS_VERSION_STRING,
	    .queue_limit = 256,
	    .changed = changed,
	    .context = &t->wake[1],
	};
	snprintf(address, size, "%s", resolved.address);
	return gcs_client_open(&options, err);
}

/* Attaches if need be, and connects. Without the lock: it takes its time. */
static void contact_jvm(struct targets *t, struct target *target, struct jvm *jvm)
{
	struct gcs_error err = {.status = GCS_OK};
	char why[sizeof target->error], address[sizeof target->address] = "";
	struct gcs_client *client = NULL;
	const bool had = jvm->announcement.count != 0;
	bool ready = had || attach_by_program(&t->options, jvm->pid, why, sizeof why);
	if (ready && !had)
		ready = jvm_look(jvm->pid, jvm) == JVM_FOUND;
	if (ready && (client = connect_to(t, jvm, address, sizeof address, &err)) == NULL)
		snprintf(why, sizeof why, "%s", err.text);
	else if (!ready && had)
		snprintf(why, sizeof why, "the JVM has ended");
	pthread_mutex_lock(&t->lock);
	target->client = client;
	target->connected_ns = now_wall_ns();
	target->loaded = client != NULL && !had;
	t->attached += target->loaded;
	snprintf(target->address, sizeof target->address, "%s", address);
	if (client == NULL)
		target_fail(target, "%s", why);
	else
		target->state = TARGET_CONNECTING;
	pthread_mutex_unlock(&t->lock);
	net_wake(t->wake[1]);
}

static struct target *add(struct targets *t, const struct jvm *jvm)
{
	struct target *target = gcs_zalloc(sizeof *target);
	struct running_figures *figures = running_figures_create();
	if (target == NULL || figures == NULL || t->count == TARGETS_MOST) {
		gcs_free(target);
		running_figures_free(figures);
		return NULL;
	}
	target->figures = figures;
	target->is.pid = jvm->pid;
	snprintf(target->is.program, sizeof target->is.program, "%s", jvm->program);
	text_clean(target->is.program);
	snprintf(target->is.java, sizeof target->is.java, "%s", jvm->version);
	text_clean(target->is.java);
	target->references = 2; /* the list's, and the caller's */
	target->state = TARGET_CONNECTING;
	target->seen = true;
	pthread_mutex_lock(&t->lock);
	struct target **at = &t->first;
	while (*at != NULL && (*at)->is.pid < jvm->pid)
		at = &(*at)->next;
	target->next = *at;
	*at = target;
	t->count++;
	pthread_mutex_unlock(&t->lock);
	return target;
}

/* A reference to the target of a process that is due for another attempt, or NULL; `*known` says whether
 * there is one at all. */
static struct target *find_due(struct targets *t, long pid, bool *known)
{
	struct target *due = NULL;
	pthread_mutex_lock(&t->lock);
	struct target *at = t->first;
	while (at != NULL && at->is.pid != pid)
		at = at->next;
	*known = at != NULL;
	if (at != NULL) {
		at->seen = true;
		if (at->state == TARGET_FAILED && now_ms() >= at->retry_ms) {
			at->references++;
			due = at;
		}
	}
	/* A connection that failed is not used again: the process gets a new target. */
	if (due != NULL && due->client != NULL) {
		target_remove(t, due);
		*known = false;
	}
	pthread_mutex_unlock(&t->lock);
	return due;
}

static struct dull *find_dull(long pid)
{
	for (size_t i = 0; i < dull_count; i++)
		if (dull[i].pid == pid)
			return &dull[i];
	return NULL;
}

/* Notes a process that is no JVM of ours in `next`, which has room for it. */
static void note_dull(struct dull *next, size_t *count, long pid, const struct dull *before)
{
	enum { FIRST_MS = 2000, MOST_DOUBLINGS = 5 };
	const uint32_t looks = before == NULL ? 0 : before->looks;
	next[(*count)++] = (struct dull){pid,
	    now_ms() + ((uint64_t)FIRST_MS << (looks < MOST_DOUBLINGS ? looks : MOST_DOUBLINGS)),
	    looks + 1};
}

static void look_at(struct targets *t, long pid, struct dull *next, size_t *count)
{
	struct jvm jvm;
	bool known;
	struct target *target = find_due(t, pid, &known);
	if (target != NULL && !known) {
		target_release(t, target);
		target = NULL;
	}
	const struct dull *before = find_dull(pid);
	if (!known && before != NULL && now_ms() < before->again_ms) {
		next[(*count)++] = *before;
		return;
	}
	if (known && target == NULL)
		return;
	const enum jvm_finding finding = jvm_look(pid, &jvm);
	if (finding == JVM_FOUND && is_wanted(t, &jvm)) {
		if (target == NULL && jvm.is_live)
			target = add(t, &jvm);
		if (target != NULL)
			contact_jvm(t, target, &jvm);
	} else if (finding != JVM_STARTING && !known) {
		note_dull(next, count, pid, before);
	}
	if (target != NULL)
		target_release(t, target);
}

/* Forgets those whose process has gone. */
static void forget_unseen(struct targets *t)
{
	for (;;) {
		pthread_mutex_lock(&t->lock);
		struct target *at = t->first;
		while (at != NULL && at->seen)
			at = at->next;
		if (at != NULL) {
			at->references++;
			target_remove(t, at);
		}
		pthread_mutex_unlock(&t->lock);
		if (at == NULL)
			return;
		target_release(t, at);
	}
}

void targets_scan(struct targets *t, bool (*stop)(void))
{
	size_t count, kept = 0, i = 0;
	long *pids = jvm_processes(&count);
	struct dull *next = pids == NULL ? NULL : gcs_zalloc((count + 1) * sizeof *next);
	if (next == NULL) {
		free(pids);
		return;
	}
	pthread_mutex_lock(&t->lock);
	for (struct target *at = t->first; at != NULL; at = at->next)
		at->seen = false;
	t->scans++;
	pthread_mutex_unlock(&t->lock);
	for (; i < count && !stop(); i++)
		look_at(t, pids[i], next, &kept);
	free(pids);
	gcs_free(dull);
	dull = next;
	dull_count = kept;
	if (i == count)
		forget_unseen(t);
}
