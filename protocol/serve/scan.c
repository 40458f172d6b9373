/* Finds JVMs among the processes, and loads the agent where there is none. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gcspy/memory.h>

#include "attach_program.h"
#include "container.h"
#include "jvm.h"
#include "now.h"
#include "resolve.h"
#include "targets.h"
#include "text.h"

enum { ATTACH_SECONDS = 5 };

/* A process that is no JVM is looked at less and less often, but again: it may execute one. */
struct dull {
	long pid;
	uint64_t again_ms;
	uint32_t looks;
};

static struct dull *dull;
static size_t dull_count;

static bool attach_to(const struct targets_options *o, long pid, char *why, size_t size)
{
	char options[256], flight[128] = "";
	/* Its files are in the JVM's file system: at most ten of them. */
	if (o->flight_s != 0)
		snprintf(flight, sizeof flight,
		    ",record-ring=%" PRIu32
		    ",record-size=16m,record-ring-file=/tmp/gcspy-%%p-%%t.gcspy",
		    o->flight_s);
	snprintf(options, sizeof options, "quiet,clock=5000,interval=%llu%s",
	    (unsigned long long)o->interval, flight);
	const bool done =
	    attach_by_program(o->program, pid, options, o->agent, ATTACH_SECONDS, why, size);
	text_clean(why);
	return done;
}

static void identify(const struct jvm *jvm, struct target_identity *is)
{
	*is = (struct target_identity){.pid = jvm->pid};
	target_name_program(is, jvm->program);
	snprintf(is->java, sizeof is->java, "%s", jvm->version);
	text_clean(is->java);
	container_of(jvm->pid, is->container);
}

static bool is_wanted(
    const struct targets *t, const struct jvm *jvm, const struct target_identity *is)
{
	return (t->options.all || jvm->status.user == (long)geteuid()) && target_is_wanted(t, is);
}

/* A program that ends soon is left alone; one that has loaded the agent itself is not. */
static bool is_old_enough(const struct targets *t, const struct jvm *jvm)
{
	return jvm->announcement.count != 0 || process_age(jvm->pid) >= t->options.min_age_s;
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
	snprintf(address, size, "%s", resolved.address);
	return target_client(t, resolved.address, err);
}

/* Attaches if need be, and connects. Without the lock: it takes its time. */
static void contact_jvm(struct targets *t, struct target *target, struct jvm *jvm)
{
	struct gcs_error err = {.status = GCS_OK};
	char why[sizeof target->error], address[sizeof target->address] = "";
	struct gcs_client *client = NULL;
	const bool had = jvm->announcement.count != 0;
	bool ready = had || attach_to(&t->options, jvm->pid, why, sizeof why);
	if (ready && !had)
		ready = jvm_look(jvm->pid, jvm) == JVM_FOUND;
	if (ready && (client = connect_to(t, jvm, address, sizeof address, &err)) == NULL)
		snprintf(why, sizeof why, "%s", err.text);
	else if (!ready && had)
		snprintf(why, sizeof why, "the JVM has ended");
	pthread_mutex_lock(&t->lock);
	target->loaded = client != NULL && !had;
	t->attached += target->loaded;
	pthread_mutex_unlock(&t->lock);
	target_connect(t, target, client, address, why);
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
	struct target_identity is;
	bool known;
	struct target *target = target_due(t, pid, NULL, &known);
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
	if (finding == JVM_FOUND)
		identify(&jvm, &is);
	if (finding == JVM_FOUND && is_wanted(t, &jvm, &is)) {
		if (target == NULL && jvm.is_live && is_old_enough(t, &jvm))
			target = target_add(t, &is);
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
	targets_scan_sockets(t, stop);
	free(pids);
	gcs_free(dull);
	dull = next;
	dull_count = kept;
	if (i == count && !stop())
		forget_unseen(t);
}
