/*
 * The regions of a G1 heap.
 *
 * Region objects are created when a region is first committed and never freed: the capture is
 * consistent at a safepoint and, except for moving tops, safe on any thread at any time. It
 * allocates nothing, takes no lock and makes no system call: about ten nanoseconds per region.
 */
#ifndef GCSPY_AGENT_VM_G1_H
#define GCSPY_AGENT_VM_G1_H

#include "vm.h"

enum vm_g1_type {
	VM_G1_UNCOMMITTED, /* never committed */
	VM_G1_FREE,        /* empty; its memory may have been given back to the system */
	VM_G1_EDEN,
	VM_G1_SURVIVOR,
	VM_G1_OLD,
	VM_G1_HUMONGOUS_START, /* the first region of one large object */
	VM_G1_HUMONGOUS_CONT,  /* a further region of it */
	VM_G1_ARCHIVE,         /* class data mapped from a file; JDK 17 and older */
	VM_G1_OTHER,           /* a type this agent does not know */
	VM_G1_TYPE_COUNT
};

struct vm_g1_region {
	uint32_t used; /* bytes from the region's bottom to its top */
	uint32_t type; /* enum vm_g1_type */
};

/* False without VM_G1_REGIONS. */
bool vm_g1_layout(const struct vm *vm, struct vm_region_layout *layout);

/* Captures at most `capacity` regions; returns how many. */
size_t vm_g1_regions(const struct vm *vm, struct vm_g1_region *regions, size_t capacity);

/* Whether the region is the start of a humongous object. Any thread, as above. */
bool vm_g1_begins_humongous(const struct vm *vm, size_t region);

/*
 * Where the walkable objects of a region (vm_objects.h) begin: its bottom, but in JDK 25 higher up
 * while dead objects below, whose classes may be gone, are not overwritten yet. 0 when unknown in
 * this JDK: then an old region must not be walked after a marking that unloaded classes. At a
 * safepoint.
 */
uint64_t vm_g1_parsable(const struct vm *vm, size_t region);

/* Committed bytes of the heap, 0 without VM_G1_COMMITTED. Since JDK 17 the figure is from the
 * collector's monitoring at the last pause: it may lag by a region or two. */
uint64_t vm_g1_committed(const struct vm *vm);

#endif
