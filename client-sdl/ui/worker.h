/*
 * A thread that does one piece of work at a time, so that the window need not wait for disks and
 * large sums. Whoever gives work gets it back when it is done; of what waits only the newest piece
 * is kept. The functions belong to the window's thread, `run` is called on the other one.
 */
#ifndef GCSPY_CLIENT_WORKER_H
#define GCSPY_CLIENT_WORKER_H

#include <pthread.h>
#include <stdbool.h>

/* To be the first member of what is done. */
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
	void (*wake)(void *context); /* when work is done; on the other thread; may be NULL */
	void *wake_context;
};

/* Takes the work over; without a thread it is done at once. */
void worker_give(struct worker *worker, struct work *work);

/* Work that is done, the caller's again, or NULL. */
struct work *worker_take(struct worker *worker);

/* True while something waits, runs, or has not been taken. */
bool worker_is_busy(struct worker *worker);

/* Waits for what runs, and drops everything. */
void worker_fini(struct worker *worker);

#endif
