/*
 * The spaces of the generational heaps with contiguous spaces, Serial and Parallel.
 *
 * The collector swaps from and to and resizes all of them inside pauses: read them again at every
 * event. The VM objects that have them are never freed: a capture is two dozen plain loads, consistent
 * at a safepoint; at other times each word is valid but the tops move on.
 */
#ifndef GCSPY_AGENT_VM_HEAP_H
#define GCSPY_AGENT_VM_HEAP_H

#include "vm.h"

/* Addresses; [bottom, top) is in use, [top, end) free. */
struct vm_space {
	uint64_t bottom;
	uint64_t top;
	uint64_t end;
};

struct vm_generations {
	struct vm_space eden;
	struct vm_space from; /* the survivor space in use; may be above `to` */
	struct vm_space to;
	struct vm_space old;
	struct vm_range young_reserved; /* Parallel puts it above the old generation */
	struct vm_range young_committed;
	struct vm_range old_reserved;
	struct vm_range old_committed;
};

/* Spaces need VM_GENERATION_SPACES and ranges VM_GENERATION_RANGES; missing ones are zero. With
 * -XX:+UseNUMA the eden of Parallel consists of parts whose tops are not known. */
void vm_generations(const struct vm *vm, struct vm_generations *generations);

/* Bytes in use in the whole heap, of any collector, without regions that are about to be recycled; 0 if
 * that is not exported. A few loads, with Shenandoah two for each region, at the end of a collection. */
uint64_t vm_used(const struct vm *vm);

#endif
