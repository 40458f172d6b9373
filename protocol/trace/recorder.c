/*
 * A trace writer with a thread and a bounded queue: see recorder.h. The lock guards the queue and the
 * counts; the writer belongs to the thread. The clock is the only system call made with the lock held.
 */
#include <gcspy/recorder.h>

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gcspy/memory.h>

#include "late_profiles.h"
#include "now.h"
#include "reserved.h"
#include "snapshot_internal.h"
#include "thread.h"

enum {
	DEFAULT_QUEUE = 256,
	MOST_QUEUE = 1 << 20,
	DEFAULT_QUEUE_BYTES = 64 << 20,
	DEFAULT_FLUSH_MS = 500
};

/* How often the file's name is checked while much is written; it is also checked after each flush. */
#define CHECK_NS UINT64_C(1000000000)

/* A snapshot, or a profile's bytes. */
struct item {
	const struct gcs_snapshot *snapshot;
	void *bytes;
	size_t length;
	size_t cost;
};

struct gcs_recorder {
	pthread_t thread;
	struct gcs_trace_writer *writer; /* the thread's; NULL when finished */
	char *path;
	struct late_profiles late; /* the thread's */
	uint64_t flush_ns;
	uint64_t due_ns;     /* the thread's: when to flush the writer; 0: it is empty */
	uint64_t checked_ns; /* the thread's: when the file was last checked */
	uint32_t finish_ms;
	uint32_t queue_limit;
	size_t queue_bytes_limit;
	void (*changed)(void *context);
	void (*finished)(void *context, const struct gcs_recorder_stats *stats);
	void *context;

	pthread_mutex_t lock;  /* the rest */
	pthread_cond_t wake;   /* for the thread: work, or `stopping` */
	pthread_cond_t rested; /* for gcs_recorder_finish: `done` or `calling` has changed */
	struct item *queue;
	uint32_t first, count;
	size_t bytes;
	uint64_t last_serial;                      /* of the snapshot queued last */
	int64_t judged_ns[GCS_PROFILE_KIND_COUNT]; /* of the last profile of each kind */
	uint64_t missed;                           /* snapshots dropped or reported as missed */
	struct gcs_recorder_stats stats;
	bool stopping, done, calling;
	bool abandoned; /* the thread is on its own and frees everything */
};

/* The queue; lock held. */

static struct item take_first(struct gcs_recorder *r)
{
	const struct item item = r->queue[r->first];
	r->first = (r->first + 1) % r->queue_limit;
	r->count--;
	r->bytes -= item.cost;
	return item;
}

static void free_item(const struct item *item)
{
	gcs_snapshot_unref(item->snapshot);
	gcs_free(item->bytes);
}

static bool is_full(const struct gcs_recorder *r, size_t cost)
{
	return r->count == r->queue_limit ||
	       (r->count != 0 && r->bytes + cost > r->queue_bytes_limit);
}

static void append(struct gcs_recorder *r, const struct item *item)
{
	r->queue[(r->first + r->count) % r->queue_limit] = *item;
	r->count++;
	r->bytes += item->cost;
	pthread_cond_signal(&r->wake);
}

static bool ended(const struct gcs_recorder *r)
{
	return r->stats.error.status != GCS_OK;
}

static void drop_first(struct gcs_recorder *r)
{
	const struct item item = take_first(r);
	if (item.snapshot != NULL) {
		r->stats.dropped++;
		r->missed++;
	} else {
		r->stats.dropped_profiles++;
	}
	free_item(&item);
}

static void forget_all(struct gcs_recorder *r)
{
	while (r->count != 0) {
		const struct item item = take_first(r);
		free_item(&item);
	}
}

/* Putting in. */

bool gcs_recorder_put(struct gcs_recorder *r, const struct gcs_snapshot *snapshot)
{
	pthread_mutex_lock(&r->lock);
	const bool open = !ended(r);
	if (open) {
		struct item item = {.cost = snapshot_queue_cost(snapshot, r->last_serial)};
		while (is_full(r, item.cost))
			drop_first(r);
		item.snapshot = gcs_snapshot_ref(snapshot);
		r->last_serial = snapshot->serial;
		append(r, &item);
	}
	pthread_mutex_unlock(&r->lock);
	return open;
}

