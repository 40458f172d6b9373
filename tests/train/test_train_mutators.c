/*
 * Whole programs on the Train heap, small, with the heap checker before and after each collection: nothing
 * reachable is lost (safety), and when the roots are dropped, no car is left (completeness). R1.
 */
#include <criterion/criterion.h>

#include "train_kit.h"

Test(train_mutators, gcold)
{
	struct train_options options = kit_train_tuned(&mutator_gcold);
	options.fill_cars = 2;
	struct train_statistics done = kit_train_run(&mutator_gcold, &options, 12, 4, 1);
	cr_expect_gt(done.steps, 20);
	cr_expect_gt(done.evacuated, 0);
}

Test(train_mutators, pretzel)
{
	struct train_options options = kit_train_tuned(&mutator_pretzel);
	struct train_statistics done = kit_train_run(&mutator_pretzel, &options, 1, 0, 1);
	cr_expect_gt(done.relinked, 10);
}

/* With radicals that become popular, and arrays that are oversized. The program checks its own numbers. */
Test(train_mutators, paraffins)
{
	struct train_options options = kit_train_tuned(&mutator_paraffins);
	options.popular_at = 50;
	struct train_statistics done = kit_train_run(&mutator_paraffins, &options, 16, 10, 1);
	cr_expect_gt(done.relinked, 10);
	cr_expect_gt(done.direct, 0);
}

Test(train_mutators, db)
{
	struct train_options options = kit_train_tuned(&mutator_db);
	options.target_cars = 0;
	struct train_statistics done = kit_train_run(&mutator_db, &options, 1500, 4, 1);
	cr_expect_gt(done.weakly_evacuated + done.promoted, 0);
}

/* Its pictures stay whole while old thunks are given new cells. */
Test(train_mutators, reptile)
{
	struct train_options options = kit_train_tuned(&mutator_reptile);
	options.young_bytes = 64 * 1024;
	struct train_statistics done = kit_train_run(&mutator_reptile, &options, 9, 4, 1);
	cr_expect_gt(done.steps, 20);
	cr_expect_gt(done.evacuated, 0);
}
