#include "keyset.h"

bool keyset_has(const struct keyset *set, uint64_t key)
{
	return hash_get(&set->keys, key) != HASH_NONE;
}

bool keyset_add(struct keyset *set, uint64_t key)
{
	return keyset_has(set, key) ||
	       (set->keys.count < KEYSET_MOST && hash_put(&set->keys, key, 0));
}

void keyset_remove(struct keyset *set, uint64_t key)
{
	hash_remove(&set->keys, key);
}

void keyset_clear(struct keyset *set)
{
	hash_fini(&set->keys);
}
