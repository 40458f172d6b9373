/*
 * A clock for states between events (F19): ticks once per period, on a thread of its own, while a
 * client is attached. Otherwise its thread sleeps.
 */
#ifndef GCSPY_AGENT_CLOCK_H
#define GCSPY_AGENT_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct clock;

enum { CLOCK_MAX_MS = 3600000 };

/* A clock that does not run yet; with a period of 0 it never ticks. `tick` is called on the clock's
 * thread and must not block. NULL without memory or threads. */
struct clock *clock_create(uint32_t period_ms, void (*tick)(void *context), void *context);

/* Ends the thread and waits for it, at most until `deadline_ns` of the monotonic clock; false if it
 * still runs. NULL is fine. Then clock_destroy frees the clock. */
bool clock_end(struct clock *clock, uint64_t deadline_ns);
void clock_destroy(struct clock *clock);

/* Sets the period, at most CLOCK_MAX_MS. Any thread; does not wait. */
void clock_set_period(struct clock *clock, uint32_t period_ms);
uint32_t clock_period(struct clock *clock);

/* Starts or stops it. NULL is fine. Any thread; does not wait. */
void clock_run(struct clock *clock, bool run);

#endif
