/* malloc and its kin do what programs expect of them, in four threads, and in children of fork. */
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dlmalloc_kit.h"

static const struct dlmalloc_inside *in;
static volatile size_t huge = SIZE_MAX; /* the compiler does not know */

static void edges(void)
{
	void *p = malloc(0), *q = malloc(0);
	CHECK(p != NULL && q != NULL && p != q, "malloc(0)");
	free(p);
	free(q);
	free(NULL);
	errno = 0;
	CHECK(malloc(huge) == NULL && errno == ENOMEM, "malloc(SIZE_MAX)");
	errno = 0;
	CHECK(calloc(huge / 2, 3) == NULL && errno == ENOMEM, "calloc overflows");
	errno = 0;
	CHECK(reallocarray(NULL, huge / 2, 3) == NULL && errno == ENOMEM, "reallocarray");
	p = malloc(100);
	CHECK(malloc_usable_size(p) >= 100 && malloc_usable_size(NULL) == 0, "usable size");
	memset(p, 7, 100);
	void *same = p;
	errno = 0;
	CHECK(realloc(p, huge) == NULL && errno == ENOMEM, "realloc(SIZE_MAX)");
	for (int i = 0; i < 100; i++)
		CHECK(((char *)same)[i] == 7, "a failed realloc changes the block");
	CHECK(realloc(same, 0) == NULL, "realloc(p, 0) frees");
	p = NULL;
	CHECK(posix_memalign(&p, 24, 100) == EINVAL && posix_memalign(&p, 4, 1) == EINVAL &&
		  p == NULL,
	    "posix_memalign");
	errno = 5;
	CHECK(posix_memalign(&p, 4096, huge / 2) == ENOMEM && errno == 5, "posix_memalign");
	free(p);
	for (size_t alignment = 16; alignment <= 1 << 20; alignment *= 2) {
		CHECK(posix_memalign(&p, alignment, 100) == 0 && (uintptr_t)p % alignment == 0,
		    "%zu", alignment);
		q = memalign(alignment, 5000);
		CHECK((uintptr_t)q % alignment == 0, "%zu", alignment);
		memset(q, 1, 5000);
		free(p);
		errno = 77;
		free(q);
		CHECK(errno == 77, "free changes errno");
	}
	p = pvalloc(1);
	CHECK((uintptr_t)p % 4096 == 0 && malloc_usable_size(p) >= 4096, "pvalloc");
	q = valloc(10);
	CHECK((uintptr_t)q % 4096 == 0, "valloc");
	free(p);
	free(q);
	p = calloc(1000, 1000);
	for (int i = 0; i < 1000000; i++)
		CHECK(((char *)p)[i] == 0, "calloc");
	free(p);
	kit_check(in);
}

enum { SLOTS = 500, STEPS = 60000, THREADS = 4, FORKS = 100 };

struct slot {
	unsigned char *block;
	size_t bytes;
	unsigned char value;
};

static atomic_bool ending;

static void verify(const struct slot *s)
{
	for (size_t i = 0; i < s->bytes; i++)
		CHECK(s->block[i] == s->value, "byte %zu of %zu", i, s->bytes);
}

/* Every byte of every block is what was last written to it. */
static void *use(void *argument)
{
	uint64_t state = (uintptr_t)argument;
	struct slot *slots = calloc(SLOTS, sizeof *slots);
	for (int i = 0; i < STEPS && !ending; i++) {
		struct slot *s = &slots[kit_random(&state) % SLOTS];
		const size_t bytes = kit_size(&state, 20000);
		verify(s);
		if (kit_random(&state) % 3 == 0 && s->block != NULL) {
			s->block = realloc(s->block, bytes);
			s->bytes = bytes < s->bytes ? bytes : s->bytes;
			verify(s);
		} else {
			free(s->block);
			s->block =
			    kit_random(&state) % 5 == 0 ? memalign(64, bytes) : malloc(bytes);
		}
		CHECK(s->block != NULL, "no memory");
		s->bytes = bytes;
		s->value = (unsigned char)kit_random(&state);
		memset(s->block, s->value, bytes);
	}
	for (int i = 0; i < SLOTS; i++) {
		verify(&slots[i]);
		free(slots[i].block);
	}
	free(slots);
	return NULL;
}

static void in_threads(bool forks)
{
	pthread_t threads[THREADS];
	ending = false;
	for (uintptr_t i = 0; i < THREADS; i++)
		CHECK(pthread_create(&threads[i], NULL, use, (void *)(i + 1)) == 0, "no thread");
	for (int i = 0; forks && i < FORKS; i++) {
		const pid_t child = fork();
		CHECK(child >= 0, "fork");
		if (child == 0) {
			struct dlmalloc_state state;
			void *p = malloc(100), *q = malloc(100000);
			free(p);
			free(q);
			kit_check(in);
			in->state(&state);
			_exit(0);
		}
		int status;
		CHECK(waitpid(child, &status, 0) == child && status == 0, "child: %d", status);
	}
	ending = forks;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	kit_check(in);
}

static void *kept[4];
static int handlers;

static void in_handler(void)
{
	kept[handlers++ % 4] = malloc(64);
	kit_check(in);
}

/* Handlers of fork that allocate, before and after the allocator's own. */
static void in_fork_handlers(void)
{
	CHECK(pthread_atfork(in_handler, in_handler, in_handler) == 0, "pthread_atfork");
	const pid_t child = fork();
	if (child == 0)
		_exit(handlers == 2 ? 0 : 1);
	int status;
	CHECK(waitpid(child, &status, 0) == child && status == 0 && handlers == 2, "child: %d",
	    status);
}

int main(void)
{
	in = kit_inside();
	edges();
	in_threads(false);
	in_threads(true);
	in->defer(30);
	in_threads(true);
	in_fork_handlers();
	return 0;
}
