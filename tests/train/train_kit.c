#include <criterion/criterion.h>

#include <stdio.h>

#include "train_kit.h"

static void full(void *context, const char *why)
{
	(void)context;
	cr_assert(false, "%s", why);
}

struct train_options kit_train_options(void)
{
	struct train_options options;
	train_options_init(&options);
	options.young_bytes = 64 * 1024;
	options.large_bytes = 16 * 1024;
	options.regions = 256;
	options.fill_cars = 1024;
	options.rate = 0;
	options.verify = true;
	options.exhausted = full;
	return options;
}

struct train_heap *kit_train_heap(const struct train_options *options)
{
	char why[200] = "";
	struct train_heap *heap = train_heap_create(options, why, sizeof why);
	cr_assert_not_null(heap, "%s", why);
	return heap;
}

void kit_train_end(struct train_heap *heap)
{
	cr_expect_null(train_heap_breach(heap), "%s", train_heap_breach(heap));
	train_heap_destroy(heap);
}

size_t kit_old_object(struct train_heap *heap, uint32_t pointers, size_t payload)
{
	size_t root = train_new(heap, pointers, payload);
	train_collect(heap);
	train_collect(heap);
	cr_assert(old_contains(&heap->old, train_root(heap, root)));
	return root;
}

struct car *kit_car(struct train_heap *heap, size_t root)
{
	cr_assert(old_contains(&heap->old, train_root(heap, root)));
	return old_car(&heap->old, train_root(heap, root));
}

size_t kit_ring(struct train_heap *heap, uint32_t objects, size_t payload)
{
	size_t first = train_new(heap, 1, payload), last = train_push(heap, NULL);
	train_set_root(heap, last, train_root(heap, first));
	for (uint32_t i = 1; i < objects; i++) {
		size_t next = train_new(heap, 1, payload);
		train_write(heap, train_root(heap, last), 0, train_root(heap, next));
		train_set_root(heap, last, train_root(heap, next));
		train_pop(heap, next);
	}
	train_write(heap, train_root(heap, last), 0, train_root(heap, first));
	train_pop(heap, last);
	train_collect(heap);
	train_collect(heap);
	return first;
}

struct train_options kit_train_tuned(const struct mutator *mutator)
{
	struct train_options options = kit_train_options();
	mutator->tune(&options);
	options.young_bytes = 64 * 1024;
	options.regions = 256;
	return options;
}

static void expect_empty(struct train_heap *heap)
{
	train_pop(heap, 0);
	for (int steps = 0;
	     steps < 20000 && (heap->old.train_count > 0 || train_weak_count(heap) > 0); steps++) {
		while (train_take_finalisable(heap) != NULL)
			;
		train_collect_cars(heap, heap->options.max_cset);
	}
	while (train_take_finalisable(heap) != NULL)
		;
	train_collect(heap);
	cr_expect_eq(heap->old.car_count, 0);
	cr_expect_eq(heap->old.train_count, 0);
	cr_expect_eq(heap->old.free_regions, heap->old.region_count);
	cr_expect_eq(train_weak_count(heap), 0);
	cr_expect_eq(heap->young.top, heap->young.base);
}

struct train_statistics kit_train_run(const struct mutator *mutator,
    const struct train_options *options, uint64_t size, uint64_t steps, uint64_t seed)
{
	struct train_heap *heap = kit_train_heap(options);
	struct mutator_run run = {.heap = heap, .size = size, .steps = steps, .seed = seed};
	const char *wrong = mutator->run(&run);
	struct train_statistics done = heap->statistics;
	cr_expect_null(wrong, "%s: %s", mutator->name, wrong);
	expect_empty(heap);
	kit_train_end(heap);
	return done;
}
