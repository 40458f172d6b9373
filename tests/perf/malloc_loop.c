/*
 * The worst case of libgcspymalloc: a loop that does nothing but allocate and free. Prints the CPU time of
 * its threads per event in nanoseconds.
 *
 *   malloc-loop EVENTS MOST-BYTES THREADS
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SLOTS = 4096, MOST_THREADS = 64 };

static uint64_t events, most;

static void *run(void *argument)
{
	void **slots = calloc(SLOTS, sizeof *slots);
	uint64_t state = (uint64_t)(uintptr_t)argument * 2654435761u + 88172645463325252u;
	for (uint64_t i = 0; i < events; i += 2) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		void **slot = &slots[state % SLOTS];
		free(*slot);
		*slot = malloc(1 + (state >> 32) % most);
	}
	for (int i = 0; i < SLOTS; i++)
		free(slots[i]);
	free(slots);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[MOST_THREADS];
	struct timespec t;
	if (argc != 4 || atoi(argv[3]) > MOST_THREADS)
		return 2;
	events = strtoull(argv[1], NULL, 10);
	most = strtoull(argv[2], NULL, 10);
	const int count = atoi(argv[3]);
	for (int i = 1; i < count; i++)
		pthread_create(&threads[i], NULL, run, (void *)(uintptr_t)(i + 1));
	run((void *)(uintptr_t)1);
	for (int i = 1; i < count; i++)
		pthread_join(threads[i], NULL);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	printf("%.1f\n", ((double)t.tv_sec * 1e9 + (double)t.tv_nsec) / (double)events / count);
	return 0;
}
