/*
 * The experiment of the paper's section 7: a program whose heap is cut in thousands of small free chunks if
 * they are not joined at once, and is not if they are.
 *
 *	gcspy run --allocator dlmalloc [--deferred 60] gcspy-dlmalloc-coalescing [ROUNDS] [MS]
 *
 * It begins after a line on standard input. Each round takes a batch of small messages, handles them in their
 * order, and builds a few larger documents, for which the messages' memory would do if it were in one piece. It
 * waits MS milliseconds after each 1,000 steps. The sizes are the same in every run.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MESSAGES = 12000, DOCUMENTS = 300, KEPT = 400, PAUSE_STEPS = 1000 };

static uint64_t state = 1;
static long milliseconds;

/* xorshift64. */
static size_t random_size(size_t least, size_t most)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return least + (size_t)(state % (most - least + 1));
}

static void *take(size_t bytes)
{
	static long steps;
	void *block = malloc(bytes);
	if (block == NULL) {
		fprintf(stderr, "coalescing: no memory\n");
		exit(1);
	}
	memset(block, 1, bytes);
	if (++steps % PAUSE_STEPS == 0 && milliseconds != 0)
		nanosleep(&(struct timespec){.tv_sec = milliseconds / 1000,
			      .tv_nsec = milliseconds % 1000 * 1000000},
		    NULL);
	return block;
}

static void run(long rounds)
{
	static void *messages[MESSAGES], *documents[DOCUMENTS], *kept[KEPT];
	for (long round = 0; round < rounds; round++) {
		for (int i = 0; i < MESSAGES; i++)
			messages[i] = take(random_size(8, 480));
		for (int i = 0; i < MESSAGES; i++)
			free(messages[i]);
		for (int i = 0; i < DOCUMENTS; i++)
			documents[i] = take(random_size(1000, 9000));
		for (int i = 0; i < DOCUMENTS; i++)
			if (i % 3 == 0) {
				void **place = &kept[random_size(0, KEPT - 1)];
				free(*place);
				*place = documents[i];
			} else {
				free(documents[i]);
			}
	}
	for (int i = 0; i < KEPT; i++)
		free(kept[i]);
}

int main(int argc, char **argv)
{
	const long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 10;
	milliseconds = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
	if (getchar() == EOF)
		return 0;
	run(rounds);
	printf("%ld rounds\n", rounds);
	return 0;
}
