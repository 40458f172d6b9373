/*
 * The remembered set of a car: where references into it from higher cars are. An entry is the number of
 * a word of the old generation, without its low `shift` bits: a granule of 1 << shift words. Sets grow,
 * and coarsen from a threshold on (section 4.2 of the paper). Entries are never removed one by one; who
 * reads one checks what is there now.
 */
#ifndef REMEMBERED_SET_H
#define REMEMBERED_SET_H

#include <stdbool.h>
#include <stdint.h>

/* Granules are at most 32 KiB, so that none crosses a region. */
enum { SET_COARSEN_BITS = 3, SET_MAX_SHIFT = 12 };

struct remembered_set {
	uint32_t *table; /* granule + 1, or 0; open addressing */
	uint32_t size;   /* slots, a power of two, or 0 */
	uint32_t count;
	uint32_t largest; /* size that the table ever had */
	uint32_t shift;
};

/* Adds the granule of a word. Coarsens from `coarsen_at` entries on; 0: never. False without
 * memory. */
bool set_add(struct remembered_set *set, uint32_t word, uint32_t coarsen_at);

bool set_has(const struct remembered_set *set, uint32_t word);

/* The first word of the granule in slot `i` of the table; false for an empty slot. */
static inline bool set_entry(const struct remembered_set *set, uint32_t i, uint32_t *word)
{
	*word = set->table[i] == 0 ? 0 : (set->table[i] - 1) << set->shift;
	return set->table[i] != 0;
}

/* Slots times granule. */
static inline uint64_t set_capacity(const struct remembered_set *set)
{
	return (uint64_t)set->size << set->shift;
}

/* Empties the set and frees its table; `largest` stays. */
void set_clear(struct remembered_set *set);

#endif
