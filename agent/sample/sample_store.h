/*
 * The samples whose objects live, the recent and the frequent garbage, and the totals of all call
 * sites.
 *
 * Live. A sample is tracked by a weak reference. When more are tracked than the budget allows, a
 * random half of them is released: each sample has a random priority, only those below a threshold
 * are tracked, and the threshold is halved. The rest is an unbiased subsample; each record knows
 * the probability with which it was kept. Where their objects have a limit, too, those above a size
 * have a lower threshold, in proportion, and that size is halved.
 *
 * Garbage. Recent: the last samples found dead, in a ring. Frequent: a reservoir in which a dead
 * sample takes each place with probability 1 / (dead samples seen), the falling probability of JEP
 * 331's draft: at any time a uniform sample of all the dead.
 *
 * Not thread-safe. Only the sampler's thread changes a sample store, under the sampler's lock;
 * others read it under that lock, the sampler's thread also without.
 */
#ifndef GCSPY_AGENT_SAMPLE_STORE_H
#define GCSPY_AGENT_SAMPLE_STORE_H

#include <stdatomic.h>

#include "site_totals.h"

struct sample_store;

struct sample_store_limits {
	size_t live_bytes;     /* memory for tracked samples */
	uint32_t live_most;    /* maximum number of them; 0: no limit */
	uint64_t object_bytes; /* maximum of their objects' sizes in all; 0: no limit */
	uint32_t sites;
	uint32_t recent;
	uint32_t frequent;
	uint64_t seed; /* of random choices */
};

/* A tracked sample. */
struct tracked {
	void *weak; /* sample.h */
	uint64_t id;
	uint64_t size;
	uint64_t context;
	int64_t wall_ns;
	double birth_bytes; /* bytes that the program had allocated before (estimate) */
	double p;           /* probability with which it was sampled */
	uint64_t keep;      /* of 2^32: probability with which it is still tracked */
	uint32_t site;
	uint32_t thread;
	uint32_t born; /* judge_birth */
	uint32_t pause;
	uint32_t priority;
	uint32_t judged; /* number of the first collection that judged it; 0: it is new */
	bool old;        /* allocated outside the young generation */
	bool eager;      /* old, but young collections free it, too (humongous.h) */
	bool paged; /* generational ZGC: on a page that a marking of the old generation covers */
};

/* The estimate of a tracked sample. */
static inline struct estimate tracked_estimate(const struct tracked *l)
{
	return estimate_of(l->size, l->p * ((double)l->keep / 4294967296.0));
}

/* A sample whose object was found dead. */
struct dead {
	struct tracked was; /* `weak` is invalid */
	uint32_t age;       /* collections survived */
	uint64_t lifetime_bytes;
};

struct sample_store_counts {
	uint64_t samples;
	struct estimate allocated;
	uint64_t died;
	uint64_t dropped;
	uint64_t elsewhere;
	uint64_t garbage_seen;
};

/* Weak references that the sampler's thread deletes when it holds no lock. */
struct discards {
	void **items;
	uint32_t count;
	uint32_t capacity;
};

/* `stack_table` is borrowed until sample_store_move. NULL without memory. */
struct sample_store *sample_store_create(
    const struct sample_store_limits *limits, struct stack_table *stack_table);
void sample_store_destroy(struct sample_store *t);

/* A sample is tracked if its priority is below a threshold, 0..2^32: `priority`, and less for objects
 * of more than `size` bytes. */
struct sample_threshold {
	atomic_uint_least64_t priority, size;
};

static inline uint64_t sample_threshold_of(const struct sample_threshold *t, uint64_t size)
{
	const uint64_t all = atomic_load_explicit(&t->priority, memory_order_relaxed);
	const uint64_t most = atomic_load_explicit(&t->size, memory_order_relaxed);
	if (__builtin_expect(size <= most, 1))
		return all;
	const uint64_t part = (uint64_t)((double)most / (double)size * 4294967296.0);
	return part < all ? part : all;
}

/* Copies the store's. */
void sample_store_thresholds(const struct sample_store *t, struct sample_threshold *to);

/* Adds a sample; takes ownership of its weak reference. */
void sample_store_add(struct sample_store *t, const struct sample *sample);

/* Adds the estimates of lost samples to the overall totals, but to no call site. */
void sample_store_add_lost(struct sample_store *t, const struct estimate *lost, uint64_t samples);

/* The tracked samples; sample_store_add and sample_store_mark_dead change their order. */
const struct tracked *sample_store_live(const struct sample_store *t, uint32_t *count);

/* The i-th tracked sample, to be changed. */
struct tracked *sample_store_tracked(struct sample_store *t, uint32_t i);

/* The object of the i-th tracked sample was found dead, after it had survived `age` collections. The
 * last one takes its place. */
void sample_store_mark_dead(struct sample_store *t, uint32_t i, uint32_t age);

/* Releases all tracked samples (their references become discards), when sampling is turned off. */
void sample_store_release_live(struct sample_store *t);

struct discards *sample_store_discards(struct sample_store *t);

const struct sample_store_counts *sample_store_counts(const struct sample_store *t);
const struct sites *sample_store_sites(const struct sample_store *t);
struct site *sample_store_site(struct sample_store *t, uint32_t site);
struct stack_table *sample_store_stacks(const struct sample_store *t);

/* The i-th newest of the ring, or the i-th of the reservoir; NULL after the last one. */
const struct dead *sample_store_recent(const struct sample_store *t, uint32_t i);
const struct dead *sample_store_frequent(const struct sample_store *t, uint32_t i);

/* True when the site table or the stack table is nearly full: time for sample_store_move. */
bool sample_store_crowded(const struct sample_store *t);

/*
 * Moves to an empty stack table: the biggest sites, those of tracked and dead samples as far as
 * there is room, and other big ones. The rest is merged into one site per class, whose stack is
 * "[other call sites]"; no bytes are lost. False without memory: nothing has changed.
 */
bool sample_store_move(struct sample_store *t, struct stack_table *to);

#endif
