/* The window's side of event_history_store.h. */
#include "event_history_store_files.h"

#include <stdio.h>
#include <stdlib.h>

#include "thread.h"

enum { FILES = 2 * HISTORY_RINGS + 1 }; /* during a rotation, a ring has three */

struct event_history_store *event_history_store_open(
    const struct event_history_store_options *options, struct gcs_error *err)
{
	struct event_history_store *h = calloc(1, sizeof *h);
	if (h == NULL) {
		gcs_fail(err, GCS_NOMEM, "out of memory");
		return NULL;
	}
	h->options = *options;
	h->file_bytes = (options->bytes > HISTORY_LEAST ? options->bytes : HISTORY_LEAST) / FILES;
	h->check = true;
	for (int i = 0; i < HISTORY_RINGS; i++)
		h->ring[i].now.fd = h->ring[i].before.fd = -1;
	pthread_mutex_init(&h->lock, NULL);
	thread_cond_init(&h->changed);
	if (pthread_create(&h->thread, NULL, event_history_store_run, h) == 0)
		return h;
	gcs_fail(err, GCS_NOMEM, "cannot create a thread");
	pthread_cond_destroy(&h->changed);
	pthread_mutex_destroy(&h->lock);
	free(h);
	return NULL;
}

void event_history_store_end(struct event_history_store *h)
{
	pthread_mutex_lock(&h->lock);
	h->ending = true;
	pthread_cond_signal(&h->changed);
	pthread_mutex_unlock(&h->lock);
}

void event_history_store_close(struct event_history_store *h)
{
	if (h == NULL)
		return;
	event_history_store_end(h);
	pthread_join(h->thread, NULL);
	gcs_snapshot_unref(h->result);
	for (uint32_t i = 0; i < h->answer_count; i++)
		gcs_answer_free(h->answers[i]);
	pthread_cond_destroy(&h->changed);
	pthread_mutex_destroy(&h->lock);
	free(h);
}

void event_history_store_rest(struct event_history_store *h)
{
	pthread_mutex_lock(&h->lock);
	h->resting = true;
	pthread_cond_signal(&h->changed);
	pthread_mutex_unlock(&h->lock);
}

/* With the lock held. */
static void put_snapshot(struct ring *ring, const struct gcs_snapshot *snapshot)
{
	struct spool *s = &ring->now;
	const uint64_t time_ns = gcs_snapshot_occurrence(snapshot)->time_ns;
	if (s->recorder == NULL || !gcs_recorder_put(s->recorder, snapshot))
		return;
	if (s->from_ns == 0)
		s->from_ns = time_ns > 0 ? time_ns : 1;
	s->to_ns = time_ns;
	ring->count++;
}

bool event_history_store_is_ready(struct event_history_store *h)
{
	pthread_mutex_lock(&h->lock);
	const bool ready = h->made || h->failed;
	pthread_mutex_unlock(&h->lock);
	return ready;
}

bool event_history_store_put(
    struct event_history_store *h, const struct gcs_snapshot *snapshot, uint64_t place)
{
	uint64_t stride = 1;
	pthread_mutex_lock(&h->lock);
	const bool ready = h->made || h->failed;
	for (int i = 0; ready && i < EVENT_HISTORY_STORE_TIERS;
	     i++, stride *= EVENT_HISTORY_STORE_STEP)
		if (place % stride == 0)
			put_snapshot(&h->ring[i], snapshot);
	if (++h->untidy == HISTORY_TIDY)
		pthread_cond_signal(&h->changed);
	pthread_mutex_unlock(&h->lock);
	return ready;
}

/* With the lock held. A profile follows an event, which gives it its time. */
static bool put_ring_profile(
    struct ring *ring, const struct gcs_snapshot *of, const void *bytes, size_t length)
{
	struct spool *s = &ring->now;
	if (s->recorder == NULL)
		return false;
	if (s->from_ns == 0 || s->to_ns < gcs_snapshot_occurrence(of)->time_ns)
		put_snapshot(ring, of);
	if (s->from_ns == 0 || !gcs_recorder_put_profile(s->recorder, bytes, length))
		return false;
	s->profiles++;
	return true;
}

