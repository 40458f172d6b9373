/* Hashes of the walker: two independent words for the identity of a stack, and a final mix that
 * spreads every bit over the word. Pure functions. */
#ifndef GCSPY_AGENT_WALK_HASH_H
#define GCSPY_AGENT_WALK_HASH_H

#include <stdint.h>

/* Odd numbers with their bits well spread: the fractions of the square roots of 2, 3 and 5. */
#define WALK_ODD_2 UINT64_C(0x6a09e667f3bcc909)
#define WALK_ODD_3 UINT64_C(0xbb67ae8584caa73b)
#define WALK_ODD_5 UINT64_C(0x3c6ef372fe94f82b)

static inline uint64_t walk_mix(uint64_t word)
{
	word ^= word >> 32;
	word *= WALK_ODD_2;
	word ^= word >> 29;
	word *= WALK_ODD_3;
	return word ^ word >> 32;
}

/* Each step is a bijection of the added word, so that stacks that differ in one word differ. */
static inline void walk_hash_add(uint64_t key[static 2], uint64_t word)
{
	key[0] = (key[0] ^ word) * WALK_ODD_2;
	key[0] ^= key[0] >> 32;
	key[1] = ((key[1] << 27 | key[1] >> 37) + word) * WALK_ODD_5;
	key[1] ^= key[1] >> 29;
}

/* {0, 0} stands for no key. */
static inline void walk_hash_finish(uint64_t key[static 2])
{
	key[0] = walk_mix(key[0]);
	key[1] = walk_mix(key[1]);
	if (key[0] == 0 && key[1] == 0)
		key[0] = 1;
}

#endif
