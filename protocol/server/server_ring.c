#include "server_ring.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <gcspy/memory.h>

#include "now.h"
#include "path_pattern.h"
#include "server_internal.h"
#include "snapshot_internal.h"
#include "thread.h"
#include "trace_format.h"

enum {
	RING_EVENTS = 16384, /* most snapshots */
	BATCH = 64,          /* snapshots that are copied at a time with the lock held */
	QUEUE_BYTES = 16 << 20
};

#define SECOND_NS UINT64_C(1000000000)

struct kept {
	const struct gcs_snapshot *snapshot;
	size_t cost;
	uint64_t missed; /* occurrences until then, of all */
};

struct kept_profile {
	void *bytes;
	size_t length;
};

struct server_ring {
	struct gcs_ring_options options;
	char *path; /* own copy */
	struct gcs_server *server;
	pthread_t thread;
	bool running;

	/* Under the server's lock. */
	pthread_cond_t wake; /* for the thread: a request, or `stopping` */
	struct kept *kept;
	uint64_t first, end; /* numbers of the snapshots in the ring */
	size_t bytes;        /* of snapshots and profiles */
	uint64_t last_serial;
	uint64_t missed;
	struct kept_profile profiles[GCS_PROFILE_KIND_COUNT];
	bool stopping;
	bool requested;
	char why[GCS_MAX_NAME + 1];
	uint64_t until_ns; /* the recording continues until then */
	uint32_t files;
	bool saving;
	uint64_t last_ns;              /* `until_ns` may not be later */
	struct gcs_recorder *follower; /* gets each snapshot; or NULL */
};

/* The ring's contents; lock held. */

static struct kept *kept_at(const struct server_ring *r, uint64_t number)
{
	return &r->kept[number % RING_EVENTS];
}

static uint64_t time_of(const struct kept *k)
{
	return gcs_snapshot_occurrence(k->snapshot)->time_ns;
}

static void drop_first(struct server_ring *r)
{
	struct kept *k = kept_at(r, r->first++);
	r->bytes -= k->cost;
	gcs_snapshot_unref(k->snapshot);
	*k = (struct kept){NULL, 0, 0};
}

/* One event before the chosen seconds stays, as the state that they begin with. */
static bool too_old(const struct server_ring *r, uint64_t time_ns)
{
	const uint64_t ns = r->options.seconds * SECOND_NS;
	return r->end - r->first > 1 && time_of(kept_at(r, r->first + 1)) + ns < time_ns;
}

void server_ring_put(struct gcs_server *s, const struct gcs_snapshot *snapshot)
{
	struct server_ring *r = s->ring;
	if (r == NULL || !r->running)
		return;
	const struct kept k = {
	    gcs_snapshot_ref(snapshot), snapshot_queue_cost(snapshot, r->last_serial), r->missed};
	while (r->end != r->first &&
	       (r->end - r->first == RING_EVENTS || r->bytes + k.cost > r->options.bytes))
		drop_first(r);
	*kept_at(r, r->end++) = k;
	r->bytes += k.cost;
	r->last_serial = snapshot->serial;
	while (too_old(r, time_of(&k)))
		drop_first(r);
	if (r->follower != NULL)
		(void)gcs_recorder_put(r->follower, snapshot);
}

void server_ring_miss(struct gcs_server *s)
{
	if (s->ring == NULL)
		return;
	s->ring->missed++;
	if (s->ring->follower != NULL)
		gcs_recorder_miss(s->ring->follower, 1);
}

bool server_ring_put_profile(struct gcs_server *s, const void *bytes, size_t length)
{
	struct server_ring *r = s->ring;
	if (r == NULL || !r->running || !trace_is_profile(bytes, length))
		return false;
	if (r->follower != NULL)
		(void)gcs_recorder_put_profile(r->follower, bytes, length);
	/* Events are what the ring is for. */
	void *copy = length > r->options.bytes / 8 ? NULL : gcs_alloc(length);
	if (copy == NULL)
		return false;
	memcpy(copy, bytes, length);
	struct kept_profile *p = &r->profiles[((const uint8_t *)bytes)[1]];
	gcs_free(p->bytes);
	r->bytes += length - p->length;
	*p = (struct kept_profile){copy, length};
	return true;
}

bool server_ring_put_answer(struct gcs_server *s, const struct gcs_trace_answer *answer)
{
	struct server_ring *r = s->ring;
	return r != NULL && r->running && r->follower != NULL &&
	       gcs_recorder_put_answer(r->follower, answer);
}

/* Writing; on the thread. */

/* How far the ring has been copied. */
struct copied {
	uint64_t next, missed;
};

/* Copies up to BATCH references; in each, `missed` is what was missed since the one before. Lock
 * held. */
static uint32_t copy_batch(struct server_ring *r, struct copied *c, struct kept *batch)
{
	uint32_t count = 0;
	uint64_t dropped = 0;
	if (c->next < r->first) {
		dropped = r->first - c->next;
		c->next = r->first;
	}
	for (; c->next < r->end && count < BATCH; count++) {
		struct kept *k = kept_at(r, c->next++);
		batch[count] = *k;
		batch[count].missed = k->missed - c->missed + dropped;
		gcs_snapshot_ref(k->snapshot);
		c->missed = k->missed;
		dropped = 0;
	}
	return count;
}

