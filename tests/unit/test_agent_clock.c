/* The clock (F19): it ticks while it runs, and only then. */
#include <criterion/criterion.h>
#include <stdatomic.h>
#include <time.h>

#include "clock.h"

static atomic_int ticks;

static void count(void *context)
{
	atomic_fetch_add((atomic_int *)context, 1);
}

static void sleep_ms(long ms)
{
	nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

static int wait_for(int wanted)
{
	for (int i = 0; i < 10000 && atomic_load(&ticks) < wanted; i++)
		sleep_ms(1);
	return atomic_load(&ticks);
}

Test(agent_clock, ticks_while_it_runs)
{
	struct clock *clock = clock_create(5, count, &ticks);
	cr_assert_not_null(clock);
	sleep_ms(40);
	cr_assert_eq(atomic_load(&ticks), 0, "it does not run yet");
	clock_run(clock, true);
	cr_assert_geq(wait_for(3), 3);
	clock_run(clock, false);
	const int before = atomic_load(&ticks);
	sleep_ms(70);
	const int after = atomic_load(&ticks);
	cr_assert_leq(after, before + 1, "one may have been on its way");
	clock_run(clock, true);
	cr_assert_geq(wait_for(after + 2), after + 2);
	clock_run(clock, false);
	clock_run(NULL, true);
}

/* A long period is no reason to come late when it is stopped and started. */
Test(agent_clock, a_long_period_is_waited_for)
{
	struct clock *clock = clock_create(3600000, count, &ticks);
	const int before = atomic_load(&ticks);
	clock_run(clock, true);
	sleep_ms(50);
	clock_run(clock, false);
	cr_assert_eq(atomic_load(&ticks), before);
}
