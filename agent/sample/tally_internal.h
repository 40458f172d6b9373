/* The inside of a tally, shared by tally.c and tally_move.c. */
#ifndef GCSPY_AGENT_TALLY_INTERNAL_H
#define GCSPY_AGENT_TALLY_INTERNAL_H

#include <stdatomic.h>

#include "tally.h"

/* A threshold of this watches every sample. */
#define ALL_PRIORITIES ((uint64_t)1 << 32)

struct tally {
	struct tally_limits limits;
	struct depot *depot;
	struct sites sites;
	uint32_t other_class; /* texts and stack for what finds no room */
	uint32_t other_group;
	uint32_t other_stack;

	struct tracked *live;
	uint32_t live_count, live_capacity, live_limit;
	atomic_uint_least64_t threshold;

	struct dead *recent, *frequent;
	uint32_t recent_at, recent_count, frequent_count;
	uint64_t random;

	struct discards discards;
	struct tally_counts counts;
};

/* Makes the names of what finds no room, and the first site: that of last resort. */
void tally_name_others(struct tally *t);

#endif
