/*
 * Recording for those who must not wait for a disk: a trace writer (trace.h) with a thread of its
 * own and a bounded queue (rows F21, Q3 and Q4).
 *
 * Whoever has snapshots puts them in and goes on. When the disk is slower than they come, the oldest
 * waiting one makes way; it is counted, and the next event of the file tells it as missed. After a
 * failure - a full disk, the limit of the file, a file that has been removed - nothing more is written
 * and nothing more is kept. A file that has been moved is written on.
 *
 * All functions may be called from any thread, but none any more once gcs_recorder_finish has begun.
 */
#ifndef GCSPY_RECORDER_H
#define GCSPY_RECORDER_H

#include "trace.h"

GCS_BEGIN_DECLS

struct gcs_recorder;

struct gcs_recorder_stats {
	uint64_t events;           /* snapshots given to the writer */
	uint64_t profiles;         /* profiles in the file */
	uint64_t bytes;            /* of the file so far, without what waits for its chunk */
	uint64_t profile_bytes;    /* of them, for profiles */
	uint64_t raw_bytes;        /* of the events in the file before they were deflated */
	uint64_t dropped;          /* snapshots that made way, or came without memory */
	uint64_t dropped_profiles; /* profiles that did not fit or made way */
	uint32_t waiting;          /* snapshots and profiles in the queue */
	bool moved; /* the path does not name the file any more, which has a name elsewhere */
	struct gcs_error error; /* the failure that ended recording; status OK: none */
};

struct gcs_recorder_options {
	struct gcs_trace_options trace;
	uint32_t queue_limit; /* snapshots and profiles that may wait; 0: 256 */
	size_t queue_bytes;   /* most memory that they may take; 0: 64 MiB */
	/*
	 * How long gcs_recorder_finish may wait for the disk; 0: as long as it takes. What was not
	 * written by then is lost, and a thread that the system never lets go of is left behind.
	 */
	uint32_t finish_ms;
	/*
	 * Something was written to the file (more often than flush_ms only while much comes), or
	 * writing has failed - then once, for the last time before the end - or `moved` has changed. On
	 * the recorder's thread,
	 * never after gcs_recorder_finish has returned; must not block, and not call
	 * gcs_recorder_finish. May be NULL.
	 */
	void (*changed)(void *context);
	/* The last word, with what became of it; `bytes` is then the whole file. Once, on the thread
	 * that finishes it. May be NULL. */
	void (*finished)(void *context, const struct gcs_recorder_stats *stats);
	void *context;
};

/*
 * Creates the file as gcs_trace_create does and starts the thread "gcspy-record"; NULL with the
 * reason. Options are copied.
 */
GCS_API struct gcs_recorder *gcs_recorder_create(
    const struct gcs_recorder_options *options, struct gcs_error *err);

/* The path of the file, as gcs_trace_writer_path. Valid until gcs_recorder_finish. */
GCS_API const char *gcs_recorder_path(const struct gcs_recorder *recorder);

/* Records a snapshot; takes a reference of its own. False after a failure. Never waits for the
 * disk. */
GCS_API bool gcs_recorder_put(struct gcs_recorder *recorder, const struct gcs_snapshot *snapshot);

/*
 * Records a profile (copied) behind the snapshots put before. False when it is none, when it does
 * not fit beside what waits, after a failure, or without memory. Never waits for the disk.
 */
GCS_API bool gcs_recorder_put_profile(
    struct gcs_recorder *recorder, const void *bytes, size_t length);

/* So many snapshots were lost before they came here: the next event tells them as missed too. */
GCS_API void gcs_recorder_miss(struct gcs_recorder *recorder, uint64_t count);

GCS_API void gcs_recorder_get_stats(
    struct gcs_recorder *recorder, struct gcs_recorder_stats *stats);

/*
 * Writes what waits and finishes the file as gcs_trace_finish does; frees the recorder. Waits for
 * that (see finish_ms). The status is that of the first failure, TIMEOUT if the disk was too slow.
 * NULL is fine.
 */
GCS_API enum gcs_status gcs_recorder_finish(struct gcs_recorder *recorder, struct gcs_error *err);

GCS_END_DECLS

#endif
