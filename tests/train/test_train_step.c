/* Single steps of the Train collector: where objects go, and what is freed (R1). */
#include <criterion/criterion.h>

#include "train_kit.h"

/* Closes the youngest train; the next one has an object that is garbage. */
static void next_train(struct train_heap *heap)
{
	heap->old.youngest->filled = (size_t)-1 / 2; /* closes it */
	train_pop(heap, kit_old_object(heap, 0, 8));
}

Test(train_step, nothing_is_promoted_to_the_oldest_train)
{
	struct train_options options = kit_train_options();
	struct train_heap *heap = kit_train_heap(&options);
	size_t first = kit_old_object(heap, 0, 8), second = kit_old_object(heap, 0, 8);
	size_t third = kit_old_object(heap, 0, 8);
	cr_expect_eq(kit_car(heap, first)->train, heap->old.oldest);
	cr_expect_neq(kit_car(heap, second)->train, heap->old.oldest);
	cr_expect_eq(kit_car(heap, third)->train, kit_car(heap, second)->train);
	kit_train_end(heap);
}

/* "No higher than the highest train that contains a reference to that object" (section 4), and no lower. */
Test(train_step, an_object_goes_to_the_youngest_train_that_refers_to_it)
{
	struct train_options options = kit_train_options();
	struct train_heap *heap = kit_train_heap(&options);
	size_t object = kit_old_object(heap, 0, 24);
	uint32_t serial = object_serial(train_root(heap, object));
	size_t sources[3];
	for (int i = 0; i < 3; i++) {
		next_train(heap);
		sources[i] = kit_old_object(heap, 1, 8);
	}
	static const int order[] = {2, 0, 1};
	for (int i = 0; i < 3; i++)
		train_write(heap, train_root(heap, sources[order[i]]), 0, train_root(heap, object));
	const struct train *oldest = heap->old.oldest;
	train_set_root(heap, object, NULL);
	cr_assert_eq(
	    old_car(&heap->old, object_field(train_root(heap, sources[0]), 0))->train, oldest);
	train_collect_cars(heap, 1);
	struct object *now = object_field(train_root(heap, sources[1]), 0);
	cr_expect_eq(object_serial(now), serial);
	cr_expect_eq(now, object_field(train_root(heap, sources[2]), 0));
	cr_expect_eq(old_car(&heap->old, now)->train, kit_car(heap, sources[2])->train);
	kit_train_end(heap);
}

Test(train_step, a_train_without_references_from_outside_is_freed_whole)
{
	struct train_options options = kit_train_options();
	struct train_heap *heap = kit_train_heap(&options);
	size_t first = kit_old_object(heap, 0, 8);
	kit_ring(heap, 3000, 100);
	next_train(heap);
	size_t keep = kit_old_object(heap, 0, 8);
	train_set_root(heap, first, NULL);
	train_collect_cars(heap, 1); /* the first train */
	cr_assert_gt(heap->old.oldest->cars, 4);
	train_set_root(heap, first + 1, NULL);
	uint64_t evacuated = heap->statistics.evacuated, freed = heap->statistics.trains_freed;
	train_collect_cars(heap, 1);
	cr_expect_eq(heap->statistics.trains_freed, freed + 1);
	cr_expect_eq(heap->statistics.evacuated, evacuated);
	cr_expect_eq(kit_car(heap, keep)->train, heap->old.oldest);
	kit_train_end(heap);
}

Test(train_step, oversized_objects_are_relinked_not_copied)
{
	struct train_options options = kit_train_options();
	struct train_heap *heap = kit_train_heap(&options);
	size_t array = train_new(heap, 20000, 0), small = kit_old_object(heap, 1, 8);
	struct object *before = train_root(heap, array);
	train_write(heap, before, 7, train_root(heap, small));
	train_write(heap, train_root(heap, small), 0, before);
	struct car *car = kit_car(heap, array);
	cr_expect_eq(car->type, CAR_OVERSIZED);
	cr_expect_eq(car_size(car), 3 * REGION_BYTES, "160,016 bytes");
	cr_assert_eq(car->train, heap->old.oldest);
	train_collect_cars(heap, 1);
	cr_expect_eq(train_root(heap, array), before);
	cr_expect_neq(kit_car(heap, array)->train->id, 1);
	cr_expect_eq(heap->statistics.relinked, 1);
	cr_expect_eq(heap->statistics.evacuated, 0);
	cr_expect_eq(object_field(before, 7), train_root(heap, small));
	kit_train_end(heap);
}

