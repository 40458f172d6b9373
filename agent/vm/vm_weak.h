/*
 * The address of a weak reference's object, read from the reference itself: without JNI, so that it
 * works while the program is at a safepoint.
 *
 * A weak global reference is the tagged address of a word that holds a full-width reference, even
 * with compressed references in the heap. The word holds the address itself or, with ZGC, an
 * address with colours; with other collectors it is valid as long as no collection moves objects.
 * The caller keeps the reference from being deleted meanwhile: then its word exists, and is read by
 * a plain load. Any thread; no locks, no system calls.
 */
#ifndef GCSPY_AGENT_VM_WEAK_H
#define GCSPY_AGENT_VM_WEAK_H

#include "vm.h"

struct vm_position {
	uint64_t address; /* 0: the object is dead, or its address unknown */
	/* False: the collector has not updated the reference since it last began to move objects;
	 * the object was there then, and is still unless it was moved. */
	bool exact;
};

/* The address of the object of a weak global reference (jweak). {0} without VM_WEAK_POSITIONS, and
 * for anything else. Addresses are those of the heap map (vm_z.h). */
struct vm_position vm_weak_position(const struct vm *vm, const void *weak);

/* The address of the object of a local reference (jobject) of the calling thread, 0 where
 * vm_weak_position is {0}, and where references have colours (ZGC). A collection may move it. */
uint64_t vm_local_position(const struct vm *vm, const void *local);

#endif
