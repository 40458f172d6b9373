/*
 * What a heap walk may walk over in each kind of heap. In the VM thread, at a safepoint. Each
 * function fills the ranges and returns their number; 0 if nothing is known in this pause.
 */
#ifndef GCSPY_AGENT_HEAP_WALK_RANGES_H
#define GCSPY_AGENT_HEAP_WALK_RANGES_H

#include "heap_walk.h"
#include "vm_g1.h"
#include "vm_heap.h"
#include "vm_shenandoah.h"

/* G1: a range and a cell for each region. */
uint32_t heap_walk_g1(const struct vm *vm, const struct vm_region_layout *layout,
    const struct vm_g1_region *regions, uint64_t count, const struct heap_walk_pause *pause,
    struct heap_walk_range *ranges);

/*
 * Shenandoah: likewise. The walk goes as the collector's own does when it updates references: by
 * the marks below the top that a region had when marking began, from object to object above it. So
 * it never touches an object that marking found dead, whose class may be gone. It runs only in
 * pauses in which all marks are there, no object has two copies, and no collector thread has a
 * buffer: at the end of marking, at the end of a cycle, and after a collection that stopped the
 * program.
 */
uint32_t heap_walk_shenandoah(const struct vm *vm, const struct vm_region_layout *layout,
    const struct vm_shenandoah_region *regions, uint64_t count, const struct heap_walk_pause *pause,
    struct heap_walk_range *ranges);

/* Serial and Parallel: the old generation is walked in parts, each counted by itself; the number of
 * the first one. */
enum heap_walk_generation { HEAP_WALK_EDEN, HEAP_WALK_FROM, HEAP_WALK_TO, HEAP_WALK_OLD };

/* How such a heap is cut. Cells of the old generation come first: they keep their numbers while the
 * other spaces are resized. */
struct heap_walk_plan {
	uint64_t block; /* bytes of a cell */
	uint64_t part;  /* bytes of a part of the old generation: whole cells */
	uint32_t parts, cells;
};

/* For spaces of at most `max_tiles` blocks. */
struct heap_walk_plan heap_walk_generations_plan(
    uint64_t heap_bytes, uint64_t block, uint32_t max_tiles);

struct heap_walk_size heap_walk_generations_size(const struct heap_walk_plan *plan);

/*
 * Up to some release after JDK 17 these collectors satisfy the allocation that they run for before
 * they announce the end: then somewhere, usually in eden, is an object or a buffer that is not
 * filled in yet.
 */
uint32_t heap_walk_generations(const struct vm_generations *raw, const struct heap_walk_plan *plan,
    const struct heap_walk_pause *pause, struct heap_walk_range *ranges);

#endif
