#include "intern_table.h"

#include <string.h>

#include <gcspy/memory.h>

static bool reserve(void **items, uint32_t *capacity, uint32_t count, size_t size)
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

static uint64_t hash_key(const struct intern_key *key)
{
	uint64_t hash = 0;
	for (int i = 0; i < INTERN_WORDS; i++)
		hash = hash_add(hash, key->words[i]);
	return hash;
}

static uint32_t find_key(const struct intern_keys *t, const struct intern_key *key, uint64_t hash)
{
	struct hash_search s = hash_search(&t->index, hash);
	for (uint64_t item; hash_next(&s, &item);)
		if (memcmp(&t->items[item], key, sizeof *key) == 0)
			return (uint32_t)item;
	return UINT32_MAX;
}

uint32_t intern_find_key(const struct intern_keys *t, const struct intern_key *key)
{
	return find_key(t, key, hash_key(key));
}

uint32_t intern_key(struct intern_keys *t, const struct intern_key *key)
{
	const uint64_t hash = hash_key(key);
	const uint32_t known = find_key(t, key, hash);
	void *items = t->items;
	if (known != UINT32_MAX || !reserve(&items, &t->capacity, t->count, sizeof *t->items))
		return known;
	t->items = items;
	if (!hash_put(&t->index, hash, t->count))
		return UINT32_MAX;
	t->items[t->count] = *key;
	return t->count++;
}

static uint32_t find_text(const struct intern_texts *t, const char *text, uint64_t hash)
{
	struct hash_search s = hash_search(&t->index, hash);
	for (uint64_t item; hash_next(&s, &item);)
		if (strcmp(t->items[item], text) == 0)
			return (uint32_t)item;
	return UINT32_MAX;
}

uint32_t intern_find_text(const struct intern_texts *t, const char *text)
{
	return find_text(t, text, hash_text(hash_secret(), text));
}

uint32_t intern_text(struct intern_texts *t, const char *text)
{
	const uint64_t hash = hash_text(hash_secret(), text);
	const uint32_t known = find_text(t, text, hash);
	void *items = (void *)t->items;
	if (known != UINT32_MAX || !reserve(&items, &t->capacity, t->count, sizeof *t->items))
		return known;
	t->items = items;
	if (!hash_put(&t->index, hash, t->count))
		return UINT32_MAX;
	t->items[t->count] = text;
	return t->count++;
}

void intern_keys_fini(struct intern_keys *t)
{
	hash_fini(&t->index);
	gcs_free(t->items);
	*t = (struct intern_keys){0};
}

void intern_texts_fini(struct intern_texts *t)
{
	hash_fini(&t->index);
	gcs_free((void *)t->items);
	*t = (struct intern_texts){0};
}
