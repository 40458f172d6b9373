/* The recorder's thread: writes what is queued. */
#include "recorder_internal.h"

#include <gcspy/memory.h>

#include "now.h"
#include "thread.h"

/* How often the file's name is checked while much is written; it is also checked after each flush. */
#define CHECK_NS UINT64_C(1000000000)

/* Writing; on the thread, without the lock. */

static enum gcs_status write_item(struct gcs_recorder *r, struct item *item, struct gcs_error *err)
{
	if (r->due_ns == 0)
		r->due_ns = now_ns() + r->flush_ns;
	trace_writer_missed(r->writer, item->missed);
	if (item->answer != NULL)
		return gcs_trace_write_answer(r->writer, item->answer, err);
	return item->snapshot == NULL
		   ? late_profiles_put(&r->late, r->writer, &item->bytes, item->length, err)
		   : late_profiles_event(&r->late, r->writer, item->snapshot, err);
}

/* A deleted file would only take space on the disk until it is closed. */
static enum gcs_status check_file(struct gcs_recorder *r, bool *moved, struct gcs_error *err)
{
	const enum trace_file file = trace_writer_file(r->writer);
	r->checked_ns = now_ns();
	*moved = file == TRACE_FILE_MOVED;
	if (file != TRACE_FILE_REMOVED)
		return GCS_OK;
	return gcs_fail(err, GCS_IO, "%.150s has been removed: recording has ended", r->path);
}

bool recorder_note(struct gcs_recorder *r)
{
	struct gcs_trace_written w;
	gcs_trace_written(r->writer, &w);
	const bool news = w.bytes != r->stats.bytes;
	r->stats.events = w.events;
	r->stats.profiles = w.profiles;
	r->stats.bytes = w.bytes;
	r->stats.profile_bytes = w.profile_bytes;
	r->stats.raw_bytes = w.raw_bytes;
	return news;
}

/* Lock held, but not during the callback. */
static void notify(struct gcs_recorder *r)
{
	if (r->changed == NULL || r->abandoned)
		return;
	r->calling = true;
	pthread_mutex_unlock(&r->lock);
	r->changed(r->context);
	pthread_mutex_lock(&r->lock);
	r->calling = false;
	pthread_cond_broadcast(&r->rested);
}

/* Handles the result of a write. Lock held, but released during the callback and while the file is
 * closed. */
static void settle(struct gcs_recorder *r, bool moved, const struct gcs_error *err)
{
	bool news = recorder_note(r) || moved != r->stats.moved;
	r->stats.moved = moved;
	if (err->status != GCS_OK) {
		/* Now, so that the file is complete even if the program is killed later. */
		r->stats.error = *err;
		recorder_forget_all(r);
		pthread_mutex_unlock(&r->lock);
		recorder_close(r, NULL);
		pthread_mutex_lock(&r->lock);
		news = true;
	}
	if (news)
		notify(r);
}

/* Writes one item of the queue, or flushes when due; false if there is nothing to do. Lock held, but
 * released meanwhile. */
static bool work(struct gcs_recorder *r)
{
	struct gcs_error err = {.status = GCS_OK};
	struct item item = {.snapshot = NULL};
	const bool any = r->count != 0;
	const bool due = r->due_ns != 0 && now_ns() >= r->due_ns;
	bool moved = r->stats.moved;
	if (r->writer == NULL || (!any && !due))
		return false;
	if (any)
		item = recorder_take_first(r);
	else
		r->due_ns = 0;
	pthread_mutex_unlock(&r->lock);
	if (any)
		write_item(r, &item, &err);
	else
		late_profiles_flush(&r->late, r->writer, &err);
	recorder_free_item(&item);
	if (err.status == GCS_OK && (!any || now_ns() - r->checked_ns >= CHECK_NS))
		check_file(r, &moved, &err);
	pthread_mutex_lock(&r->lock);
	settle(r, moved, &err);
	return true;
}

void recorder_close(struct gcs_recorder *r, struct gcs_error *err)
{
	atomic_store(&r->fd, -1);
	gcs_trace_finish(r->writer, err);
	r->writer = NULL;
}

void recorder_destroy(struct gcs_recorder *r)
{
	pthread_cond_destroy(&r->wake);
	pthread_cond_destroy(&r->rested);
	pthread_mutex_destroy(&r->lock);
	late_profiles_fini(&r->late);
	gcs_free(r->queue);
	gcs_free(r->path);
	gcs_free(r);
}

void *recorder_run(void *context)
{
	struct gcs_recorder *r = context;
	struct gcs_error err = {.status = GCS_OK};
	pthread_mutex_lock(&r->lock);
	for (;;) {
		if (work(r))
			continue;
		const bool due = r->due_ns != 0 && r->writer != NULL;
		if (r->stopping && !due)
			break;
		if (r->stopping)
			r->due_ns = 1; /* now */
		else if (!due)
			pthread_cond_wait(&r->wake, &r->lock);
		else
			(void)thread_cond_until(&r->wake, &r->lock, r->due_ns);
	}
	pthread_mutex_unlock(&r->lock);
	bool moved = false;
	if (r->writer != NULL && check_file(r, &moved, &err) == GCS_OK)
		recorder_close(r, &err);
	else
		recorder_close(r, NULL);
	pthread_mutex_lock(&r->lock);
	r->stats.moved = r->stats.moved || moved;
	if (!recorder_ended(r) && err.status != GCS_OK)
		r->stats.error = err;
	r->done = true;
	const bool alone = r->abandoned;
	pthread_cond_broadcast(&r->rested);
	pthread_mutex_unlock(&r->lock);
	if (alone)
		recorder_destroy(r);
	return NULL;
}
