/*
 * The regions of a Shenandoah heap.
 *
 * Region objects are never freed: captures are consistent at a safepoint and, except for changing
 * values, safe on any thread at any time. They allocate nothing, take no lock and make no system
 * call.
 */
#ifndef GCSPY_AGENT_VM_SHENANDOAH_H
#define GCSPY_AGENT_VM_SHENANDOAH_H

#include "vm.h"

enum vm_shenandoah_state {
	VM_SHENANDOAH_EMPTY, /* committed and empty */
	VM_SHENANDOAH_REGULAR,
	VM_SHENANDOAH_HUMONGOUS_START,
	VM_SHENANDOAH_HUMONGOUS_CONT,
	VM_SHENANDOAH_PINNED_HUMONGOUS_START,
	VM_SHENANDOAH_COLLECTION_SET, /* being evacuated */
	VM_SHENANDOAH_PINNED,         /* native code holds an object in it */
	VM_SHENANDOAH_PINNED_COLLECTION_SET,
	VM_SHENANDOAH_TRASH, /* evacuated, to be recycled */
	VM_SHENANDOAH_UNCOMMITTED,
	VM_SHENANDOAH_OTHER, /* a state this agent does not know */
	VM_SHENANDOAH_STATE_COUNT
};

struct vm_shenandoah_region {
	uint32_t used;  /* bytes from the region's bottom to its top */
	uint32_t live;  /* bytes that the last marking found alive; 0 without VM_SHENANDOAH_LIVE */
	uint8_t state;  /* enum vm_shenandoah_state */
	uint8_t age;    /* cycles survived; 0 without VM_SHENANDOAH_AGE */
	uint8_t pad[2]; /* so that captures can be compared byte by byte */
};

/* Number of regions in the states that distinguish the pauses of a cycle. */
struct vm_shenandoah_census {
	bool known;
	uint32_t uncommitted;
	uint32_t collected; /* in the collection set, pinned or not */
	uint32_t trash;
	bool live_known;
	uint64_t live; /* bytes; 0 unless known */
};

/* Whether the last marking of each generation is complete and not cleared yet. Known in the
 * generational mode of JDK 25. */
struct vm_shenandoah_marking {
	bool known;
	bool young, old;
};

/* False without VM_SHENANDOAH_REGIONS. */
bool vm_shenandoah_layout(const struct vm *vm, struct vm_region_layout *layout);

/* Captures at most `capacity` regions; returns how many. */
size_t vm_shenandoah_regions(
    const struct vm *vm, struct vm_shenandoah_region *regions, size_t capacity);

/* Counts regions, and their live bytes if requested. */
void vm_shenandoah_census(const struct vm *vm, bool live, struct vm_shenandoah_census *census);

/* In a pause; two loads. */
void vm_shenandoah_marking(const struct vm *vm, struct vm_shenandoah_marking *marking);

/* The collector's own figures; 0 if they are not exported. */
struct vm_shenandoah_totals {
	uint64_t used;
	uint64_t committed;
};

/*
 * True if the last marking is complete and not cleared yet: from a final mark until the next cycle
 * begins, but not after a full collection of JDK 25. In a pause; false without VM_SHENANDOAH_MARKS.
 */
bool vm_shenandoah_marked(const struct vm *vm);

/* The top that a region had when marking began: below it an object is live if it is marked
 * (vm_objects.h), above it every object counts as live. In a pause. 0: unknown. */
uint64_t vm_shenandoah_top_at_start(const struct vm *vm, size_t region);

/* Used bytes without those of trash regions, which JDK 25 and earlier count until they recycle them, soon
 * after the pause that ends a cycle, and JDK 26 does not; with them, if regions are not known. */
uint64_t vm_shenandoah_used(const struct vm *vm);

void vm_shenandoah_totals(const struct vm *vm, struct vm_shenandoah_totals *totals);

#endif
