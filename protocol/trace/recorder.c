/* A trace writer with a thread and a bounded queue: see recorder.h and recorder_internal.h. */
#include "recorder_internal.h"

#include <sys/stat.h>
#include <unistd.h>

#include <gcspy/memory.h>

#include "now.h"
#include "own_files.h"
#include "reserved.h"
#include "thread.h"

enum {
	DEFAULT_QUEUE = 256,
	MOST_QUEUE = 1 << 20,
	DEFAULT_QUEUE_BYTES = 64 << 20,
	RECORDER_FLUSH_MS = 500
};

/* Creation and end. */

static bool make_locks(struct gcs_recorder *r)
{
	if (pthread_mutex_init(&r->lock, NULL) != 0)
		return false;
	if (thread_cond_init(&r->wake)) {
		if (thread_cond_init(&r->rested))
			return true;
		pthread_cond_destroy(&r->wake);
	}
	pthread_mutex_destroy(&r->lock);
	return false;
}

static struct gcs_recorder *make(const struct gcs_recorder_options *o)
{
	struct gcs_recorder *r = gcs_zalloc(sizeof *r);
	if (r == NULL)
		return NULL;
	r->queue_limit = o->queue_limit == 0 ? DEFAULT_QUEUE : o->queue_limit;
	r->queue_limit = r->queue_limit < MOST_QUEUE ? r->queue_limit : MOST_QUEUE;
	r->queue_bytes_limit = o->queue_bytes == 0 ? DEFAULT_QUEUE_BYTES : o->queue_bytes;
	r->flush_ns = (o->trace.flush_ms == 0 ? RECORDER_FLUSH_MS : o->trace.flush_ms) * 1000000ull;
	r->finish_ms = o->finish_ms;
	r->changed = o->changed;
	r->finished = o->finished;
	r->context = o->context;
	r->queue = gcs_zalloc(r->queue_limit * sizeof *r->queue);
	if (r->queue != NULL && make_locks(r))
		return r;
	gcs_free(r->queue);
	gcs_free(r);
	return NULL;
}

struct gcs_recorder *gcs_recorder_create(
    const struct gcs_recorder_options *options, struct gcs_error *err)
{
	if (RESERVED_CHECK("the options of a recorder", options, err) != GCS_OK)
		return NULL;
	struct gcs_recorder *r = make(options);
	if (r == NULL) {
		gcs_fail(err, GCS_NOMEM, "no memory to record");
		return NULL;
	}
	r->writer = gcs_trace_create(&options->trace, err);
	if (r->writer == NULL)
		goto failed;
	atomic_store(&r->fd, trace_writer_fd(r->writer));
	(void)recorder_note(r);
	r->path = gcs_strdup(gcs_trace_writer_path(r->writer));
	if (r->path != NULL && thread_start(&r->thread, "gcspy-record", recorder_run, r)) {
		trace_writer_leave(r->writer);
		return r;
	}
	gcs_fail(err, GCS_NOMEM, "cannot start the recorder's thread");
	if (!options->trace.replace)
		unlink(gcs_trace_writer_path(r->writer));
	recorder_close(r, NULL);
failed:
	recorder_destroy(r);
	return NULL;
}

bool recorder_reports(const struct gcs_recorder *r)
{
	return r->changed != NULL;
}

void recorder_forget(const struct gcs_recorder *r)
{
	const int fd = atomic_load(&r->fd);
	if (fd != -1 && own_files_shared())
		(void)own_files_close(fd);
}

const char *gcs_recorder_path(const struct gcs_recorder *r)
{
	return r->path;
}

void gcs_recorder_get_stats(struct gcs_recorder *r, struct gcs_recorder_stats *stats)
{
	pthread_mutex_lock(&r->lock);
	*stats = r->stats;
	stats->waiting = r->count;
	pthread_mutex_unlock(&r->lock);
}

/* True if the thread has finished in time. Lock held. */
static bool wait_done(struct gcs_recorder *r)
{
	const uint64_t deadline = now_ns() + (uint64_t)r->finish_ms * 1000000u;
	while (!r->done) {
		if (r->finish_ms == 0)
			pthread_cond_wait(&r->rested, &r->lock);
		else if (!thread_cond_until(&r->rested, &r->lock, deadline))
			break;
	}
	return r->done;
}

/* The disk hangs: abandons the thread. Lock held. */
static void abandon(struct gcs_recorder *r, struct gcs_recorder_stats *stats)
{
	*stats = r->stats;
	gcs_fail(&stats->error, GCS_TIMEOUT,
	    "%.150s: the disk did not take the rest of the recording within %g s", r->path,
	    (double)r->finish_ms / 1000);
	r->abandoned = true;
	while (r->calling)
		pthread_cond_wait(&r->rested, &r->lock);
	pthread_detach(r->thread);
}

enum gcs_status gcs_recorder_finish(struct gcs_recorder *r, struct gcs_error *err)
{
	struct gcs_recorder_stats stats;
	struct stat st;
	if (r == NULL)
		return GCS_OK;
	void (*const finished)(void *, const struct gcs_recorder_stats *) = r->finished;
	void *const context = r->context;
	pthread_mutex_lock(&r->lock);
	r->stopping = true;
	pthread_cond_signal(&r->wake);
	const bool done = wait_done(r);
	if (!done)
		abandon(r, &stats);
	pthread_mutex_unlock(&r->lock);
	if (done) {
		pthread_join(r->thread, NULL);
		stats = r->stats;
		if (!stats.moved && stat(r->path, &st) == 0 && S_ISREG(st.st_mode))
			stats.bytes = (uint64_t)st.st_size;
		recorder_destroy(r);
	}
	if (finished != NULL)
		finished(context, &stats);
	if (stats.error.status != GCS_OK && err != NULL)
		*err = stats.error;
	return stats.error.status;
}
