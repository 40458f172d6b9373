/*
 * Writing trace files: snapshots, profiles and answers, as they arrive (F21; OOPSLA 2002, section 3.4).
 * docs/trace-format.md specifies the file; trace.h reads it; recorder.h writes on a thread of its
 * own.
 *
 * A writer may be used by one thread at a time.
 */
#ifndef GCSPY_TRACE_WRITER_H
#define GCSPY_TRACE_WRITER_H

#include "profile.h"
#include "snapshot.h"

GCS_BEGIN_DECLS

struct gcs_trace_writer;

struct gcs_trace_options {
	const char *path;
	bool replace; /* overwrite an existing file, which is an error otherwise; STATE if another
		       * recorder is writing it */
	bool number;  /* leave an existing file alone and take the first free PATH.1, PATH.2 … */
	int level;    /* of deflation, 1 (fast) to 9 (small); 0: 4 */
	uint32_t flush_ms;  /* longest time that an event stays in memory; 0: 500 */
	uint64_t max_bytes; /* of the file; an event that does not fit fails with LIMIT; 0: none */
	GCS_RESERVED(4);
};

/*
 * Creates a file that only its owner may read; NULL with the reason in `err`. The writer keeps the
 * last written state, one encoded snapshot and up to half a MiB of a chunk in memory.
 */
GCS_API struct gcs_trace_writer *gcs_trace_create(
    const struct gcs_trace_options *options, struct gcs_error *err);

/* The path of the file, with the suffix that `number` added. */
GCS_API const char *gcs_trace_writer_path(const struct gcs_trace_writer *writer);

/*
 * Appends a snapshot. Its description may differ from the one before, except for the events. After
 * a failure (full disk, limit, no memory) all calls fail with the same error; what was written
 * before stays readable.
 */
GCS_API enum gcs_status gcs_trace_write(
    struct gcs_trace_writer *writer, const struct gcs_snapshot *snapshot, struct gcs_error *err);

/* Appends an encoded profile (docs/protocol.md, section 11) at the place of the collection that it
 * is of: among the last 512 events, the last one that is not later. */
GCS_API enum gcs_status gcs_trace_write_profile(
    struct gcs_trace_writer *writer, const void *bytes, size_t length, struct gcs_error *err);

/* What a plugin (plugin.h) has answered. */
struct gcs_trace_answer {
	const char *plugin;  /* its name */
	const char *message; /* of the answer; NULL: none */
	int64_t wall_ns;     /* when it was given, nanoseconds since 1970 UTC */
	const void *bytes;   /* the answer's body */
	size_t length;
	GCS_RESERVED(2);
};

/* Appends an answer, after the events so far. */
GCS_API enum gcs_status gcs_trace_write_answer(
    struct gcs_trace_writer *writer, const struct gcs_trace_answer *answer, struct gcs_error *err);

/*
 * Writes what has been in memory for longer than flush_ms, or with `now` everything. Call it at
 * least that often while no snapshots arrive.
 */
GCS_API enum gcs_status gcs_trace_flush(
    struct gcs_trace_writer *writer, bool now, struct gcs_error *err);

struct gcs_trace_written {
	uint64_t events; /* snapshots */
	uint64_t profiles;
	uint64_t bytes;         /* of the file so far, without the chunk in progress */
	uint64_t profile_bytes; /* of these, bytes of profiles */
	uint64_t raw_bytes;     /* of the events before deflation */
	GCS_RESERVED(4);
};

/* What has been written so far. */
GCS_API void gcs_trace_written(
    const struct gcs_trace_writer *writer, struct gcs_trace_written *written);

/* Writes the rest and the index, closes the file and frees the writer; NULL has no effect. Returns
 * the status of the first failure. */
GCS_API enum gcs_status gcs_trace_finish(struct gcs_trace_writer *writer, struct gcs_error *err);

GCS_END_DECLS

#endif
