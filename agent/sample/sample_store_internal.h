/* The insides of a sample store, shared by sample_store.c and sample_store_rotate.c. */
#ifndef GCSPY_AGENT_SAMPLE_STORE_INTERNAL_H
#define GCSPY_AGENT_SAMPLE_STORE_INTERNAL_H

#include <stdatomic.h>

#include "sample_store.h"

/* The threshold that tracks every sample. */
#define ALL_PRIORITIES ((uint64_t)1 << 32)

struct sample_store {
	struct sample_store_limits limits;
	struct stack_table *stack_table;
	struct sites sites;
	uint32_t other_class; /* texts and stack of sites without room */
	uint32_t other_group;
	uint32_t other_stack;

	struct tracked *live;
	uint32_t live_count, live_capacity, live_limit;
	struct sample_threshold threshold;
	uint64_t object_bytes; /* sizes of the tracked objects */

	struct dead *recent, *frequent;
	uint32_t recent_at, recent_count, frequent_count;
	uint64_t random;

	struct discards discards;
	struct sample_store_counts counts;
};

/* Adds the names of sites without room, and the first site, the last resort. */
void sample_store_name_others(struct sample_store *t);

#endif
