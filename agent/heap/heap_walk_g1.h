/*
 * What a sweep may walk over in a G1 heap: a range and a cell for each region.
 */
#ifndef GCSPY_AGENT_HEAP_WALK_G1_H
#define GCSPY_AGENT_HEAP_WALK_G1_H

#include "heap_walk.h"
#include "vm_g1.h"

/* No ranges for a heap of more regions than there can be memory for. */
struct heap_walk_size heap_walk_g1_size(const struct vm_g1_layout *layout);

/* Fills `count` ranges and returns their number. At a safepoint. */
uint32_t heap_walk_g1(const struct vm *vm, const struct vm_g1_layout *layout,
    const struct vm_g1_region *regions, uint64_t count, const struct heap_walk_moment *moment,
    struct heap_walk_range *ranges);

#endif
