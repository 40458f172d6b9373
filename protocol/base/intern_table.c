#include "intern_table.h"

#include <stddef.h>
#include <string.h>

#include <gcspy/memory.h>

enum { FIRST_SLOTS = 128 };

/* FNV-1a over bytes, and a last mix, because only the low bits choose the slot. */
static uint32_t hash_of(const void *bytes, size_t length)
{
	const unsigned char *at = bytes;
	uint64_t h = 0xcbf29ce484222325u;
	for (size_t i = 0; i < length; i++)
		h = (h ^ at[i]) * 0x100000001b3u;
	return (uint32_t)(h ^ h >> 32);
}

/* Puts an item that is not there yet where its hash says; there is a free slot. */
static void place(struct intern_slots *s, uint32_t hash, uint32_t item)
{
	uint32_t at = hash & s->mask;
	while (s->slots[at] != 0)
		at = (at + 1) & s->mask;
	s->slots[at] = item + 1;
}

/* Twice the slots, empty; the caller places its items again. False without memory. */
static bool widen(struct intern_slots *s)
{
	uint32_t count = s->slots == NULL ? FIRST_SLOTS : (s->mask + 1) * 2;
	uint32_t *slots = count == 0 ? NULL : gcs_zalloc((size_t)count * sizeof *slots);
	if (slots == NULL)
		return false;
	gcs_free(s->slots);
	s->slots = slots;
	s->mask = count - 1;
	return true;
}

/* At most half of the slots are in use. */
static bool is_full(const struct intern_slots *s, uint32_t count)
{
	return s->slots == NULL || count > s->mask / 2;
}

static bool grow(void **items, uint32_t *capacity, uint32_t count, size_t size)
{
	if (count < *capacity)
		return true;
	uint32_t wider = *capacity == 0 ? 64 : *capacity * 2;
	void *memory = gcs_realloc(*items, (size_t)wider * size);
	if (memory == NULL)
		return false;
	*items = memory;
	*capacity = wider;
	return true;
}

static uint32_t hash_key(const struct intern_key *key)
{
	return hash_of(key->words, sizeof key->words);
}

uint32_t intern_find_key(const struct intern_keys *t, const struct intern_key *key)
{
	if (t->index.slots == NULL)
		return UINT32_MAX;
	for (uint32_t at = hash_key(key) & t->index.mask; t->index.slots[at] != 0;
	     at = (at + 1) & t->index.mask) {
		uint32_t item = t->index.slots[at] - 1;
		if (memcmp(&t->items[item], key, sizeof *key) == 0)
			return item;
	}
	return UINT32_MAX;
}

uint32_t intern_key(struct intern_keys *t, const struct intern_key *key)
{
	uint32_t known = intern_find_key(t, key);
	if (known != UINT32_MAX)
		return known;
	void *items = t->items;
	bool room = grow(&items, &t->capacity, t->count, sizeof *t->items);
	t->items = items;
	if (!room)
		return UINT32_MAX;
	if (is_full(&t->index, t->count)) {
		if (!widen(&t->index))
			return UINT32_MAX;
		for (uint32_t i = 0; i < t->count; i++)
			place(&t->index, hash_key(&t->items[i]), i);
	}
	t->items[t->count] = *key;
	place(&t->index, hash_key(key), t->count);
	return t->count++;
}

uint32_t intern_find_text(const struct intern_texts *t, const char *text)
{
	if (t->index.slots == NULL)
		return UINT32_MAX;
	for (uint32_t at = hash_of(text, strlen(text)) & t->index.mask; t->index.slots[at] != 0;
	     at = (at + 1) & t->index.mask) {
		uint32_t item = t->index.slots[at] - 1;
		if (strcmp(t->items[item], text) == 0)
			return item;
	}
	return UINT32_MAX;
}

uint32_t intern_text(struct intern_texts *t, const char *text)
{
	uint32_t known = intern_find_text(t, text);
	if (known != UINT32_MAX)
		return known;
	void *items = (void *)t->items;
	bool room = grow(&items, &t->capacity, t->count, sizeof *t->items);
	t->items = items;
	if (!room)
		return UINT32_MAX;
	if (is_full(&t->index, t->count)) {
		if (!widen(&t->index))
			return UINT32_MAX;
		for (uint32_t i = 0; i < t->count; i++)
			place(&t->index, hash_of(t->items[i], strlen(t->items[i])), i);
	}
	t->items[t->count] = text;
	place(&t->index, hash_of(text, strlen(text)), t->count);
	return t->count++;
}

void intern_keys_fini(struct intern_keys *t)
{
	gcs_free(t->index.slots);
	gcs_free(t->items);
	*t = (struct intern_keys){0};
}

void intern_texts_fini(struct intern_texts *t)
{
	gcs_free(t->index.slots);
	gcs_free((void *)t->items);
	*t = (struct intern_texts){0};
}
