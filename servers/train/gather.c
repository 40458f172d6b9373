/*
 * References into the oldest train. They are in the mutator's roots, in finalisable objects, in the young
 * generation, and in cars that the remembered sets name. A remembered granule may have been overwritten, freed or
 * used again since it was recorded; only what its objects' fields refer to now counts.
 */
#include <stdlib.h>

#include "heap_state.h"

/* Calls `visit` for each slot outside of the old generation; `visit` returns true to end. */
static bool visit_external(
    struct train_heap *heap, bool (*visit)(void *context, struct object **slot), void *context)
{
	struct object_list *lists[] = {&heap->roots, &heap->pending};
	for (size_t list = 0; list < sizeof lists / sizeof lists[0]; list++)
		for (size_t i = 0; i < lists[list]->count; i++)
			if (visit(context, &lists[list]->items[i]))
				return true;
	for (char *at = heap->young.base; at < heap->young.top;) {
		struct object *object = (struct object *)(void *)at;
		for (uint32_t i = 0; i < object->pointers; i++)
			if (visit(context, &object_fields(object)[i]))
				return true;
		at = object_end(object);
	}
	return false;
}

/* Calls `visit` for each field in the granules that the car's set remembers, until `*stop`. */
static void visit_remembered(struct train_heap *heap, const struct car *car, const bool *stop,
    void (*visit)(void *context, struct car *source, struct object **slot), void *context)
{
	size_t granule = (size_t)WORD_BYTES << car->set.shift;
	uint32_t word;
	for (uint32_t i = 0; i < car->set.size && !*stop; i++)
		if (set_entry(&car->set, i, &word)) {
			char *start = heap->old.base + (size_t)word * WORD_BYTES;
			old_visit_fields(&heap->old, start, start + granule, visit, context);
		}
}

struct search {
	struct train_heap *heap;
	const struct car *car; /* whose remembered set is searched */
	struct object *found;
	bool done;
};

/* The car of what the slot refers to in the old generation, or NULL. */
static struct car *target_car(const struct train_heap *heap, struct object **slot)
{
	return *slot != NULL && old_contains(&heap->old, *slot) ? old_car(&heap->old, *slot) : NULL;
}

static bool find_external(void *context, struct object **slot)
{
	struct search *search = context;
	const struct car *car = target_car(search->heap, slot);
	search->done = car != NULL && car->train == search->heap->old.oldest;
	search->found = search->done ? *slot : NULL;
	return search->done;
}

static void find_remembered(void *context, struct car *source, struct object **slot)
{
	struct search *search = context;
	if (!search->done && source->train != search->car->train &&
	    target_car(search->heap, slot) == search->car) {
		search->done = true;
		search->found = *slot;
	}
}

struct object *gather_witness(struct train_heap *heap)
{
	struct search search = {.heap = heap};
	if (visit_external(heap, find_external, &search))
		return search.found;
	for (search.car = heap->old.oldest->first; search.car != NULL && !search.done;
	     search.car = search.car->next)
		visit_remembered(heap, search.car, &search.done, find_remembered, &search);
	return search.found;
}

struct gathering {
	struct train_heap *heap;
	struct items *items;
	const struct car *car;
};

static void add(struct gathering *g, struct object **slot, struct train *train)
{
	struct items *items = g->items;
	items->items =
	    heap_grow(g->heap, items->items, items->count, &items->capacity, sizeof *items->items);
	items->items[items->count] =
	    (struct item){.slot = slot, .train = train, .order = items->count};
	items->count++;
	uint32_t count = object_count(*slot);
	if (count < OBJECT_MAX_COUNT)
		object_set_count(*slot, count + 1);
}

static bool add_external(void *context, struct object **slot)
{
	struct gathering *g = context;
	const struct car *car = target_car(g->heap, slot);
	if (car != NULL && car->from) {
		if (g->items->external == NULL)
			g->items->external = place_external(g->heap);
		add(g, slot, g->items->external);
	}
	return false;
}

/* A coarse granule may serve several cars of the collection set: each takes its own. */
static void add_remembered(void *context, struct car *source, struct object **slot)
{
	struct gathering *g = context;
	if (!source->from && target_car(g->heap, slot) == g->car)
		add(g, slot, source->train);
}

static int by_train(const void *left, const void *right)
{
	const struct item *a = left, *b = right;
	if (a->train->id != b->train->id)
		return a->train->id > b->train->id ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

void gather_references(struct train_heap *heap, struct items *items)
{
	struct gathering g = {.heap = heap, .items = items};
	static const bool never = false;
	visit_external(heap, add_external, &g);
	if (heap->guard != NULL)
		add_external(&g, &heap->guard);
	for (struct car *car = heap->old.oldest->first; car != NULL && car->from; car = car->next) {
		g.car = car;
		visit_remembered(heap, car, &never, add_remembered, &g);
		car_clear_set(&heap->old, car);
	}
	if (items->count > 0)
		qsort(items->items, items->count, sizeof *items->items, by_train);
}
