/* What is kept of samples, for profiles. All of it is read while threads add to it. */
#ifndef GCSPYMALLOC_NATIVE_SITES_INTERNAL_H
#define GCSPYMALLOC_NATIVE_SITES_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "native_walk.h"
#include "own_intern.h"
#include "native_sites.h"

enum { SITES_MOST_INTERVAL = INT32_MAX, SITES_DEAD = 1024 };

/* A stack as a key: which libraries were loaded (native_modules.h), then return addresses, youngest first, and
 * perhaps frames with names, as SITES_NAMED and their number in `frames`. No address has that bit. */
struct stack_key {
	uint64_t generation;
	uint64_t addresses[WALK_FRAMES];
};

#define SITES_NAMED (UINT64_C(1) << 63)

/* A frame with a name as a key: class, method and file, each with a NUL after it. */
struct frame_key {
	uint32_t line;
	uint16_t kind; /* enum gcs_frame_kind */
	char text[1018];
};

/* A call site as a key: numbers of a stack (0: no room for it) and a thread's name with "*" for a number at its
 * end, the function, and the range of sizes, which begins at 2^range (0: below 1 KiB). */
struct site_key {
	uint32_t stack, group;
	uint16_t function, range;
	uint32_t none;
};

/* A sum of doubles. */
typedef atomic_uint_least64_t sum;

static inline void sum_add(sum *s, double more)
{
	uint64_t bits = atomic_load_explicit(s, memory_order_relaxed), next;
	do {
		double value;
		memcpy(&value, &bits, sizeof value);
		value += more;
		memcpy(&next, &value, sizeof next);
	} while (!atomic_compare_exchange_weak_explicit(
	    s, &bits, next, memory_order_relaxed, memory_order_relaxed));
}

static inline double sum_get(const sum *s)
{
	const uint64_t bits = atomic_load_explicit(s, memory_order_relaxed);
	double value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

/* Behind a site's key. */
struct site_totals {
	atomic_uint_least64_t samples;
	sum bytes, bytes_variance, objects, objects_variance;
	sum died_bytes, died_objects, lifetimes; /* the last one weighted by objects */
	double live_bytes, live_objects;         /* of the thread that makes a profile */
};

/* What a sample stands for (Horvitz-Thompson): 1/p blocks of its size. */
struct estimate {
	double bytes, bytes_variance, objects, objects_variance;
};

static inline struct estimate estimate_of(uint64_t size, double p)
{
	const double objects = 1 / p, variance = (1 - p) / (p * p), bytes = (double)size;
	return (struct estimate){bytes * objects, bytes * bytes * variance, objects, variance};
}

/* A sampled block that was freed. */
struct dead_block {
	struct live_block was;
	double lifetime; /* estimate of the bytes allocated meanwhile */
};

extern struct sites {
	struct own_intern stacks, frames, groups, sites; /* `groups` also has names of threads */
	struct site_totals all;
	atomic_uint_least64_t interval, ids;
	atomic_uint_least64_t died, untracked, lost, elsewhere;
	int64_t since_wall_ns;
	bool all_sampled;      /* from the first on: the interval was always 1 */
	bool was_off;          /* for some time */
	atomic_flag dead_lock; /* the rest */
	uint64_t dead_count;
	struct dead_block *recent, *frequent; /* a ring, and a sample of all */
} sites;

/* The calling thread's stack as a number of `stacks`; 0: none, or no room. Busy (sites_stack.c). */
uint32_t sites_stack(void);
void sites_stack_forget(void);

/* 1 to SITES_DEAD blocks of each kind, into an array of that length; how many died. */
uint64_t sites_copy_dead(struct dead_block *to, bool frequent, uint32_t *count);

#endif
