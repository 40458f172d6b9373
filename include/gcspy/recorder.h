/*
 * Recording without waiting for a disk: a trace writer (trace_writer.h) with a thread and a bounded
 * queue (F21, Q3, Q4).
 *
 * When snapshots arrive faster than the disk takes them, the oldest queued one is dropped and
 * counted; the next event in the file reports it as missed. After a failure (a full disk, the size
 * limit, a deleted file) nothing more is written or queued. A file that has been renamed is still
 * written to.
 *
 * All functions may be called from any thread, but not after gcs_recorder_finish has begun.
 */
#ifndef GCSPY_RECORDER_H
#define GCSPY_RECORDER_H

#include "trace_writer.h"

GCS_BEGIN_DECLS

struct gcs_recorder;

struct gcs_recorder_stats {
	uint64_t events;        /* snapshots given to the writer */
	uint64_t profiles;      /* profiles in the file */
	uint64_t bytes;         /* of the file so far, without the chunk in progress */
	uint64_t profile_bytes; /* of these, bytes of profiles */
	uint64_t raw_bytes;     /* of the events in the file before deflation */
	uint64_t dropped;       /* snapshots dropped from the queue or for lack of memory */
	uint64_t
	    dropped_profiles;   /* and answers that did not fit, or were dropped from the queue */
	uint32_t waiting;       /* snapshots and profiles in the queue */
	bool moved;             /* the file has been renamed: the path is stale */
	struct gcs_error error; /* the failure that ended recording; status OK: none */
	GCS_RESERVED(4);
};

struct gcs_recorder_options {
	struct gcs_trace_options trace;
	uint32_t queue_limit; /* most snapshots and profiles in the queue; 0: 256 */
	size_t queue_bytes;   /* most memory of the queue; 0: 64 MiB */
	/* Maximum wait of gcs_recorder_finish for the disk; 0: no limit. What is not written by then
	 * is lost, and a thread that is blocked in the kernel is abandoned. */
	uint32_t finish_ms;
	/*
	 * The file has grown (at most once per flush_ms unless much arrives), writing has failed
	 * (called once more, before the end), or `moved` has changed. On the recorder's thread, never
	 * after gcs_recorder_finish has returned; must not block or call gcs_recorder_finish. May be
	 * NULL.
	 */
	void (*changed)(void *context);
	/* The file is finished; `bytes` is its final size. Once, on the thread that finishes it. May
	 * be NULL. */
	void (*finished)(void *context, const struct gcs_recorder_stats *stats);
	void *context;
	GCS_RESERVED(4);
};

/*
 * Creates the file as gcs_trace_create does and starts the thread "gcspy-record"; NULL with the
 * reason in `err`. Options are copied.
 */
GCS_API struct gcs_recorder *gcs_recorder_create(
    const struct gcs_recorder_options *options, struct gcs_error *err);

/* The path of the file, as gcs_trace_writer_path. Valid until gcs_recorder_finish. */
GCS_API const char *gcs_recorder_path(const struct gcs_recorder *recorder);

/* Queues a snapshot, with a reference of its own. False after a failure. Does not wait for the
 * disk. */
GCS_API bool gcs_recorder_put(struct gcs_recorder *recorder, const struct gcs_snapshot *snapshot);

/*
 * Queues a copy of an encoded profile after the snapshots. It is written when an event after the
 * collection that it is as of the end of (gcs_profile_head.judged) has come, or with the next
 * flush; not at all if the last one of its kind was as of the same collection. False if the bytes
 * are not a profile or do not fit in the queue, after a failure, or without memory. Does not wait
 * for the disk.
 */
GCS_API bool gcs_recorder_put_profile(
    struct gcs_recorder *recorder, const void *bytes, size_t length);

/* Queues a copy of a plugin's answer, as gcs_recorder_put_profile does with a profile. */
GCS_API bool gcs_recorder_put_answer(
    struct gcs_recorder *recorder, const struct gcs_trace_answer *answer);

/* Adds `count` to the snapshots that the next one to be put in reports as missed. */
GCS_API void gcs_recorder_miss(struct gcs_recorder *recorder, uint64_t count);

/* What has been recorded so far. */
GCS_API void gcs_recorder_get_stats(
    struct gcs_recorder *recorder, struct gcs_recorder_stats *stats);

/*
 * Writes the queue, finishes the file as gcs_trace_finish does and frees the recorder; waits up to
 * finish_ms. Returns the status of the first failure, or TIMEOUT if the disk was too slow. NULL has
 * no effect.
 */
GCS_API enum gcs_status gcs_recorder_finish(struct gcs_recorder *recorder, struct gcs_error *err);

GCS_END_DECLS

#endif
