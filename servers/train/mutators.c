#include <string.h>

#include "mutator.h"

static const struct mutator *const all[] = {&mutator_gcold, &mutator_pretzel, &mutator_paraffins,
    &mutator_db, &mutator_reptile, &mutator_random};

const struct mutator *mutator_at(size_t index)
{
	return index < sizeof all / sizeof all[0] ? all[index] : NULL;
}

const struct mutator *mutator_find(const char *name)
{
	for (size_t i = 0; mutator_at(i) != NULL; i++)
		if (strcmp(mutator_at(i)->name, name) == 0)
			return mutator_at(i);
	return NULL;
}

bool mutator_stopped(const struct mutator_run *run)
{
	return run->stopped != NULL && run->stopped(run->context);
}

/* Steele, Lea and Flood's SplitMix64. */
uint64_t mutator_random_word(struct mutator_run *run)
{
	uint64_t z = run->seed += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

uint64_t mutator_below(struct mutator_run *run, uint64_t bound)
{
	return mutator_random_word(run) % bound;
}

void mutator_garbage(struct mutator_run *run, size_t bytes)
{
	enum { GARBAGE_PAYLOAD = 800, GARBAGE_BYTES = 816 };
	size_t roots = train_root_count(run->heap);
	for (size_t done = 0; done < bytes; done += GARBAGE_BYTES) {
		train_new(run->heap, 0, GARBAGE_PAYLOAD);
		train_pop(run->heap, roots);
	}
}

size_t mutator_return(struct train_heap *heap, size_t root, size_t result)
{
	train_set_root(heap, root, train_root(heap, result));
	train_pop(heap, root + 1);
	return root;
}
