/*
 * A thread that does one piece of work at a time, so that the window does not wait for disks and
 * long computations. Finished work returns to the window's thread; of pending work only the newest
 * is kept. The functions belong to the window's thread, `run` is called on the other one.
 */
#ifndef GCSPY_CLIENT_WORKER_H
#define GCSPY_CLIENT_WORKER_H

#include <pthread.h>
#include <stdbool.h>

/* The first member of a piece of work. */
struct work {
	void (*run)(struct work *work);
	void (*drop)(struct work *work); /* frees it, done or not */
};

/* A zeroed one is idle; its thread starts with the first work. */
struct worker {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool started, ending, running;
	struct work *next, *done;
	void (*wake)(void *context); /* on the other thread, when work is done; may be NULL */
	void *wake_context;
};

/* Takes ownership of the work; runs it at once if there is no thread. */
void worker_give(struct worker *worker, struct work *work);

/* Finished work, the caller's, or NULL. */
struct work *worker_take(struct worker *worker);

/* Waits for running work, and drops all. */
void worker_fini(struct worker *worker);

#endif
