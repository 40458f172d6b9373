/*
 * The random mutator compares every object by its serial number, under other options for each seed: 10^7 steps,
 * and under the sanitizers, which are slow, a twentieth of that (R1).
 *
 * GCSPY_TRAIN_SOAK=SECONDS goes on for that time, with new seeds.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "kit.h"
#include "train_kit.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SHARE 20
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SHARE 20
#endif
#endif
#ifndef SHARE
#define SHARE 1
#endif

static uint64_t random_run(uint64_t seed, uint64_t steps, bool verify)
{
	struct train_options options = kit_train_tuned(&mutator_random);
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
	return kit_train_run(&mutator_random, &options, 1024, steps, seed).steps;
}

static void random_runs(uint64_t first_seed, uint64_t seeds, uint64_t steps, bool verify)
{
	uint64_t collected = 0;
	for (uint64_t seed = first_seed; seed < first_seed + seeds; seed++)
		collected += random_run(seed, steps, verify);
	cr_expect_gt(collected, 10 * seeds);
}

Test(train_random, with_the_heap_checker)
{
	random_runs(1, 12, 10000, true);
}

/* Two processes with 5,000,000 steps each, where nobody measures time. */
Test(train_random, five_million_steps)
{
	random_runs(100, 20, 250000 / SHARE, false);
}

Test(train_random, five_million_more_steps)
{
	random_runs(120, 20, 250000 / SHARE, false);
}

Test(train_random, soak)
{
	const char *soak = getenv("GCSPY_TRAIN_SOAK");
	if (soak == NULL)
		cr_skip_test("GCSPY_TRAIN_SOAK=SECONDS runs it");
	uint64_t seed = kit_seed(), runs = 0, collected = 0;
	for (time_t end = time(NULL) + atol(soak); time(NULL) < end; runs++) {
		collected += random_run(seed + runs, 200000, false);
		collected += random_run(seed + runs, 5000, true);
	}
	fprintf(stderr, "%llu steps with %llu Train steps, every 41st step verified\n",
	    (unsigned long long)(runs * 205000), (unsigned long long)collected);
}
