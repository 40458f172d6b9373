/* Classes of sizes, of blocks and of gaps: each power of two from 32 bytes on has two. */
#ifndef GCSPYMALLOC_SIZE_CLASS_H
#define GCSPYMALLOC_SIZE_CLASS_H

#include <stdint.h>

enum { SIZE_CLASSES = 36, GAP_CLASSES = 16 };

/* The class of a block of that many units of 16 bytes: the first whose limit is not below. Inline, as each
 * block of what has changed is counted at each update. */
static inline uint32_t size_class_of(uint64_t units)
{
	if (units <= 2)
		return units < 2 ? 0 : 1;
	/* 2^k < units <= 2^(k+1) */
	const uint32_t k = 63 - (uint32_t)__builtin_clzll(units - 1);
	const uint32_t class = 2 * k + (units > (uint64_t)3 << (k - 1));
	return class < SIZE_CLASSES ? class : SIZE_CLASSES - 1;
}

/* The most units of its blocks; UINT64_MAX for the last class. */
uint64_t size_class_limit(uint32_t class);

/* The same for gaps, with a class for each power of two. */
static inline uint32_t gap_class_of(uint64_t units)
{
	const uint32_t class = units <= 1 ? 0 : 64 - (uint32_t)__builtin_clzll(units - 1);
	return class < GAP_CLASSES ? class : GAP_CLASSES - 1;
}
uint64_t gap_class_limit(uint32_t class);

#endif
