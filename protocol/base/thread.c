/* For syscall. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier) */
#include "thread.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <gcspy/memory.h>

#include "inside.h"

enum { STACK_BYTES = 512 * 1024 };

struct start {
	void *(*run)(void *);
	void *argument;
	char name[16];
};

static void *begin(void *argument)
{
	inside_begin(); /* for the thread's life */
	struct start start = *(struct start *)argument;
	gcs_free(argument);
	prctl(PR_SET_NAME, start.name);
	return start.run(start.argument);
}

bool thread_start(pthread_t *thread, const char *name, void *(*run)(void *), void *argument)
{
	struct start *start = gcs_alloc(sizeof *start);
	pthread_attr_t attributes;
	if (start == NULL)
		return false;
	if (pthread_attr_init(&attributes) != 0) {
		gcs_free(start);
		return false;
	}
	*start = (struct start){.run = run, .argument = argument};
	snprintf(start->name, sizeof start->name, "%s", name);
	(void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	inside_begin(); /* pthread_create calls malloc */
	int failed = pthread_create(thread, &attributes, begin, start);
	inside_end();
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	if (failed != 0)
		gcs_free(start);
	return failed == 0;
}

void thread_sleep_us(uint32_t us)
{
	nanosleep(
	    &(struct timespec){.tv_sec = us / 1000000u, .tv_nsec = us % 1000000u * 1000}, NULL);
}

bool thread_cond_init(pthread_cond_t *cond)
{
	pthread_condattr_t attributes;
	if (pthread_condattr_init(&attributes) != 0)
		return false;
	bool ok = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0 &&
		  pthread_cond_init(cond, &attributes) == 0;
	pthread_condattr_destroy(&attributes);
	return ok;
}

bool thread_cond_until(pthread_cond_t *cond, pthread_mutex_t *mutex, uint64_t deadline_ns)
{
	struct timespec t = {.tv_sec = (time_t)(deadline_ns / 1000000000u),
	    .tv_nsec = (long)(deadline_ns % 1000000000u)};
	return pthread_cond_timedwait(cond, mutex, &t) != ETIMEDOUT;
}

bool thread_barrier(void)
{
	/* The kernel requires one registration; another one does no harm. */
	static atomic_bool registered;
	if (!atomic_load(&registered)) {
		if (syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) != 0)
			return false;
		atomic_store(&registered, true);
	}
	return syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
}
