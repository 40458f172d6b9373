/*
 * What a pass over the heap costs, and what the next one is expected to.
 *
 * The VM thread makes a pass alone: its processor time is the work, however busy the machine is, and
 * wall time adds what it waited for a processor. The expected cost is an initial figure, and the median
 * of the last three searches once there was one, the first of which stands for those not made yet. One
 * search among others that was slow for a passing reason changes nothing; a cost that comes again counts
 * from its second time on, and is forgotten after two searches that were faster.
 */
#ifndef GCSPY_AGENT_PASS_COST_H
#define GCSPY_AGENT_PASS_COST_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

enum { PASS_COST_SEARCHES = 3 };

/* Changed by the thread that searches; the expected cost can be read by any. */
struct pass_cost {
	double recent[PASS_COST_SEARCHES];
	uint64_t added;
	_Atomic(double) expected;
};

void pass_cost_begin(struct pass_cost *c, double initial);

/* What a search has measured, in the unit of the initial figure. `whole`: in a pass over all of the
 * heap; of one that ended early, only more than expected is news. */
void pass_cost_add(struct pass_cost *c, double cost, bool whole);

double pass_cost_expected(const struct pass_cost *c);

/* Whether a search has measured it: the initial figure is of one machine and one program. */
bool pass_cost_is_measured(const struct pass_cost *c);

/* The processor time of the VM thread, once it has been met. */
struct pass_clock {
	clockid_t id;
	bool known;
};

struct pass_time {
	uint64_t wall_ns, cpu_ns;
};

/* On the VM thread, in a pause. */
void pass_clock_note(struct pass_clock *clock);

/* Now; and since then: without the VM thread's clock, processor time is wall time. */
struct pass_time pass_clock_begin(const struct pass_clock *clock);
struct pass_time pass_clock_since(const struct pass_clock *clock, const struct pass_time *begin);

#endif
