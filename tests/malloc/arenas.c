/* Threads with 1,000 blocks each, of 1,000, 2,000 and 3,000 bytes, which they keep: each in an arena of its own.
 * Says when they have them, and ends with its input. With an argument: eight blocks of 100,000 bytes of the main
 * arena, which are freed at the first line. */
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

static int one_arena(void)
{
	setvbuf(stdin, NULL, _IONBF, 0);
	setvbuf(stdout, NULL, _IONBF, 0);
	for (int k = 0; k < 8; k++)
		blocks[0][k] = malloc(100000);
	puts("ready");
	(void)getchar();
	for (int k = 0; k < 8; k++)
		free(blocks[0][k]);
	puts("freed");
	(void)getchar();
	return 0;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	(void)argv;
	if (argc > 1)
		return one_arena();
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
