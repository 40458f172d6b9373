/*
 * What a sweep may walk over in the heaps of Serial and Parallel.
 *
 * Up to some release after JDK 17 the collector satisfies the allocation that it was asked for
 * before it announces the end: then there is an object or a buffer somewhere that nobody has
 * filled in yet, usually in eden.
 */
#ifndef GCSPY_AGENT_HEAP_WALK_GENERATIONS_H
#define GCSPY_AGENT_HEAP_WALK_GENERATIONS_H

#include "heap_walk.h"
#include "vm_heap.h"

/* The old generation is swept in parts, of which each is counted by itself; the first one's
 * number. */
enum heap_walk_generation { HEAP_WALK_EDEN, HEAP_WALK_FROM, HEAP_WALK_TO, HEAP_WALK_OLD };

/* How a heap is cut. Cells of the old generation come first: they keep their place while the
 * others are resized. */
struct heap_walk_plan {
	uint64_t block; /* bytes of a cell */
	uint64_t part;  /* bytes of a part of the old generation: whole cells */
	uint32_t parts, cells;
};

/* For a heap of so many bytes, and spaces of at most `max_tiles` blocks. */
struct heap_walk_plan heap_walk_generations_plan(
    uint64_t heap_bytes, uint64_t block, uint32_t max_tiles);

struct heap_walk_size heap_walk_generations_size(const struct heap_walk_plan *plan);

/* Fills the ranges and returns their number. */
uint32_t heap_walk_generations(const struct vm_generations *raw, const struct heap_walk_plan *plan,
    const struct heap_walk_moment *moment, struct heap_walk_range *ranges);

#endif
