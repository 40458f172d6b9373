/*
 * Where the object of a weak reference lies, read from the reference itself: no JNI, so that it
 * works while the program stands at a safepoint.
 *
 * A weak global reference is the tagged address of a word that holds a reference of full width,
 * also with compressed ones in the heap. What it holds is the address itself, with ZGC an address
 * with colours; with the others it is right as long as no collection moves objects. Whoever asks
 * for a reference keeps it from being deleted meanwhile: then its word is there, and it is read by
 * a plain load. Any thread; no locks, no system calls.
 */
#ifndef GCSPY_AGENT_VM_WEAK_H
#define GCSPY_AGENT_VM_WEAK_H

#include "vm.h"

struct vm_position {
	uint64_t address; /* 0: the object has died, or it is not known where it is */
	/* False: the collector has not looked at the reference since it last began to move objects;
	 * the object was there then, and is still unless it was moved. */
	bool exact;
};

/* The position of the object of a weak global reference (jweak). {0} without VM_WEAK_POSITIONS, and
 * for what is no such reference. Addresses are those of the heap's map (vm_z.h). */
struct vm_position vm_weak_position(const struct vm *vm, const void *weak);

/* The same for a word in such a place: for tests, and for the check at open. */
struct vm_position vm_weak_decode(const struct vm *vm, uint64_t word);

#endif
