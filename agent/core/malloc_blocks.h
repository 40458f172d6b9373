/*
 * Blocks of the C library's malloc with mappings of their own, by the head that glibc (malloc/malloc.c) writes at
 * the beginning of each. The kernel joins such mappings with neighbours, so that anything may be in front.
 */
#ifndef GCSPY_AGENT_MALLOC_BLOCKS_H
#define GCSPY_AGENT_MALLOC_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct malloc_blocks {
	bool (*read)(const void *context, void *to, uint64_t from, size_t bytes);
	const void *context;
	int pagemap; /* of /proc/self/pagemap, so that absent pages are not read; -1: none are absent */
	uint32_t left; /* pages that may still be read */
	/* Of the pagemap, from this address on. */
	uint64_t entries_at, entries[512];
	uint32_t entry_count;
};

/*
 * Finds the next blocks side by side in [*low, high), which is in one mapping and ends with it: `*low` becomes their
 * beginning, `*end` their end. A block counts if another one or the end of the mapping follows; at the beginning of
 * the mapping, `first`, it need not. False if there are none, or the pages are used up.
 */
bool malloc_blocks_next(
    struct malloc_blocks *b, bool first, uint64_t *low, uint64_t high, uint64_t *end);

#endif