/* A popular object gets a car to itself, is relinked while many refer to it, and is an ordinary object again when
 * few do. */
Test(train_step, popular_objects)
{
	struct train_options options = kit_train_options();
	options.popular_at = 40;
	struct train_heap *heap = kit_train_heap(&options);
	size_t popular = kit_old_object(heap, 0, 24), users = train_new(heap, 100, 0);
	for (uint32_t i = 0; i < 50; i++)
		train_write(heap, train_root(heap, users), i, train_root(heap, popular));
	train_set_root(heap, popular, NULL);
	train_collect(heap);
	train_collect_cars(heap, 1);
	const struct object *first = object_field(train_root(heap, users), 0);
	cr_assert_eq(old_car(&heap->old, first)->type, CAR_POPULAR);
	cr_expect_eq(
	    heap->old.regions[(size_t)((const char *)first - heap->old.base) / REGION_BYTES].type,
	    REGION_POPULAR);
	for (int i = 0; i < 4; i++)
		train_collect_cars(heap, 1);
	cr_expect_eq(object_field(train_root(heap, users), 49), first, "relinked");
	cr_expect_gt(heap->statistics.relinked, 0);

	for (uint32_t i = 1; i < 50; i++)
		train_write(heap, train_root(heap, users), i, NULL);
	for (int i = 0; i < 8; i++)
		train_collect_cars(heap, 1);
	first = object_field(train_root(heap, users), 0);
	cr_expect_eq(old_car(&heap->old, first)->type, CAR_STANDARD);
	kit_train_end(heap);
}

/* A coarse granule with references to two cars of the collection set counts for each only its own. */
Test(train_step, references_are_counted_once)
{
	struct train_options options = kit_train_options();
	options.popular_at = 40;
	options.coarsen_at = 1;
	struct train_heap *heap = kit_train_heap(&options);
	size_t first = kit_old_object(heap, 0, 8), one = kit_old_object(heap, 0, 8);
	size_t filler = kit_ring(heap, 700, 100), other = kit_old_object(heap, 0, 8);
	cr_assert_eq(kit_car(heap, one)->train, kit_car(heap, other)->train);
	cr_assert_neq(kit_car(heap, one), kit_car(heap, other));
	next_train(heap);
	size_t users = train_new(heap, 2100, 0);
	for (uint32_t i = 0; i < 60; i++)
		train_write(
		    heap, train_root(heap, users), i, train_root(heap, i % 2 ? one : other));
	train_set_root(heap, first, NULL);
	train_set_root(heap, one, NULL);
	train_set_root(heap, other, NULL);
	train_set_root(heap, filler, NULL);
	train_collect_cars(heap, 1);
	const struct car *car = old_car(&heap->old, object_field(train_root(heap, users), 1));
	cr_assert_eq(car->train, heap->old.oldest);
	cr_assert_gt(car->set.shift, 0);
	train_collect_cars(heap, 8);
	for (uint32_t i = 0; i < 2; i++) {
		const struct object *now = object_field(train_root(heap, users), i);
		cr_expect_eq(old_car(&heap->old, now)->train, kit_car(heap, users)->train);
		cr_expect_eq(old_car(&heap->old, now)->type, CAR_STANDARD);
	}
	kit_train_end(heap);
}

