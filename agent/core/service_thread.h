/*
 * A thread of the agent that ends on request, and that can be joined with a timeout: a thread
 * inside a call of the JVM returns only when the JVM lets it.
 *
 * The owner requests the end by means of its own, then calls service_thread_join, repeatedly if
 * necessary. One owner at a time.
 */
#ifndef GCSPY_AGENT_SERVICE_THREAD_H
#define GCSPY_AGENT_SERVICE_THREAD_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>

struct service_thread {
	pthread_t id;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool started; /* and not joined yet */
	bool ended;   /* under the lock */
	void (*run)(void *argument);
	void *argument;
};

/* Starts `run(argument)`; `name` has at most 15 bytes. `t` is zeroed, and stays in place until the
 * thread is joined. */
bool service_thread_start(
    struct service_thread *t, const char *name, void (*run)(void *argument), void *argument);

/* Waits until the thread has ended, at most until `deadline_ns` of the monotonic clock; false if it
 * still runs. True for one that was never started or is already joined. */
bool service_thread_join(struct service_thread *t, uint64_t deadline_ns);

/* Waits for a post, at most `ns`. */
void service_thread_sem_wait(sem_t *sem, uint64_t ns);

#endif
