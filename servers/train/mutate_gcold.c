/*
 * GCOld: an array of binary trees of equal height is built; then trees and subtrees are replaced, and subtrees of
 * different trees swapped (section 6.1 of the paper).
 */
#include "mutator.h"

enum { HEIGHT = 11, GARBAGE_PER_STEP = 800000, RATIO = 20, SWAPS = 2 };
enum { NODE_BYTES = 40, TREE_BYTES = ((1 << HEIGHT) - 1) * NODE_BYTES };

static size_t tree(struct train_heap *heap, uint32_t height)
{
	size_t first = train_root_count(heap);
	if (height > 1) {
		tree(heap, height - 1);
		tree(heap, height - 1);
	}
	size_t node = train_new(heap, 2, 8);
	if (height > 1) {
		train_write(heap, train_root(heap, node), 0, train_root(heap, first));
		train_write(heap, train_root(heap, node), 1, train_root(heap, first + 1));
	}
	return mutator_return(heap, first, node);
}

/* The node above a random subtree of `height` in the tree. */
static struct object *parent_of(struct mutator_run *run, struct object *node, uint32_t height)
{
	for (uint32_t at = HEIGHT; at > height + 1; at--)
		node = object_field(node, (uint32_t)mutator_below(run, 2));
	return node;
}

static struct object *random_tree(struct mutator_run *run, size_t array)
{
	struct object *trees = train_root(run->heap, array);
	return object_field(trees, (uint32_t)mutator_below(run, run->size));
}

static void replace_subtree(struct mutator_run *run, size_t array)
{
	uint32_t height = 3 + (uint32_t)mutator_below(run, 6);
	size_t fresh = tree(run->heap, height);
	struct object *parent = parent_of(run, random_tree(run, array), height);
	train_write(
	    run->heap, parent, (uint32_t)mutator_below(run, 2), train_root(run->heap, fresh));
	train_pop(run->heap, fresh);
}

static void swap_subtrees(struct mutator_run *run, size_t array)
{
	uint32_t height = 1 + (uint32_t)mutator_below(run, HEIGHT - 1);
	struct object *a = parent_of(run, random_tree(run, array), height);
	struct object *b = parent_of(run, random_tree(run, array), height);
	uint32_t i = (uint32_t)mutator_below(run, 2), k = (uint32_t)mutator_below(run, 2);
	struct object *moved = object_field(a, i);
	if (a == b)
		return;
	train_write(run->heap, a, i, object_field(b, k));
	train_write(run->heap, b, k, moved);
}

static const char *run_gcold(struct mutator_run *run)
{
	struct train_heap *heap = run->heap;
	size_t array = train_new(heap, (uint32_t)run->size, 0), next = 0, owed = 0;
	for (uint32_t i = 0; i < run->size && !mutator_stopped(run); i++) {
		size_t built = tree(heap, HEIGHT);
		train_write(heap, train_root(heap, array), i, train_root(heap, built));
		train_pop(heap, built);
		mutator_garbage(run, 300000 + mutator_below(run, 1700000));
	}
	for (uint64_t step = 0; step < run->steps && !mutator_stopped(run); step++) {
		mutator_garbage(run, GARBAGE_PER_STEP);
		for (owed += GARBAGE_PER_STEP / RATIO; owed >= TREE_BYTES; owed -= TREE_BYTES) {
			size_t built = tree(heap, HEIGHT);
			train_write(
			    heap, train_root(heap, array), (uint32_t)next, train_root(heap, built));
			train_pop(heap, built);
			next = (next + 1) % run->size;
		}
		replace_subtree(run, array);
		for (int i = 0; i < SWAPS; i++)
			swap_subtrees(run, array);
	}
	return NULL;
}

static void tune(struct train_options *options)
{
	options->rate = 2;
	options->fill_cars = 8;
	options->max_cset = 8;
}

const struct mutator mutator_gcold = {.name = "gcold",
    .summary = "binary trees, replaced and swapped",
    .size_means = "trees of 82 KB",
    .size = 800,
    .steps = 1000,
    .tune = tune,
    .run = run_gcold};