bool event_history_store_put_profile(struct event_history_store *h, const struct gcs_snapshot *of,
    enum gcs_profile_kind kind, const void *bytes, size_t length)
{
	pthread_mutex_lock(&h->lock);
	const bool kept = put_ring_profile(&h->ring[HISTORY_PROFILES], of, bytes, length);
	if (kept && h->profiles[kind]++ % EVENT_HISTORY_STORE_STEP == 0)
		put_ring_profile(&h->ring[HISTORY_FEWER_PROFILES], of, bytes, length);
	pthread_mutex_unlock(&h->lock);
	return kept;
}

bool event_history_store_error(struct event_history_store *h, struct gcs_error *err)
{
	pthread_mutex_lock(&h->lock);
	const bool failed = h->failed;
	*err = h->error;
	pthread_mutex_unlock(&h->lock);
	return failed;
}

/* What a file covers before `until`; sets `until` to its start. */
static void list(const struct spool *s, uint32_t stride, uint64_t *until,
    struct event_history_file *files, uint32_t most, uint32_t *count)
{
	if (s->number == 0 || s->from_ns == 0 || s->from_ns >= *until || *count == most)
		return;
	struct event_history_file *f = &files[(*count)++];
	*f = (struct event_history_file){
	    .from_ns = s->from_ns, .stride = stride, .profiles = s->profiles};
	f->to_ns = s->to_ns < *until ? s->to_ns : *until - 1;
	snprintf(f->path, sizeof f->path, "%s", s->path);
	*until = s->from_ns;
}

/* The files of `count` rings, each with fewer events than the one before. Oldest first. */
static uint32_t list_rings(struct event_history_store *h, const struct ring *rings, int count,
    struct event_history_file *files, uint32_t most)
{
	uint32_t n = 0, stride = 1;
	uint64_t until = UINT64_MAX;
	pthread_mutex_lock(&h->lock);
	for (int i = 0; i < count; i++, stride *= EVENT_HISTORY_STORE_STEP) {
		list(&rings[i].now, stride, &until, files, most, &n);
		list(&rings[i].before, stride, &until, files, most, &n);
	}
	pthread_mutex_unlock(&h->lock);
	for (uint32_t i = 0; i < n / 2; i++) {
		const struct event_history_file f = files[i];
		files[i] = files[n - 1 - i];
		files[n - 1 - i] = f;
	}
	return n;
}

uint32_t event_history_store_files(
    struct event_history_store *h, struct event_history_file *files, uint32_t most)
{
	return list_rings(h, h->ring, EVENT_HISTORY_STORE_TIERS, files, most);
}

uint32_t event_history_store_profile_files(
    struct event_history_store *h, struct event_history_file *files, uint32_t most)
{
	return list_rings(
	    h, &h->ring[HISTORY_PROFILES], HISTORY_RINGS - HISTORY_PROFILES, files, most);
}

void event_history_store_want(
    struct event_history_store *h, uint64_t time_ns, enum event_history_store_way way)
{
	pthread_mutex_lock(&h->lock);
	h->wanted = true;
	h->found = false;
	h->want_ns = time_ns;
	h->way = way;
	pthread_cond_signal(&h->changed);
	pthread_mutex_unlock(&h->lock);
}

bool event_history_store_take(struct event_history_store *h, struct gcs_snapshot **snapshot)
{
	pthread_mutex_lock(&h->lock);
	const bool found = h->found;
	*snapshot = found ? h->result : NULL;
	if (found)
		h->result = NULL;
	h->found = false;
	pthread_mutex_unlock(&h->lock);
	return found;
}

enum gcs_status event_history_store_ask(
    struct event_history_store *h, enum gcs_profile_kind kind, uint64_t time_ns, uint32_t id)
{
	pthread_mutex_lock(&h->lock);
	const bool room = h->question_count < HISTORY_QUESTIONS;
	if (room)
		h->questions[h->question_count++] = (struct event_history_store_question){
		    .id = id, .kind = kind, .time_ns = time_ns};
	pthread_cond_signal(&h->changed);
	pthread_mutex_unlock(&h->lock);
	return room ? GCS_OK : GCS_LIMIT;
}

struct gcs_answer *event_history_store_answer(struct event_history_store *h, uint32_t id)
{
	struct gcs_answer *answer = NULL;
	pthread_mutex_lock(&h->lock);
	for (uint32_t i = 0; i < h->answer_count && answer == NULL; i++) {
		if (h->answers[i]->id != id)
			continue;
		answer = h->answers[i];
		h->answers[i] = h->answers[--h->answer_count];
	}
	pthread_mutex_unlock(&h->lock);
	return answer;
}
