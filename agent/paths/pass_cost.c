#include "pass_cost.h"

#include <pthread.h>

#include "now.h"

void pass_cost_begin(struct pass_cost *c, double initial)
{
	for (int i = 0; i < PASS_COST_SEARCHES; i++)
		c->recent[i] = initial;
	c->added = 0;
	atomic_init(&c->expected, initial);
}

static double median(double a, double b, double c)
{
	const double low = a < b ? a : b, high = a < b ? b : a;
	return c < low ? low : c > high ? high : c;
}

void pass_cost_add(struct pass_cost *c, double cost, bool whole)
{
	if (!whole && cost <= pass_cost_expected(c))
		return;
	for (int i = 0; i < PASS_COST_SEARCHES && c->added == 0; i++)
		c->recent[i] = cost;
	c->recent[c->added++ % PASS_COST_SEARCHES] = cost;
	atomic_store(&c->expected, median(c->recent[0], c->recent[1], c->recent[2]));
}

double pass_cost_expected(const struct pass_cost *c)
{
	return atomic_load(&c->expected);
}

bool pass_cost_is_measured(const struct pass_cost *c)
{
	return c->added != 0;
}

void pass_clock_note(struct pass_clock *clock)
{
	if (!clock->known)
		clock->known = pthread_getcpuclockid(pthread_self(), &clock->id) == 0;
}

/* 0: not known. */
static uint64_t cpu_ns(const struct pass_clock *clock)
{
	struct timespec time;
	if (!clock->known || clock_gettime(clock->id, &time) != 0)
		return 0;
	return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec;
}

struct pass_time pass_clock_begin(const struct pass_clock *clock)
{
	return (struct pass_time){now_ns(), cpu_ns(clock)};
}

struct pass_time pass_clock_since(const struct pass_clock *clock, const struct pass_time *begin)
{
	const struct pass_time now = pass_clock_begin(clock);
	const uint64_t wall = now.wall_ns - begin->wall_ns, cpu = now.cpu_ns - begin->cpu_ns;
	const bool known = begin->cpu_ns != 0 && now.cpu_ns != 0 && cpu < wall;
	return (struct pass_time){wall, known ? cpu : wall};
}
