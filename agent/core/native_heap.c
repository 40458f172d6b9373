/* dlsym's RTLD_DEFAULT. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier) */
#include "native_heap_internal.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <gcspy/memory.h>

#include "now.h"
#include "thread.h"

/* Longest waits: for the other server at the start; for a snapshot, before requests are served; for the
 * first state of a client; after a failure. */
enum { CONNECT_MS = 3000, TURN_MS = 50, SHOWN_MS = 1000, AGAIN_MS = 1000 };
enum { PACE_MS = 250 };

const struct gcs_native_heap *native_heap_find(void)
{
	const struct gcs_native_heap *table = dlsym(RTLD_DEFAULT, GCS_NATIVE_HEAP_SYMBOL);
	return table == NULL || table->version != GCS_NATIVE_HEAP_VERSION ||
		       table->length < offsetof(struct gcs_native_heap, set_frames)
		   ? NULL
		   : table;
}

static struct gcs_client *connect_to(const struct native_heap *n, struct gcs_error *err)
{
	const struct gcs_client_options options = {.address = n->address,
	    .token = n->token[0] == '\0' ? NULL : n->token,
	    .name = "the agent",
	    .connect_timeout_ms = CONNECT_MS,
	    .queue_limit = 2};
	return gcs_client_open(&options, err);
}

/* Reads the description, and disconnects. */
static bool read_model(struct native_heap *n, char *why, size_t why_bytes)
{
	struct gcs_error err = {.text = "it does not answer"};
	struct gcs_client *client = connect_to(n, &err);
	if (client != NULL && gcs_client_wait(client, CONNECT_MS) == GCS_CLIENT_LIVE)
		n->model = gcs_client_model(client);
	else if (client != NULL)
		gcs_client_error(client, &err);
	gcs_client_close(client);
	if (n->model == NULL)
		snprintf(why, why_bytes, "Its server at %.100s: %.100s", n->address, err.text);
	return n->model != NULL;
}

static bool make_locks(struct native_heap *n)
{
	if (pthread_mutex_init(&n->lock, NULL) != 0)
		return false;
	if (thread_cond_init(&n->wake)) {
		if (thread_cond_init(&n->shown))
			return true;
		pthread_cond_destroy(&n->wake);
	}
	pthread_mutex_destroy(&n->lock);
	return false;
}

struct native_heap *native_heap_create(struct gcs_server *server, char *why, size_t why_bytes)
{
	const struct gcs_native_heap *table = native_heap_find();
	struct gcs_error err = {.text = "no memory"};
	why[0] = '\0';
	if (table == NULL)
		return NULL;
	struct native_heap *n = gcs_zalloc(sizeof *n);
	if (n == NULL || !make_locks(n)) {
		snprintf(why, why_bytes, "%s", err.text);
		gcs_free(n);
		return NULL;
	}
	n->server = server;
	n->update = n->event = GCS_NONE;
	if (!table->address(n->address, sizeof n->address, n->token, sizeof n->token))
		snprintf(why, why_bytes, "libgcspymalloc.so does not listen");
	else if (read_model(n, why, why_bytes) && native_add_spaces(n, &err) != GCS_OK)
		snprintf(why, why_bytes, "%.200s", err.text);
	if (why[0] == '\0')
		return n;
	native_heap_destroy(n);
	return NULL;
}

const char *native_heap_address(const struct native_heap *n)
{
	return n->address;
}

uint32_t native_heap_event(const struct native_heap *n)
{
	return n->event;
}

static void disconnect(struct native_heap *n)
{
	gcs_client_close(n->client);
	n->client = NULL;
	pthread_mutex_lock(&n->lock);
	for (uint32_t i = 0; i < n->space_count; i++)
		if (n->spaces[i].zoom && n->spaces[i].source != GCS_NONE)
			n->spaces[i].source = NATIVE_LOST;
	pthread_mutex_unlock(&n->lock);
}

/* Connected, or not to be, on our thread. */
static void connect_or_close(struct native_heap *n, bool wanted)
{
	struct gcs_error err;
	if (n->client != NULL && (!wanted || gcs_client_state(n->client) == GCS_CLIENT_LOST))
		disconnect(n);
	if (!wanted || n->client != NULL)
		return;
	n->client = connect_to(n, &err);
	const bool live = n->client != NULL &&
			  gcs_client_wait(n->client, CONNECT_MS) == GCS_CLIENT_LIVE &&
			  gcs_client_set_pace(n->client, GCS_PACE_INTERVAL, PACE_MS) == GCS_OK;
	pthread_mutex_lock(&n->lock);
	n->failed = !live;
	pthread_cond_broadcast(&n->shown);
	if (!live && !n->ending)
		(void)thread_cond_until(
		    &n->wake, &n->lock, now_ns() + (uint64_t)AGAIN_MS * 1000000u);
	pthread_mutex_unlock(&n->lock);
}

