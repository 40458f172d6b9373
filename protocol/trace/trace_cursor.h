/*
 * The position of a reader in a trace: one segment, a decoder for it, and saved snapshots that make
 * going back cheap.
 */
#ifndef GCSPY_TRACE_TRACE_CURSOR_H
#define GCSPY_TRACE_TRACE_CURSOR_H

#include "decoder.h"
#include "trace_segment.h"
#include "trace_work.h"

enum {
	CURSOR_MARKS = 64,   /* saved states of a segment */
	CURSOR_STRIDE = 64,  /* most events between two marks */
	CURSOR_WINDOW = 128, /* snapshots kept for a reader that goes backwards */
	CURSOR_MARKS_BYTES = 12 << 20,
	CURSOR_WINDOW_BYTES = 8 << 20
};

/* The state after an event, and where the next event begins. */
struct cursor_mark {
	uint64_t place; /* of the event */
	uint32_t chunk; /* UINT32_MAX: at the beginning of the next one */
	size_t heads_at, body_at;
	struct gcs_snapshot *snapshot;
};

struct cursor {
	struct trace_segment segment; /* the current one */

	/* The state of all spaces. */
	struct decoder decoder;
	struct gcs_model *known; /* the last description, of this or another segment */
	bool started;            /* `place` is decoded */
	uint64_t place;
	uint32_t chunk; /* its parts follow; UINT32_MAX: none */
	struct trace_part heads, body;
	size_t heads_at, body_at;
	struct gcs_snapshot *got; /* from the decoder */
	bool counts;              /* the next event's values have not been counted */
	bool beyond;              /* they are more than a file of this size may describe */
	struct trace_work work;
	struct cursor_mark marks[CURSOR_MARKS];
	uint32_t mark_count;
	size_t marks_bytes;
	uint64_t last_asked;
	bool returns; /* the reader goes to earlier events, too */

	/* Consecutive snapshots up to the last requested place. */
	struct gcs_snapshot *window[CURSOR_WINDOW];
	uint64_t window_first;
	uint32_t window_count;
	size_t window_bytes;

	/* For moments: the heads of one chunk. */
	uint32_t moments_chunk;
	struct trace_part moments;
	size_t moments_at;
	uint64_t moments_place; /* whose BEGIN is at moments_at */
};

void cursor_init(struct cursor *c, const struct trace_input *in, struct trace_index *index);
void cursor_fini(struct cursor *c);

/* The snapshot at a place, with a reference; NULL with the reason in `err`. */
struct gcs_snapshot *cursor_at(struct cursor *c, uint64_t place, struct gcs_error *err);

/* The same without spaces, described by `model`. */
struct gcs_snapshot *cursor_moment(
    struct cursor *c, uint64_t place, struct gcs_model *model, struct gcs_error *err);

#endif
