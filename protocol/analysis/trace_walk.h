/* Iterates over the readable events of a part of a trace, and counts the others. */
#ifndef GCSPY_ANALYSIS_TRACE_WALK_H
#define GCSPY_ANALYSIS_TRACE_WALK_H

#include <gcspy/trace.h>

struct trace_walk {
	struct gcs_trace *trace;
	uint64_t place; /* of the event given last */
	uint64_t given;
	uint64_t unreadable; /* before it */
	/* private */
	uint64_t next, last;
	bool moments;
};

/* Events `first` to `last`, whole or only what happened. */
void trace_walk_begin(
    struct trace_walk *w, struct gcs_trace *trace, uint64_t first, uint64_t last, bool moments);

/*
 * The next readable event, with a reference for the caller; NULL at the end with `err->status` OK,
 * or with a failure other than damage.
 */
struct gcs_snapshot *trace_walk_next(struct trace_walk *w, struct gcs_error *err);

/*
 * The number of the attribute of that name and kind in the event of a snapshot, or GCS_NONE. With
 * `format` other than GCS_FORMAT_COUNT only of a number of that format.
 */
uint32_t trace_walk_attribute(const struct gcs_snapshot *s, const char *name,
    enum gcs_attribute_kind kind, enum gcs_format format);

/* The value of such a number; false when the event has none. */
bool trace_walk_number(
    const struct gcs_snapshot *s, const char *name, enum gcs_format format, int64_t *value);

/* The kind of a pause, and its number if that is asked for; NULL when the event has none. */
const char *trace_walk_kind(const struct gcs_snapshot *s, uint32_t *number);

/* The event's name; "present state" before any event. */
const char *trace_walk_event(const struct gcs_snapshot *s);

#endif
