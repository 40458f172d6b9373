/*
 * Address ranges mapped to tiles of equal size: the arithmetic that address-ordered spaces share.
 */
#ifndef GCSPY_AGENT_AREA_H
#define GCSPY_AGENT_AREA_H

#include <stdbool.h>
#include <stdint.h>

#include "vm_tlab.h"

/* `tiles` tiles of `block` bytes each from `low` on; the last one may reach beyond the memory that
 * it stands for. */
struct area {
	uint64_t low;
	uint64_t block;
	uint32_t tiles;
};

/* The smallest multiple of `wanted` by a power of two (0: of the default) with which `bytes` keep to
 * the limit of tiles. */
uint64_t area_block(uint64_t bytes, uint64_t wanted, uint32_t max_tiles);

/* Number of blocks that cover [low, high). */
uint32_t area_tiles(uint64_t low, uint64_t high, uint64_t block);

/* Adds to each tile's value its bytes of [start, end). */
void area_add(const struct area *area, int64_t *values, uint64_t start, uint64_t end);

/* Sets each tile's value to the bytes in buffers; returns their sum. */
int64_t area_set_tlabs(
    const struct area *area, int64_t *values, const struct vm_tlab *tlabs, size_t count);

/* The range of the tile of `address`, which is not below `low`; cut at `high`. */
void area_tile_of(
    const struct area *area, uint64_t high, uint64_t address, uint64_t *start, uint64_t *end);

/* Writes each tile's range; the last tile's end is cut at `high`. */
void area_ranges(const struct area *area, uint64_t high, int64_t *starts, int64_t *ends);

/* True if area_ranges would write these ranges. */
bool area_has_ranges(
    const struct area *area, uint64_t high, const int64_t *starts, const int64_t *ends);

#endif
