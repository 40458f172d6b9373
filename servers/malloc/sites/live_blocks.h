/*
 * The sampled blocks that the program has: each with its sample, found by its address.
 *
 * A block's shadow says that it is sampled (heap_shadow.h), and each KiB of address space has a list of its
 * blocks there. A list is changed under one of many locks that are held for a few instructions. A thread must
 * not come back here meanwhile, in a signal handler: sites_self.busy (native_sites.h) sees to that.
 *
 * What is freed without being taken out, which a handler may have to do, has no mark in the shadow any more:
 * it is not live for any reader, and goes when its address is sampled again.
 */
#ifndef GCSPYMALLOC_LIVE_BLOCKS_H
#define GCSPYMALLOC_LIVE_BLOCKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct live_block {
	atomic_uint next;       /* in its list, or among those not in use */
	atomic_uint version;    /* odd while it is written */
	atomic_uintptr_t start; /* of the block with its header; 0: not in use */
	uint32_t site, thread;  /* native_sites_internal.h */
	uint64_t id;            /* unique, in the order of allocation, from 1 */
	uint64_t extent;        /* with its header */
	uint64_t size;          /* that the program asked for */
	uint64_t address;       /* that it got */
	double p;               /* the probability with which it was sampled */
	double birth;           /* estimate of the bytes that had been allocated before */
	int64_t wall_ns;
};

/* False if the system has no address space for it. Once. */
bool live_blocks_begin(void);

/* Adds a copy; of what is at its address the block that was there before goes to `*old`. False: full. */
bool live_blocks_add(const struct live_block *sample, struct live_block *old, bool *had_old);

/* Takes out the block that starts there and whose id is at most `youngest`; false if there is none. */
bool live_blocks_take(uintptr_t start, uint64_t youngest, struct live_block *block);

/* The length of the sampled block that starts there, with its header; 0: none. */
uint64_t live_blocks_extent(uintptr_t start);

/* The i-th of all that are live now; false: not that one. `live_blocks_end` is after the last. */
uint32_t live_blocks_end(void);
bool live_blocks_at(uint32_t i, struct live_block *block);

/* In the child of fork: the locks that other threads held are free. */
void live_blocks_forget(void);

#endif
