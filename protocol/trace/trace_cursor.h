/*
 * Where a reader of a trace stands: the chunks of one segment, a decoder that decodes them, and
 * snapshots kept on the way so that going back is cheap.
 */
#ifndef GCSPY_TRACE_TRACE_CURSOR_H
#define GCSPY_TRACE_TRACE_CURSOR_H

#include "decoder.h"
#include "trace_index.h"

enum {
	CURSOR_MARKS = 64,   /* places of a segment from which decoding can go on */
	CURSOR_STRIDE = 64,  /* most events between two of them */
	CURSOR_WINDOW = 128, /* snapshots kept when a reader goes backwards */
	CURSOR_MARKS_BYTES = 48 << 20,
	CURSOR_WINDOW_BYTES = 32 << 20
};

struct cursor_chunk {
	uint64_t offset;
	struct trace_chunk head;
};

/* The state behind an event, and where the next one's bytes are. */
struct cursor_mark {
	uint64_t place; /* of the event */
	uint32_t chunk; /* UINT32_MAX: at the beginning of the next one */
	size_t heads_at, body_at;
	struct gcs_snapshot *snapshot;
};

struct cursor {
	const struct trace_input *in;
	struct trace_index *index;

	uint64_t segment; /* the present one; UINT64_MAX: none */
	struct cursor_chunk *chunks;
	uint32_t chunk_count, chunk_room;
	uint64_t end; /* first place of the segment that cannot be decoded */
	struct trace_part heads_dictionary, body_dictionary;

	/* The state of all spaces. */
	struct decoder decoder;
	struct gcs_model *known; /* the description last met, in this segment or another */
	bool started;            /* `place` is decoded */
	uint64_t place;
	uint32_t chunk; /* whose parts are below; UINT32_MAX: none */
	struct trace_part heads, body;
	size_t heads_at, body_at;
	struct gcs_snapshot *got; /* from the decoder */
	struct cursor_mark marks[CURSOR_MARKS];
	uint32_t mark_count;
	size_t marks_bytes;
	uint64_t last_asked;

	/* Consecutive snapshots that end with the place that was asked for last. */
	struct gcs_snapshot *window[CURSOR_WINDOW];
	uint64_t window_first;
	uint32_t window_count;
	size_t window_bytes;

	/* What happened only: the heads of one chunk. */
	uint32_t moments_chunk;
	struct trace_part moments;
	size_t moments_at;
	uint64_t moments_place; /* whose BEGIN is at moments_at */
};

void cursor_init(struct cursor *c, const struct trace_input *in, struct trace_index *index);
void cursor_fini(struct cursor *c);

/* The snapshot at a place, with a reference; NULL with the reason. */
struct gcs_snapshot *cursor_at(struct cursor *c, uint64_t place, struct gcs_error *err);

/* The same without spaces, described by `model`. */
struct gcs_snapshot *cursor_moment(
    struct cursor *c, uint64_t place, struct gcs_model *model, struct gcs_error *err);

#endif
