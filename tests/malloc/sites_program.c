/*
 * Allocates in functions with known names, says on standard output what they have done, and waits for a byte:
 *
 *   malloc-sites-program known|later|random|threads|pool|grow|deep|plugin LIBRARY|fork|busy|small|leak
 */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier) */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define SITE __attribute__((noinline, noclone))

enum { BLOCKS = 20000, THREADS = 4, DEPTH = 1000 };

/* A call must not become a jump: its frame would be missing. */
#define END __asm__ volatile("" ::: "memory")

static void *kept[3][BLOCKS];

static void say(const char *line)
{
	(void)!write(STDOUT_FILENO, line, strlen(line));
}

static void pause_here(void)
{
	char byte;
	say("ready\n");
	(void)!read(STDIN_FILENO, &byte, 1);
}

SITE static void *by_malloc(size_t bytes)
{
	void *block = malloc(bytes);
	END;
	return block;
}

SITE static void *by_calloc(size_t bytes)
{
	void *block = calloc(bytes, 1);
	END;
	return block;
}

SITE static void *by_realloc(void *before, size_t bytes)
{
	void *block = realloc(before, bytes);
	END;
	return block;
}

SITE static void *by_memalign(size_t bytes)
{
	void *block = aligned_alloc(64, bytes);
	END;
	return block;
}

/* 100 x 100 B by malloc, of which 60 are freed; 10 x 5,000 B by calloc; 1 of 300 B grown to 70,000; 5 x 640. */
SITE static void known(void)
{
	for (int i = 0; i < 100; i++)
		kept[0][i] = by_malloc(100);
	for (int i = 0; i < 10; i++)
		kept[1][i] = by_calloc(5000);
	kept[2][0] = by_realloc(by_realloc(NULL, 300), 70000);
	for (int i = 1; i < 6; i++)
		kept[2][i] = by_memalign(640);
	for (int i = 0; i < 60; i++)
		free(kept[0][i]);
	pause_here();
}

/* The same after another byte, and before it 2,000 blocks of 10,000 B, of which half are freed. */
static void later(void)
{
	pause_here();
	for (int i = 0; i < 2000; i++) {
		kept[1][100 + i] = by_malloc(10000);
		if (i % 2 != 0)
			free(kept[1][100 + i]);
	}
	known();
}

static uint64_t state = 1;

static uint32_t next(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33);
}

/* Sizes of three kinds; every second block is freed. Says what each site keeps. */
static void random_sizes(void)
{
	static const uint32_t most[3] = {64, 3000, 60000};
	uint64_t bytes[3] = {0};
	char line[100];
	for (int i = 0; i < BLOCKS; i++) {
		const size_t a = 1 + next() % most[0], b = 1 + next() % most[1],
			     c = 1 + next() % most[2];
		kept[0][i] = by_malloc(a);
		kept[1][i] = by_calloc(b);
		kept[2][i] = by_realloc(NULL, c);
		if (i % 2 == 0) {
			for (int k = 0; k < 3; k++)
				free(kept[k][i]);
			continue;
		}
		bytes[0] += a;
		bytes[1] += b;
		bytes[2] += c;
	}
	for (int k = 0; k < 3; k++) {
		snprintf(line, sizeof line, "%s %llu\n",
		    k == 0   ? "by_malloc"
		    : k == 1 ? "by_calloc"
			     : "by_realloc",
		    (unsigned long long)bytes[k]);
		say(line);
	}
	pause_here();
}

static void *thread(void *number)
{
	char name[16];
	snprintf(name, sizeof name, "worker-%d", (int)(intptr_t)number);
	pthread_setname_np(pthread_self(), name);
	/* Half of them go to the next thread, which frees them. */
	for (int i = 0; i < 2000; i++)
		kept[0][(intptr_t)number * 2000 + i] = by_malloc(1000);
	return NULL;
}

static void threads(void)
{
	pthread_t t[THREADS];
	for (intptr_t i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, thread, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < THREADS * 1000; i++)
		free(kept[0][2 * i]);
	pause_here();
}

/* Many threads at a time, of which the even ones allocate little, the odd ones more often. */
enum { POOL = 300, FEW = 8, OFTEN = 50 };
static pthread_barrier_t pool_waits;

static void *pool_thread(void *number)
{
	const intptr_t n = (intptr_t)number;
	for (int i = 0; i < (n % 2 == 0 ? FEW : OFTEN); i++)
		kept[0][n * OFTEN + i] = n % 2 == 0 ? by_malloc(1000) : by_calloc(1000);
	pthread_barrier_wait(&pool_waits);
	pthread_barrier_wait(&pool_waits); /* until the byte has come */
	return NULL;
}

static void pool(void)
{
	static pthread_t t[POOL];
	char line[100], word[64];
	long kib = 0;
	pthread_barrier_init(&pool_waits, NULL, POOL + 1);
	for (intptr_t i = 0; i < POOL; i++)
		pthread_create(&t[i], NULL, pool_thread, (void *)i);
	pthread_barrier_wait(&pool_waits);
	FILE *status = fopen("/proc/self/status", "r");
	while (status != NULL && fscanf(status, "%63s", word) == 1)
		if (strcmp(word, "VmRSS:") == 0 && fscanf(status, "%ld", &kib) == 1)
			break;
	snprintf(line, sizeof line, "resident %ld\n", kib);
	say(line);
	pause_here();
	pthread_barrier_wait(&pool_waits);
	for (int i = 0; i < POOL; i++)
		pthread_join(t[i], NULL);
}

