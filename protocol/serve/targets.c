/* The list of targets, and their references. */
#include "targets.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gcspy/memory.h>
#include <gcspy/version.h>

#include "export.h"
#include "net.h"
#include "now.h"
#include "process.h"
#include "text.h"
#include "thread.h"

bool targets_init(struct targets *t, const struct targets_options *options, struct gcs_error *err)
{
	*t = (struct targets){.options = *options, .wake = {-1, -1}};
	pthread_mutex_init(&t->lock, NULL);
	if (!net_pipe(t->wake)) {
		gcs_fail(err, GCS_IO, "cannot create a pipe");
		return false;
	}
	t->follows = thread_start(&t->follower, "gcspy-follow", targets_follow, t);
	if (!t->follows)
		gcs_fail(err, GCS_NOMEM, "cannot start a thread");
	return t->follows;
}

void target_samples_release(struct target_samples *samples)
{
	if (samples != NULL && --samples->references == 0)
		gcs_free(samples);
}

static void destroy(struct target *target)
{
	gcs_client_close(target->client);
	running_figures_free(target->figures);
	running_values_fini(&target->values);
	gcs_model_unref(target->prepared);
	for (uint32_t i = 0; i < TARGETS_PUSHES; i++)
		gcs_profile_free(target->pushed[i]);
	gcs_free(target);
}

void targets_fini(struct targets *t)
{
	pthread_mutex_lock(&t->lock);
	t->ending = true;
	pthread_mutex_unlock(&t->lock);
	if (t->wake[1] != -1)
		net_wake(t->wake[1]);
	if (t->follows)
		pthread_join(t->follower, NULL);
	while (t->first != NULL) {
		struct target *next = t->first->next;
		target_samples_release(t->first->samples);
		destroy(t->first);
		t->first = next;
	}
	for (int i = 0; i < 2; i++)
		if (t->wake[i] != -1)
			net_close(t->wake[i]);
	pthread_mutex_destroy(&t->lock);
}

void target_release(struct targets *t, struct target *target)
{
	pthread_mutex_lock(&t->lock);
	const bool last = --target->references == 0;
	if (last)
		target_samples_release(target->samples); /* an answer may have them */
	pthread_mutex_unlock(&t->lock);
	if (last)
		destroy(target);
}

struct target *target_add(struct targets *t, const struct target_identity *identity)
{
	struct target *target = gcs_zalloc(sizeof *target);
	struct running_figures *figures = running_figures_create();
	if (target == NULL || figures == NULL || t->count == TARGETS_MOST) {
		gcs_free(target);
		running_figures_free(figures);
		return NULL;
	}
	target->figures = figures;
	target->is = *identity;
	target->references = 2; /* the list's, and the caller's */
	target->state = TARGET_CONNECTING;
	target->seen = true;
	pthread_mutex_lock(&t->lock);
	target->is.number = ++t->added;
	struct target **at = &t->first;
	while (*at != NULL && (*at)->is.pid <= identity->pid)
		at = &(*at)->next;
	target->next = *at;
	*at = target;
	t->count++;
	pthread_mutex_unlock(&t->lock);
	return target;
}

static void changed(void *wake_end)
{
	net_wake(*(const int *)wake_end);
}

struct gcs_client *target_client(struct targets *t, const char *address, struct gcs_error *err)
{
	const struct gcs_client_options options = {
	    .address = address,
	    .name = "gcspy serve " GCS_VERSION_STRING,
	    .queue_limit = 256,
	    .changed = changed,
	    .context = &t->wake[1],
	};
	return gcs_client_open(&options, err);
}

void target_connect(struct targets *t, struct target *target, struct gcs_client *client,
    const char *address, const char *why)
{
	pthread_mutex_lock(&t->lock);
	target->client = client;
	target->connected_ns = now_wall_ns();
	snprintf(target->address, sizeof target->address, "%s", address);
	if (client == NULL)
		target_fail(target, "%s", why);
	else
		target->state = TARGET_CONNECTING;
	pthread_mutex_unlock(&t->lock);
	net_wake(t->wake[1]);
}

void target_name_program(struct target_identity *is, const char *full)
{
	snprintf(is->full, sizeof is->full, "%s", full);
	text_clean(is->full);
	const char *slash = strrchr(is->full, '/');
	snprintf(is->program, sizeof is->program, "%s",
	    slash == NULL || slash[1] == '\0' ? is->full : slash + 1);
}

static bool fits(const regex_t *expression, const char *text)
{
	return text[0] != '\0' && regexec(expression, text, 0, NULL, 0) == 0;
}

bool target_is_wanted(const struct targets *t, const struct target_identity *is)
{
	const regex_t *match = t->options.match, *exclude = t->options.exclude;
	const bool named = match != NULL && (fits(match, is->program) || fits(match, is->full));
	if (exclude != NULL &&
	    (fits(exclude, is->program) || fits(exclude, is->full) || fits(exclude, is->container)))
		return false;
	/* A container's number does not name a tool. */
	if (process_is_jdk_tool(is->full))
		return named;
	return match == NULL || named || fits(match, is->container);
}

void target_remove(struct targets *t, struct target *target)
{
	struct target **at = &t->first;
	while (*at != NULL && *at != target)
		at = &(*at)->next;
	if (*at == NULL)
		return;
	*at = target->next;
	t->count--;
	target->references--; /* the caller has one, too */
}

