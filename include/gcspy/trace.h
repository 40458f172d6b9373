/*
 * Trace files: recordings of snapshots, profiles and answers, read in any order (F21 to F23; OOPSLA 2002,
 * sections 3.4 and 6.4). docs/trace-format.md specifies the file; trace_writer.h writes it.
 *
 * A trace is a sequence of segments. Each begins with a key frame, which has the description and the
 * whole state, and continues with differences, in the encoding of docs/protocol.md, deflated in
 * chunks with checksums. A truncated file is therefore readable up to the cut, damage costs only the
 * segment that it hits, and reading any event decodes one segment at most.
 *
 * A reader may be used by one thread at a time. Its snapshots are shared and immutable like all
 * others.
 */
#ifndef GCSPY_TRACE_H
#define GCSPY_TRACE_H

#include "profile.h"
#include "trace_writer.h"

GCS_BEGIN_DECLS

/* Version of the format. A reader rejects another major version and skips what a later minor one
 * adds. */
#define GCS_TRACE_MAJOR 1
#define GCS_TRACE_MINOR 1

/* The first bytes of a trace file. */
#define GCS_TRACE_MAGIC "GCSTRACE"

struct gcs_trace;

/*
 * Opens a trace. NULL with the reason in `err`: not a trace, another version, nothing readable. A
 * file without an index, whose writer was killed or is still running, is searched for chunks.
 */
GCS_API struct gcs_trace *gcs_trace_open(const char *path, struct gcs_error *err);

/* NULL has no effect. */
GCS_API void gcs_trace_close(struct gcs_trace *trace);

/* True if the file begins like a trace. */
GCS_API bool gcs_trace_is(const char *path);

struct gcs_trace_info {
	uint32_t major, minor;
	uint64_t bytes;          /* of the file */
	uint64_t events;         /* places 0 .. events - 1, including unreadable ones */
	uint64_t profiles;       /* numbers 0 .. profiles - 1 */
	uint64_t chunks;         /* chunks found */
	int64_t created_wall_ns; /* start of the recording, nanoseconds since 1970 UTC */
	uint64_t first_time_ns;  /* of the first and last event, the server's monotonic clock */
	uint64_t last_time_ns;
	uint64_t stray_bytes; /* at the end, after the last whole chunk, of an interrupted writer */
	bool complete;        /* the file ends with its index */
	uint64_t answers;     /* of plugins: numbers 0 .. answers - 1 */
	GCS_RESERVED(3);
};

/* The file as it was when it was opened; the texts belong to the trace. */
GCS_API void gcs_trace_get_info(const struct gcs_trace *trace, struct gcs_trace_info *info);

/* The description at the first readable event, with a reference for the caller. */
GCS_API struct gcs_model *gcs_trace_model(const struct gcs_trace *trace);

/*
 * The snapshot at a place, with a reference for the caller. Reading forwards or backwards is fast;
 * any other order decodes one segment at most. NULL with ARGUMENT for a place after the end,
 * MALFORMED for a damaged one (`err` names the byte), NOMEM or IO.
 */
GCS_API struct gcs_snapshot *gcs_trace_at(
    struct gcs_trace *trace, uint64_t place, struct gcs_error *err);

/*
 * The same without spaces: only the event and its attributes, some fifty times faster when read in
 * order. Errors as gcs_trace_at, but a place may be readable here and damaged there.
 */
GCS_API struct gcs_snapshot *gcs_trace_moment(
    struct gcs_trace *trace, uint64_t place, struct gcs_error *err);

/*
 * The nearest readable place, starting at `place`, forwards (`step` > 0) or backwards (`step` < 0);
 * UINT64_MAX if there is none. Places not read yet count as readable.
 */
GCS_API uint64_t gcs_trace_readable(const struct gcs_trace *trace, uint64_t place, int step);

/* The last place whose event is not later than `time_ns` of the server's clock, or 0. */
GCS_API uint64_t gcs_trace_find(struct gcs_trace *trace, uint64_t time_ns);

/* A profile; they are numbered in the order of recording. */
struct gcs_trace_profile_info {
	enum gcs_profile_kind kind;
	uint64_t place;   /* number of events up to its collection's end, or before it */
	uint64_t time_ns; /* of the last of them, or 0 */
	uint64_t bytes;   /* in the file */
};

/* What is known of the profile with this number, without reading it; false if there is none. */
GCS_API bool gcs_trace_profile_info(
    const struct gcs_trace *trace, uint64_t number, struct gcs_trace_profile_info *info);

/* A profile, which the caller frees; NULL as for gcs_trace_at. */
GCS_API struct gcs_profile *gcs_trace_profile(
    struct gcs_trace *trace, uint64_t number, struct gcs_error *err);

/* The last profile of that kind at or before `place`, or UINT64_MAX. */
GCS_API uint64_t gcs_trace_profile_before(
    const struct gcs_trace *trace, enum gcs_profile_kind kind, uint64_t place);

/*
 * A plugin's answer, numbered in the order of recording; `place` (NULL: not wanted) gets the number
 * of events before it. The caller frees it with gcs_plugin_free; its bytes are for gcs_table_decode
 * and its like. NULL as for gcs_trace_at.
 */
GCS_API struct gcs_trace_answer *gcs_trace_get_answer(
    struct gcs_trace *trace, uint64_t number, uint64_t *place, struct gcs_error *err);

/* The last answer of that plugin at or before `place` that can be read, or UINT64_MAX. */
GCS_API uint64_t gcs_trace_answer_before(
    struct gcs_trace *trace, const char *plugin, uint64_t place);

/* A damaged part of the file. */
struct gcs_trace_damage {
	uint64_t offset; /* in bytes */
	uint64_t bytes;
	uint64_t place;    /* the first of `count` unreadable events */
	uint64_t count;    /* 0 if it hit no event, but a profile or answer */
	char message[120]; /* what is wrong, for users */
};

/* Damage found so far, number 0, 1 …; false after the last one. */
GCS_API bool gcs_trace_get_damage(
    const struct gcs_trace *trace, uint32_t number, struct gcs_trace_damage *damage);

/* Reads every chunk and decodes every event to find all damage. Returns the number of damaged
 * parts. */
GCS_API uint32_t gcs_trace_check(struct gcs_trace *trace);

GCS_END_DECLS

#endif
