/* Threads with 1,000 blocks each, of 1,000, 2,000 and 3,000 bytes, which they keep: each in an arena of its own.
 * Says when they have them, and ends with its input. */
#define _GNU_SOURCE /* barriers: NOLINT(bugprone-reserved-identifier) */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 3, BLOCKS = 1000 };

static void *blocks[THREADS][BLOCKS], *large;
static pthread_barrier_t all;

static void *run(void *number)
{
	const size_t i = (size_t)number;
	pthread_barrier_wait(&all);
	for (int k = 0; k < BLOCKS; k++)
		blocks[i][k] = malloc(1000 * (i + 1));
	pthread_barrier_wait(&all);
	pthread_barrier_wait(&all);
	return NULL;
}

int main(void)
{
	pthread_t thread;
	pthread_barrier_init(&all, NULL, THREADS + 1);
	large = malloc(10 << 20);
	for (size_t i = 0; i < THREADS; i++)
		pthread_create(&thread, NULL, run, (void *)i);
	pthread_barrier_wait(&all);
	pthread_barrier_wait(&all);
	puts("ready");
	fflush(stdout);
	(void)getchar();
	return 0;
}
