/*
 * What programs do that a library in between easily breaks; each prints what has happened, which must be the
 * same without the library. test_pitfalls.py runs them.
 *
 *   malloc-pitfalls NAME
 */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier) */
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static void say(const char *what, long value)
{
	printf("%s %ld\n", what, value);
	fflush(stdout);
}

/* dlsym allocates for the text of dlerror. */
static void early(void)
{
	for (int i = 0; i < 100; i++)
		if (dlsym(RTLD_DEFAULT, "no_such_symbol") != NULL || dlerror() == NULL)
			abort();
	char *zeroed = calloc(1000, 1);
	long sum = 0;
	for (int i = 0; i < 1000; i++)
		sum += zeroed[i];
	free(zeroed);
	say("zeroed", sum);
}

static void resize(void)
{
	char *block = malloc(100), *wall;
	memset(block, 'x', 100);
	block = realloc(block, 90); /* in place */
	wall = malloc(100);
	block = realloc(block, 100000); /* moved */
	say("kept", block[89]);
	errno = 0;
	char *none = realloc(block, SIZE_MAX / 2);
	say("failed", none == NULL && errno == ENOMEM);
	say("after failure", block[89]);
	block = realloc(block, 3000000); /* to a mapping of its own */
	block = realloc(block, 5000000);
	say("large", block[89] + (malloc_usable_size(block) >= 5000000));
	say("to nothing", realloc(block, 0) == NULL);
	block = realloc(NULL, 10);
	say("from nothing", block != NULL);
	free(block);
	free(wall);
	errno = 0;
	volatile size_t half = SIZE_MAX / 2;
	none = reallocarray(NULL, half, 4);
	say("array", none == NULL && errno == ENOMEM);
}

static void align(void)
{
	void *block = NULL;
	long good = 0;
	for (size_t a = 8; a <= 1 << 20; a *= 2) {
		good += posix_memalign(&block, a, 100) == 0 && (uintptr_t)block % a == 0;
		free(block);
		block = memalign(a, 1000);
		good += (uintptr_t)block % a == 0;
		free(block);
		block = aligned_alloc(a, a * 2);
		good += (uintptr_t)block % a == 0;
		free(block);
	}
	say("aligned", good);
	block = &good;
	errno = 5;
	say("bad alignment", posix_memalign(&block, 24, 8) == EINVAL && block == &good);
	say("errno", errno);
	block = valloc(10);
	say("page", (uintptr_t)block % 4096 == 0);
	free(block);
}

static void pages(void)
{
	void *block = pvalloc(5000);
	say("pages", (uintptr_t)block % 4096 == 0 && malloc_usable_size(block) >= 8192);
	free(block);
	say("too large", pvalloc(SIZE_MAX - 10) == NULL && errno == ENOMEM);
}

static void edges(void)
{
	void *a = malloc(0), *b = malloc(0);
	say("zero", a != NULL && b != NULL && a != b);
	free(a);
	free(b);
	errno = 7;
	free(NULL);
	free(malloc(1 << 22));
	say("errno", errno);
	errno = 0;
	volatile size_t huge = SIZE_MAX - 100;
	say("huge", malloc(huge) == NULL && errno == ENOMEM);
	errno = 0;
	say("overflow", calloc(huge / 2, 3) == NULL && errno == ENOMEM);
	say("usable", malloc_usable_size(NULL) == 0);
}

static void children(void)
{
	int status;
	char *block = malloc(1000);
	strcpy(block, "x");
	pid_t pid = fork();
	if (pid == 0) {
		free(block);
		for (int i = 0; i < 1000; i++)
			free(realloc(malloc((size_t)i), (size_t)i * 2 + 1));
		_exit(11);
	}
	waitpid(pid, &status, 0);
	say("fork", WEXITSTATUS(status));
	pid = vfork();
	if (pid == 0) {
		execlp("sh", "sh", "-c", "exit 12", (char *)NULL);
		_exit(1);
	}
	waitpid(pid, &status, 0);
	say("vfork", WEXITSTATUS(status));
	char *words[] = {"sh", "-c", "exit 13", NULL};
	say("spawn", posix_spawnp(&pid, "sh", NULL, NULL, words, environ));
	waitpid(pid, &status, 0);
	say("spawned", WEXITSTATUS(status));
	say("system", WEXITSTATUS(system("exit 14")));
	free(block);
	execlp("echo", "echo", "executed", (char *)NULL);
}

