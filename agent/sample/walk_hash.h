/* Hashes of the walker: two independent words for the identity of a stack. Pure functions. */
#ifndef GCSPY_AGENT_WALK_HASH_H
#define GCSPY_AGENT_WALK_HASH_H

#include <stdint.h>

#include "hash.h"

/* Begins to load what is needed soon: the allocating thread's caches hold the program's data. */
static inline void walk_prefetch(const void *address)
{
	__builtin_prefetch(address);
}

/* Odd, with its bits well spread: the fraction of the square root of 5. */
#define WALK_ODD_5 UINT64_C(0x3c6ef372fe94f82b)

/* Each step is a bijection of the added word, so that stacks that differ in one word differ. Here with a
 * word for each half. */
static inline void walk_hash_add_both(uint64_t key[static 2], uint64_t first, uint64_t second)
{
	key[0] = (key[0] ^ first) * HASH_ODD_2;
	key[0] ^= key[0] >> 32;
	key[1] = ((key[1] << 27 | key[1] >> 37) + second) * WALK_ODD_5;
	key[1] ^= key[1] >> 29;
}

static inline void walk_hash_add(uint64_t key[static 2], uint64_t word)
{
	walk_hash_add_both(key, word, word);
}

/* {0, 0} stands for no key. */
static inline void walk_hash_finish(uint64_t key[static 2])
{
	key[0] = hash_mix(key[0]);
	key[1] = hash_mix(key[1]);
	if (key[0] == 0 && key[1] == 0)
		key[0] = 1;
}

#endif
