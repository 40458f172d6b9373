/* Histograms of pauses: a few buckets with limits that people know, and fine ones. */
#include "running_figures.h"

#include <math.h>

const double running_bucket_limits[RUNNING_BUCKETS - 1] = {
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10};

/* 2^(i/8 - 1): where the fractions of frexp are divided. */
static const double eighths[] = {0.5, 0.5452538663326288, 0.5946035575013605, 0.6484197773255048,
    0.7071067811865475, 0.7711054127039704, 0.8408964152537144, 0.9170040432046711};

enum { EIGHTHS = sizeof eighths / sizeof eighths[0] };

uint32_t running_bucket(double ns)
{
	uint32_t bucket = 0;
	while (bucket < RUNNING_BUCKETS - 1 && ns > running_bucket_limits[bucket] * 1e9)
		bucket++;
	return bucket;
}

/* By comparisons, not by a logarithm, whose rounding would put what is on a limit into either bucket. */
static int fine_bucket(double seconds)
{
	int exponent, eighth = 0;
	const double fraction = frexp(seconds, &exponent);
	while (eighth < EIGHTHS && fraction > eighths[eighth])
		eighth++;
	const int i = (exponent - 1) * EIGHTHS + eighth - RUNNING_FINE_FIRST;
	return i < RUNNING_FINE ? i : RUNNING_FINE - 1;
}

void running_pauses_add(struct running_pauses *p, double ns)
{
	const double seconds = ns / 1e9;
	p->buckets[running_bucket(ns)]++;
	p->count++;
	p->total_ns += (uint64_t)ns;
	if (seconds <= RUNNING_FINE_LEAST)
		p->shortest++;
	else
		p->fine[fine_bucket(seconds)]++;
}
