/*
 * What each thread had left of its allocation buffer when a collection took it away, for an error of
 * HotSpot 17 to 24: threadLocalAllocBuffer.cpp, set_sample_end, counts what is left of a buffer before it is
 * allocated, and the count stays when the buffer goes. A thread's first object of s bytes after a
 * collection, with r bytes left before, is therefore taken with the probability 1 - exp(-(r + s) / R)
 * instead of 1 - exp(-s / R): an object of 32 bytes a hundred times too often. What it allocates outside
 * the buffer counts the rest once more. Of these samples as many are kept as are due.
 *
 * The VM thread writes at safepoints, allocating threads read; nobody waits. A slot's rest is written
 * before its thread, which is released and acquired, so that who finds a thread has a rest of it: the
 * present one, or while the VM thread writes the one of the collection before.
 */
#ifndef GCSPY_AGENT_TLAB_RESTS_H
#define GCSPY_AGENT_TLAB_RESTS_H

#include <stdatomic.h>

#include "vm_tlab.h"

enum { TLAB_REST_SLOTS = 4096 }; /* a power of two */

struct tlab_rests {
	bool on; /* this JVM has the error, and tells what is needed; else nothing is done */
	uint32_t used;
	struct tlab_rest {
		atomic_uint_least64_t thread, bytes;
	} slots[TLAB_REST_SLOTS];
};

void tlab_rests_init(struct tlab_rests *rests, const struct vm *vm);

/* A collection begins, and buffers are still there. In the VM thread, at a safepoint: some
 * loads and stores for each thread. */
void tlab_rests_note(struct tlab_rests *rests, const struct vm *vm);

/* Whether a sample of the calling thread is one of those that are not due; `random` is 0 to 1. */
bool tlab_rests_undue(const struct tlab_rests *rests, const struct vm *vm, const JNIEnv *env,
    uint64_t size, uint64_t interval, double random);

#endif