static void put_batch(struct gcs_recorder *recorder, struct kept *batch, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (batch[i].missed != 0)
			gcs_recorder_miss(recorder, batch[i].missed);
		(void)gcs_recorder_put(recorder, batch[i].snapshot);
		gcs_snapshot_unref(batch[i].snapshot);
	}
}

/* Lock held. */
static void put_profiles(struct server_ring *r, struct gcs_recorder *recorder)
{
	for (int i = 0; i < GCS_PROFILE_KIND_COUNT; i++)
		if (r->profiles[i].bytes != NULL)
			(void)gcs_recorder_put_profile(
			    recorder, r->profiles[i].bytes, r->profiles[i].length);
}

/* Gives the recorder what the ring has, and makes it the follower. Lock held, but released meanwhile.
 */
static void hand_over(struct server_ring *r, struct gcs_recorder *recorder)
{
	struct kept batch[BATCH];
	struct copied c = {r->first, r->first == r->end ? r->missed : kept_at(r, r->first)->missed};
	uint32_t count, first = 1;
	while ((count = copy_batch(r, &c, batch)) != 0) {
		if (first != 0) {
			put_batch(recorder, batch, 1);
			put_profiles(r, recorder);
		}
		pthread_mutex_unlock(&r->server->lock);
		put_batch(recorder, batch + first, count - first);
		first = 0;
		pthread_mutex_lock(&r->server->lock);
	}
	if (r->missed != c.missed)
		gcs_recorder_miss(recorder, r->missed - c.missed);
	r->follower = recorder;
}

static void note_finished(void *context, const struct gcs_recorder_stats *stats)
{
	*(struct gcs_recorder_stats *)context = *stats;
}

static struct gcs_recorder *open_file(
    const struct server_ring *r, struct gcs_recorder_stats *stats, struct gcs_error *err)
{
	char path[RING_PATH];
	if (!path_from_pattern(path, sizeof path, r->path, (long)getpid(), now_wall_ns())) {
		gcs_fail(err, GCS_ARGUMENT, "the ring's path \"%.200s\" is too long", r->path);
		return NULL;
	}
	const struct gcs_recorder_options options = {
	    .trace = {.path = path, .number = true, .max_bytes = r->options.file_bytes},
	    .queue_limit = 2 * RING_EVENTS,
	    .queue_bytes = 2 * r->options.bytes + QUEUE_BYTES,
	    .finish_ms = r->options.finish_ms,
	    .finished = note_finished,
	    .context = stats,
	};
	return gcs_recorder_create(&options, err);
}

/* Waits for the end of the recording. Lock held. */
static void keep_recording(struct server_ring *r)
{
	while (!r->stopping && now_ns() < r->until_ns)
		(void)thread_cond_until(&r->wake, &r->server->lock, r->until_ns);
	r->follower = NULL;
	r->saving = false;
}

/* Writes one recording. Lock held, but released meanwhile. */
static void save(struct server_ring *r)
{
	pthread_mutex_t *lock = &r->server->lock;
	struct gcs_recorder_stats stats = {0};
	struct gcs_ring_saved saved = {.path = ""};
	char why[sizeof r->why], path[RING_PATH + 40] = "";
	memcpy(why, r->why, sizeof why);
	saved.why = why;
	pthread_mutex_unlock(lock);
	struct gcs_recorder *recorder = open_file(r, &stats, &saved.error);
	if (recorder != NULL) {
		snprintf(path, sizeof path, "%s", gcs_recorder_path(recorder));
		saved.path = path;
		if (r->options.saving != NULL)
			r->options.saving(r->options.context);
	}
	pthread_mutex_lock(lock);
	if (recorder != NULL) {
		hand_over(r, recorder);
		keep_recording(r);
	}
	r->saving = false;
	saved.last = r->files == r->options.files;
	pthread_mutex_unlock(lock);
	(void)gcs_recorder_finish(recorder, &saved.error);
	if (recorder != NULL && saved.error.status == GCS_OK && stats.events == 0) {
		gcs_fail(&saved.error, GCS_STATE, "the ring has no events");
		unlink(path);
		saved.path = "";
	}
	saved.events = stats.events;
	saved.bytes = stats.bytes;
	if (r->options.saved != NULL)
		r->options.saved(r->options.context, &saved);
	pthread_mutex_lock(lock);
}

static void *run(void *context)
{
	struct server_ring *r = context;
	pthread_mutex_lock(&r->server->lock);
	while (r->requested || !r->stopping) {
		if (r->requested) {
			r->requested = false;
			save(r);
		} else {
			pthread_cond_wait(&r->wake, &r->server->lock);
		}
	}
	pthread_mutex_unlock(&r->server->lock);
	return NULL;
}

