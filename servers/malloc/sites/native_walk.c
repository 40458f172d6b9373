/* dladdr's neighbours: dlopen is POSIX, dl_iterate_phdr is not. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier) */
#include "native_walk.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>

#include "malloc_thread.h"

/* More than are between malloc and libunwind. */
enum { OWN_FRAMES = 8 };

static _Thread_local bool warm __attribute__((tls_model("initial-exec")));
static int (*backtrace_of)(void **addresses, int most);
static struct {
	uintptr_t start, end;
} own; /* this library */

static int find_own(struct dl_phdr_info *info, size_t size, void *context)
{
	const uintptr_t here = (uintptr_t)&own;
	(void)size;
	(void)context;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		const uintptr_t start = info->dlpi_addr + p->p_vaddr;
		if (p->p_type != PT_LOAD || here < start || here >= start + p->p_memsz)
			continue;
		own.start = info->dlpi_addr;
		own.end = start + p->p_memsz; /* data comes after the code */
		return 1;
	}
	return 0;
}

const char *native_walk_begin(void)
{
	uint64_t first[WALK_FRAMES];
	void *library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
	void *function = library == NULL ? NULL : dlsym(library, "unw_backtrace");
	if (function == NULL || dl_iterate_phdr(find_own, NULL) == 0)
		return "libunwind.so.8 is not installed, or not usable";
	memcpy(&backtrace_of, &function, sizeof function);
	/* It maps memory and takes the loader's lock when it comes to code that it has not seen. */
	(void)native_walk(first);
	return NULL;
}

/*
 * libunwind has variables of each thread, for which the loader calls malloc at the first walk. That memory is
 * not the program's; what a signal handler allocates is, so that none may run meanwhile.
 */
static __attribute__((noinline)) void warm_up(void)
{
	void *all[1];
	sigset_t every, before;
	struct malloc_thread *self = malloc_self;
	sigfillset(&every);
	pthread_sigmask(SIG_SETMASK, &every, &before);
	malloc_ignore_begin();
	(void)backtrace_of(all, 1);
	malloc_ignore_end();
	malloc_self = self;
	warm = true;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

uint32_t native_walk(uint64_t addresses[static WALK_FRAMES])
{
	void *all[WALK_FRAMES + OWN_FRAMES];
	if (!warm)
		warm_up();
	const int count = backtrace_of(all, WALK_FRAMES + OWN_FRAMES);
	uint32_t kept = 0;
	for (int i = 0; i < count && kept < WALK_FRAMES; i++) {
		const uintptr_t at = (uintptr_t)all[i];
		if (kept != 0 || at < own.start || at >= own.end)
			addresses[kept++] = at;
	}
	return kept;
}
