#include "train_heap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "changes.h"
#include "heap_state.h"

enum { KIB = 1024, MIB = 1024 * KIB };

void train_options_init(struct train_options *options)
{
	*options = (struct train_options){.young_bytes = MIB,
	    .promote_age = 1,
	    .large_bytes = 32 * KIB,
	    .regions = 4096,
	    .fill_cars = 8,
	    .rate = 2,
	    .max_cset = 8,
	    .popular_at = 200,
	    .popular_bytes = KIB,
	    .coarsen_at = 4096};
}

static bool options_good(const struct train_options *o, char *why, size_t why_bytes)
{
	const char *wrong = NULL;
	if (o->young_bytes < 16 * KIB || o->young_bytes > KIB * (size_t)MIB ||
	    o->young_bytes % WORD_BYTES != 0)
		wrong = "a semi-space has 16 KiB to 1 GiB, a multiple of 8";
	else if (o->promote_age > 100)
		wrong = "the age of promotion is 0 to 100";
	else if (o->large_bytes < 64 || o->large_bytes > 32 * KIB ||
		 o->large_bytes > o->young_bytes / 2)
		wrong = "large objects begin at 64 bytes to 32 KiB, half a semi-space at most";
	else if (o->regions < 16 || o->regions > 65536)
		wrong = "there are 16 to 65536 regions";
	else if (o->fill_cars < 1 || o->fill_cars > 1024)
		wrong = "1 to 1024 cars close a train";
	else if (!(o->rate >= 0 && o->rate <= 100))
		wrong = "the rate is 0 to 100";
	else if (o->max_cset < 1 || o->max_cset > 256 || o->max_cset + 4 > o->regions)
		wrong = "a step collects 1 to 256 cars, and at least 4 regions less than there are";
	else if (o->popular_at > OBJECT_MAX_COUNT)
		wrong = "0 to 65535 references make an object popular";
	else if (o->popular_bytes < CARD_BYTES || o->popular_bytes > 32 * KIB ||
		 (o->popular_bytes & (o->popular_bytes - 1)) != 0)
		wrong = "a popular car has 512 bytes to 32 KiB, a power of two";
	else if (o->popular_reserve >= o->regions)
		wrong = "the reserve for popular cars is smaller than the number of regions";
	else if (o->exhausted == NULL)
		wrong = "the option `exhausted` is missing";
	if (wrong != NULL)
		snprintf(why, why_bytes, "%s", wrong);
	return wrong == NULL;
}

struct train_heap *train_heap_create(
    const struct train_options *options, char *why, size_t why_bytes)
{
	if (!options_good(options, why, why_bytes))
		return NULL;
	struct train_heap *heap = calloc(1, sizeof *heap);
	if (heap != NULL)
		heap->options = *options;
	if (heap == NULL || !young_init(&heap->young, options->young_bytes) ||
	    !old_init(&heap->old, options->regions, options->popular_bytes,
		options->popular_reserve, options->coarsen_at)) {
		snprintf(why, why_bytes, "no memory for a heap of %u regions", options->regions);
		train_heap_destroy(heap);
		return NULL;
	}
	return heap;
}

void train_heap_destroy(struct train_heap *heap)
{
	if (heap == NULL)
		return;
	old_fini(&heap->old);
	young_fini(&heap->young);
	free(heap->roots.items);
	free(heap->pending.items);
	free(heap->queue.items);
	free(heap->weak.items);
	free(heap);
}

_Noreturn void heap_exhausted(struct train_heap *heap, const char *why)
{
	heap->options.exhausted(heap->options.hooks.context, why);
	abort();
}

void *heap_grow(struct train_heap *heap, void *array, size_t count, size_t *capacity, size_t bytes)
{
	if (count < *capacity)
		return array;
	size_t more = *capacity == 0 ? 64 : *capacity * 2;
	void *larger = realloc(array, more * bytes);
	if (larger == NULL)
		heap_exhausted(heap, "no memory for a list");
	*capacity = more;
	return larger;
}

void heap_list_add(struct train_heap *heap, struct object_list *list, struct object *object)
{
	list->items =
	    heap_grow(heap, list->items, list->count, &list->capacity, sizeof(struct object *));
	list->items[list->count++] = object;
}

void heap_record(struct train_heap *heap, struct object **slot, struct object *target)
{
	if (!old_record(&heap->old, slot, target))
		heap_exhausted(heap, "no memory for a remembered set");
}

void heap_event_passed(struct train_heap *heap)
{
	struct old_generation *old = &heap->old;
	while (old->set_count[CARS_OF_EVENT] > 0) {
		struct car *car = old->sets[CARS_OF_EVENT][0];
		memset(car->allocated, 0, sizeof car->allocated);
		car->chosen = 0;
		car_changed(old, car);
		car_set_remove(old, CARS_OF_EVENT, car);
	}
}

static void pass_event(struct train_heap *heap, void (*hook)(void *context))
{
	if (hook != NULL)
		hook(heap->options.hooks.context);
	heap_event_passed(heap);
}

static void forced_step(struct train_heap *heap)
{
	uint32_t free_regions = heap->old.free_regions, cars = heap->options.max_cset;
	if (free_regions < cars + 2)
		cars = free_regions > 3 ? free_regions - 2 : 1;
	heap->statistics.forced++;
	train_step(heap, cars);
}

