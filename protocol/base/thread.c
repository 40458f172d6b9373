/* For syscall. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier) */
#include "thread.h"

#include <errno.h>
#include <limits.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <gcspy/memory.h>

#include "inside.h"
#include "own_files.h"

enum { STACK_BYTES = 512 * 1024 };

struct start {
	void *(*run)(void *);
	void *argument;
	sem_t *begun; /* NULL: nobody waits */
	char name[16];
};

static void *begin(void *argument)
{
	inside_thread_begin();
	struct start start = *(struct start *)argument;
	gcs_free(argument);
	prctl(PR_SET_NAME, start.name);
	own_files_enter();
	if (start.begun != NULL)
		sem_post(start.begun);
	void *result = start.run(start.argument);
	inside_thread_end();
	return result;
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
	sem_t begun;
	const bool waits = own_files_apart() && sem_init(&begun, 0, 0) == 0;
	*start = (struct start){.run = run, .argument = argument, .begun = waits ? &begun : NULL};
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
	while (waits && failed == 0 && sem_wait(&begun) != 0)
		continue;
	if (waits)
		sem_destroy(&begun);
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

bool thread_own_table(void)
{
	if (unshare(CLONE_FILES) == 0)
		return true;
#if defined SYS_close_range && defined CLOSE_RANGE_UNSHARE
	/* Where a container may not call unshare: closes nothing. */
	return syscall(SYS_close_range, UINT_MAX, UINT_MAX, CLOSE_RANGE_UNSHARE) == 0;
#else
	return false;
#endif
}

void thread_close_range(int first, int last)
{
	struct rlimit limit;
#ifdef SYS_close_range
	if (syscall(SYS_close_range, first, last, 0) == 0)
		return;
#endif
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur <= (rlim_t)last)
		last = (int)limit.rlim_cur - 1;
	for (int fd = first; fd <= last; fd++)
		close(fd);
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
