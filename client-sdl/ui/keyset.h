/* A bounded set of 64-bit keys, such as the open rows of a tree. A zeroed one is empty. */
#ifndef GCSPY_CLIENT_KEYSET_H
#define GCSPY_CLIENT_KEYSET_H

#include "hash.h"

#define KEYSET_MOST 100000u

struct keyset {
	struct hash_table keys; /* values: 0 */
};

bool keyset_has(const struct keyset *set, uint64_t key);

/* False if it is full, or without memory. */
bool keyset_add(struct keyset *set, uint64_t key);
void keyset_remove(struct keyset *set, uint64_t key);
void keyset_clear(struct keyset *set);

#endif
