/*
 * A program that knows what it has: threads allocate, resize and free at random, and at each round, while
 * all of them stand still, it writes a list of its live blocks. test_exact.c compares it with GCspy's.
 *
 *   malloc-mutator THREADS SEED [plain]     plain: the allocator's blocks have no headers
 *
 * On each line of standard input it runs a round and writes a header and that many blocks to standard
 * output, as binary words. At the end of input it ends, with threads running.
 */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier) */
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "malloc_report.h"

enum { SLOTS = 4000, MOST_THREADS = 16, ROUND_STEPS = 60000 };

struct worker {
	pthread_t thread;
	uint64_t state;
	void *blocks[SLOTS];
};

static struct worker workers[MOST_THREADS];
static pthread_barrier_t begin, end;
static atomic_bool over;
static atomic_uint_least64_t counts[3];

static uint64_t below(struct worker *w, uint64_t limit)
{
	w->state ^= w->state << 13;
	w->state ^= w->state >> 7;
	w->state ^= w->state << 17;
	return w->state % limit;
}

static size_t size(struct worker *w)
{
	switch (below(w, 100)) {
	case 0:
		return below(w, 3000000);
	case 1:
	case 2:
	case 3:
		return below(w, 200000);
	case 4:
		return 0;
	default:
		return below(w, 2000);
	}
}

static void *take(struct worker *w)
{
	void *block = NULL;
	const size_t bytes = size(w);
	counts[0]++;
	switch (below(w, 8)) {
	case 0:
		return calloc(1 + bytes / 16, 16);
	case 1:
		return memalign((size_t)16 << below(w, 9), bytes);
	case 2:
		return posix_memalign(&block, (size_t)8 << below(w, 6), bytes) == 0 ? block : NULL;
	case 3:
		return aligned_alloc(64, (bytes + 63) / 64 * 64);
	case 4:
		return reallocarray(NULL, bytes / 8 + 1, 8);
	default:
		return malloc(bytes);
	}
}

/* A slot of another worker is taken by exchange, so that threads free each other's blocks. */
static void step(struct worker *w, int threads)
{
	struct worker *of = &workers[below(w, (uint64_t)threads)];
	const uint64_t slot = below(w, SLOTS);
	void *block = __atomic_exchange_n(&of->blocks[slot], NULL, __ATOMIC_ACQ_REL);
	if (block == NULL) {
		block = take(w);
	} else if (below(w, 4) == 0) {
		counts[2]++;
		void *moved = realloc(block, 1 + size(w));
		block = moved == NULL ? block : moved;
		if (below(w, 50) == 0 && realloc(block, SIZE_MAX / 4) != NULL) /* fails */
			abort();
	} else {
		counts[1]++;
		free(block);
		block = NULL;
	}
	block = __atomic_exchange_n(&of->blocks[slot], block, __ATOMIC_ACQ_REL);
	counts[1] += block != NULL;
	free(block);
}

static int thread_count;

static void *work(void *argument)
{
	struct worker *w = argument;
	for (;;) {
		pthread_barrier_wait(&begin);
		for (int i = 0; i < ROUND_STEPS || atomic_load(&over); i++)
			step(w, thread_count);
		pthread_barrier_wait(&end);
	}
	return NULL;
}

static void put(const void *bytes, size_t length)
{
	for (const char *at = bytes; length != 0;) {
		const ssize_t n = write(STDOUT_FILENO, at, length);
		if (n <= 0)
			_exit(3);
		at += n;
		length -= (size_t)n;
	}
}

static bool plain;

/* What the allocator has taken for a block, from the public function alone: the C library's blocks
 * have a header of one word, those with a mapping of their own two; others end where they say, in units of
 * 16 bytes. */
static struct mutator_block extent(void *block)
{
	const uint64_t usable = malloc_usable_size(block);
	const uint64_t start = (uintptr_t)block;
	if (plain)
		return (struct mutator_block){start, (usable + 15) / 16 * 16};
	return (struct mutator_block){start - 16, usable % 16 == 8 ? usable + 8 : usable + 16};
}

static void report(void)
{
	static struct mutator_block listed[MOST_THREADS * SLOTS];
	struct mutator_report r = {.counts = {counts[0], counts[1], counts[2]}};
	struct timespec t;
	for (int i = 0; i < thread_count; i++)
		for (int k = 0; k < SLOTS; k++)
			if (workers[i].blocks[k] != NULL)
				listed[r.blocks++] = extent(workers[i].blocks[k]);
	clock_gettime(CLOCK_MONOTONIC, &t);
	r.time_ns = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
	put(&r, sizeof r);
	put(listed, r.blocks * sizeof listed[0]);
}

int main(int argc, char **argv)
{
	char line;
	thread_count = argc > 2 ? atoi(argv[1]) : 1;
	if (thread_count < 1 || thread_count > MOST_THREADS)
		return 2;
	plain = argc > 3 && strcmp(argv[3], "plain") == 0;
	pthread_barrier_init(&begin, NULL, (unsigned)thread_count + 1);
	pthread_barrier_init(&end, NULL, (unsigned)thread_count + 1);
	for (int i = 0; i < thread_count; i++) {
		workers[i].state = strtoull(argv[2], NULL, 10) * 2654435761u + (uint64_t)i + 1;
		pthread_create(&workers[i].thread, NULL, work, &workers[i]);
	}
	report(); /* no block */
	while (read(STDIN_FILENO, &line, 1) == 1) {
		pthread_barrier_wait(&begin);
		pthread_barrier_wait(&end);
		report();
	}
	atomic_store(&over, true);
	pthread_barrier_wait(&begin);
	return 0;
}