Test(train_step, weak_references_are_forgotten_and_finalisable_objects_kept)
{
	struct train_options options = kit_train_options();
	struct train_heap *heap = kit_train_heap(&options);
	size_t weak = kit_old_object(heap, 0, 8), final = kit_old_object(heap, 1, 8);
	size_t under = train_new(heap, 0, 8), live = train_new(heap, 0, 8);
	uint32_t serial = object_serial(train_root(heap, final));
	uint32_t under_serial = object_serial(train_root(heap, under));
	train_write(heap, train_root(heap, final), 0, train_root(heap, under));
	train_add_weak(heap, train_root(heap, weak), TRAIN_WEAK);
	train_add_weak(heap, train_root(heap, live), TRAIN_WEAK);
	train_add_weak(heap, train_root(heap, final), TRAIN_FINALISABLE);
	train_set_root(heap, weak, NULL);
	train_set_root(heap, final, NULL);
	train_set_root(heap, under, NULL);
	cr_expect_null(train_take_finalisable(heap));
	for (int i = 0; i < 6; i++)
		train_collect_cars(heap, 1);
	cr_expect_eq(train_weak_count(heap), 1, "that of the live object");
	cr_expect_gt(heap->statistics.weakly_evacuated, 0);
	struct object *object = train_take_finalisable(heap);
	cr_assert_not_null(object);
	cr_expect_eq(object_serial(object), serial);
	cr_expect_eq(object_serial(object_field(object, 0)), under_serial);
	cr_expect_null(train_take_finalisable(heap));
	kit_train_end(heap);
}

static int hooks_called[4];

static void count_hook(void *context, int which)
{
	const struct train_heap *heap = *(struct train_heap **)context;
	size_t chosen = 0, allocated[OLD_ALLOCATIONS] = {0};
	for (const struct train *train = heap->old.oldest; train != NULL; train = train->next)
		for (const struct car *car = train->first; car != NULL; car = car->next) {
			chosen += car->chosen;
			for (int kind = 0; kind < OLD_ALLOCATIONS; kind++)
				allocated[kind] += car->allocated[kind];
		}
	hooks_called[which]++;
	cr_expect_eq(chosen > 0, which == 2, "hook %d", which);
	cr_expect_eq(allocated[OLD_DIRECT] > 0, which == 0, "hook %d", which);
	cr_expect_eq(allocated[OLD_PROMOTION] > 0, which == 1, "hook %d", which);
	cr_expect_eq(allocated[OLD_EVACUATION] > 0, which == 3, "hook %d", which);
}

static void on_young_start(void *context)
{
	count_hook(context, 0);
}

static void on_young_end(void *context)
{
	count_hook(context, 1);
}

static void on_train_start(void *context)
{
	count_hook(context, 2);
}

static void on_train_end(void *context)
{
	count_hook(context, 3);
}

/* Each value belongs to one of the four events (section 5.4). */
Test(train_step, values_of_events)
{
	static struct train_heap *heap;
	struct train_options options = kit_train_options();
	heap = kit_train_heap(&options);
	size_t old = kit_old_object(heap, 0, 8), young = train_new(heap, 0, 8);
	(void)old;
	train_collect(heap);
	train_new(heap, 0, 20000); /* directly */
	heap->options.hooks =
	    (struct train_hooks){on_young_start, on_young_end, on_train_start, on_train_end, &heap};
	train_collect_cars(heap, 1);
	cr_expect(old_contains(&heap->old, train_root(heap, young)));
	for (int i = 0; i < 4; i++)
		cr_expect_eq(hooks_called[i], 1);
	kit_train_end(heap);
}

Test(train_step, options_out_of_range_are_named)
{
	char why[200] = "";
	struct train_options options = kit_train_options();
	options.popular_bytes = 1000;
	cr_expect_null(train_heap_create(&options, why, sizeof why));
	cr_expect_str_eq(why, "a popular car has 512 bytes to 32 KiB, a power of two");
	options = kit_train_options();
	options.regions = 8;
	cr_expect_null(train_heap_create(&options, why, sizeof why));
	cr_expect_str_eq(why, "there are 16 to 65536 regions");
}
