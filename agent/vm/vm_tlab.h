/*
 * The allocation buffers (TLABs) of the Java threads.
 *
 * They exist at GarbageCollectionStart, though the thread that triggered the collection has usually
 * given its own up, and are gone at the finish of a stop-the-world collection.
 */
#ifndef GCSPY_AGENT_VM_TLAB_H
#define GCSPY_AGENT_VM_TLAB_H

#include "vm.h"

/* Addresses; all five are 0 for a thread without a buffer. Missing values are 0. */
struct vm_tlab {
	uint64_t thread; /* the JavaThread, as vm_thread_of gives it */
	uint64_t start;
	uint64_t top;
	uint64_t end;      /* limit of fast allocation: a sampling point may pull it in */
	uint64_t limit;    /* the same without a sampling point; `end` without VM_TLAB_HARD_END */
	uint64_t hard_end; /* where the buffer's memory ends; `end` without VM_TLAB_HARD_END */
	uint64_t desired_bytes;
	/* Bytes of finished buffers and of objects outside buffers, since the thread began. */
	uint64_t allocated_bytes;
	/* Since the last collection: */
	uint64_t refill_waste_bytes;
	uint64_t gc_waste_bytes;
	uint32_t refills;
	uint32_t slow_allocations;
};

/*
 * Captures the buffers of the first `capacity` threads of the VM's list, whose length is `*total`;
 * returns how many. At a safepoint in the VM thread only: at other times the list's memory may be
 * recycled. No memory allocation, locks or system calls. 0 without VM_TLAB_LIST.
 */
size_t vm_tlabs(const struct vm *vm, struct vm_tlab *tlabs, size_t capacity, size_t *total);

/* The same for all threads, one by one. */
void vm_tlabs_each(
    const struct vm *vm, void (*each)(void *context, const struct vm_tlab *tlab), void *context);

/*
 * The buffer of one thread by a fault-safe read, at any time, on any thread. False when it cannot
 * be read or is inconsistent because the thread went on during the copy: retry later. The caller
 * makes sure that the thread does not end meanwhile.
 */
bool vm_tlab_of(const struct vm *vm, uint64_t thread, struct vm_tlab *tlab);

/* The buffer of the calling thread, whose JNI environment `env` is, without a system call. False
 * without VM_TLABS or VM_THREAD_POINTER. */
bool vm_tlab_own(const struct vm *vm, const JNIEnv *env, struct vm_tlab *tlab);

#endif
