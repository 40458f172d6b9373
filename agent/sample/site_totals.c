#include "site_totals.h"

#include <string.h>

#include <gcspy/memory.h>

enum { FIRST_CAPACITY = 256 };

static uint32_t hash(uint32_t stack, uint32_t class_name, uint32_t group)
{
	uint64_t h = ((uint64_t)stack << 32 | class_name) * 0x9e3779b97f4a7c15u + group;
	h = (h ^ h >> 29) * 0xbf58476d1ce4e5b9u;
	return (uint32_t)(h ^ h >> 32);
}

static void link_all(struct sites *s)
{
	memset(s->chains, 0, (s->mask + (size_t)1) * sizeof s->chains[0]);
	for (uint32_t i = 0; i < s->count; i++) {
		struct site *site = &s->items[i];
		uint32_t *chain =
		    &s->chains[hash(site->stack, site->class_name, site->group) & s->mask];
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

uint32_t sites_find(struct sites *s, uint32_t stack, uint32_t class_name, uint32_t group)
{
	uint32_t h = hash(stack, class_name, group);
	for (uint32_t i = s->chains[h & s->mask]; i != 0; i = s->items[i - 1].next) {
		const struct site *site = &s->items[i - 1];
		if (site->stack == stack && site->class_name == class_name && site->group == group)
			return i - 1;
	}
	if (s->count == s->limit)
		return GCS_NONE;
	uint32_t bigger = s->capacity + s->capacity / 2;
	if (s->count == s->capacity && !reserve(s, bigger < s->limit ? bigger : s->limit))
		return GCS_NONE;
	uint32_t *chain = &s->chains[h & s->mask];
	s->items[s->count] = (struct site){
	    .stack = stack,
	    .class_name = class_name,
	    .group = group,
	    .next = *chain,
	    .tile = GCS_NONE,
	};
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
