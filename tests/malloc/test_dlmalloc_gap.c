/* For test_dlmalloc_trigger.sh: a gap of 200,000 bytes is made, small blocks come from elsewhere, and one malloc of
 * 150,700 bytes breaks it. */
#include <stdio.h>
#include <stdlib.h>

void *break_the_gap(void);

static volatile long watched = 1; /* changes between two mallocs */

/* Not a tail call: it is in the backtrace. */
__attribute__((noinline)) void *break_the_gap(void)
{
	char *block = malloc(150700);
	if (block != NULL)
		block[0] = 1;
	return block;
}

int main(void)
{
	void *volatile blocks[2000];
	printf("%p\n", (void *)&watched);
	fflush(stdout);
	if (getchar() == EOF)
		return 1;
	void *volatile gap = malloc(200000);
	void *volatile guard = malloc(100);
	for (int i = 0; i < 1000; i++)
		blocks[i] = malloc(3000);
	free(gap);
	for (int i = 0; i < 1000; i += 2)
		free(blocks[i]);
	for (int i = 0; i < 400; i += 2)
		blocks[i] = malloc(2900);
	gap = break_the_gap();
	void *volatile before = malloc(900);
	watched = 77;
	void *volatile after = malloc(1000);
	free(before);
	free(after);
	for (int i = 0; i < 400; i += 2)
		free(blocks[i]);
	free(gap);
	free(guard);
	return 0;
}
