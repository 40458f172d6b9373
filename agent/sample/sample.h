/* One sampled allocation on its way from the allocating thread to the sampler's thread, and what it
 * stands for. */
#ifndef GCSPY_AGENT_SAMPLE_H
#define GCSPY_AGENT_SAMPLE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

struct heap_birthplace;

struct sample {
	void *weak;          /* a weak global reference to the object, or NULL: not tracked */
	uint32_t generation; /* of the stack table of these numbers */
	uint32_t stack;      /* STACK_TABLE_NONE: no frames, or no room for them */
	uint32_t class_name; /* texts */
	uint32_t thread;
	uint32_t group;
	uint32_t born;     /* judge_birth at the allocation */
	uint32_t priority; /* uniform random: samples with the lowest ones are tracked
			      (sample_store.h) */
	bool no_room;      /* the stack did not fit into the stack table */
	const struct heap_birthplace *place; /* set by the sampler's thread; NULL: not known */
	uint64_t keep;                       /* it is tracked because its priority was below this */
	uint64_t id;
	uint64_t size;     /* bytes of the object */
	uint64_t interval; /* mean bytes between samples when this sampling point was chosen */
	uint64_t context;
	int64_t wall_ns;
};

/*
 * The probability that the geometric sampler takes an object of `size` bytes: the gaps between its
 * points are exponential with the mean `interval`, and a point in any of its bytes takes it
 * (HotSpot's runtime/threadHeapSampler.cpp: after each sample a new gap begins after the object).
 * 1 for an interval of 0 or 1.
 */
static inline double sample_probability(uint64_t size, uint64_t interval)
{
	return interval <= 1 ? 1.0 : -expm1(-(double)size / (double)interval);
}

/* The estimate that a sample taken with probability p adds: 1/p objects of its size, and its share
 * in the variance of a sum (Horvitz-Thompson; samples are independent of each other). */
struct estimate {
	double bytes;
	double bytes_variance;
	double objects;
	double objects_variance;
};

static inline struct estimate estimate_of(uint64_t size, double p)
{
	double objects = 1.0 / p;
	double variance = (1.0 - p) / (p * p);
	return (struct estimate){
	    .bytes = (double)size * objects,
	    .bytes_variance = (double)size * (double)size * variance,
	    .objects = objects,
	    .objects_variance = variance,
	};
}

static inline void estimate_add(struct estimate *sum, const struct estimate *one)
{
	sum->bytes += one->bytes;
	sum->bytes_variance += one->bytes_variance;
	sum->objects += one->objects;
	sum->objects_variance += one->objects_variance;
}

#endif
