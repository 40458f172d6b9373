/* Makes chunks of trace files: raw parts in, head and deflated parts out. */
#ifndef GCSPY_TRACE_TRACE_PACK_H
#define GCSPY_TRACE_TRACE_PACK_H

#include <zlib.h>

#include "trace_format.h"

struct trace_packer {
	z_stream z;
	bool ready;
	int level;
	uint8_t *dictionary[2]; /* of heads and body, TRACE_DICTIONARY bytes each */
	size_t dictionary_bytes[2];
};

/* False without memory; trace_packer_fini in any case. */
bool trace_packer_init(struct trace_packer *p, int level);
void trace_packer_fini(struct trace_packer *p);

/*
 * Makes the chunk's bytes in `out` and fills in the sizes and the check of `c`. Of a KEY chunk the
 * raw parts are kept as dictionaries of the MORE chunks behind it. A failure is in out->status.
 */
void trace_pack_chunk(struct trace_packer *p, struct wr *out, const struct wr *heads,
    const struct wr *body, struct trace_chunk *c);

#endif
