/* For test_dlmalloc_trigger.sh: a gap of 200,000 bytes is made, small blocks come from elsewhere, and one malloc of
 * 150,700 bytes breaks it. */
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	void *volatile blocks[2000];
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
	gap = malloc(150700);
	for (int i = 0; i < 400; i += 2)
		free(blocks[i]);
	free(gap);
	free(guard);
	return 0;
}
