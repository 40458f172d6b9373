#include "own_intern.h"

#include <string.h>

#include "own_memory.h"

/* An entry's first word: the key's hash and length. Its number is where it begins, in words. */
enum { HASH_SHIFT = 32, LENGTH_MASK = 0xffff };

bool own_intern_init(struct own_intern *t, uint32_t shift, uint32_t bytes)
{
	t->slots = own_memory_reserve(((size_t)1 << shift) * sizeof *t->slots);
	t->words = own_memory_reserve(bytes);
	t->mask = ((uint32_t)1 << shift) - 1;
	t->most_words = bytes / sizeof *t->words;
	atomic_store(&t->used_words, 1); /* no entry has the number 0 */
	return t->slots != NULL && t->words != NULL;
}

static uint32_t hash_of(const unsigned char *key, uint32_t length)
{
	uint64_t h = length;
	for (uint32_t at = 0; at < length; at += 8) {
		uint64_t word = 0;
		memcpy(&word, key + at, length - at < 8 ? length - at : 8);
		h = (h ^ word) * 0x9e3779b97f4a7c15u;
		h ^= h >> 29;
	}
	return (uint32_t)(h ^ h >> 32);
}

static uint32_t words_of(uint32_t bytes)
{
	return (bytes + 7) / 8;
}

/* 0: full. */
static uint32_t make(
    struct own_intern *t, uint32_t hash, const void *key, uint32_t length, uint32_t more)
{
	const uint32_t words = 1 + words_of(length) + more;
	uint32_t at = atomic_load_explicit(&t->used_words, memory_order_relaxed);
	do
		if (at > t->most_words - words)
			return 0;
	while (!atomic_compare_exchange_weak_explicit(
	    &t->used_words, &at, at + words, memory_order_relaxed, memory_order_relaxed));
	t->words[at] = (uint64_t)hash << HASH_SHIFT | length;
	memcpy(&t->words[at + 1], key, length);
	return at;
}

uint32_t own_intern_add(struct own_intern *t, const void *key, uint32_t length, uint32_t more)
{
	const uint32_t hash = hash_of(key, length), mask = t->mask;
	uint32_t mine = 0;
	for (uint32_t i = hash & mask;; i = (i + 1) & mask) {
		uint32_t at = own_intern_at(t, i);
		if (at == 0) {
			if (atomic_load_explicit(&t->count, memory_order_relaxed) > mask / 4 * 3)
				return 0;
			if (mine == 0 && (mine = make(t, hash, key, length, more)) == 0)
				return 0;
			if (atomic_compare_exchange_strong_explicit(&t->slots[i], &at, mine,
				memory_order_acq_rel, memory_order_acquire)) {
				atomic_fetch_add_explicit(&t->count, 1, memory_order_relaxed);
				return mine;
			}
		}
		if (t->words[at] == ((uint64_t)hash << HASH_SHIFT | length) &&
		    memcmp(&t->words[at + 1], key, length) == 0)
			return at;
	}
}

const void *own_intern_key(const struct own_intern *t, uint32_t number, uint32_t *length)
{
	*length = (uint32_t)(t->words[number] & LENGTH_MASK);
	return &t->words[number + 1];
}

void *own_intern_more(const struct own_intern *t, uint32_t number)
{
	return &t->words[number + 1 + words_of((uint32_t)(t->words[number] & LENGTH_MASK))];
}
