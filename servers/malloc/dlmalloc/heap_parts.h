/* Which memory the heap's tiles show: parts of the address space, one after another. */
#ifndef HEAP_PARTS_H
#define HEAP_PARTS_H

#include <gcspy/tiles.h>

#include "dlmalloc_inside.h"

enum { HEAP_PARTS = 256, HEAP_TILES = 262144 };

/* low is a multiple of the tiles' block. */
struct heap_part {
	uint64_t low;
	uint32_t first, count; /* tiles */
};

struct heap_parts {
	uint32_t count, tiles;
	bool cut; /* there is more than HEAP_PARTS and HEAP_TILES have room for */
	struct heap_part list[HEAP_PARTS];
};

/* The parts of segments in the order of addresses. Those that share a tile, or a mark of what is touched, are
 * one, with what is between them. */
void heap_parts_lay_out(struct heap_parts *parts, const struct dlmalloc_segment *segments,
    uint32_t count, uint32_t block);

/* Removes the tiles of `before` that `now` has not, and inserts those that come: the others stay what they
 * are for clients. */
void heap_parts_move(const struct heap_parts *before, const struct heap_parts *now, uint32_t block,
    struct gcs_tiles *tiles);

#endif
