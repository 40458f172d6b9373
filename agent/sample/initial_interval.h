/*
 * The interval at which HotSpot chose a thread's first sampling point.
 *
 * HotSpot chooses it when it creates the thread, at the interval of that moment, which is 512 KiB
 * until an agent sets another one (JDK 17, runtime/threadHeapSampler.cpp); the choice stands when
 * the interval changes. The first sample of a thread older than our setting therefore stands for
 * more than its later ones. JDK 25 also counts bytes allocated while sampling was off, so that the
 * first choice of most old threads is long used up.
 */
#ifndef GCSPY_AGENT_INITIAL_INTERVAL_H
#define GCSPY_AGENT_INITIAL_INTERVAL_H

#include <stdint.h>

/*
 * Threads created before now are old. Only the first call counts; before SetHeapSamplingInterval.
 */
void initial_interval_begin(void);

/* The JVM's own interval was restored: the next initial_interval_begin counts. */
void initial_interval_forget(void);

/* The interval of the calling thread's first sample: `interval` unless the thread is old. Reads a
 * file of /proc: some ten microseconds, once per thread. */
uint64_t initial_interval_choose(uint64_t interval);

#endif
