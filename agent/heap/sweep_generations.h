/*
 * What a sweep may walk over in the heaps of Serial and Parallel.
 *
 * Up to some release after JDK 17 the collector satisfies the allocation that it was asked for
 * before it announces the end: then there is an object or a buffer somewhere that nobody has
 * filled in yet, usually in eden.
 */
#ifndef GCSPY_AGENT_SWEEP_GENERATIONS_H
#define GCSPY_AGENT_SWEEP_GENERATIONS_H

#include "sweep.h"
#include "vm_heap.h"

/* The old generation first: its cells keep their place while the others are resized. */
enum sweep_generation { SWEEP_OLD, SWEEP_EDEN, SWEEP_FROM, SWEEP_TO, SWEEP_GENERATIONS };

struct sweep_size sweep_generations_size(uint32_t max_tiles);

/* Fills SWEEP_GENERATIONS ranges and returns their number. `block`: bytes of a cell. */
uint32_t sweep_generations(const struct vm_generations *raw, uint64_t block, uint32_t max_tiles,
    const struct sweep_moment *moment, struct sweep_range *ranges);

#endif