/* Forced steps that collect every car about twice. */
static uint64_t forced_limit(const struct train_heap *heap)
{
	return 2 * ((uint64_t)heap->old.car_count / heap->options.max_cset +
		       heap->old.train_count) +
	       16;
}

static void collect(struct train_heap *heap, bool promote_all, uint32_t cars)
{
	const struct train_hooks *hooks = &heap->options.hooks;
	pass_event(heap, hooks->young_start);
	uint64_t sum = heap->options.verify ? heap_check(heap, "before a young collection") : 0;
	young_collect(heap, promote_all);
	if (heap->options.verify)
		heap_check_same(heap, "after a young collection", sum);
	pass_event(heap, hooks->young_end);
	if (cars == 0) {
		cars = policy_cars(heap);
		policy_collected(heap, cars);
	}
	if (cars > 0)
		train_step(heap, cars);
	/* Room for what the next young collection promotes at most. */
	uint32_t needed = placement_reserve(heap) +
			  (uint32_t)((heap->young.half + REGION_BYTES - 1) / REGION_BYTES);
	for (uint64_t left = forced_limit(heap);
	     left > 0 && heap->old.train_count > 0 && heap->old.free_regions < needed; left--)
		forced_step(heap);
}

void train_collect(struct train_heap *heap)
{
	collect(heap, false, 0);
}

void train_collect_cars(struct train_heap *heap, uint32_t cars)
{
	collect(heap, false, cars);
}

uint64_t train_drain(struct train_heap *heap, uint64_t limit)
{
	uint64_t steps = 0;
	for (; steps < limit; steps++) {
		train_collect_cars(heap, heap->options.max_cset);
		if (heap->old.train_count == 0)
			break;
	}
	return steps;
}

static _Noreturn void full(struct train_heap *heap)
{
	char why[120];
	snprintf(why, sizeof why, "old generation full: %u regions, %u cars in %u trains",
	    heap->old.region_count, heap->old.car_count, heap->old.train_count);
	heap_exhausted(heap, why);
}

static struct object *allocate_young(struct train_heap *heap, size_t bytes)
{
	struct young_generation *young = &heap->young;
	if ((size_t)(young_end(young) - young->top) < bytes || heap->direct >= young->half)
		collect(heap, false, 0);
	if ((size_t)(young_end(young) - young->top) < bytes)
		collect(heap, true, 0);
	if ((size_t)(young_end(young) - young->top) < bytes)
		full(heap);
	struct object *object = (struct object *)(void *)young->top;
	young->top += bytes;
	young_count(young, (size_t)(young->top - young->base));
	return object;
}

static struct object *allocate_direct(struct train_heap *heap, size_t bytes)
{
	size_t words = bytes / WORD_BYTES;
	if (heap->direct >= heap->young.half)
		collect(heap, false, 0);
	struct object *object = place_allocated(heap, words, OLD_DIRECT);
	if (object == NULL) {
		collect(heap, false, 0);
		object = place_allocated(heap, words, OLD_DIRECT);
	}
	for (uint64_t left = forced_limit(heap);
	     object == NULL && left > 0 && heap->old.train_count > 0; left--) {
		forced_step(heap);
		object = place_allocated(heap, words, OLD_DIRECT);
	}
	if (object == NULL)
		full(heap);
	heap->direct += bytes;
	heap->statistics.direct += bytes;
	policy_allocated(heap, bytes, bytes > REGION_BYTES);
	return object;
}

size_t train_new(struct train_heap *heap, uint32_t pointers, size_t payload_bytes)
{
	size_t words =
	    OBJECT_HEADER_WORDS + (size_t)pointers + (payload_bytes + WORD_BYTES - 1) / WORD_BYTES;
	size_t bytes = words * WORD_BYTES;
	if (words > UINT32_MAX / 8)
		full(heap);
	struct object *object = bytes > heap->options.large_bytes ? allocate_direct(heap, bytes)
								  : allocate_young(heap, bytes);
	memset(object, 0, bytes);
	object->words = (uint32_t)words;
	object->pointers = pointers;
	object_set_meta(object, ++heap->last_serial, 0, 0);
	heap->statistics.allocated += bytes;
	return train_push(heap, object);
}

size_t train_push(struct train_heap *heap, struct object *object)
{
	heap_list_add(heap, &heap->roots, object);
	return heap->roots.count - 1;
}

size_t train_root_count(const struct train_heap *heap)
{
	return heap->roots.count;
}

struct object *train_root(const struct train_heap *heap, size_t root)
{
	return heap->roots.items[root];
}

void train_set_root(struct train_heap *heap, size_t root, struct object *object)
{
	heap->roots.items[root] = object;
}

void train_pop(struct train_heap *heap, size_t count)
{
	heap->roots.count = count;
}

void train_write(
    struct train_heap *heap, struct object *object, uint32_t field, struct object *value)
{
	struct object **slot = &object_fields(object)[field];
	*slot = value;
	if (old_contains(&heap->old, slot))
		card_set_dirty(&heap->old, slot);
}

const struct train_options *train_heap_options(const struct train_heap *heap)
{
	return &heap->options;
}

const struct train_statistics *train_heap_statistics(const struct train_heap *heap)
{
	return &heap->statistics;
}

const char *train_heap_breach(const struct train_heap *heap)
{
	return heap->breach[0] != '\0' ? heap->breach : NULL;
}
