/* The two clocks of every module, in nanoseconds. Any thread. */
#ifndef GCSPY_BASE_NOW_H
#define GCSPY_BASE_NOW_H

#include <stdint.h>

/* CLOCK_MONOTONIC: for deadlines and durations. */
uint64_t now_ns(void);
uint64_t now_ms(void);

/* CLOCK_REALTIME: nanoseconds since 1970 UTC, for users. */
int64_t now_wall_ns(void);

#endif