/* Threads fork while others allocate. */
static atomic_bool over;

static void *churn(void *argument)
{
	(void)argument;
	while (!atomic_load(&over))
		free(malloc(1 + (size_t)(uintptr_t)argument * 100));
	return NULL;
}

static void forks(void)
{
	pthread_t threads[4];
	long good = 0;
	for (uintptr_t i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, churn, (void *)i);
	for (int i = 0; i < 200; i++) {
		int status;
		const pid_t pid = fork();
		if (pid == 0) {
			void *blocks[50];
			for (int k = 0; k < 50; k++)
				blocks[k] = malloc((size_t)k * 300);
			for (int k = 0; k < 50; k++)
				free(blocks[k]);
			_exit(0);
		}
		waitpid(pid, &status, 0);
		good += status == 0;
	}
	atomic_store(&over, true);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	say("forks", good);
}

/* Destructors of thread-specific data allocate and free, four times over. */
static pthread_key_t key;
static atomic_long freed;

static void late(void *value)
{
	const uintptr_t times = *(uintptr_t *)value;
	free(value);
	atomic_fetch_add(&freed, 1);
	if (times == 0)
		return;
	uintptr_t *next = malloc(sizeof *next);
	*next = times - 1;
	pthread_setspecific(key, next);
}

static void *short_life(void *argument)
{
	uintptr_t *first = malloc(sizeof *first);
	(void)argument;
	*first = 2;
	pthread_setspecific(key, first);
	return malloc(100);
}

static void ends(void)
{
	pthread_key_create(&key, late);
	for (int i = 0; i < 200; i++) {
		pthread_t thread;
		void *result;
		pthread_create(&thread, NULL, short_life, NULL);
		pthread_join(thread, &result);
		free(result);
	}
	say("destructors", atomic_load(&freed));
}

/* 10,000 threads, 100 at a time. */
static void many(void)
{
	pthread_t threads[100];
	long good = 0;
	pthread_key_create(&key, late);
	for (int round = 0; round < 100; round++) {
		for (int i = 0; i < 100; i++)
			pthread_create(&threads[i], NULL, short_life, NULL);
		for (int i = 0; i < 100; i++) {
			void *result;
			pthread_join(threads[i], &result);
			good += result != NULL;
			free(result);
		}
	}
	say("threads", good);
}

static pthread_barrier_t all_there;

static void *wait_with_a_block(void *argument)
{
	char *block = malloc(100);
	(void)argument;
	pthread_barrier_wait(&all_there);
	return block;
}

/* 10,000 threads at a time, or as many as the system gives, each with a block of its own. */
static void crowd(void)
{
	enum { CROWD = 10000 };
	static pthread_t threads[CROWD];
	pthread_attr_t small;
	long good = 0;
	pthread_barrier_init(&all_there, NULL, CROWD + 1);
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	for (int i = 0; i < CROWD; i++)
		if (pthread_create(&threads[i], &small, wait_with_a_block, NULL) != 0) {
			say("threads refused", 1);
			_exit(0);
		}
	pthread_barrier_wait(&all_there);
	for (int i = 0; i < CROWD; i++) {
		void *block;
		pthread_join(threads[i], &block);
		good += block != NULL;
		free(block);
	}
	say("threads at a time", good);
}

/* A handler that allocates: as safe as the allocator, so it interrupts code that does not allocate. */
static volatile sig_atomic_t handled, allocating;

static void on_signal(int number)
{
	(void)number;
	if (allocating)
		return;
	free(malloc(500));
	handled++;
}