static void take_snapshot(struct native_heap *n)
{
	struct gcs_snapshot *s = n->client == NULL ? NULL : gcs_client_next(n->client, TURN_MS);
	if (s == NULL)
		return;
	pthread_mutex_lock(&n->lock);
	const struct gcs_snapshot *old = n->latest;
	n->latest = s;
	pthread_cond_broadcast(&n->shown);
	pthread_mutex_unlock(&n->lock);
	gcs_snapshot_unref(old);
	if (gcs_snapshot_occurrence(s)->event == n->update)
		n->changed(n->context);
}

/* Lock held; it is given up meanwhile. */
static void serve_first(struct native_heap *n)
{
	const struct native_request r = n->requests[n->first];
	n->first = (n->first + 1) % NATIVE_REQUESTS;
	n->count--;
	pthread_mutex_unlock(&n->lock);
	native_serve(n, &r);
	pthread_mutex_lock(&n->lock);
}

/* Lock held. What was shown is not the present state for the next client. */
static void forget_latest(struct native_heap *n)
{
	const struct gcs_snapshot *old = n->latest;
	n->latest = NULL;
	pthread_mutex_unlock(&n->lock);
	gcs_snapshot_unref(old);
	pthread_mutex_lock(&n->lock);
}

static void run(void *context)
{
	struct native_heap *n = context;
	pthread_mutex_lock(&n->lock);
	while (!n->ending) {
		const bool wanted = n->wanted;
		pthread_mutex_unlock(&n->lock);
		connect_or_close(n, wanted);
		take_snapshot(n);
		pthread_mutex_lock(&n->lock);
		while (n->count != 0 && !n->ending)
			serve_first(n);
		if (!n->wanted)
			forget_latest(n);
		while (!n->wanted && !n->ending && n->count == 0 && n->client == NULL)
			pthread_cond_wait(&n->wake, &n->lock);
	}
	pthread_mutex_unlock(&n->lock);
	connect_or_close(n, false);
}

enum gcs_status native_heap_describe(
    struct native_heap *n, void (*changed)(void *context), void *context, struct gcs_error *err)
{
	static const struct gcs_event plain = {.name = "Native heap",
	    .description = "An update of the native heap; the program keeps running and cannot be "
			   "paused here",
	    .colour = 0x009e73};
	struct gcs_event event = plain;
	for (uint32_t i = 0; i < n->model->event_count; i++)
		if (strcmp(n->model->events[i].name, "Update") == 0)
			n->update = i;
	if (n->update != GCS_NONE) {
		event.attribute_count = n->model->events[n->update].attribute_count;
		event.attributes = n->model->events[n->update].attributes;
	}
	n->changed = changed;
	n->context = context;
	const enum gcs_status status = gcs_server_add_event(n->server, &event, &n->event, err);
	if (status != GCS_OK)
		return status;
	return service_thread_start(&n->thread, "gcspy-native", run, n)
		   ? GCS_OK
		   : gcs_fail(
			 err, GCS_NOMEM, "cannot start the agent's thread for the native heap");
}

void native_heap_want(struct native_heap *n, bool wanted)
{
	if (n == NULL)
		return;
	pthread_mutex_lock(&n->lock);
	n->wanted = wanted;
	n->failed = false;
	pthread_cond_signal(&n->wake);
	pthread_mutex_unlock(&n->lock);
}

void native_heap_wait(struct native_heap *n)
{
	if (n == NULL)
		return;
	const uint64_t until = now_ns() + (uint64_t)SHOWN_MS * 1000000u;
	pthread_mutex_lock(&n->lock);
	while (n->latest == NULL && n->wanted && !n->failed && !n->ending &&
	       thread_cond_until(&n->shown, &n->lock, until))
		continue;
	pthread_mutex_unlock(&n->lock);
}

bool native_heap_end(struct native_heap *n, uint64_t deadline_ns)
{
	if (n == NULL)
		return true;
	pthread_mutex_lock(&n->lock);
	n->ending = true;
	pthread_cond_broadcast(&n->wake);
	pthread_cond_broadcast(&n->shown);
	pthread_mutex_unlock(&n->lock);
	return service_thread_join(&n->thread, deadline_ns);
}

void native_heap_destroy(struct native_heap *n)
{
	if (n == NULL)
		return;
	gcs_snapshot_unref(n->latest);
	gcs_model_unref(n->model);
	pthread_cond_destroy(&n->shown);
	pthread_cond_destroy(&n->wake);
	pthread_mutex_destroy(&n->lock);
	gcs_free(n);
}
