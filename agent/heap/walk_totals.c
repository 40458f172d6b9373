#include "walk_totals.h"

#include <string.h>

#include <gcspy/memory.h>

enum { PER_CHUNK = 7 };

struct entry {
	uint64_t bytes;
	uint32_t class_id;
	uint32_t objects;
};

/* Chunk 0 is none. */
struct chunk {
	uint32_t next;
	uint32_t count;
	struct entry entries[PER_CHUNK];
};

struct list {
	uint32_t first;
	uint64_t lost; /* bytes */
};

struct walk_totals {
	uint32_t ranges, classes, chunk_count;
	struct chunk *chunks;
	uint32_t free, used;     /* list of free chunks; those from `used` on were never used */
	struct list *now, *next; /* by range */
	struct walk_total *totals;
	struct entry *fresh; /* by class: added and not flushed yet */
	uint32_t *touched, touched_count;
	uint64_t lost;
};

struct walk_totals *walk_totals_create(uint32_t ranges, uint32_t classes, uint32_t chunks)
{
	struct walk_totals *t = gcs_zalloc(sizeof *t);
	if (t == NULL)
		return NULL;
	*t = (struct walk_totals){
	    .ranges = ranges, .classes = classes, .chunk_count = chunks, .used = 1};
	t->chunks = gcs_zalloc(chunks * sizeof *t->chunks);
	t->now = gcs_zalloc(ranges * sizeof *t->now);
	t->next = gcs_zalloc(ranges * sizeof *t->next);
	t->totals = gcs_zalloc(classes * sizeof *t->totals);
	t->fresh = gcs_zalloc(classes * sizeof *t->fresh);
	t->touched = gcs_zalloc(classes * sizeof *t->touched);
	if (t->chunks != NULL && t->now != NULL && t->next != NULL && t->totals != NULL &&
	    t->fresh != NULL && t->touched != NULL)
		return t;
	walk_totals_destroy(t);
	return NULL;
}

void walk_totals_destroy(struct walk_totals *t)
{
	if (t == NULL)
		return;
	gcs_free(t->chunks);
	gcs_free(t->now);
	gcs_free(t->next);
	gcs_free(t->totals);
	gcs_free(t->fresh);
	gcs_free(t->touched);
	gcs_free(t);
}

void walk_totals_add(struct walk_totals *t, uint32_t class_id, uint64_t bytes)
{
	struct entry *e = &t->fresh[class_id];
	if (e->objects == 0)
		t->touched[t->touched_count++] = class_id;
	e->objects++;
	e->bytes += bytes;
}

static uint32_t take_chunk(struct walk_totals *t)
{
	uint32_t chunk = t->free;
	if (chunk != 0)
		t->free = t->chunks[chunk].next;
	else if (t->used < t->chunk_count)
		chunk = t->used++;
	if (chunk != 0)
		t->chunks[chunk].next = t->chunks[chunk].count = 0;
	return chunk;
}

static void give_list(struct walk_totals *t, struct list *list)
{
	while (list->first != 0) {
		uint32_t chunk = list->first;
		list->first = t->chunks[chunk].next;
		t->chunks[chunk].next = t->free;
		t->free = chunk;
	}
	list->lost = 0;
}

static void add_total(struct walk_totals *t, const struct entry *e)
{
	t->totals[e->class_id].objects += e->objects;
	t->totals[e->class_id].bytes += e->bytes;
}

/* Adds objects of classes that the list already has. */
static void merge(struct walk_totals *t, struct list *list, bool more)
{
	for (uint32_t chunk = list->first; chunk != 0; chunk = t->chunks[chunk].next) {
		for (uint32_t i = 0; i < t->chunks[chunk].count; i++) {
			struct entry *e = &t->chunks[chunk].entries[i];
			struct entry *fresh = &t->fresh[e->class_id];
			if (fresh->objects == 0)
				continue;
			fresh->class_id = e->class_id;
			e->objects += fresh->objects;
			e->bytes += fresh->bytes;
			if (more)
				add_total(t, fresh);
			*fresh = (struct entry){0};
		}
	}
}

static bool append(struct walk_totals *t, struct list *list, const struct entry *e)
{
	if (list->first == 0 || t->chunks[list->first].count == PER_CHUNK) {
		uint32_t chunk = take_chunk(t);
		if (chunk == 0)
			return false;
		t->chunks[chunk].next = list->first;
		list->first = chunk;
	}
	struct chunk *c = &t->chunks[list->first];
	c->entries[c->count++] = *e;
	return true;
}

void walk_totals_flush(struct walk_totals *t, uint32_t range, bool more)
{
	struct list *list = more ? &t->now[range] : &t->next[range];
	if (t->touched_count != 0)
		merge(t, list, more);
	for (uint32_t i = 0; i < t->touched_count; i++) {
		struct entry *e = &t->fresh[t->touched[i]];
		if (e->objects == 0)
			continue;
		e->class_id = t->touched[i];
		if (!append(t, list, e)) {
			list->lost += e->bytes;
			t->lost += more ? e->bytes : 0;
		} else if (more) {
			add_total(t, e);
		}
		*e = (struct entry){0};
	}
	t->touched_count = 0;
}

/* Subtracts a range's list from the totals. */
static void subtract(struct walk_totals *t, const struct list *list)
{
	t->lost -= list->lost;
	for (uint32_t chunk = list->first; chunk != 0; chunk = t->chunks[chunk].next) {
		for (uint32_t i = 0; i < t->chunks[chunk].count; i++) {
			const struct entry *e = &t->chunks[chunk].entries[i];
			t->totals[e->class_id].objects -= e->objects;
			t->totals[e->class_id].bytes -= e->bytes;
		}
	}
}

void walk_totals_replace(struct walk_totals *t, uint32_t range)
{
	subtract(t, &t->now[range]);
	give_list(t, &t->now[range]);
	t->now[range] = t->next[range];
	t->next[range] = (struct list){0};
	t->lost += t->now[range].lost;
	for (uint32_t chunk = t->now[range].first; chunk != 0; chunk = t->chunks[chunk].next)
		for (uint32_t i = 0; i < t->chunks[chunk].count; i++)
			add_total(t, &t->chunks[chunk].entries[i]);
}

void walk_totals_restart(struct walk_totals *t, uint32_t range)
{
	give_list(t, &t->next[range]);
}

void walk_totals_drop(struct walk_totals *t, uint32_t range)
{
	subtract(t, &t->now[range]);
	give_list(t, &t->now[range]);
	give_list(t, &t->next[range]);
}

void walk_totals_clear(struct walk_totals *t, uint32_t classes)
{
	memset(t->now, 0, t->ranges * sizeof *t->now);
	memset(t->next, 0, t->ranges * sizeof *t->next);
	memset(t->totals, 0, classes * sizeof *t->totals);
	t->free = 0;
	t->used = 1;
	t->lost = 0;
}

const struct walk_total *walk_totals_totals(const struct walk_totals *t)
{
	return t->totals;
}

uint64_t walk_totals_lost(const struct walk_totals *t)
{
	return t->lost;
}
