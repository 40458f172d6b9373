/*
 * What is known of each granule (64 KiB) of the heap: a summary of its blocks, kept up to date from the
 * shadow. Only granules that are marked are scanned again; sums over the heap change by the difference.
 *
 * A granule is known from the first block in it on, and is forgotten when it has none and its memory is no
 * longer mapped. A block that crosses granules belongs to the one in which it starts, which says how far it
 * reaches (`end`); the others have the bytes that it covers of them (`spill`).
 *
 * One thread at a time: the one that flushes.
 */
#ifndef GCSPYMALLOC_HEAP_GRANULES_H
#define GCSPYMALLOC_HEAP_GRANULES_H

#include <stdbool.h>
#include <stdint.h>

#include "heap_shadow.h"
#include "size_class.h"

enum { HEAP_GRANULES_MOST = 1 << 20 }; /* 64 GiB; what is beyond is not shown */

/* Free memory of a granule, if the allocator tells (dl_heap.h). Chunks count where they start. */
struct heap_free {
	uint32_t bytes, parked; /* parked: kept as it is by deferred coalescing, not in `bytes` */
	uint32_t chunks, largest;
	bool known;
	bool again; /* to be asked for at the next update, whatever the marks say */
};

struct heap_granule {
	uint64_t start;   /* address */
	uint64_t bytes;   /* of the blocks that start here, whole */
	uint64_t end;     /* of the last of them; 0: none */
	uint32_t own;     /* bytes of them in this granule */
	uint32_t spill;   /* bytes at the start that a block from before covers */
	uint32_t mapped;  /* bytes of its memory that are mapped, as heap_granules_map_end found */
	uint32_t mapping; /* the same while heap_granules_map counts */
	uint16_t blocks;  /* that start here */
	uint16_t first;   /* unit of the first one */
	uint16_t gap;     /* units of the largest gap between two of them */
	bool changed;     /* at the last update */
	uint16_t classes[SIZE_CLASSES]; /* blocks by size */
	uint32_t class_units[SIZE_CLASSES];
	uint16_t gaps[GAP_CLASSES]; /* gaps between two of them by size */
	uint32_t gap_units[GAP_CLASSES];
	struct heap_free free;
};

struct heap_sums {
	uint64_t bytes, blocks;
	uint64_t classes[SIZE_CLASSES], class_units[SIZE_CLASSES];
	uint64_t gaps[GAP_CLASSES], gap_units[GAP_CLASSES]; /* those within granules */
};

/* What the table tells its user: tiles are numbers in the order of addresses. All may be NULL. */
struct heap_granules_hooks {
	void (*inserted)(uint32_t tile, uint32_t count);
	void (*removed)(uint32_t tile, uint32_t count);
	void (*changed)(uint32_t tile);
};
void heap_granules_hook(const struct heap_granules_hooks *hooks);

/* Scans what is marked. True if there are new granules, of which `mapped` is not set. What there is no
 * memory for stays marked. */
bool heap_granules_update(void);

/* Makes sure that the granules of start .. end - 1 are known. True if any is new. */
bool heap_granules_cover(uint64_t start, uint64_t end);

/* The free memory of a tile has changed. */
void heap_granules_set_free(uint32_t tile, const struct heap_free *free);

uint32_t heap_granules_count(void);
struct heap_granule *heap_granules_at(uint32_t tile);

/* The first tile at or after an address; the count if there is none. */
uint32_t heap_granules_find(uint64_t address);

const struct heap_sums *heap_granules_sums(void);

/* For the mappings as they are now, in the order of addresses: first none is mapped, then those of each
 * range are; at the end what is neither mapped nor used is forgotten. */
void heap_granules_map_begin(void);
void heap_granules_map(uint64_t start, uint64_t end);
void heap_granules_map_end(void);

/* Bytes in use of the granule, of its own blocks and of one from before. */
static inline uint32_t heap_granule_used(const struct heap_granule *g)
{
	const uint32_t used = g->own + g->spill;
	return used < SHADOW_GRANULE ? used : SHADOW_GRANULE;
}

#endif
