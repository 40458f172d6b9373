/*
 * What a sweep may walk over in a Shenandoah heap: a range and a cell for each region.
 *
 * It walks as the collector itself does when it updates references: below the top that a region had
 * when marking began by the marks, above it from object to object. So it never touches an object
 * that marking found dead, whose class may be gone. It does so in the pauses in which all marks are
 * there, no object has two places, and no collector thread has a buffer: at the end of marking, at
 * the end of a cycle, and after a collection that stopped the program.
 */
#ifndef GCSPY_AGENT_HEAP_WALK_SHENANDOAH_H
#define GCSPY_AGENT_HEAP_WALK_SHENANDOAH_H

#include "heap_walk.h"
#include "vm_shenandoah.h"

/* No ranges for a heap of more regions than there can be memory for. */
struct heap_walk_size heap_walk_shenandoah_size(const struct vm_shenandoah_layout *layout);

/* Fills `count` ranges and returns their number, or 0 if this is no such pause. At a safepoint. */
uint32_t heap_walk_shenandoah(const struct vm *vm, const struct vm_shenandoah_layout *layout,
    const struct vm_shenandoah_region *regions, uint64_t count,
    const struct heap_walk_moment *moment, struct heap_walk_range *ranges);

#endif
