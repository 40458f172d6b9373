/* What the files of the trace writer share: trace_writer.c writes, trace_create.c creates the file. */
#ifndef GCSPY_TRACE_TRACE_WRITER_INTERNAL_H
#define GCSPY_TRACE_TRACE_WRITER_INTERNAL_H

#include "session_native.h"
#include "trace_output.h"
#include "trace_pack.h"

enum {
	CHUNK_BYTES = 1 << 18, /* raw bytes of a chunk */
	MOMENTS = 512          /* events among which a profile's collection is looked for */
};

/* Entries of the index, as bytes. */
struct entries {
	struct wr bytes;
	uint64_t count;
	uint64_t last; /* offset of the last one */
};

struct gcs_trace_writer {
	struct trace_output file;
	uint64_t flush_ns;
	uint64_t max_bytes;
	size_t chunk_bytes;     /* raw bytes after which a chunk is written */
	struct gcs_error error; /* the first failure; nothing is written after it */
	struct gcs_trace_written written;
	struct trace_packer packer;

	struct session session;              /* of the current segment */
	bool open;                           /* a segment has begun */
	uint64_t last_time_ns, last_cost_ns; /* of the previous event, across segments */
	int64_t wall_ns[MOMENTS];            /* of the last events, by their place … */
	uint64_t time_ns[MOMENTS];           /* … modulo MOMENTS */
	uint64_t missed;                     /* trace_writer_missed */
	struct gcs_model *model;             /* whose events all segments have */

	struct trace_chunk chunk; /* in progress; count 0: none */
	struct wr heads, body;    /* its raw parts */
	uint64_t chunk_since_ns;  /* time of its first event */
	struct wr out;            /* a whole chunk to be written */

	struct trace_entry segment; /* its entry in the index */
	uint64_t segment_raw;       /* raw bytes so far */
	uint64_t key_raw;           /* raw bytes of the first event */

	struct entries segments, profiles, answers; /* for the index */
	uint64_t profile_place;                     /* of the last one: places only grow */
};

/* The first failure, for every later call too. */
enum gcs_status trace_writer_result(const struct gcs_trace_writer *w, struct gcs_error *err);

/* Appends w->out to the file, leaving room for `reserve` bytes below the limit. */
enum gcs_status trace_writer_append(struct gcs_trace_writer *w, uint64_t reserve);

/* NULL is fine; the file is closed already. */
void trace_writer_destroy(struct gcs_trace_writer *w);

#endif
