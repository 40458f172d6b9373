/* dladdr's neighbours: dlopen is POSIX, dl_iterate_phdr is not. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier) */
#include "native_walk.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "malloc_thread.h"

#ifdef GCSPYMALLOC_UNWIND
#include "unwind_functions.h"
#endif

/* More than are between malloc and libunwind. */
enum { OWN_FRAMES = 8 };

/* unw_backtrace remembers frames in a table of 256 KiB for each thread. Threads of few samples go without, frame
 * by frame, and so do those beyond a number of tables. */
enum { PLAIN_WALKS = 32, MOST_TABLES = 64 };

static _Thread_local bool warm __attribute__((tls_model("initial-exec")));
static _Thread_local unsigned walks __attribute__((tls_model("initial-exec")));
static atomic_uint tables;
static bool steps; /* libunwind can be asked frame by frame */
static int (*backtrace_of)(void **addresses, int most);
static struct {
	uintptr_t start, end;
} own; /* this library */

/* libunwind's pipe. */

enum { HIGH_NUMBER = 1024, LEFT = 32 }; /* this many remain below the limit */

static int placeholders[HIGH_NUMBER];
static int placeholder_count;

static int ends[2] = {-1, -1}; /* -1: libunwind has no pipe */
static struct stat was;

static bool is_pipe(int fd)
{
	struct stat st;
	return fstat(fd, &st) == 0 && st.st_dev == was.st_dev && st.st_ino == was.st_ino;
}

/* Takes all numbers that are lower, so that what is opened next gets a high one. */
void native_walk_open(void)
{
	if (ends[0] != -1)
		return; /* it was opened before */
	const long limit = sysconf(_SC_OPEN_MAX);
	const int high = limit < 0 || limit >= HIGH_NUMBER + LEFT ? HIGH_NUMBER : (int)limit - LEFT;
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	while (fd != -1 && fd < high) {
		placeholders[placeholder_count++] = fd;
		fd = fcntl(fd, F_DUPFD_CLOEXEC, fd);
	}
	if (fd == -1)
		return;
	ends[0] = fd; /* where the pipe will be */
	close(fd);
}

void native_walk_opened(void)
{
	if (ends[0] != -1 && (fstat(ends[0], &was) != 0 || !S_ISFIFO(was.st_mode)))
		ends[0] = -1;
	for (int fd = ends[0] + 1; ends[0] != -1 && ends[1] == -1; fd++) {
		if (is_pipe(fd))
			ends[1] = fd;
		else if (fd > ends[0] + HIGH_NUMBER)
			ends[0] = -1;
	}
	while (placeholder_count != 0)
		close(placeholders[--placeholder_count]);
}

/* Only where nothing is: another thread may open files at the same time. */
static bool place(int fd, int number)
{
	const int got = fcntl(fd, F_DUPFD_CLOEXEC, number);
	if (got != -1 && got != number)
		close(got);
	return got == number;
}

static bool open_again(void)
{
	int fresh[2];
	if (fcntl(ends[0], F_GETFD) != -1 || fcntl(ends[1], F_GETFD) != -1 || pipe(fresh) != 0)
		return false;
	bool good = true;
	for (int i = 0; i < 2; i++)
		good =
		    good && fcntl(fresh[i], F_SETFL, O_NONBLOCK) == 0 && place(fresh[i], ends[i]);
	good = good && fstat(ends[0], &was) == 0;
	close(fresh[0]);
	close(fresh[1]);
	return good;
}

bool native_walk_ready(void)
{
	const int saved = errno;
	const bool ready = ends[0] == -1 || (is_pipe(ends[0]) && is_pipe(ends[1])) || open_again();
	errno = saved;
	return ready;
}

/* The walk. */

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

const char *native_walk_begin(void)
{
	uint64_t first[WALK_FRAMES];
	void *library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
	void *function = library == NULL ? NULL : dlsym(library, "unw_backtrace");
#ifdef GCSPYMALLOC_UNWIND
	steps = library != NULL && unwind_functions_find(library);
#endif
	if (function == NULL || dl_iterate_phdr(find_own, NULL) == 0)
		return "libunwind.so.8 is not installed, or not usable";
	memcpy(&backtrace_of, &function, sizeof function);
	atomic_store(&tables, 1);
	/* It maps memory and takes the loader's lock when it comes to code that it has not seen. */
	native_walk_open();
	warm_up();
	native_walk_opened();
	(void)native_walk(first);
	return NULL;
}

/* As unw_backtrace, without a table. */
static int step_by_step(void **addresses, int most)
{
	int count = 0;
#ifdef GCSPYMALLOC_UNWIND
	unw_context_t context;
	unw_cursor_t cursor;
	unw_word_t address = 0;
	if (unw_getcontext(&context) != 0 || unw_init_local(&cursor, &context) != 0)
		return 0;
	while (count < most && unw_step(&cursor) > 0 &&
	       unw_get_reg(&cursor, UNW_REG_IP, &address) == 0 && address != 0)
		addresses[count++] = (void *)(uintptr_t)address;
#else
	(void)addresses;
	(void)most;
#endif
	return count;
}

/* Whether the calling thread has a table, or may have one now. */
static bool has_table(void)
{
	if (warm || !steps)
		return true;
	if (++walks <= PLAIN_WALKS)
		return false;
	if (atomic_fetch_add(&tables, 1) < MOST_TABLES)
		return true;
	atomic_fetch_sub(&tables, 1);
	return false;
}

void native_walk_thread_ends(void)
{
	if (warm)
		atomic_fetch_sub(&tables, 1);
	warm = false;
	walks = 0;
}

void native_walk_forget(void)
{
	atomic_store(&tables, warm);
}

uint32_t native_walk(uint64_t addresses[static WALK_FRAMES])
{
	void *all[WALK_FRAMES + OWN_FRAMES];
	if (!native_walk_ready())
		return 0;
	const bool table = has_table();
	if (table && !warm)
		warm_up();
	const int count = table ? backtrace_of(all, WALK_FRAMES + OWN_FRAMES)
				: step_by_step(all, WALK_FRAMES + OWN_FRAMES);
	uint32_t kept = 0;
	for (int i = 0; i < count && kept < WALK_FRAMES; i++) {
		const uintptr_t at = (uintptr_t)all[i];
		if (kept != 0 || at < own.start || at >= own.end)
			addresses[kept++] = at;
	}
	return kept;
}
