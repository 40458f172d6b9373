/* Threads of the library: named, with a small stack, and with all signals blocked, so that handlers of
 * the host program never run on them. */
#ifndef GCSPY_BASE_THREAD_H
#define GCSPY_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Starts `run(argument)`; `name` has at most 15 bytes. */
bool thread_start(pthread_t *thread, const char *name, void *(*run)(void *), void *argument);

/* A condition variable for thread_cond_until. */
bool thread_cond_init(pthread_cond_t *cond);

/* Sleeps; a signal handler ends the sleep early. */
void thread_sleep_us(uint32_t us);

/* Waits until signalled, or until `deadline_ns` of now_ns(); false on timeout. */
bool thread_cond_until(pthread_cond_t *cond, pthread_mutex_t *mutex, uint64_t deadline_ns);

/* Gives the calling thread a table of descriptors of its own, a copy; false if the system refuses. */
bool thread_own_table(void);

/* Closes all descriptors from `first` to `last`. */
void thread_close_range(int first, int last);

/* A memory barrier in all threads of this process at once; false where the system has none. After it,
 * each thread's stores from before it are visible, and its later loads see ours. Microseconds. */
bool thread_barrier(void);

#endif