bool gcs_recorder_put_profile(struct gcs_recorder *r, const void *bytes, size_t length)
{
	struct item item = {.length = length, .cost = length};
	if (!trace_is_profile(bytes, length))
		return false;
	const uint8_t kind = ((const uint8_t *)bytes)[1];
	const int64_t judged_ns = trace_judged_ns(bytes, length);
	item.bytes = gcs_alloc(length);
	if (item.bytes != NULL)
		memcpy(item.bytes, bytes, length);
	pthread_mutex_lock(&r->lock);
	const bool repeated = judged_ns != 0 && judged_ns == r->judged_ns[kind];
	/* A profile does not displace events: there will be another one. */
	const bool taken = !repeated && item.bytes != NULL && !ended(r) && !is_full(r, length);
	if (taken) {
		append(r, &item);
		r->judged_ns[kind] = judged_ns;
	} else if (!repeated) {
		r->stats.dropped_profiles++;
	}
	pthread_mutex_unlock(&r->lock);
	if (!taken)
		gcs_free(item.bytes);
	return taken || repeated;
}

void gcs_recorder_miss(struct gcs_recorder *r, uint64_t count)
{
	pthread_mutex_lock(&r->lock);
	r->missed += count;
	pthread_mutex_unlock(&r->lock);
}

/* Writing; on the thread, without the lock. */

static enum gcs_status write_item(
    struct gcs_recorder *r, struct item *item, uint64_t missed, struct gcs_error *err)
{
	if (r->due_ns == 0)
		r->due_ns = now_ns() + r->flush_ns;
	trace_writer_missed(r->writer, missed);
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

/* Copies the writer's counts; true if the file has grown. Lock held. */
static bool note(struct gcs_recorder *r)
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
	bool news = note(r) || moved != r->stats.moved;
	r->stats.moved = moved;
	if (err->status != GCS_OK) {
		/* Now, so that the file is complete even if the program is killed later. */
		r->stats.error = *err;
		forget_all(r);
		pthread_mutex_unlock(&r->lock);
		gcs_trace_finish(r->writer, NULL);
		r->writer = NULL;
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
	const uint64_t missed = r->missed;
	const bool any = r->count != 0;
	const bool due = r->due_ns != 0 && now_ns() >= r->due_ns;
	bool moved = r->stats.moved;
	if (r->writer == NULL || (!any && !due))
		return false;
	if (any)
		item = take_first(r);
	else
		r->due_ns = 0;
	pthread_mutex_unlock(&r->lock);
	if (any)
		write_item(r, &item, missed, &err);
	else
		late_profiles_flush(&r->late, r->writer, &err);
	free_item(&item);
	if (err.status == GCS_OK && (!any || now_ns() - r->checked_ns >= CHECK_NS))
		check_file(r, &moved, &err);
	pthread_mutex_lock(&r->lock);
	settle(r, moved, &err);
	return true;
}

static void destroy(struct gcs_recorder *r)
{
	pthread_cond_destroy(&r->wake);
	pthread_cond_destroy(&r->rested);
	pthread_mutex_destroy(&r->lock);
	late_profiles_fini(&r->late);
	gcs_free(r->queue);
	gcs_free(r->path);
	gcs_free(r);
}

static void *run(void *context)
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
		gcs_trace_finish(r->writer, &err);
	else
		gcs_trace_finish(r->writer, NULL);
	pthread_mutex_lock(&r->lock);
	r->stats.moved = r->stats.moved || moved;
	if (!ended(r) && err.status != GCS_OK)
		r->stats.error = err;
	r->done = true;
	const bool alone = r->abandoned;
	pthread_cond_broadcast(&r->rested);
	pthread_mutex_unlock(&r->lock);
	if (alone)
		destroy(r);
	return NULL;
}

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
	r->flush_ns = (o->trace.flush_ms == 0 ? DEFAULT_FLUSH_MS : o->trace.flush_ms) * 1000000ull;
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
	note(r);
	r->path = gcs_strdup(gcs_trace_writer_path(r->writer));
	if (r->path != NULL && thread_start(&r->thread, "gcspy-record", run, r))
		return r;
	gcs_fail(err, GCS_NOMEM, "cannot start the recorder's thread");
	if (!options->trace.replace)
		unlink(gcs_trace_writer_path(r->writer));
	gcs_trace_finish(r->writer, NULL);
failed:
	destroy(r);
	return NULL;
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
		destroy(r);
	}
	if (finished != NULL)
		finished(context, &stats);
	if (stats.error.status != GCS_OK && err != NULL)
		*err = stats.error;
	return stats.error.status;
}
