/* Packs raw parts into chunks of a trace file: a head and deflated parts. */
#ifndef GCSPY_TRACE_TRACE_PACK_H
#define GCSPY_TRACE_TRACE_PACK_H

#include <zlib.h>

#include "trace_format.h"

struct trace_packer {
	z_stream z;
	bool ready;
	int level;
	int64_t raw_left; /* what parts may have beyond TRACE_DENSITY times their stored bytes */
	uint8_t *dictionary[2]; /* of heads and body, TRACE_DICTIONARY bytes each */
	size_t dictionary_bytes[2];
};

/* False without memory; call trace_packer_fini in any case. */
bool trace_packer_init(struct trace_packer *p, int level);
void trace_packer_fini(struct trace_packer *p);

/*
 * Writes the chunk to `out` and sets the sizes and the checksum in `c`. The raw parts of a KEY chunk
 * become the dictionaries of the MORE chunks after it. Failures are in out->status.
 */
void trace_pack_chunk(struct trace_packer *p, struct wr *out, const struct wr *heads,
    const struct wr *body, struct trace_chunk *c);

#endif
