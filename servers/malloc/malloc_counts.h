/*
 * How many events of a kind a thread has had, and of how many bytes: one addition for each of them.
 *
 * The events since the last settling are in one word: their number in bits 0 to 30, the blocks' units of 16
 * bytes in bits 32 to 63. Settling makes one of two sums from the other and the word, then sets the word to
 * zero and its bit 31 to that sum's number in one store, so that a reader always finds a sum and what has
 * come since, also while the owner is stopped in the middle. Only the owner changes them. What a signal
 * handler counts in the middle of an addition may be lost; with the allocators that are known it may not
 * allocate there anyway.
 */
#ifndef GCSPYMALLOC_MALLOC_COUNTS_H
#define GCSPYMALLOC_MALLOC_COUNTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* With more units a word has to be settled. Blocks with more are added to a sum. */
enum { COUNTS_MOST = 1 << 30, COUNTS_UNITS_SHIFT = 32 };

struct malloc_counts {
	atomic_uint_least64_t word;
	struct {
		atomic_uint_least64_t count, bytes;
	} sums[2];
	atomic_uint_least64_t settled; /* how often */
};

/* The least word with more units than `most`. */
static inline uint64_t counts_limit(uint64_t most)
{
	return (most + 1) << COUNTS_UNITS_SHIFT;
}

/* One event, of at most COUNTS_MOST units and at least one. True if the word is at its limit. */
static inline bool counts_add(struct malloc_counts *t, uint64_t units, uint64_t limit)
{
	const uint64_t word = atomic_load_explicit(&t->word, memory_order_relaxed) +
			      (units << COUNTS_UNITS_SHIFT) + 1;
	atomic_store_explicit(&t->word, word, memory_order_relaxed);
	return word >= limit;
}

/* Returns the bytes that were in the word. */
uint64_t counts_settle(struct malloc_counts *t);

/* One event of any length. `shared`: other threads add, too, and nobody settles. */
void counts_add_to_sum(struct malloc_counts *t, uint64_t bytes, bool shared);

/* Adds all events to `count` and `bytes`. Any thread. */
void counts_read(const struct malloc_counts *t, uint64_t *count, uint64_t *bytes);

#endif
