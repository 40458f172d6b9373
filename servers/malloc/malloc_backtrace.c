#include "malloc_backtrace.h"

#ifdef GCSPYMALLOC_UNWIND

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "unwind_functions.h"
/* After the names that it calls them by. */
#include <gcspy/backtrace.h>

#include "native_walk.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct gcs_backtrace newest;

/* The code of this library, from the linker. */
extern const char __ehdr_start
    __attribute__((visibility("hidden"))); /* NOLINT(bugprone-reserved-identifier) */
extern const char etext __attribute__((visibility("hidden")));

/* Without this library's frames on the top: the program's call of malloc is the first. */
static void drop_own(struct gcs_backtrace *b)
{
	uint32_t own = 0;
	while (own < b->count && b->addresses[own] >= (uintptr_t)&__ehdr_start &&
	       b->addresses[own] < (uintptr_t)&etext)
		own++;
	b->count -= own;
	memmove(b->addresses, b->addresses + own, b->count * sizeof b->addresses[0]);
}

bool malloc_backtrace_begin(void)
{
	void *library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
	if (library == NULL || !unwind_functions_find(library))
		return false;
	native_walk_open();
	gcs_backtrace_take(&newest);
	native_walk_opened();
	newest.count = 0;
	return true;
}

enum gcs_status malloc_backtrace_at_event(void *buffer, size_t *length)
{
	struct gcs_backtrace here = {.count = 0};
	if (!native_walk_ready())
		return GCS_STATE;
	gcs_backtrace_take(&here);
	drop_own(&here);
	if (pthread_mutex_trylock(&lock) == 0) {
		newest = here;
		pthread_mutex_unlock(&lock);
	}
	return gcs_backtrace_write(&here, buffer, length);
}

enum gcs_status malloc_backtrace_answer(void **bytes, size_t *length, struct gcs_error *err)
{
	pthread_mutex_lock(&lock);
	const struct gcs_backtrace last = newest;
	pthread_mutex_unlock(&lock);
	return last.count == 0
		   ? gcs_fail(err, GCS_STATE,
			 "no trigger has asked for a backtrace yet (--plugin backtrace)")
		   : gcs_backtrace_encode(&last, bytes, length, err);
}

void malloc_backtrace_forget(void)
{
	pthread_mutex_init(&lock, NULL);
}

#else

bool malloc_backtrace_begin(void)
{
	return false;
}

enum gcs_status malloc_backtrace_at_event(void *buffer, size_t *length)
{
	(void)buffer;
	(void)length;
	return GCS_UNSUPPORTED;
}

enum gcs_status malloc_backtrace_answer(void **bytes, size_t *length, struct gcs_error *err)
{
	(void)bytes;
	(void)length;
	return gcs_fail(err, GCS_UNSUPPORTED, "libgcspymalloc.so was built without libunwind");
}

void malloc_backtrace_forget(void)
{
}

#endif
