#include "keyset.h"

#include <stdlib.h>

static uint64_t stored(uint64_t key)
{
	return key != 0 ? key : 1;
}

/* The slot of the key, or the free one where it belongs. There is a free one. */
static uint32_t find(const struct keyset *set, uint64_t key)
{
	uint32_t at = (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (set->slots - 1);
	while (set->slot[at] != 0 && set->slot[at] != key)
		at = (at + 1) & (set->slots - 1);
	return at;
}

static bool grow(struct keyset *set)
{
	struct keyset more = {.slots = set->slots == 0 ? 64 : set->slots * 2, .count = set->count};
	more.slot = calloc(more.slots, sizeof *more.slot);
	if (more.slot == NULL)
		return false;
	for (uint32_t i = 0; i < set->slots; i++)
		if (set->slot[i] != 0)
			more.slot[find(&more, set->slot[i])] = set->slot[i];
	free(set->slot);
	*set = more;
	return true;
}

bool keyset_has(const struct keyset *set, uint64_t key)
{
	return set->count > 0 && set->slot[find(set, stored(key))] != 0;
}

bool keyset_add(struct keyset *set, uint64_t key)
{
	if (keyset_has(set, key))
		return true;
	if (set->count >= KEYSET_MOST || (set->count * 2 >= set->slots && !grow(set)))
		return false;
	set->slot[find(set, stored(key))] = stored(key);
	set->count++;
	return true;
}

void keyset_remove(struct keyset *set, uint64_t key)
{
	if (!keyset_has(set, key))
		return;
	uint32_t at = find(set, stored(key));
	set->slot[at] = 0;
	set->count--;
	/* What lies behind it may have been pushed there by it. */
	for (at = (at + 1) & (set->slots - 1); set->slot[at] != 0;
	     at = (at + 1) & (set->slots - 1)) {
		uint64_t moved = set->slot[at];
		set->slot[at] = 0;
		set->slot[find(set, moved)] = moved;
	}
}

void keyset_clear(struct keyset *set)
{
	free(set->slot);
	*set = (struct keyset){0};
}
