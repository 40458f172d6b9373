#include "initial_interval.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define JVM_INTERVAL ((uint64_t)512 << 10)

/* In the kernel's clock ticks since boot, like start times of threads; 0: not begun. */
static atomic_uint_least64_t begin_ticks;

void initial_interval_begin(void)
{
	struct timespec t;
	uint_least64_t none = 0;
	long hertz = sysconf(_SC_CLK_TCK);
	if (hertz <= 0 || clock_gettime(CLOCK_BOOTTIME, &t) != 0)
		return;
	uint64_t ticks = (uint64_t)t.tv_sec * (uint64_t)hertz +
			 (uint64_t)t.tv_nsec * (uint64_t)hertz / 1000000000u;
	atomic_compare_exchange_strong(&begin_ticks, &none, ticks);
}

void initial_interval_forget(void)
{
	atomic_store(&begin_ticks, 0);
}

/* The start time is field 22; the second, in parentheses, may contain blanks. 0: unknown. */
static uint64_t own_start(void)
{
	enum { NAME = 2, START = 22 };
	char text[512];
	int file = open("/proc/thread-self/stat", O_RDONLY | O_CLOEXEC);
	if (file == -1)
		return 0;
	ssize_t length = read(file, text, sizeof text - 1);
	close(file);
	text[length < 0 ? 0 : length] = '\0';
	const char *at = strrchr(text, ')');
	for (int field = NAME; at != NULL && field < START; field++)
		at = strchr(at + 1, ' ');
	return at == NULL ? 0 : strtoull(at + 1, NULL, 10);
}

uint64_t initial_interval_choose(uint64_t interval)
{
	uint64_t start = own_start();
	return start != 0 && start < atomic_load(&begin_ticks) ? JVM_INTERVAL : interval;
}
