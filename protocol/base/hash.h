/*
 * Hash functions and a hash table with 64-bit keys and values. Several values may have the same key,
 * so a key is either an identity (an address, a number) or a hash, and then the caller compares the
 * items that the values refer to:
 *
 *	struct hash_search s = hash_search(&table, hash_text(HASH_BEGIN, name));
 *	for (uint64_t item; hash_next(&s, &item);)
 *		if (strcmp(items[item].name, name) == 0)
 *			return item;
 *
 * Open addressing with linear probing, at most half full. The caller owns the struct; a zeroed one
 * is empty. Threads need a lock of the caller's.
 */
#ifndef GCSPY_BASE_HASH_H
#define GCSPY_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Odd numbers whose bits are well spread: the fractions of the square roots of 2 and 3. */
#define HASH_ODD_2 UINT64_C(0x6a09e667f3bcc909)
#define HASH_ODD_3 UINT64_C(0xbb67ae8584caa73b)

/* Spreads every bit over the whole word; a bijection. */
static inline uint64_t hash_mix(uint64_t word)
{
	word ^= word >> 32;
	word *= HASH_ODD_2;
	word ^= word >> 29;
	word *= HASH_ODD_3;
	return word ^ word >> 32;
}

/* The hash of what `hash` covers and one word more. */
static inline uint64_t hash_add(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * HASH_ODD_2;
	return hash ^ hash >> 32;
}

/* FNV-1a, 64 bits. The first `before` is HASH_BEGIN, which gives the same hash in every
 * run, or hash_secret(). */
#define HASH_BEGIN UINT64_C(0xcbf29ce484222325)
uint64_t hash_bytes(uint64_t before, const void *bytes, size_t length);
uint64_t hash_text(uint64_t before, const char *text);

/* Differs in each run, so that a peer cannot send names that collide. Any thread. */
uint64_t hash_secret(void);

struct hash_slot {
	uint64_t key;
	uint64_t value; /* plus 1; 0: free */
};

struct hash_table {
	struct hash_slot *slots;
	size_t mask; /* slots less 1 */
	size_t count;
};

/* Adds a value below HASH_NONE, even if the key has one; false without memory. */
bool hash_put(struct hash_table *table, uint64_t key, uint64_t value);

/* Makes room for `count` values in all, so that hash_put cannot fail; false without memory. */
bool hash_reserve(struct hash_table *table, size_t count);

/* A value of the key, or HASH_NONE; hash_remove removes it. */
#define HASH_NONE UINT64_MAX
uint64_t hash_get(const struct hash_table *table, uint64_t key);
uint64_t hash_remove(struct hash_table *table, uint64_t key);

/* The next of all values, in no order; `*at` begins with 0. False after the last one. */
bool hash_each(const struct hash_table *table, size_t *at, uint64_t *key, uint64_t *value);

void hash_fini(struct hash_table *table);

/* All values of a key. The table must not change meanwhile. */
struct hash_search {
	const struct hash_table *table;
	uint64_t key;
	size_t at;
};

static inline struct hash_search hash_search(const struct hash_table *table, uint64_t key)
{
	return (struct hash_search){table, key, (size_t)hash_mix(key)};
}

static inline bool hash_next(struct hash_search *s, uint64_t *value)
{
	while (s->table->count != 0) {
		const struct hash_slot *slot = &s->table->slots[s->at++ & s->table->mask];
		if (slot->value == 0)
			break;
		*value = slot->value - 1;
		if (slot->key == s->key)
			return true;
	}
	return false;
}

#endif