/* 4 MB a second for eight seconds, and as much that is freed at once. */
static void grow(void)
{
	for (int i = 0; i < 800; i++) {
		kept[0][i] = by_malloc(40000);
		free(by_calloc(40000));
		nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
	}
}

SITE static void *deep(int depth)
{
	void *block = depth == 0 ? by_malloc(4096) : deep(depth - 1);
	END;
	return block;
}

static void plugin(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	void *function = library == NULL ? NULL : dlsym(library, "plugin_allocate");
	void *(*allocate)(size_t);
	memcpy(&allocate, &function, sizeof allocate);
	if (allocate == NULL)
		exit(3);
	kept[0][0] = allocate(12345);
	dlclose(library);
	pause_here();
}

/* The child allocates, forks on and ends as usual; the parent's sites are not the worse for it. */
static void with_children(void)
{
	for (int i = 0; i < 20; i++) {
		kept[0][i] = by_malloc(1000);
		const pid_t pid = fork();
		if (pid == 0) {
			for (int k = 0; k < 100; k++)
				free(by_malloc(77));
			exit(5);
		}
		int status;
		if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status) ||
		    WEXITSTATUS(status) != 5)
			exit(4);
	}
	pause_here();
}

static volatile sig_atomic_t signals;

/* What POSIX does not allow, but programs do: it works as long as no call of malloc is interrupted. */
static void on_signal(int number)
{
	(void)number;
	signals++;
}

/* Many signals in the middle of samples. */
static void busy(void)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
	const struct itimerspec often = {{0, 200000}, {0, 200000}};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
	timer_t timer;
	sigaction(SIGUSR1, &action, NULL);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &often, NULL);
	for (int i = 0; i < 200000 || signals < 20; i++)
		free(by_malloc(64));
	timer_delete(timer);
	kept[0][0] = by_malloc(64);
	pause_here();
}

SITE static void lose(void)
{
	for (int i = 0; i < 64; i++)
		*(void *volatile *)&kept[0][0] = by_malloc(1024);
	kept[0][0] = NULL;
	END;
}

/* Stacks of 8 KiB, below which is nothing: of a coroutine, and of a signal handler. */
static ucontext_t outside, coroutine;

static void *small_stack(size_t *bytes)
{
	const long page = sysconf(_SC_PAGESIZE), frame = sysconf(_SC_MINSIGSTKSZ);
	const long wanted = frame + 5000 > 8192 ? frame + 5000 : 8192;
	*bytes = (size_t)((wanted + page - 1) / page * page);
	char *guard =
	    mmap(NULL, (size_t)page + *bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (guard == MAP_FAILED || mprotect(guard + page, *bytes, PROT_READ | PROT_WRITE) != 0)
		abort();
	return guard + page;
}

SITE static void in_coroutine(void)
{
	for (int i = 0; i < 100; i++)
		kept[0][i] = by_malloc(1000);
	END;
}

SITE static void in_handler(int number)
{
	(void)number;
	for (int i = 0; i < 100; i++)
		kept[1][i] = by_malloc(500);
	END;
}

static void small(void)
{
	stack_t stack = {.ss_flags = 0};
	struct sigaction action = {.sa_handler = in_handler, .sa_flags = SA_ONSTACK};
	getcontext(&coroutine);
	coroutine.uc_stack.ss_sp = small_stack(&coroutine.uc_stack.ss_size);
	coroutine.uc_link = &outside;
	makecontext(&coroutine, in_coroutine, 0);
	swapcontext(&outside, &coroutine);
	stack.ss_sp = small_stack(&stack.ss_size);
	if (sigaltstack(&stack, NULL) != 0 || sigaction(SIGUSR1, &action, NULL) != 0)
		abort();
	raise(SIGUSR1);
	pause_here();
}

int main(int count, char **words)
{
	const char *mode = count > 1 ? words[1] : "";
	if (strcmp(mode, "known") == 0)
		known();
	else if (strcmp(mode, "later") == 0)
		later();
	else if (strcmp(mode, "random") == 0)
		random_sizes();
	else if (strcmp(mode, "threads") == 0)
		threads();
	else if (strcmp(mode, "grow") == 0)
		grow();
	else if (strcmp(mode, "pool") == 0)
		pool();
	else if (strcmp(mode, "deep") == 0)
		kept[0][0] = deep(DEPTH), pause_here();
	else if (strcmp(mode, "plugin") == 0 && count > 2)
		plugin(words[2]);
	else if (strcmp(mode, "fork") == 0)
		with_children();
	else if (strcmp(mode, "busy") == 0)
		busy();
	else if (strcmp(mode, "small") == 0)
		small();
	else if (strcmp(mode, "leak") == 0)
		lose();
	else
		return 2;
	return 0;
}
