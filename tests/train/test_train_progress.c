/* The Train collector frees all garbage, and moves on whatever the mutator does; when its memory is full
 * it says so once (R1). */
#include <criterion/criterion.h>

#include <setjmp.h>
#include <stdio.h>

#include "train_kit.h"

/* A ring of old objects in the oldest train, with one root. */
static struct train_heap *ring_heap(bool no_guard, size_t *root)
{
	struct train_options options = kit_train_options();
	options.no_guard = no_guard;
	options.popular_at = 0;
	options.verify = false; /* 600 steps; test_train_mutators.c verifies */
	struct train_heap *heap = kit_train_heap(&options);
	size_t first = kit_old_object(heap, 0, 8);
	*root = kit_ring(heap, 6000, 80);
	train_set_root(heap, first, NULL);
	train_collect_cars(heap, 1);
	cr_assert_eq(kit_car(heap, *root)->train, heap->old.oldest);
	return heap;
}

/* Moves the only reference away from the car that is collected next. False if the ring has left its train. */
static bool evade(struct train_heap *heap, size_t root, const struct train *train)
{
	struct object *object = train_root(heap, root);
	for (int i = 0; i < 6000; i++, object = object_field(object, 0)) {
		const struct car *car = old_car(&heap->old, object);
		if (car->train == train && car != train->first) {
			train_set_root(heap, root, object);
			return true;
		}
	}
	return false;
}

/* The number of steps until the ring has left the train that it is in; at most `limit`. */
static int steps_to_leave(struct train_heap *heap, size_t root, int limit)
{
	const uint64_t id = heap->old.oldest->id;
	int steps = 0;
	while (steps < limit && heap->old.oldest->id == id && evade(heap, root, heap->old.oldest)) {
		train_collect_cars(heap, 1);
		steps++;
	}
	return steps;
}

Test(train_progress, a_mutator_that_evades_is_outrun)
{
	size_t root;
	struct train_heap *heap = ring_heap(false, &root);
	uint32_t cars = heap->old.oldest->cars;
	cr_assert_gt(cars, 5);
	int steps = steps_to_leave(heap, root, 600);
	cr_expect_lt(steps, 8 * (int)cars);
	cr_expect_geq(heap->statistics.guarded, 1);
	kit_train_end(heap);
}

/* The adversary is one: without the guard the ring never leaves. */
Test(train_progress, without_the_guard_it_is_not)
{
	size_t root;
	struct train_heap *heap = ring_heap(true, &root);
	cr_expect_eq(steps_to_leave(heap, root, 600), 600);
	cr_expect_eq(heap->statistics.guarded, 0);
	kit_train_end(heap);
}

/* Garbage that shares its train with a live object, which the mutator goes on using. */
Test(train_progress, garbage_beside_a_live_object)
{
	struct train_options options = kit_train_options();
	struct train_heap *heap = kit_train_heap(&options);
	size_t first = kit_old_object(heap, 0, 8), ring = kit_ring(heap, 12000, 100);
	size_t live = kit_old_object(heap, 0, 8);
	struct car *car = kit_car(heap, ring);
	cr_assert_eq(kit_car(heap, live)->train, car->train);
	uint32_t cars = heap->old.car_count;
	train_set_root(heap, first, NULL);
	train_set_root(heap, ring, NULL);
	int steps = 0;
	for (; steps < 100 && heap->old.car_count > 2; steps++)
		train_collect_cars(heap, 1);
	cr_expect_leq(steps, (int)cars + 10, "%u cars", cars);
	kit_train_end(heap);
}

/* A cycle that keeps its own finalisable objects, and that they would keep. */
Test(train_progress, a_finalisable_object_in_a_cycle_of_garbage)
{
	struct train_options options = kit_train_options();
	struct train_heap *heap = kit_train_heap(&options);
	size_t ring = kit_ring(heap, 6000, 100);
	train_add_weak(heap, train_root(heap, ring), TRAIN_FINALISABLE);
	uint32_t serial = object_serial(train_root(heap, ring));
	train_pop(heap, 0);
	struct object *found = NULL;
	for (int i = 0; i < 100 && found == NULL; i++) {
		train_collect_cars(heap, 1);
		found = train_take_finalisable(heap);
	}
	cr_assert_not_null(found);
	cr_expect_eq(object_serial(found), serial);
	cr_expect_lt(train_drain(heap, 100), 100);
	cr_expect_null(train_take_finalisable(heap));
	cr_expect_eq(heap->old.car_count, 0);
	kit_train_end(heap);
}

static jmp_buf out;
static char said[200];
static int times;

static void remember(void *context, const char *why)
{
	(void)context;
	snprintf(said, sizeof said, "%s", why);
	times++;
	longjmp(out, 1);
}

/* What lives does not fit. */
Test(train_progress, a_full_heap_says_so_once)
{
	struct train_options options = kit_train_options();
	options.regions = 32;
	options.max_cset = 4;
	options.exhausted = remember;
	struct train_heap *heap = kit_train_heap(&options);
	volatile size_t bytes = 0;
	if (setjmp(out) == 0) {
		for (;;) {
			train_new(heap, 2, 2000);
			bytes += 2032;
		}
	}
	cr_expect_eq(times, 1);
	cr_expect_str_eq(said, "old generation full: 32 regions, 26 cars in 2 trains", "%s", said);
	cr_expect_gt(bytes, 24 * REGION_BYTES, "%zu bytes", bytes);
	kit_train_end(heap);
}

/* Ten times the heap in cyclic garbage, without a step but forced ones: it never gets full. */
Test(train_progress, steps_are_forced_before_the_heap_is_full)
{
	struct train_options options = kit_train_options();
	options.regions = 40;
	options.max_cset = 4;
	options.fill_cars = 4;
	struct train_heap *heap = kit_train_heap(&options);
	size_t keep = kit_ring(heap, 1000, 100);
	for (int i = 0; i < 100; i++) {
		train_pop(heap, kit_ring(heap, 2000, 100));
		train_pop(heap, train_new(heap, 0, 100000));
	}
	cr_expect_gt(heap->statistics.promoted + heap->statistics.direct, 10u * 40 * REGION_BYTES);
	cr_expect_gt(heap->statistics.forced, 0);
	cr_expect_eq(train_root_count(heap), keep + 1);
	kit_train_end(heap);
}
