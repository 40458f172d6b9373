#include "push.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <curl/curl.h>
#include <gcspy/memory.h>

#include "metrics.h"
#include "now.h"
#include "otlp.h"
#include "profile_since.h"
#include "push_queue.h"
#include "thread.h"
#include "tool.h"

enum {
	PUSH_URL = 1024,
	PUSH_LABELS = 1024 + CLI_LABELS * (CLI_LABEL + 1),
	PUSH_BODY = 64 << 20,
	PUSH_ANSWER_MS = 5000
};

struct push;

/* One receiver: a thread that makes its requests, and the queue of these. */
struct pusher {
	struct push *push;
	char url[PUSH_URL]; /* up to the parameters, if there are any */
	void (*make)(struct pusher *);
	/* Of profiles: what is live, and what was allocated since the last time, or NULL. */
	void (*send)(struct pusher *, const struct target *, const struct gcs_profile *,
	    const struct gcs_profile *);
	struct push_queue *queue;
	pthread_t thread;
	bool runs;
	int64_t from_ns; /* when the last requests were made, since 1970 */
};

struct push {
	struct targets *targets;
	uint64_t every_ms;
	struct pusher pushers[TARGETS_PUSHES];
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool ending;
};

bool push_is_url(const char *url)
{
	const size_t scheme = strncmp(url, "http://", 7) == 0    ? 7
			      : strncmp(url, "https://", 8) == 0 ? 8
								 : 0;
	for (const char *c = url; *c != '\0'; c++)
		if (!isgraph((unsigned char)*c) || *c == '?' || *c == '#')
			return false;
	CURLU *parts = curl_url(); /* knows what a port may be */
	const bool parsed =
	    parts != NULL && curl_url_set(parts, CURLUPART_URL, url, 0) == CURLUE_OK;
	curl_url_cleanup(parts);
	return parsed && scheme != 0 &&
	       isalnum((unsigned char)(url[scheme] == '[' ? '0' : url[scheme])) &&
	       strlen(url) < PUSH_URL / 2;
}

static void make_metrics(struct pusher *p)
{
	struct wr body;
	wr_init(&body, PUSH_BODY);
	if (metrics_write_otlp(p->push->targets, &body) && body.length != 0)
		push_queue_put(p->queue, p->url, &body);
	wr_fini(&body);
}

/* A program as the name of an application: of other characters Pyroscope knows the meaning. */
static void write_application(char *name, size_t size, const char *program)
{
	size_t n = 0;
	for (; *program != '\0' && n + 1 < size; program++)
		name[n++] = isalnum((unsigned char)*program) || strchr("-_./", *program) != NULL
				? *program
				: '_';
	name[n] = '\0';
}

/* Unless --label has the name, or there is no value. */
static void put_label(
    char labels[PUSH_LABELS], const char *const *given, const char *name, const char *value)
{
	const size_t used = strlen(labels), length = strlen(name);
	char text[256];
	write_application(text, sizeof text, value);
	for (; *given != NULL; given++)
		if (strncmp(*given, name, length) == 0 && (*given)[length] == '=')
			return;
	if (text[0] != '\0')
		snprintf(labels + used, PUSH_LABELS - used, "%c%s=%s", used == 0 ? '{' : ',', name,
		    text);
}

/* {pid=…,hostname=…}: alone the PID is that of many containers. */
static void write_labels(
    char labels[PUSH_LABELS], const struct target_identity *is, const char *const *given)
{
	char pid[24] = "", host[256] = "";
	if (is->pid != 0)
		snprintf(pid, sizeof pid, "%ld", is->pid);
	if (gethostname(host, sizeof host - 1) != 0)
		host[0] = '\0';
	labels[0] = '\0';
	put_label(labels, given, "pid", pid);
	put_label(labels, given, "socket", is->socket);
	put_label(labels, given, "hostname", host);
	put_label(labels, given, "container_id", is->container);
	for (; *given != NULL; given++) {
		const size_t used = strlen(labels);
		snprintf(labels + used, PUSH_LABELS - used, "%c%s", used == 0 ? '{' : ',', *given);
	}
	strcat(labels, "}");
}

static void send_pprof(struct pusher *p, const struct target *target,
    const struct gcs_profile *profile, bool difference)
{
	const struct pprof_form form = {.without_threads = true, .difference = difference};
	char url[PUSH_URL + 4 * PUSH_LABELS], name[256], labels[PUSH_LABELS + 1];
	struct gcs_error err;
	struct wr body;
	wr_init(&body, PUSH_BODY);
	write_application(name, sizeof name, target->is.program);
	write_labels(labels, &target->is, p->push->targets->options.labels);
	char *escaped = curl_easy_escape(NULL, labels, 0);
	snprintf(url, sizeof url, "%s?format=pprof&from=%lld&until=%lld&name=%s%s", p->url,
	    (long long)(p->from_ns / 1000000000), (long long)(now_wall_ns() / 1000000000), name,
	    escaped == NULL ? "" : escaped);
	/* It makes a series of each value of a label. */
	if (escaped != NULL && target_pprof(profile, &form, &body, &err))
		push_queue_put(p->queue, url, &body);
	curl_free(escaped);
	wr_fini(&body);
}

static void send_to_pyroscope(struct pusher *p, const struct target *target,
    const struct gcs_profile *live, const struct gcs_profile *since)
{
	send_pprof(p, target, live, false);
	if (since != NULL)
		send_pprof(p, target, since, true);
}

