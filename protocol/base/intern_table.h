/*
 * Numbers texts, and keys of a few words, from 0 in the order in which they come; equal ones have
 * one number.
 *
 * The caller owns the structs; zeroed ones are empty. Texts are borrowed and outlive the table.
 */
#ifndef GCSPY_BASE_INTERN_TABLE_H
#define GCSPY_BASE_INTERN_TABLE_H

#include <stdint.h>

#include "hash.h"

enum { INTERN_WORDS = 5 };

struct intern_key {
	uint32_t words[INTERN_WORDS];
};

struct intern_keys {
	struct hash_table index;
	struct intern_key *items;
	uint32_t count, capacity;
};

struct intern_texts {
	struct hash_table index;
	const char **items;
	uint32_t count, capacity;
};

/* The key's or text's number, added if it is new; UINT32_MAX without memory. */
uint32_t intern_key(struct intern_keys *table, const struct intern_key *key);
uint32_t intern_text(struct intern_texts *table, const char *text);

/* Its number, or UINT32_MAX if it is not there. */
uint32_t intern_find_key(const struct intern_keys *table, const struct intern_key *key);
uint32_t intern_find_text(const struct intern_texts *table, const char *text);

void intern_keys_fini(struct intern_keys *table);
void intern_texts_fini(struct intern_texts *table);

#endif
