/* The thread of event_history_store.h: creates files, rotates the rings, answers requests. */
#include "event_history_store_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory_use.h"
#include "now.h"
#include "thread.h"

enum { FLUSH_MS = 200, QUEUE = 64, FINISH_MS = 2000, TRIES = 100 };

static void wake(const struct event_history_store *h)
{
	if (h->options.wake != NULL)
		h->options.wake(h->options.context);
}

/* On a recorder's thread. */
static void on_ring_changed(void *context)
{
	struct event_history_store *h = context;
	pthread_mutex_lock(&h->lock);
	h->check = true;
	pthread_cond_signal(&h->changed);
	pthread_mutex_unlock(&h->lock);
}

static void remove_file(const char *path)
{
	char folder[EVENT_HISTORY_PATH];
	snprintf(folder, sizeof folder, "%s", path);
	*strrchr(folder, '/') = 0;
	unlink(path);
	rmdir(folder);
}

/* The file is unlinked and used by its descriptor: nothing is left of a window that is killed,
 * and the recorder can still open it. Where /proc does not support that, the name stays until
 * the end. */
static bool make_file(struct spool *s, const char *path)
{
	char by_number[64];
	s->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (s->fd == -1)
		return false;
	snprintf(by_number, sizeof by_number, "/proc/self/fd/%d", s->fd);
	s->named = access(by_number, R_OK | W_OK) != 0;
	snprintf(s->path, sizeof s->path, "%s", s->named ? path : by_number);
	if (!s->named)
		remove_file(path);
	return true;
}

static bool make_folder(char *folder, size_t size, struct gcs_error *err)
{
	const char *base = getenv("TMPDIR");
	if (base == NULL || base[0] == 0)
		base = "/tmp";
	if ((size_t)snprintf(folder, size, "%s/gcspy-view-XXXXXX", base) >= size)
		errno = ENAMETOOLONG;
	else if (mkdtemp(folder) != NULL)
		return true;
	gcs_fail(err, GCS_IO, "%.200s: %s", base, strerror(errno));
	return false;
}

/* A file in a folder of its own, which no other user can create first. */
static bool make_spool(struct event_history_store *h, struct spool *s, struct gcs_error *err)
{
	char folder[EVENT_HISTORY_PATH - 16], path[EVENT_HISTORY_PATH];
	*s = (struct spool){.fd = -1};
	if (!make_folder(folder, sizeof folder, err))
		return false;
	snprintf(path, sizeof path, "%s/past.gcspy", folder);
	if (!make_file(s, path)) {
		gcs_fail(err, GCS_IO, "%.200s: %s", path, strerror(errno));
		rmdir(folder);
		return false;
	}
	const struct gcs_recorder_options options = {
	    .trace = {.path = s->path,
		.replace = true,
		.flush_ms = FLUSH_MS,
		.max_bytes = 2 * h->file_bytes},
	    .queue_limit = QUEUE,
	    .queue_bytes = (size_t)16 << 20,
	    .finish_ms = FINISH_MS,
	    .changed = on_ring_changed,
	    .context = h,
	};
	s->recorder = gcs_recorder_create(&options, err);
	if (s->recorder != NULL)
		return true;
	if (s->named)
		remove_file(path);
	close(s->fd);
	*s = (struct spool){.fd = -1};
	return false;
}

static void drop_spool(struct spool *s)
{
	if (s->number == 0)
		return;
	gcs_recorder_finish(s->recorder, NULL);
	if (s->named)
		remove_file(s->path);
	close(s->fd);
	*s = (struct spool){.fd = -1};
}

/* The thread. All functions are entered and left with the lock held. */

/* Stops writing; what was written can be read. */
static void give_up(struct event_history_store *h, const struct gcs_error *why)
{
	struct gcs_recorder *recorders[HISTORY_RINGS];
	h->failed = true;
	h->error = *why;
	for (int i = 0; i < HISTORY_RINGS; i++) {
		recorders[i] = h->ring[i].now.recorder;
		h->ring[i].now.recorder = NULL;
	}
	pthread_mutex_unlock(&h->lock);
	for (int i = 0; i < HISTORY_RINGS; i++)
		gcs_recorder_finish(recorders[i], NULL);
	wake(h);
	pthread_mutex_lock(&h->lock);
}

/* The full file becomes the previous one, which is deleted. */
static void rotate_ring(struct event_history_store *h, struct ring *ring)
{
	struct spool fresh;
	struct gcs_error err = {.status = GCS_OK};
	pthread_mutex_unlock(&h->lock);
	const bool ok = make_spool(h, &fresh, &err);
	pthread_mutex_lock(&h->lock);
	if (!ok) {
		give_up(h, &err);
		return;
	}
	struct spool gone = ring->before;
	struct gcs_recorder *full = ring->now.recorder;
	fresh.number = ++h->numbers;
	ring->before = ring->now;
	ring->before.recorder = NULL;
	ring->now = fresh;
	pthread_mutex_unlock(&h->lock);
	gcs_recorder_finish(full, NULL);
	drop_spool(&gone);
	pthread_mutex_lock(&h->lock);
}