static void send_to_otlp(struct pusher *p, const struct target *target,
    const struct gcs_profile *live, const struct gcs_profile *since)
{
	const struct gcs_profile *before = target->pushed[PUSH_OTLP_PROFILES];
	const struct otlp_request request = {
	    .is = &target->is,
	    .labels = p->push->targets->options.labels,
	    .live = live,
	    .since = since,
	    .since_ns = before == NULL ? 0 : gcs_profile_head(before)->wall_ns,
	};
	struct gcs_error err;
	struct wr body;
	wr_init(&body, PUSH_BODY);
	if (otlp_write_profiles(&request, &body, &err))
		push_queue_put(p->queue, p->url, &body);
	wr_fini(&body);
}

/* What is live now, and what was allocated since the last time: receivers add profiles up, so a sum since
 * sampling began would be counted again with each. */
static void send_profiles(struct pusher *p, struct target *target)
{
	struct gcs_profile **pushed = &target->pushed[p - p->push->pushers];
	struct gcs_error err;
	struct gcs_profile *live = target_profile(target, GCS_PROFILE_LIVE, PUSH_ANSWER_MS, &err);
	struct gcs_profile *all =
	    live == NULL ? NULL
			 : target_profile(target, GCS_PROFILE_ALLOCATED, PUSH_ANSWER_MS, &err);
	struct gcs_profile *since =
	    all == NULL || *pushed == NULL ? NULL : profile_since(*pushed, all, &err);
	if (live != NULL)
		p->send(p, target, live, since);
	gcs_profile_free(live);
	gcs_profile_free(since);
	if (all != NULL) {
		gcs_profile_free(*pushed);
		*pushed = all;
	}
}

static void make_profiles(struct pusher *p)
{
	size_t count;
	struct target **all = targets_all(p->push->targets, &count);
	for (size_t i = 0; all != NULL && i < count; i++)
		send_profiles(p, all[i]);
	targets_release_all(p->push->targets, all, count);
}

static void *push_run(void *context)
{
	struct pusher *p = context;
	struct push *push = p->push;
	uint64_t next_ns = now_ns();
	p->from_ns = now_wall_ns();
	for (;;) {
		next_ns += push->every_ms * 1000000;
		if (next_ns < now_ns())
			next_ns = now_ns();
		pthread_mutex_lock(&push->lock);
		while (!push->ending && thread_cond_until(&push->changed, &push->lock, next_ns))
			continue;
		const bool ending = push->ending;
		pthread_mutex_unlock(&push->lock);
		if (ending)
			return NULL;
		const int64_t now = now_wall_ns();
		p->make(p);
		p->from_ns = now;
	}
}

static bool start_pusher(struct push *push, uint32_t i, const struct push_receiver *to,
    const char *url, struct gcs_error *err)
{
	static const char *const paths[] = {
#define X(id, name, path, type) path,
	    TARGETS_RECEIVERS(X)
#undef X
	};
	struct pusher *p = &push->pushers[i];
	size_t length = strlen(url);
	while (url[length - 1] == '/')
		length--;
	snprintf(p->url, sizeof p->url, "%.*s%s", (int)length, url, paths[i]);
	p->push = push;
	p->make = i == PUSH_OTLP ? make_metrics : make_profiles;
	p->send = i == PUSH_OTLP_PROFILES ? send_to_otlp : send_to_pyroscope;
	p->queue = push_queue_create(to, &push->targets->pushes[i], err);
	if (p->queue == NULL)
		return false;
	p->runs = thread_start(&p->thread, "gcspy-push", push_run, p);
	if (!p->runs)
		gcs_fail(err, GCS_NOMEM, "cannot start a thread");
	return p->runs;
}

struct push *push_start(
    const struct push_options *o, struct targets *targets, struct gcs_error *err)
{
	struct push *push = gcs_zalloc(sizeof *push);
	if (push == NULL || !thread_cond_init(&push->changed)) {
		gcs_free(push);
		gcs_fail(err, GCS_NOMEM, "no memory");
		return NULL;
	}
	pthread_mutex_init(&push->lock, NULL);
	push->targets = targets;
	push->every_ms = o->every_ms;
	const struct push_receiver receivers[] = {
#define X(id, name, path, type)                                                                    \
	{name, type, o->token, o->queue_bytes,                                                     \
	    PUSH_##id == PUSH_PYROSCOPE ? NULL : otlp_is_refused},
	    TARGETS_RECEIVERS(X)
#undef X
	};
	bool good = true;
	for (uint32_t i = 0; i < TARGETS_PUSHES && good; i++)
		good = o->urls[i] == NULL || start_pusher(push, i, &receivers[i], o->urls[i], err);
	if (good)
		return push;
	push_stop(push);
	return NULL;
}

void push_stop(struct push *push)
{
	if (push == NULL)
		return;
	pthread_mutex_lock(&push->lock);
	push->ending = true;
	pthread_cond_broadcast(&push->changed);
	pthread_mutex_unlock(&push->lock);
	for (uint32_t i = 0; i < TARGETS_PUSHES; i++) {
		if (push->pushers[i].runs)
			pthread_join(push->pushers[i].thread, NULL);
		push_queue_free(push->pushers[i].queue);
	}
	pthread_cond_destroy(&push->changed);
	pthread_mutex_destroy(&push->lock);
	gcs_free(push);
}
