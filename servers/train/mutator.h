/*
 * Programs that use the Train heap. They are deterministic: the same seed, size and options give the same
 * collections.
 */
#ifndef MUTATOR_H
#define MUTATOR_H

#include "train_heap.h"

struct mutator_run {
	struct train_heap *heap;
	uint64_t seed;  /* changes with each random number */
	uint64_t size;  /* how much lives: trees, boxes, carbon atoms, records */
	uint64_t steps; /* after that has been built */

	/* True if the mutator should end early; asked between its steps. May be NULL. */
	bool (*stopped)(void *context);
	void *context;
};

struct mutator {
	const char *name, *summary;
	const char *size_means; /* "trees of 82 KB" */
	uint64_t size, steps;   /* defaults */

	/* Sets the options of the heap that suit it. */
	void (*tune)(struct train_options *options);

	/* Leaves only what it has put on the stack of roots. Returns NULL, or what is wrong with its
	 * own result: one line. */
	const char *(*run)(struct mutator_run *run);
};

extern const struct mutator mutator_gcold, mutator_pretzel, mutator_paraffins, mutator_db,
    mutator_reptile, mutator_random;

/* Ends with NULL. */
const struct mutator *mutator_at(size_t index);
const struct mutator *mutator_find(const char *name); /* or NULL */

bool mutator_stopped(const struct mutator_run *run);

uint64_t mutator_random_word(struct mutator_run *run);
uint64_t mutator_below(struct mutator_run *run, uint64_t bound); /* bound > 0 */

/* Allocates about `bytes` in objects of 816 bytes that die at once. */
void mutator_garbage(struct mutator_run *run, size_t bytes);

/* Pops the roots from `root` on but keeps `result` there, whose index is returned. */
size_t mutator_return(struct train_heap *heap, size_t root, size_t result);

#endif
