/*
 * A table that only grows: each key is in it once, and has a number for ever. Entries may have words behind
 * the key that belong to the user, zeroed at first.
 *
 * Any thread adds and reads, also in a signal handler: no lock, and memory that was reserved before.
 */
#ifndef GCSPYMALLOC_OWN_INTERN_H
#define GCSPYMALLOC_OWN_INTERN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct own_intern {
	atomic_uint *slots; /* the entries' numbers; 0: free */
	uint32_t mask;
	uint64_t *words; /* of all entries */
	uint32_t most_words;
	atomic_uint used_words, count;
};

/* Room for 3/4 of 2^`shift` entries and for `bytes` of them; false if the system has none. */
bool own_intern_init(struct own_intern *t, uint32_t shift, uint32_t bytes);

/* The number of the key of `length` bytes, at most 65,535, which is added with `more` words if it is new;
 * 0: the table is full. */
uint32_t own_intern_add(struct own_intern *t, const void *key, uint32_t length, uint32_t more);

/* The key and its length, and the user's words. */
const void *own_intern_key(const struct own_intern *t, uint32_t number, uint32_t *length);
void *own_intern_more(const struct own_intern *t, uint32_t number);

/* The entry of a slot, 0 .. mask; 0: none. */
static inline uint32_t own_intern_at(const struct own_intern *t, uint32_t slot)
{
	return atomic_load_explicit(&t->slots[slot], memory_order_acquire);
}

#endif
