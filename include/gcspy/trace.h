/*
 * Trace files: a recording of snapshots and profiles, written as they come and read at any place
 * (rows F21 to F23; OOPSLA 2002, sections 3.4 and 6.4). docs/trace-format.md specifies the file.
 *
 * A trace is a row of segments. Each begins with a key frame - the description and the whole state
 * - and goes on with differences, in the bytes of docs/protocol.md, deflated in chunks that have
 * checksums. So a file that was cut short is readable up to the cut, damage costs the segment that
 * it hits, and any event is reached by decoding one segment at most.
 *
 * A writer or a reader belongs to one thread at a time. Snapshots that a reader gives are shared
 * and immutable like all others.
 */
#ifndef GCSPY_TRACE_H
#define GCSPY_TRACE_H

#include "profile.h"
#include "snapshot.h"

GCS_BEGIN_DECLS

/* The format's version: a reader refuses another major and skips what a later minor adds. */
#define GCS_TRACE_MAJOR 1
#define GCS_TRACE_MINOR 0

/* The first bytes of a trace file. */
#define GCS_TRACE_MAGIC "GCSTRACE"

/* Writing. */

struct gcs_trace_writer;

struct gcs_trace_options {
	const char *path;
	bool replace; /* take the place of a file that exists; otherwise that is an error */
	/* a file that exists is left alone, and the first free name of PATH.1, PATH.2 … is taken */
	bool number;
	int level;          /* of deflation, 1 (fast) to 9 (small); 0: 4 */
	uint32_t flush_ms;  /* most time that an event stays in memory; 0: 500 */
	uint64_t max_bytes; /* of the file: what does not fit is refused with LIMIT; 0: no limit */
};

/*
 * Creates the file, readable by its owner only, or NULL with the reason. Memory: the state last
 * written, and at most half a MiB of bytes that wait for their chunk beside one encoded snapshot.
 */
GCS_API struct gcs_trace_writer *gcs_trace_create(
    const struct gcs_trace_options *options, struct gcs_error *err);

/* The path of the file, which differs from the options' if `number` changed it. */
GCS_API const char *gcs_trace_writer_path(const struct gcs_trace_writer *writer);

/*
 * Appends a snapshot. Its description may differ from the one before, as it may in a session, but
 * its events may not. After a failure (disk full, limit reached, no memory) nothing more is
 * written: every call fails with the same error, and what was written before stays readable.
 */
GCS_API enum gcs_status gcs_trace_write(
    struct gcs_trace_writer *writer, const struct gcs_snapshot *snapshot, struct gcs_error *err);

/* Appends a profile (the document of docs/protocol.md, section 11) at the present place. */
GCS_API enum gcs_status gcs_trace_write_profile(
    struct gcs_trace_writer *writer, const void *bytes, size_t length, struct gcs_error *err);

/*
 * Writes what has waited for longer than flush_ms, or with `now` all. Call it at least that often
 * while no snapshots come.
 */
GCS_API enum gcs_status gcs_trace_flush(
    struct gcs_trace_writer *writer, bool now, struct gcs_error *err);

struct gcs_trace_written {
	uint64_t events;        /* snapshots */
	uint64_t profiles;      /* profiles */
	uint64_t bytes;         /* of the file so far, without what waits */
	uint64_t profile_bytes; /* of them, for profiles */
	uint64_t raw_bytes;     /* of the events before they were deflated */
};

GCS_API void gcs_trace_written(
    const struct gcs_trace_writer *writer, struct gcs_trace_written *written);

/*
 * Writes what waits and the index, closes the file and frees the writer; NULL is fine. The status
 * is that of the first failure.
 */
GCS_API enum gcs_status gcs_trace_finish(struct gcs_trace_writer *writer, struct gcs_error *err);

/* Reading. */

struct gcs_trace;

/*
 * Opens a trace, or NULL with the reason (none of ours, another version, nothing readable in it).
 * A file without its index - its writer was killed, or is at work - is searched for chunks instead.
 */
GCS_API struct gcs_trace *gcs_trace_open(const char *path, struct gcs_error *err);

