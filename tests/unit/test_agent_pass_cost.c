/* What the next search is expected to cost. */
#include <criterion/criterion.h>

#include <time.h>

#include "pass_cost.h"

static struct pass_cost cost;

static void add(double value)
{
	pass_cost_add(&cost, value, true);
}

/* Else one search beside busy processes would have all later ones refused, and so never corrected. */
Test(pass_cost, one_slow_search_changes_nothing)
{
	pass_cost_begin(&cost, 40);
	cr_assert_float_eq(pass_cost_expected(&cost), 40, 0.001);
	add(2000);
	cr_assert_float_eq(pass_cost_expected(&cost), 40, 0.001);
	add(45);
	cr_assert_float_eq(pass_cost_expected(&cost), 45, 0.001);
	add(43);
	add(41);
	cr_assert_float_eq(pass_cost_expected(&cost), 43, 0.001);
	add(1000);
	cr_assert_float_eq(pass_cost_expected(&cost), 43, 0.001);
}

Test(pass_cost, what_comes_again_counts_until_two_were_faster)
{
	pass_cost_begin(&cost, 40);
	add(90);
	add(100);
	cr_assert_float_eq(pass_cost_expected(&cost), 90, 0.001);
	add(30);
	cr_assert_float_eq(pass_cost_expected(&cost), 90, 0.001);
	add(35);
	cr_assert_float_eq(pass_cost_expected(&cost), 35, 0.001);
}

/* A pass that has found all in a corner of the heap does not make the whole heap cheap. */
Test(pass_cost, an_early_end_tells_only_of_more)
{
	pass_cost_begin(&cost, 40);
	for (int i = 0; i < 5; i++)
		pass_cost_add(&cost, 1, false);
	cr_assert_float_eq(pass_cost_expected(&cost), 40, 0.001);
	pass_cost_add(&cost, 60, false);
	pass_cost_add(&cost, 70, false);
	cr_assert_float_eq(pass_cost_expected(&cost), 60, 0.001);
}

/* What a thread waits for is no cost of its own. */
Test(pass_cost, waiting_is_no_processor_time)
{
	struct pass_clock clock = {.known = false};
	const struct timespec wait = {.tv_nsec = 20000000};
	struct pass_time begin = pass_clock_begin(&clock);
	struct pass_time took = pass_clock_since(&clock, &begin);
	cr_assert_eq(took.cpu_ns, took.wall_ns, "without a clock");
	pass_clock_note(&clock);
	cr_assert(clock.known);
	begin = pass_clock_begin(&clock);
	nanosleep(&wait, NULL);
	took = pass_clock_since(&clock, &begin);
	cr_assert_geq(took.wall_ns, 20000000);
	cr_assert_lt(took.cpu_ns, took.wall_ns);
}
