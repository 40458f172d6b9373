/* What the next search is expected to cost. */
#include <criterion/criterion.h>

#include <time.h>

#include "pass_cost.h"
#include "pass_size.h"

static struct pass_cost cost;

static void add(double value)
{
	pass_cost_add(&cost, value, true);
}

/* What was measured once is worth more than what was assumed. */
Test(pass_cost, the_first_search_counts)
{
	pass_cost_begin(&cost, 40);
	cr_assert_float_eq(pass_cost_expected(&cost), 40, 0.001);
	add(2000);
	cr_assert_float_eq(pass_cost_expected(&cost), 2000, 0.001);
	add(45);
	add(43);
	cr_assert_float_eq(pass_cost_expected(&cost), 45, 0.001);
}

/* Else one search beside busy processes would have all later ones refused, and so never corrected. */
Test(pass_cost, one_slow_search_among_others_changes_nothing)
{
	pass_cost_begin(&cost, 40);
	add(45);
	add(43);
	add(41);
	cr_assert_float_eq(pass_cost_expected(&cost), 43, 0.001);
	add(1000);
	cr_assert_float_eq(pass_cost_expected(&cost), 43, 0.001);
}

Test(pass_cost, what_comes_again_counts_until_two_were_faster)
{
	pass_cost_begin(&cost, 40);
	add(40);
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

/* The figures of docs/performance.md, which an estimate may miss by half and no more. */
Test(pass_cost, stacks_count_beside_objects)
{
	const struct pass_size heap = {.objects = 10000000},
			       threads = {.objects = 300, .threads = 409, .frames = 402000},
			       waiting = {.objects = 150000,
				   .virtual_threads = 20000,
				   .virtual_bytes = 24e6};
	char text[200];
	cr_assert_float_eq(pass_size_ns(&heap, false), 4e8, 1);
	cr_assert_float_eq(pass_size_ns(&heap, true), 4.7e8, 1);
	cr_assert(pass_size_ns(&threads, false) > 1.1e8 && pass_size_ns(&threads, false) < 4.4e8);
	cr_assert(pass_size_ns(&waiting, false) > 1.9e8 && pass_size_ns(&waiting, false) < 7.5e8);
	pass_size_text(&heap, text, sizeof text);
	cr_assert_str_eq(text, "about 10,000,000 objects after the last collection");
	pass_size_text(&threads, text, sizeof text);
	cr_assert_str_eq(
	    text, "about 300 objects after the last collection, 402,000 frames of 409 threads");
	pass_size_text(&waiting, text, sizeof text);
	cr_assert_str_eq(
	    text, "about 150,000 objects after the last collection, about 20,000 virtual threads");
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
