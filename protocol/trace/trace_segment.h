/*
 * One segment of a trace: where its chunks are, what of it is lost, and its chunks' parts, inflated
 * with the dictionaries of its key chunk.
 */
#ifndef GCSPY_TRACE_TRACE_SEGMENT_H
#define GCSPY_TRACE_TRACE_SEGMENT_H

#include "trace_index.h"

struct segment_chunk {
	uint64_t offset;
	struct trace_chunk head;
};

struct trace_segment {
	const struct trace_input *in;
	struct trace_index *index;
	uint64_t number; /* UINT64_MAX: none */
	struct segment_chunk *chunks;
	uint32_t count, room;
	uint64_t first, end; /* its places, up to the first one that cannot be decoded */
	struct trace_part heads_dictionary, body_dictionary;
};

void trace_segment_init(
    struct trace_segment *s, const struct trace_input *in, struct trace_index *index);
void trace_segment_fini(struct trace_segment *s);

/* Loads the segment with this number. OK, NOMEM or IO; after a failure it is no segment. */
enum gcs_status trace_segment_load(struct trace_segment *s, uint64_t number);

/* The chunk that has a place, or UINT32_MAX. */
uint32_t trace_segment_chunk(const struct trace_segment *s, uint64_t place);

/* Reads the heads of a chunk and, unless it is NULL, the body. */
enum gcs_status trace_segment_read(
    struct trace_segment *s, uint32_t chunk, struct trace_part *heads, struct trace_part *body);

/* Notes that all places from `place` on are lost because of the bytes at `offset`. */
void trace_segment_lose(
    struct trace_segment *s, uint64_t offset, uint64_t bytes, uint64_t place, const char *why);

#endif
