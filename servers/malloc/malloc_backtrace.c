#include "malloc_backtrace.h"

#ifdef GCSPYMALLOC_UNWIND

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#define UNW_LOCAL_ONLY
#include <libunwind.h>

/* libunwind's functions, in a library that only we have open. On aarch64 the first is not a function but
 * code of the header. */
static struct {
	int (*getcontext)(unw_tdep_context_t *);
	int (*init_local)(unw_cursor_t *, unw_context_t *);
	int (*get_reg)(unw_cursor_t *, int, unw_word_t *);
	int (*step)(unw_cursor_t *);
	unw_accessors_t *(*get_accessors)(unw_addr_space_t);
	unw_addr_space_t *local_addr_space;
} unwind;

/* The names that gcspy/backtrace.h calls them by. */
#if !defined(__aarch64__)
#undef unw_getcontext
#define unw_getcontext unwind.getcontext
#endif
#undef unw_init_local
#undef unw_get_reg
#undef unw_step
#undef unw_get_accessors
#undef unw_local_addr_space
#define unw_init_local       unwind.init_local
#define unw_get_reg          unwind.get_reg
#define unw_step             unwind.step
#define unw_get_accessors    unwind.get_accessors
#define unw_local_addr_space (*unwind.local_addr_space)
#include <gcspy/backtrace.h>

#include "native_walk.h"

#define TEXT(x)   #x
#define SYMBOL(x) TEXT(x)

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

static bool find(void *library, const char *symbol, void *place)
{
	void *address = dlsym(library, symbol);
	memcpy(place, &address, sizeof address);
	return address != NULL;
}

static bool find_context(void *library)
{
#if defined(__aarch64__)
	(void)library;
	return true;
#else
	return find(library, SYMBOL(UNW_ARCH_OBJ(getcontext)), &unwind.getcontext);
#endif
}

bool malloc_backtrace_begin(void)
{
	void *library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
	if (library == NULL || !find_context(library) ||
	    !find(library, SYMBOL(UNW_OBJ(init_local)), &unwind.init_local) ||
	    !find(library, SYMBOL(UNW_OBJ(get_reg)), &unwind.get_reg) ||
	    !find(library, SYMBOL(UNW_OBJ(step)), &unwind.step) ||
	    !find(library, SYMBOL(UNW_ARCH_OBJ(get_accessors)), &unwind.get_accessors) ||
	    !find(library, SYMBOL(UNW_OBJ(local_addr_space)), &unwind.local_addr_space))
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
