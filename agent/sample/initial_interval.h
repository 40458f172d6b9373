/*
 * At which interval HotSpot chose a thread's first sample.
 *
 * It chooses when it makes the thread, at the interval of that moment, which is 512 KiB until
 * somebody sets another one (JDK 17, runtime/threadHeapSampler.cpp); the choice stands when the
 * interval changes. The first sample of a thread that is older than our setting therefore stands
 * for more than its later ones. JDK 25 also counts what a thread allocated while nobody sampled, so
 * that the first choice of most old threads is long used up.
 */
#ifndef GCSPY_AGENT_INITIAL_INTERVAL_H
#define GCSPY_AGENT_INITIAL_INTERVAL_H

#include <stdint.h>

/* Threads made before now are old. The first call counts; before SetHeapSamplingInterval. */
void initial_interval_begin(void);

/* The JVM's own interval is set again: the next initial_interval_begin counts. */
void initial_interval_forget(void);

/* The interval of the calling thread's first sample, if it is `interval` for threads that are not
 * old. Reads a file of /proc: some ten microseconds, once in the life of a thread. */
uint64_t initial_interval_choose(uint64_t interval);

#endif