/* Requests. */

/* gcs_server_save_ring; lock held. */
static enum gcs_status save_ring(struct gcs_server *s, const char *why, struct gcs_error *err)
{
	struct server_ring *r = s->ring;
	if (r == NULL || !r->running)
		return gcs_fail(err, GCS_STATE, "this program keeps no ring of its last seconds");
	const uint64_t now = now_ns(), until = now + r->options.after_seconds * SECOND_NS;
	if (r->saving) {
		r->until_ns = until < r->last_ns ? until : r->last_ns;
		return GCS_OK;
	}
	if (r->files >= r->options.files)
		return gcs_fail(err, GCS_LIMIT,
		    "all of the %u recordings of the ring have been written", r->options.files);
	r->files++;
	r->saving = r->requested = true;
	r->until_ns = until;
	r->last_ns = now + r->options.seconds * SECOND_NS;
	snprintf(r->why, sizeof r->why, "%s", why);
	pthread_cond_signal(&r->wake);
	return GCS_OK;
}

/* A trigger that fires again after the last file is no error. */
void server_ring_fired(struct gcs_server *s, const struct gcs_ticket *ticket)
{
	char name[GCS_MAX_NAME + 1];
	if (triggers_record(s, ticket, name, sizeof name))
		(void)gcs_server_save_ring(s, name, NULL);
}

enum gcs_status gcs_server_save_ring(struct gcs_server *s, const char *why, struct gcs_error *err)
{
	pthread_mutex_lock(&s->lock);
	const enum gcs_status status = save_ring(s, why, err);
	pthread_mutex_unlock(&s->lock);
	return status;
}

bool gcs_server_ring_state(struct gcs_server *s, struct gcs_ring_state *state)
{
	*state = (struct gcs_ring_state){0};
	pthread_mutex_lock(&s->lock);
	const struct server_ring *r = s->ring;
	if (r != NULL) {
		state->events = (uint32_t)(r->end - r->first);
		if (r->end != r->first)
			state->span_ns =
			    time_of(kept_at(r, r->end - 1)) - time_of(kept_at(r, r->first));
		state->bytes = r->bytes;
		state->files = r->files;
		state->saving = r->saving;
	}
	pthread_mutex_unlock(&s->lock);
	return r != NULL;
}

/* Creation and end. */

static void destroy(struct server_ring *r)
{
	if (r == NULL)
		return;
	while (r->first != r->end)
		drop_first(r);
	for (int i = 0; i < GCS_PROFILE_KIND_COUNT; i++)
		gcs_free(r->profiles[i].bytes);
	gcs_free(r->kept);
	gcs_free(r->path);
	gcs_free(r);
}

enum gcs_status gcs_server_set_ring(
    struct gcs_server *s, const struct gcs_ring_options *options, struct gcs_error *err)
{
	if (s->running)
		return gcs_fail(err, GCS_STATE, "cannot keep a ring: the server has started");
	if (s->ring != NULL)
		return gcs_fail(err, GCS_STATE, "the server has a ring already");
	if (ring_options_check(options, err) != GCS_OK)
		return GCS_ARGUMENT;
	struct server_ring *r = gcs_zalloc(sizeof *r);
	if (r == NULL)
		return gcs_fail(err, GCS_NOMEM, "no memory for a ring");
	r->options = *options;
	r->server = s;
	ring_options_fill(&r->options);
	r->path = gcs_strdup(options->path);
	r->kept = gcs_zalloc(RING_EVENTS * sizeof *r->kept);
	if (r->path == NULL || r->kept == NULL) {
		destroy(r);
		return gcs_fail(err, GCS_NOMEM, "no memory for a ring");
	}
	const enum gcs_status status = ring_plugin_describe(s, err);
	if (status != GCS_OK) {
		destroy(r);
		return status;
	}
	s->ring = r;
	return GCS_OK;
}

bool server_ring_start(struct gcs_server *s)
{
	struct server_ring *r = s->ring;
	if (r == NULL)
		return true;
	if (!thread_cond_init(&r->wake))
		return false;
	r->stopping = false;
	pthread_mutex_lock(&s->lock);
	r->running = thread_start(&r->thread, "gcspy-ring", run, r);
	pthread_mutex_unlock(&s->lock);
	if (!r->running)
		pthread_cond_destroy(&r->wake);
	return r->running;
}

void server_ring_stop(struct gcs_server *s)
{
	struct server_ring *r = s->ring;
	if (r == NULL || !r->running)
		return;
	pthread_mutex_lock(&s->lock);
	r->stopping = true;
	pthread_cond_signal(&r->wake);
	pthread_mutex_unlock(&s->lock);
	pthread_join(r->thread, NULL);
	pthread_cond_destroy(&r->wake);
	r->running = false;
}

void server_ring_finish(struct gcs_server *s)
{
	server_ring_stop(s);
	pthread_mutex_lock(&s->lock);
	struct server_ring *r = s->ring;
	s->ring = NULL;
	pthread_mutex_unlock(&s->lock);
	destroy(r);
}
