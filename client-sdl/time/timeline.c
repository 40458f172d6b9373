#include "timeline.h"

#include <stdlib.h>
#include <string.h>

void timeline_fini(struct timeline *t)
{
	free(t->entry);
	memset(t, 0, sizeof *t);
}

void timeline_clear(struct timeline *t)
{
	t->first = 0;
	t->count = 0;
	t->dropped = 0;
}

static bool grow(struct timeline *t)
{
	uint32_t capacity = t->capacity > 0 ? t->capacity * 2 : 256;
	if (capacity > TIMELINE_LIMIT)
		return false;
	struct timeline_entry *entry = malloc(capacity * sizeof *entry);
	if (entry == NULL)
		return false;
	for (uint32_t i = 0; i < t->count; i++)
		entry[i] = *timeline_at(t, i);
	free(t->entry);
	t->entry = entry;
	t->capacity = capacity;
	t->first = 0;
	return true;
}

void timeline_add(struct timeline *t, struct timeline_entry entry)
{
	if (t->count == t->capacity && !grow(t)) {
		if (t->capacity == 0)
			return;
		t->first = (t->first + 1) & (t->capacity - 1);
		t->count--;
		t->dropped++;
	}
	t->entry[(t->first + t->count) & (t->capacity - 1)] = entry;
	t->count++;
}

const struct timeline_entry *timeline_at(const struct timeline *t, uint32_t i)
{
	return &t->entry[(t->first + i) & (t->capacity - 1)];
}

uint32_t timeline_find(const struct timeline *t, uint64_t time_ns)
{
	uint32_t low = 0;
	uint32_t high = t->count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (timeline_at(t, middle)->time_ns < time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
