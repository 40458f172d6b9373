/* Random numbers and sleep; declared in kit.h. */
#include "kit.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* SplitMix64: good enough for tests, and any seed will do. */
uint64_t kit_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

uint32_t kit_below(uint64_t *state, uint32_t limit)
{
	return (uint32_t)(kit_random(state) % limit);
}

uint64_t kit_seed(void)
{
	const char *given = getenv("GCSPY_SEED");
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	uint64_t seed = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	if (given != NULL)
		seed = strtoull(given, NULL, 0);
	fprintf(stderr, "GCSPY_SEED=%llu\n", (unsigned long long)seed);
	return seed;
}

void kit_sleep_ms(unsigned milliseconds)
{
	struct timespec t = {
	    .tv_sec = milliseconds / 1000, .tv_nsec = (long)(milliseconds % 1000) * 1000000};
	nanosleep(&t, NULL);
}
