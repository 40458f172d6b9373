/* syscall. */
#define _DEFAULT_SOURCE /* NOLINT(bugprone-reserved-identifier) */
#include "last_thread.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "malloc_thread.h"
#include "own_memory.h"

enum { STAT = 1024, LOOK_MS = 50 };

static atomic_uint own; /* threads that libgcspy does not count */
static sigset_t before; /* the main thread's mask */

static unsigned own_threads(void)
{
	return gcs_threads() + atomic_load(&own);
}

/* Threads of the process beside the main one, which has ended; 0: it has not. */
static unsigned others(void)
{
	char text[STAT], state;
	unsigned threads = 0;
	const int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
	const ssize_t length = fd == -1 ? 0 : read(fd, text, sizeof text - 1);
	if (fd != -1)
		close(fd);
	text[length > 0 ? length : 0] = '\0';
	const char *name_end = strrchr(text, ')');
	/* State; parent to priority and nice: 16 numbers; threads. */
	if (name_end == NULL ||
	    sscanf(name_end,
		") %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %u", &state,
		&threads) != 2 ||
	    state != 'Z')
		return 0;
	return threads - 1;
}

/* Ours are added after they have begun, and taken off before they end. */
static bool only_ours(void)
{
	const unsigned ours = own_threads();
	return others() == ours && own_threads() == ours;
}

static void *watch(void *context)
{
	const struct timespec while_ours = {.tv_nsec = LOOK_MS * 1000000};
	(void)context;
	malloc_ignore_begin();
	own_memory_add_stack();
	prctl(PR_SET_NAME, "gcspy-end");
	last_thread_add_own();
	for (int seen = 0; seen < 2; seen = only_ours() ? seen + 1 : 0)
		nanosleep(&while_ours, NULL);
	malloc_ignore_end();
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	exit(0);
}

void last_thread_leaves(void)
{
	pthread_attr_t detached;
	pthread_t thread;
	sigset_t all;
	if (syscall(SYS_gettid) != getpid() || (malloc_mode() & MODE_OFF) != 0 ||
	    pthread_attr_init(&detached) != 0)
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	malloc_ignore_begin();
	(void)pthread_create(&thread, &detached, watch, NULL);
	malloc_ignore_end();
	pthread_attr_destroy(&detached);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void last_thread_add_own(void)
{
	atomic_fetch_add(&own, 1);
}

void last_thread_forget(void)
{
	atomic_store(&own, 0);
}