/* Rotates full rings and creates missing files. */
static void look_after(struct event_history_store *h)
{
	h->check = false;
	for (int i = 0; i < HISTORY_RINGS && !h->failed; i++) {
		struct ring *ring = &h->ring[i];
		struct gcs_recorder_stats stats = {.bytes = 0};
		if (ring->now.recorder != NULL)
			gcs_recorder_get_stats(ring->now.recorder, &stats);
		const enum gcs_status status = stats.error.status;
		if (status != GCS_OK && status != GCS_LIMIT)
			give_up(h, &stats.error);
		else if (ring->now.recorder == NULL || status == GCS_LIMIT ||
			 stats.bytes >= h->file_bytes)
			rotate_ring(h, ring);
	}
}

/* The first time: snapshots that wait for the files can be put. */
static void tell_made(struct event_history_store *h)
{
	if (h->made || h->failed)
		return;
	h->made = true;
	pthread_mutex_unlock(&h->lock);
	wake(h);
	pthread_mutex_lock(&h->lock);
}

/* True if a retry after a pause makes sense: the file does not have everything yet. */
static bool rests(struct event_history_store *h, int tried)
{
	if (h->failed || h->wanted || h->ending || tried == TRIES)
		return false;
	thread_cond_until(&h->changed, &h->lock, now_ns() + FLUSH_MS * 1000000u / 4);
	return !h->wanted && !h->ending;
}

static void answer_one(struct event_history_store *h)
{
	const struct event_history_store_question q = h->questions[0];
	struct ring rings[HISTORY_RINGS];
	struct gcs_answer *answer = NULL;
	bool partial;
	int tried = 0;
	memmove(h->questions, h->questions + 1, --h->question_count * sizeof q);
	do {
		gcs_answer_free(answer);
		partial = false;
		memcpy(rings, h->ring, sizeof rings);
		pthread_mutex_unlock(&h->lock);
		answer = event_history_store_read_profile(h, rings, &q, &partial);
		pthread_mutex_lock(&h->lock);
	} while (partial && rests(h, tried++));
	if (answer != NULL && h->answer_count == HISTORY_QUESTIONS) { /* not requested any more */
		gcs_answer_free(h->answers[0]);
		memmove(h->answers, h->answers + 1, --h->answer_count * sizeof *h->answers);
	}
	if (answer != NULL)
		h->answers[h->answer_count++] = answer;
}

static void fulfil(struct event_history_store *h)
{
	struct ring rings[HISTORY_RINGS];
	const uint64_t time_ns = h->want_ns;
	const enum event_history_store_way way = h->way;
	struct gcs_snapshot *s = NULL;
	bool partial;
	int tried = 0;
	h->wanted = false;
	do {
		gcs_snapshot_unref(s);
		partial = false;
		memcpy(rings, h->ring, sizeof rings);
		pthread_mutex_unlock(&h->lock);
		s = event_history_store_read(h, rings, time_ns, way, &partial);
		pthread_mutex_lock(&h->lock);
	} while (partial && rests(h, tried++));
	if (h->wanted) { /* a newer request has arrived */
		gcs_snapshot_unref(s);
		return;
	}
	gcs_snapshot_unref(h->result);
	h->result = s;
	h->found = true;
}

/* Readers of large heaps hold many snapshots. */
static void rest(struct event_history_store *h)
{
	h->resting = false;
	pthread_mutex_unlock(&h->lock);
	event_history_store_close_files(h);
	memory_give_back();
	pthread_mutex_lock(&h->lock);
}

/* Snapshots that come and go fragment the C library's heaps. */
static void tidy(struct event_history_store *h)
{
	h->untidy = 0;
	pthread_mutex_unlock(&h->lock);
	memory_tidy();
	pthread_mutex_lock(&h->lock);
}

void *event_history_store_run(void *context)
{
	struct event_history_store *h = context;
	pthread_mutex_lock(&h->lock);
	while (!h->ending) {
		if (h->check && !h->failed) {
			look_after(h);
			tell_made(h);
			continue;
		}
		if (h->resting && !h->wanted) {
			rest(h);
			continue;
		}
		if (h->untidy >= HISTORY_TIDY) {
			tidy(h);
			continue;
		}
		if (h->wanted) {
			fulfil(h);
		} else if (h->question_count > 0) {
			answer_one(h);
		} else {
			pthread_cond_wait(&h->changed, &h->lock);
			continue;
		}
		pthread_mutex_unlock(&h->lock);
		wake(h);
		pthread_mutex_lock(&h->lock);
	}
	pthread_mutex_unlock(&h->lock);
	event_history_store_close_files(h);
	for (int i = 0; i < HISTORY_RINGS; i++) {
		drop_spool(&h->ring[i].now);
		drop_spool(&h->ring[i].before);
	}
	return NULL;
}
