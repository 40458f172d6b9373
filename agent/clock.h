/*
 * A clock for states between events (F19): strikes once in a period, on a thread of its own, while
 * somebody is attached. With nobody there its thread sleeps.
 */
#ifndef GCSPY_AGENT_CLOCK_H
#define GCSPY_AGENT_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct clock;

/*
 * A clock that does not run yet. `strike` is called on the clock's thread and must not block. NULL
 * without memory or threads. There is no end: the clock is needed until the process ends.
 */
struct clock *clock_create(uint32_t period_ms, void (*strike)(void *context), void *context);

/* Lets it run, or stops it. NULL is fine. Any thread; does not wait. */
void clock_run(struct clock *clock, bool run);

#endif
