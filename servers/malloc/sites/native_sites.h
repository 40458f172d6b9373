/*
 * Call sites of native memory (issue: M2): blocks are sampled by bytes, each sample with its stack, and
 * followed until the block is freed.
 *
 * Each thread counts down the bytes of its blocks, with their headers, to its next sample; the distances are
 * exponential, so that a block of s bytes is taken with the probability 1 - exp(-s / interval). For a block that
 * is not sampled that is one comparison: the bytes are counted anyway (malloc_counts.h). The shadow has a mark for those that are, so that freeing
 * others costs nothing.
 *
 * A sample takes no lock but that of a list of blocks (live_blocks.h), for some instructions, and allocates
 * nothing. Tables have limits; what does not fit is counted.
 */
#ifndef GCSPYMALLOC_NATIVE_SITES_H
#define GCSPYMALLOC_NATIVE_SITES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <gcspy/native_table.h>

#include "live_blocks.h"

enum sites_function { SITES_MALLOC, SITES_CALLOC, SITES_REALLOC, SITES_MEMALIGN, SITES_FUNCTIONS };

enum { SITES_PENDING = 8 };

/* The calling thread's. */
struct sites_thread {
	int64_t left; /* bytes until the next sample */
	uint64_t
	    interval; /* that `left` was chosen with; 0: sampling is off, or was never on here */
	uint64_t random;
	bool busy; /* in this folder, or in a handler above that */
	atomic_uint pending;
	struct {
		uintptr_t start;
		uint64_t youngest;
	} freed[SITES_PENDING]; /* sampled blocks that were freed while it was busy */
};
extern _Thread_local struct sites_thread sites_self __attribute__((tls_model("initial-exec")));

/* Opens what sampling needs; the calling thread's blocks are sampled from now on. NULL, or a sentence with the
 * reason why that is impossible. Once; its allocations must be ignored (malloc_thread.h). */
const char *sites_begin(uint64_t interval);

/* Whether that was done. */
bool sites_begun(void);

/* Blocks of these lengths together, with their headers, have been received: true if the last is to be
 * sampled. */
static inline bool sites_due(uint64_t bytes)
{
	return (sites_self.left -= (int64_t)bytes) < 0;
}

/* The bytes of blocks until the next one that is. */
static inline uint64_t sites_left(void)
{
	return sites_self.left < 0 ? 0 : (uint64_t)sites_self.left;
}

/* Then, after it is in the shadow: `start` is where it begins there, `size` what the program asked for. */
void sites_sample(
    void *block, uintptr_t start, uint64_t bytes, uint64_t size, enum sites_function function);

/* A block with the shadow's mark is about to be given back: takes its sample out. False if that has to wait, or
 * if there is none. */
bool sites_take(uintptr_t start, struct live_block *sample);

/* It has been given back; or it has not. */
void sites_died(const struct live_block *sample);
void sites_put_back(const struct live_block *sample);

/* The thread is not busy any more. */
void sites_leave(void);

/* Mean number of bytes between samples: 1 samples all, 0 none. Samples that threads have chosen already stay. */
uint64_t sites_interval(void);
void sites_set_interval(uint64_t interval);

/* set_frames() of gcspy/native_table.h (sites_stack.c). */
void sites_set_frames(gcs_native_frames *frames, void *context);

/* In the child of fork. */
void sites_forget(void);

#endif
