#include "remembered_set.h"

#include <stdlib.h>

enum { FIRST_SIZE = 16 };

/* The slot of a key, or the empty one where it belongs. */
static uint32_t find(const uint32_t *table, uint32_t size, uint32_t key)
{
	uint32_t at = (key * 2654435761u) & (size - 1);
	while (table[at] != 0 && table[at] != key)
		at = (at + 1) & (size - 1);
	return at;
}

/* Rehashes into a fresh table of `size` slots, with `coarser` bits less in each entry. */
static bool rehash(struct remembered_set *set, uint32_t size, uint32_t coarser)
{
	uint32_t *table = calloc(size, sizeof *table), count = 0;
	if (table == NULL)
		return false;
	for (uint32_t i = 0; i < set->size; i++) {
		if (set->table[i] == 0)
			continue;
		uint32_t key = ((set->table[i] - 1) >> coarser) + 1;
		uint32_t at = find(table, size, key);
		count += table[at] == 0;
		table[at] = key;
	}
	free(set->table);
	set->table = table;
	set->size = size;
	set->count = count;
	set->shift += coarser;
	if (size > set->largest)
		set->largest = size;
	return true;
}

/* Room for one more entry: at a load of 3/4 the table doubles, or from the threshold on coarsens, and
 * doubles only if that does not halve the load. */
static bool make_room(struct remembered_set *set, uint32_t coarsen_at)
{
	if (set->size == 0)
		return rehash(set, FIRST_SIZE, 0);
	if (set->count < set->size / 4 * 3)
		return true;
	if (coarsen_at != 0 && set->count >= coarsen_at && set->shift < SET_MAX_SHIFT) {
		if (!rehash(set, set->size, SET_COARSEN_BITS))
			return false;
		if (set->count <= set->size / 2)
			return true;
	}
	return rehash(set, set->size * 2, 0);
}

bool set_add(struct remembered_set *set, uint32_t word, uint32_t coarsen_at)
{
	if (set_has(set, word))
		return true;
	if (!make_room(set, coarsen_at))
		return false;
	uint32_t key = (word >> set->shift) + 1;
	uint32_t at = find(set->table, set->size, key);
	set->count += set->table[at] == 0;
	set->table[at] = key;
	return true;
}

bool set_has(const struct remembered_set *set, uint32_t word)
{
	return set->size != 0 &&
	       set->table[find(set->table, set->size, (word >> set->shift) + 1)] != 0;
}

void set_clear(struct remembered_set *set)
{
	free(set->table);
	*set = (struct remembered_set){.largest = set->largest};
}
