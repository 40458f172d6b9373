/*
 * Whole programs on the Train heap, small, with the heap checker before and after each collection: nothing
 * reachable is lost (safety), and when the roots are dropped, no car is left (completeness). R1.
 *
 * GCSPY_TRAIN_SOAK=STEPS runs the random mutator for so many steps, with a new seed each million.
 */
#include <criterion/criterion.h>

#include <stdlib.h>

#include "train_kit.h"

static struct train_options tuned(const struct mutator *mutator)
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

static struct train_statistics run(const struct mutator *mutator,
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

Test(train_mutators, gcold)
{
	struct train_options options = tuned(&mutator_gcold);
	options.fill_cars = 2;
	struct train_statistics done = run(&mutator_gcold, &options, 12, 4, 1);
	cr_expect_gt(done.steps, 20);
	cr_expect_gt(done.evacuated, 0);
}

Test(train_mutators, pretzel)
{
	struct train_options options = tuned(&mutator_pretzel);
	struct train_statistics done = run(&mutator_pretzel, &options, 1, 0, 1);
	cr_expect_gt(done.relinked, 10);
}

/* With radicals that become popular, and arrays that are oversized. The program checks its own numbers. */
Test(train_mutators, paraffins)
{
	struct train_options options = tuned(&mutator_paraffins);
	options.popular_at = 50;
	struct train_statistics done = run(&mutator_paraffins, &options, 16, 10, 1);
	cr_expect_gt(done.relinked, 10);
	cr_expect_gt(done.direct, 0);
}

Test(train_mutators, db)
{
	struct train_options options = tuned(&mutator_db);
	options.target_cars = 0;
	struct train_statistics done = run(&mutator_db, &options, 1500, 4, 1);
	cr_expect_gt(done.weakly_evacuated + done.promoted, 0);
}

/* Its pictures stay whole while old thunks are given new cells. */
Test(train_mutators, reptile)
{
	struct train_options options = tuned(&mutator_reptile);
	options.young_bytes = 64 * 1024;
	struct train_statistics done = run(&mutator_reptile, &options, 9, 4, 1);
	cr_expect_gt(done.steps, 20);
	cr_expect_gt(done.evacuated, 0);
}

static void random_runs(uint64_t first_seed, uint64_t seeds, uint64_t steps, bool verify)
{
	uint64_t collected = 0;
	for (uint64_t i = 0; i < seeds; i++) {
		uint64_t seed = first_seed + i;
		struct train_options options = tuned(&mutator_random);
		options.verify = verify;
		options.young_bytes = 16384u << seed % 3;
		options.large_bytes = 8192;
		options.promote_age = seed % 4;
		options.fill_cars = 1 + (uint32_t)(seed % 5);
		options.rate = 0.5 + (double)(seed % 7);
		options.max_cset = 1 + (uint32_t)(seed % 6);
		options.popular_at = seed % 3 == 0 ? 0 : 10 * (uint32_t)(seed % 5);
		options.popular_bytes = 512u << seed % 4;
		options.popular_reserve = (uint32_t)(seed % 4) * 2;
		options.coarsen_at = seed % 4 == 0 ? 0 : 24u << seed % 5;
		collected += run(&mutator_random, &options, 1024, steps, seed).steps;
	}
	cr_expect_gt(collected, 10 * seeds);
}

/* Every object is compared by its serial number after each collection, under other options for each seed. */
Test(train_mutators, random_with_the_heap_checker)
{
	random_runs(1, 12, 10000, true);
}

Test(train_mutators, random_without_it)
{
	random_runs(100, 5, 100000, false);
}

Test(train_mutators, soak)
{
	const char *soak = getenv("GCSPY_TRAIN_SOAK");
	if (soak == NULL)
		cr_skip_test("GCSPY_TRAIN_SOAK=STEPS runs it");
	random_runs(1000, strtoull(soak, NULL, 10) / 1000000 + 1, 1000000, false);
}