static void signals(void)
{
	const struct itimerval often = {{0, 200}, {0, 200}};
	const struct itimerval never = {{0, 0}, {0, 0}};
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	while (handled < 300) {
		allocating = 1;
		void *block = malloc(100);
		free(block);
		allocating = 0;
		for (volatile int i = 0; i < 1000; i++)
			;
	}
	setitimer(ITIMER_REAL, &never, NULL);
	say("handled", handled >= 300);
}

static void *detached(void *argument)
{
	(void)argument;
	for (;;)
		free(malloc(100));
	return NULL;
}

/* The process ends while threads allocate. */
static void running(void)
{
	for (int i = 0; i < 8; i++) {
		pthread_t thread;
		pthread_create(&thread, NULL, detached, NULL);
		pthread_detach(thread);
	}
	nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
	say("running", 8);
	exit(9);
}

static void on_exit_allocate(void)
{
	free(malloc(1000));
	printf("at exit\n");
}

static void last(void)
{
	atexit(on_exit_allocate);
	say("main", 1);
}

/* A library that is loaded, allocates and is unloaded again and again; also this one. */
static void unload(void)
{
	long good = 0;
	for (int i = 0; i < 50; i++) {
		void *library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
		good += library != NULL && dlclose(library) == 0;
	}
	const char *own = getenv("LIBRARY");
	void *library = own == NULL ? NULL : dlopen(own, RTLD_NOW);
	if (library != NULL) {
		dlclose(library);
		dlclose(library);
	}
	free(malloc(100000));
	say("unloaded", good);
}

/* The main thread leaves before the others; the last one to end ends the process. */
static void *outlive(void *argument)
{
	(void)argument;
	nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
	free(malloc(1000));
	say("outlived", 1);
	return malloc(12345);
}

static void *nothing(void *argument)
{
	return argument;
}

static void *exits(void *argument)
{
	pthread_exit(argument);
}

static void leave(void)
{
	pthread_t thread;
	atexit(on_exit_allocate);
	pthread_create(&thread, NULL, outlive, NULL);
	pthread_detach(thread);
	pthread_exit(NULL);
}

/* A child's main thread is the one that forked; and the last thread sleeps until a signal ends the process. */
static void *fork_and_leave(void *argument)
{
	int status;
	const pid_t pid = fork();
	if (pid == 0) {
		pthread_t thread;
		pthread_create(&thread, NULL, nothing, NULL);
		pthread_exit(NULL);
	}
	waitpid(pid, &status, 0);
	say("child", status);
	kill(getpid(), SIGTERM);
	for (;;)
		pause();
	return argument;
}

static void leave_forked(void)
{
	pthread_t thread;
	/* What pthread_exit allocates at its first call is there: the child's does nothing that is seen. */
	pthread_create(&thread, NULL, exits, NULL);
	pthread_join(thread, NULL);
	pthread_create(&thread, NULL, fork_and_leave, NULL);
	pthread_exit(NULL);
}

/* A limit of the address space: 300 MiB, into which just a piece of the shadow would fit, and nothing else. */
static void limited(void)
{
	const struct rlimit limit = {300 << 20, 300 << 20};
	long blocks = 0;
	if (getenv("LIMITED") == NULL) {
		setrlimit(RLIMIT_AS, &limit);
		setenv("LIMITED", "1", 1);
		execl("/proc/self/exe", "malloc-pitfalls", "limited", (char *)NULL);
	}
	void *block = malloc(50 << 20);
	say("allocated", block != NULL);
	free(block);
	say("refused", malloc(1 << 30) == NULL);
	while (malloc(1 << 20) != NULL)
		blocks++;
	say("as many as before, nearly", blocks > 240);
}

static const struct {
	const char *name;
	void (*run)(void);
} table[] = {{"early", early}, {"resize", resize}, {"align", align}, {"pages", pages},
    {"edges", edges}, {"children", children}, {"forks", forks}, {"ends", ends}, {"many", many},
    {"crowd", crowd}, {"signals", signals}, {"running", running}, {"last", last},
    {"unload", unload}, {"leave", leave}, {"forked", leave_forked}, {"limited", limited}};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
		if (argc == 2 && strcmp(argv[1], table[i].name) == 0) {
			table[i].run();
			return 0;
		}
	return 2;
}
