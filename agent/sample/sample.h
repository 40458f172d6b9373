/* One sampled allocation on its way from the allocating thread to the sampler's thread, and what it
 * stands for. */
#ifndef GCSPY_AGENT_SAMPLE_H
#define GCSPY_AGENT_SAMPLE_H

#include <jni.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

struct heap_birthplace;

struct sample {
	void *weak;          /* to the object, as below; NULL: not tracked */
	uint32_t generation; /* of the stack table of these numbers */
	uint32_t stack;      /* STACK_TABLE_NONE: no frames, or no room for them */
	uint32_t class_name; /* texts */
	uint32_t thread;
	uint32_t group;
	uint32_t born;     /* judge_birth at the allocation */
	uint32_t pause;    /* of an address: the last pause before it (humongous.h) */
	uint32_t priority; /* uniform random: samples with the lowest ones are tracked
			      (sample_store.h) */
	bool no_room;      /* the stack did not fit into the stack table */
	bool eager;        /* a humongous object that young collections free, too */
	const struct heap_birthplace *place; /* set by the sampler's thread; NULL: not known */
	uint64_t keep;                       /* it is tracked because its priority was below this */
	uint64_t id;
	uint64_t size;     /* bytes of the object */
	uint64_t interval; /* mean bytes between samples when this sampling point was chosen */
	uint64_t context;
	int64_t wall_ns;
};

/* What a sample knows its object by: a weak global reference, or the address of a humongous object (humongous.h), which
 * is marked by lowest bits that no reference of JNI has (vm_weak.c). */
enum { SAMPLE_BITS = 7, SAMPLE_ADDRESS = 6 };

/* NULL for 0. */
static inline void *sample_by_address(uint64_t address)
{
	return address == 0 ? NULL : (void *)(uintptr_t)(address | SAMPLE_ADDRESS);
}

/* The address, 0 for a reference. */
static inline uint64_t sample_address(const void *weak)
{
	const uint64_t word = (uintptr_t)weak;
	return (word & SAMPLE_BITS) == SAMPLE_ADDRESS ? word - SAMPLE_ADDRESS : 0;
}

/* Deletes what is a reference. */
static inline void sample_forget(JNIEnv *jni, void *weak)
{
	if (weak != NULL && sample_address(weak) == 0)
		(*jni)->DeleteWeakGlobalRef(jni, weak);
}

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
