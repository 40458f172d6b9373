#include "site_totals.h"

#include <string.h>

#include <gcspy/memory.h>

enum { FIRST_CAPACITY = 256 };

/* Of the call site, so that its ranges and regions are in one chain. */
static uint32_t hash(const struct site_key *key)
{
	uint64_t h =
	    ((uint64_t)key->stack << 32 | key->class_name) * 0x9e3779b97f4a7c15u + key->group;
	h = (h ^ h >> 29) * 0xbf58476d1ce4e5b9u;
	return (uint32_t)(h ^ h >> 32);
}

static void link_all(struct sites *s)
{
	memset(s->chains, 0, (s->mask + (size_t)1) * sizeof s->chains[0]);
	for (uint32_t i = 0; i < s->count; i++) {
		struct site *site = &s->items[i];
		uint32_t *chain = &s->chains[hash(&site->key) & s->mask];
		site->next = *chain;
		*chain = i + 1;
	}
}

static bool reserve(struct sites *s, uint32_t capacity)
{
	struct site *items = gcs_realloc(s->items, capacity * sizeof *items);
	if (items == NULL)
		return false;
	s->items = items;
	uint32_t chains = 256;
	while (chains < capacity)
		chains *= 2;
	if (s->chains == NULL || chains != s->mask + 1) {
		uint32_t *wider = gcs_realloc(s->chains, chains * sizeof *wider);
		if (wider == NULL)
			return false;
		s->chains = wider;
		s->mask = chains - 1;
		link_all(s);
	}
	s->capacity = capacity;
	return true;
}

bool sites_init(struct sites *s, uint32_t limit)
{
	*s = (struct sites){.limit = limit < 2 ? 2 : limit};
	return reserve(s, limit < FIRST_CAPACITY ? s->limit : FIRST_CAPACITY);
}

void sites_fini(struct sites *s)
{
	gcs_free(s->items);
	gcs_free(s->chains);
	*s = (struct sites){0};
}

uint32_t sites_find(struct sites *s, const struct site_key *key)
{
	uint32_t h = hash(key), head = s->count;
	for (uint32_t i = s->chains[h & s->mask]; i != 0; i = s->items[i - 1].next) {
		const struct site *site = &s->items[i - 1];
		if (site->key.stack != key->stack || site->key.class_name != key->class_name ||
		    site->key.group != key->group)
			continue;
		if (site->key.range == key->range && site->key.place == key->place)
			return i - 1;
		head = site->head;
	}
	if (s->count == s->limit)
		return GCS_NONE;
	uint32_t bigger = s->capacity + s->capacity / 2;
	if (s->count == s->capacity && !reserve(s, bigger < s->limit ? bigger : s->limit))
		return GCS_NONE;
	uint32_t *chain = &s->chains[h & s->mask];
	s->items[s->count] =
	    (struct site){.key = *key, .head = head, .next = *chain, .tile = GCS_NONE};
	*chain = ++s->count;
	return s->count - 1;
}

void sites_merge(struct site *to, const struct site *from)
{
	to->samples += from->samples;
	estimate_add(&to->allocated, &from->allocated);
	for (uint32_t i = 0; i < GCS_SURVIVAL_BUCKETS; i++)
		to->died_bytes[i] += from->died_bytes[i];
	to->died_objects += from->died_objects;
	to->age_sum += from->age_sum;
	to->lifetime_sum += from->lifetime_sum;
}