struct target *target_due(struct targets *t, long pid, const char *socket, bool *known)
{
	struct target *due = NULL;
	pthread_mutex_lock(&t->lock);
	struct target *at = t->first;
	while (
	    at != NULL && (socket != NULL ? strcmp(at->is.socket, socket) != 0 : at->is.pid != pid))
		at = at->next;
	*known = at != NULL;
	if (at != NULL) {
		at->seen = true;
		if (at->state == TARGET_FAILED && now_ms() >= at->retry_ms) {
			at->references++;
			due = at;
		}
	}
	/* A connection that failed is not used again: what it led to gets a new target. */
	if (due != NULL && due->client != NULL) {
		target_remove(t, due);
		*known = false;
	}
	pthread_mutex_unlock(&t->lock);
	return due;
}

void target_fail(struct target *target, const char *format, ...)
{
	enum { FIRST_MS = 15000, MOST_DOUBLINGS = 5 };
	va_list list;
	va_start(list, format);
	vsnprintf(target->error, sizeof target->error, format, list);
	va_end(list);
	target->state = TARGET_FAILED;
	const uint32_t n = target->failures++;
	target->retry_ms =
	    now_ms() + ((uint64_t)FIRST_MS << (n < MOST_DOUBLINGS ? n : MOST_DOUBLINGS));
}

const char *target_name(const struct target *target, char name[TARGET_NAME])
{
	if (target->is.pid != 0)
		snprintf(name, TARGET_NAME, "process %ld", target->is.pid);
	else
		snprintf(name, TARGET_NAME, "socket %s", target->is.socket);
	return name;
}

struct target **targets_all(struct targets *t, size_t *count)
{
	pthread_mutex_lock(&t->lock);
	struct target **all = gcs_zalloc(((size_t)t->count + 1) * sizeof(struct target *));
	*count = 0;
	for (struct target *at = t->first; all != NULL && at != NULL; at = at->next) {
		at->references++;
		all[(*count)++] = at;
	}
	t->read_ms = now_ms();
	pthread_mutex_unlock(&t->lock);
	return all;
}

void targets_release_all(struct targets *t, struct target **all, size_t count)
{
	for (size_t i = 0; all != NULL && i < count; i++)
		target_release(t, all[i]);
	gcs_free(all);
}

static bool is_named(const struct target_identity *is, const char *instance, long pid)
{
	return pid >= 0
		   ? is->pid == pid
		   : strcmp(is->program, instance) == 0 || strcmp(is->full, instance) == 0 ||
			 strcmp(is->socket, instance) == 0 || strcmp(is->container, instance) == 0;
}

struct target *targets_numbered(struct targets *t, uint64_t number)
{
	pthread_mutex_lock(&t->lock);
	struct target *at = t->first;
	while (at != NULL && at->is.number != number)
		at = at->next;
	if (at != NULL)
		at->references++;
	pthread_mutex_unlock(&t->lock);
	return at;
}

struct target *targets_find(struct targets *t, const char *instance, char *several, size_t size)
{
	char *end;
	const long number = strtol(instance, &end, 10);
	const long pid = *instance != '\0' && *end == '\0' ? number : -1;
	struct target *found = NULL;
	unsigned count = 0;
	size_t length = 0;
	several[0] = '\0';
	pthread_mutex_lock(&t->lock);
	for (struct target *at = t->first; at != NULL; at = at->next) {
		if (*instance == '\0' || pid == 0 || !is_named(&at->is, instance, pid))
			continue;
		found = at;
		count++;
		const char *blank = length == 0 ? "" : " ";
		if (length < size)
			length +=
			    (size_t)(at->is.pid == 0 ? snprintf(several + length, size - length,
							   "%s%s", blank, at->is.socket)
						     : snprintf(several + length, size - length,
							   "%s%ld", blank, at->is.pid));
	}
	if (count < 2)
		several[0] = '\0';
	else
		found = NULL;
	if (found != NULL)
		found->references++;
	pthread_mutex_unlock(&t->lock);
	return found;
}

struct gcs_profile *target_profile(
    struct target *target, enum gcs_profile_kind kind, uint32_t timeout_ms, struct gcs_error *err)
{
	const struct gcs_info asked = {"kind", gcs_profile_kind_word(kind)};
	struct gcs_profile *profile = NULL;
	uint32_t id = 0;
	if (target->client == NULL) {
		gcs_fail(err, GCS_STATE, "the JVM is not connected");
		return NULL;
	}
	const enum gcs_status status = gcs_client_query(target->client, "sites", 1, &asked, &id);
	struct gcs_answer *answer =
	    status == GCS_OK ? gcs_client_answer(target->client, id, timeout_ms) : NULL;
	if (status != GCS_OK)
		gcs_fail(err, status, "%s", gcs_status_text(status));
	else if (answer == NULL)
		gcs_fail(err, GCS_TIMEOUT, "the JVM does not answer");
	else if (answer->status != GCS_OK)
		gcs_fail(err, answer->status, "%s",
		    answer->message[0] == '\0' ? gcs_status_text(answer->status) : answer->message);
	else
		profile = gcs_profile_decode(answer->bytes, answer->length, err);
	gcs_answer_free(answer);
	return profile;
}

bool target_pprof(const struct gcs_profile *profile, const struct pprof_form *form, struct wr *body,
    struct gcs_error *err)
{
	const struct gcs_site_filter filter = {.by_thread = !form->without_threads};
	const struct gcs_export_options options = {
	    .allocations_only = form->difference, .in_use_first = form->in_use_first};
	const struct gcs_sink sink = {.write = wr_take, .context = body};
	struct gcs_sites *sites = gcs_sites_create(profile, &filter, err);
	const bool good = sites != NULL &&
			  gcs_sites_export(sites, GCS_EXPORT_PPROF, &options, &sink, err) == GCS_OK;
	gcs_sites_free(sites);
	return good;
}
