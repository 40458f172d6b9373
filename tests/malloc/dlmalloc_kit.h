/* What the tests of libgcspydlmalloc.so share. They run with it preloaded. */
#ifndef DLMALLOC_KIT_H
#define DLMALLOC_KIT_H

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dlmalloc_inside.h"

#define CHECK(condition, ...)                                                                      \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition);            \
			fprintf(stderr, __VA_ARGS__);                                              \
			fputc('\n', stderr);                                                       \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

static inline const struct dlmalloc_inside *kit_inside(void)
{
	const struct dlmalloc_inside *const *symbol =
	    (const struct dlmalloc_inside *const *)dlsym(RTLD_DEFAULT, DLMALLOC_INSIDE_SYMBOL);
	CHECK(symbol != NULL, "libgcspydlmalloc.so is not preloaded");
	CHECK((*symbol)->version == DLMALLOC_INSIDE_VERSION, "version %u", (*symbol)->version);
	CHECK((*symbol)->bytes == sizeof(struct dlmalloc_inside), "%u bytes", (*symbol)->bytes);
	return *symbol;
}

/* splitmix64: the same numbers for the same seed. */
static inline uint64_t kit_random(uint64_t *state)
{
	uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* Mostly small sizes, some up to `most`. */
static inline size_t kit_size(uint64_t *state, size_t most)
{
	const uint64_t r = kit_random(state);
	return 1 + (size_t)(r >> 8) % (r % 4 == 0 ? most : r % 4 == 1 ? (size_t)2000 : (size_t)300);
}

/* The bin of chunks of this size. */
static inline uint32_t kit_bin(const struct dlmalloc_inside *in, uint64_t size)
{
	for (uint32_t bin = 0; bin < DLMALLOC_BINS; bin++) {
		uint64_t least, most;
		if (in->bin_sizes(bin, &least, &most) && size >= least && size <= most)
			return bin;
	}
	CHECK(0, "no bin for %lu bytes", (unsigned long)size);
	return 0;
}

/* The chunk of a block. */
static inline uint64_t kit_chunk(const void *block)
{
	return (uintptr_t)block - 16;
}

static inline void kit_check(const struct dlmalloc_inside *in)
{
	struct dlmalloc_check c;
	in->check(&c);
	CHECK(c.free_mismatch == 0 && c.length_mismatch == 0,
	    "%lu free chunks; %lu small, %lu nodes, %lu same, %lu dv; %lu lengths differ",
	    (unsigned long)c.free, (unsigned long)c.small, (unsigned long)c.nodes,
	    (unsigned long)c.same, (unsigned long)c.dv, (unsigned long)c.length_mismatch);
}

#endif
