/* The segments, profiles and answers of a trace, from its index or by a scan of the chunks, and its known
 * damage. */
#ifndef GCSPY_TRACE_TRACE_INDEX_H
#define GCSPY_TRACE_TRACE_INDEX_H

#include "trace_input.h"

struct trace_index {
	struct trace_entry *segments, *profiles, *answers;
	uint64_t segment_count, profile_count, answer_count;
	uint64_t segment_room, profile_room, answer_room;
	uint64_t chunks; /* found by a scan; with an index, those that it lists */
	uint64_t events; /* places */
	uint64_t first_time_ns, last_time_ns;
	uint64_t end; /* offset after the last chunk before the index */
	uint64_t stray_bytes;
	uint64_t raw_left;    /* what is not read yet may inflate to */
	uint64_t values_left; /* what the events not read yet may describe */
	bool complete;
	struct gcs_trace_damage *damage;
	uint32_t damage_count;
};

/* OK, NOMEM or IO. */
enum gcs_status trace_index_load(struct trace_index *x, const struct trace_input *in);
void trace_index_fini(struct trace_index *x);

/* The segment that has the place, or segment_count. */
uint64_t trace_index_segment(const struct trace_index *x, uint64_t place);

/* The first place after a segment, including events whose chunks are lost. */
uint64_t trace_index_segment_end(const struct trace_index *x, uint64_t segment);

/* The offset at which a segment ends. */
uint64_t trace_index_bytes_end(const struct trace_index *x, uint64_t segment);

/* The damage that trace_index_count finds. */
#define TRACE_TOO_LARGE "it inflates to more than a file of this size may"
#define TRACE_TOO_MUCH  "it describes more values than a file of this size may"

/* Counts the raw bytes of a segment, profile or answer when it is first read; false if it exceeds what a file
 * of this size may inflate to. */
bool trace_index_count(struct trace_index *x, struct trace_entry *entry, uint64_t raw);

/* Adds damage, or widens known damage of these places. At most 1,024 are kept; the last one covers the
 * rest. */
void trace_index_note(struct trace_index *x, uint64_t offset, uint64_t bytes, uint64_t place,
    uint64_t count, const char *message);

/* The damage that makes a place unreadable, or NULL. */
const struct gcs_trace_damage *trace_index_damage(const struct trace_index *x, uint64_t place);

#endif
