#include "inflight.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "now.h"
#include "service_thread.h"

static atomic_uint inside;
static atomic_bool open_now;
static atomic_bool awaited; /* inflight_close waits */
static sem_t
    left; /* posted by the last one to leave while awaited; initialized once, never destroyed */
static pthread_once_t made = PTHREAD_ONCE_INIT;

static void make(void)
{
	(void)sem_init(&left, 0, 0);
}

bool inflight_enter(void)
{
	atomic_fetch_add(&inside, 1);
	if (atomic_load(&open_now))
		return true;
	inflight_leave();
	return false;
}

void inflight_leave(void)
{
	if (atomic_fetch_sub(&inside, 1) == 1 && atomic_load(&awaited))
		sem_post(&left);
}

bool inflight_open(void)
{
	return atomic_load(&open_now);
}

void inflight_begin(void)
{
	atomic_store(&open_now, true);
}

unsigned inflight_close(uint64_t deadline_ns)
{
	unsigned count;
	uint64_t now;
	(void)pthread_once(&made, make);
	atomic_store(&open_now, false);
	atomic_store(&awaited, true);
	while ((count = atomic_load(&inside)) != 0 && (now = now_ns()) < deadline_ns)
		/* A post of an earlier round only makes the loop check again. */
		service_thread_sem_wait(&left, deadline_ns - now);
	atomic_store(&awaited, false);
	return count;
}
