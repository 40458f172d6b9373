/*
 * Pretzel: boxes of pretzels. A pretzel is a node with two thin arms, chains whose nodes all refer back to it; the
 * arms of a box's pretzels are of lengths in a geometric progression. Two boxes live at a time (section
 * 6.1 of the paper).
 */
#include "mutator.h"

enum { PRETZELS = 11, SHORTEST = 16, LEFT = 0, RIGHT = 1, TOP = 2 };

/* A new node becomes the first one of the arm, so that the chain goes from newer to older nodes. */
static void extend(struct train_heap *heap, size_t top, uint32_t arm)
{
	size_t node = train_new(heap, 3, 8);
	struct object *first = object_field(train_root(heap, top), arm);
	train_write(heap, train_root(heap, node), arm, first);
	train_write(heap, train_root(heap, node), TOP, train_root(heap, top));
	train_write(heap, train_root(heap, top), arm, train_root(heap, node));
	train_pop(heap, node);
}

/* Builds the pretzels of a box in turns, a node of each at a time. */
static size_t build_box(struct mutator_run *run)
{
	struct train_heap *heap = run->heap;
	size_t box = train_new(heap, PRETZELS, 0), tops[PRETZELS];
	for (uint32_t i = 0; i < PRETZELS; i++) {
		tops[i] = train_new(heap, 3, 8);
		train_write(heap, train_root(heap, box), i, train_root(heap, tops[i]));
	}
	for (uint32_t length = 0; length < SHORTEST << (PRETZELS - 1); length++) {
		for (uint32_t i = 0; i < PRETZELS; i++)
			if (length < (uint32_t)SHORTEST << i) {
				extend(heap, tops[i], LEFT);
				extend(heap, tops[i], RIGHT);
			}
		if (length % 256 == 0 && mutator_stopped(run))
			break;
	}
	train_pop(heap, box + 1);
	return box;
}

/* The number of nodes on the arm, or 0 if one of them does not refer to the top. */
static uint64_t arm_length(struct object *top, uint32_t arm)
{
	uint64_t length = 0;
	for (struct object *node = object_field(top, arm); node != NULL;
	     node = object_field(node, arm), length++)
		if (object_field(node, TOP) != top)
			return 0;
	return length;
}

static const char *run_pretzel(struct mutator_run *run)
{
	struct train_heap *heap = run->heap;
	size_t older = train_push(heap, NULL), newer = train_push(heap, NULL);
	for (uint64_t i = 0; i < run->size && !mutator_stopped(run); i++) {
		size_t box = build_box(run);
		train_set_root(heap, older, train_root(heap, newer));
		train_set_root(heap, newer, train_root(heap, box));
		train_pop(heap, box);
	}
	for (uint64_t step = 0; step < run->steps && !mutator_stopped(run); step++)
		mutator_garbage(run, 500000);
	for (uint32_t i = 0; i < PRETZELS && !mutator_stopped(run); i++) {
		struct object *top = object_field(train_root(heap, newer), i);
		for (uint32_t arm = LEFT; arm <= RIGHT; arm++)
			if (arm_length(top, arm) != (uint64_t)SHORTEST << i)
				return "a pretzel has lost nodes";
	}
	return NULL;
}

static void tune(struct train_options *options)
{
	options->young_bytes = 512 * 1024;
	options->rate = 4;
	options->fill_cars = 4;
	options->max_cset = 16;
}

const struct mutator mutator_pretzel = {.name = "pretzel",
    .summary = "boxes of pretzels, with long arms and pointers to their tops",
    .size_means = "boxes of 3.1 MB",
    .size = 60,
    .steps = 0,
    .tune = tune,
    .run = run_pretzel};