/* NULL is fine. */
GCS_API void gcs_trace_close(struct gcs_trace *trace);

/* True if the file begins like a trace. */
GCS_API bool gcs_trace_is(const char *path);

struct gcs_trace_info {
	uint32_t major, minor;
	uint64_t bytes;    /* of the file */
	uint64_t events;   /* places 0 .. events - 1, also those that damage made unreadable */
	uint64_t profiles; /* profiles 0 .. profiles - 1 */
	uint64_t chunks;   /* chunks found */
	int64_t created_wall_ns; /* when recording began, ns since 1970 UTC */
	uint64_t first_time_ns;  /* of the first event, the server's monotonic clock */
	uint64_t last_time_ns;   /* of the last one */
	uint64_t stray_bytes; /* at the end, that make no whole chunk: the writer was cut short */
	bool complete;        /* the file was finished: it ends with its index */
};

GCS_API void gcs_trace_get_info(const struct gcs_trace *trace, struct gcs_trace_info *info);

/* The description at the first readable event, with a reference for the caller. */
GCS_API struct gcs_model *gcs_trace_model(const struct gcs_trace *trace);

/*
 * The snapshot at a place, with a reference for the caller. Any order; forwards and backwards are
 * fast, and elsewhere one segment is decoded at most. NULL with ARGUMENT behind the end, with
 * MALFORMED where the file is damaged (`err` names the byte), with NOMEM or IO.
 */
GCS_API struct gcs_snapshot *gcs_trace_at(
    struct gcs_trace *trace, uint64_t place, struct gcs_error *err);

/*
 * The same without spaces: what happened, its attributes and nothing else, some fifty times faster
 * when read in order. Errors as gcs_trace_at, though a place may have a moment and no readable
 * state.
 */
GCS_API struct gcs_snapshot *gcs_trace_moment(
    struct gcs_trace *trace, uint64_t place, struct gcs_error *err);

/*
 * The nearest readable place from `place` on (`step` > 0) or back (`step` < 0), or UINT64_MAX. A
 * place that was not read yet counts as readable.
 */
GCS_API uint64_t gcs_trace_readable(const struct gcs_trace *trace, uint64_t place, int step);

/* The last place whose event is not later than `time_ns` of the server's clock; 0 before the first
 * one. */
GCS_API uint64_t gcs_trace_find(struct gcs_trace *trace, uint64_t time_ns);

/* Profiles, in the order of recording. */
struct gcs_trace_profile_info {
	enum gcs_profile_kind kind;
	uint64_t place;   /* events recorded before it */
	uint64_t time_ns; /* of the event before it, 0 without one */
	uint64_t bytes;   /* in the file */
};

GCS_API bool gcs_trace_profile_info(
    const struct gcs_trace *trace, uint64_t number, struct gcs_trace_profile_info *info);

/* A profile, the caller's to destroy; NULL as for gcs_trace_at. */
GCS_API struct gcs_profile *gcs_trace_profile(
    struct gcs_trace *trace, uint64_t number, struct gcs_error *err);

/* The last profile of that kind that was recorded at or before `place`, or UINT64_MAX. */
GCS_API uint64_t gcs_trace_profile_before(
    const struct gcs_trace *trace, enum gcs_profile_kind kind, uint64_t place);

/* What is known to be unreadable. */
struct gcs_trace_damage {
	uint64_t offset; /* byte of the file */
	uint64_t bytes;
	uint64_t place; /* events from here on … */
	uint64_t count; /* … so many cannot be read because of it; 0: none, such as a profile */
	char words[120];
};

/* Damage found so far, number 0, 1 …; false behind the last. */
GCS_API bool gcs_trace_get_damage(
    const struct gcs_trace *trace, uint32_t number, struct gcs_trace_damage *damage);

/*
 * Reads every chunk and decodes every event, so that all damage is known. Returns how much there
 * is.
 */
GCS_API uint32_t gcs_trace_check(struct gcs_trace *trace);

GCS_END_DECLS

#endif
