/*
 * Where objects go (section 4.2 of the paper, and docs/train.md): what is promoted or directly allocated to the end of
 * the youngest train, which is never the oldest; what is evacuated to the end of a train that the step
 * chooses.
 */
#include "heap_state.h"

uint32_t placement_reserve(const struct train_heap *heap)
{
	return heap->options.max_cset + 2;
}

static struct train *new_train(struct train_heap *heap)
{
	struct train *train = train_add(&heap->old);
	if (train == NULL)
		heap_exhausted(heap, "no memory for a train");
	return train;
}

/* The youngest train, or a new one if that is full or the oldest too; NULL if there is no region for its
 * first car. */
static struct train *allocation_train(struct train_heap *heap)
{
	struct train *train = heap->old.youngest;
	size_t full = (size_t)heap->options.fill_cars * REGION_BYTES;
	if (train == NULL || train == heap->old.oldest || train->filled >= full)
		train = heap->old.free_regions > placement_reserve(heap) ? new_train(heap) : NULL;
	return train;
}

struct train *place_external(struct train_heap *heap)
{
	struct train *train = heap->old.youngest;
	return train != heap->old.oldest ? train : new_train(heap);
}

/* A new object in the train's open car, or in a new car if that leaves `keep` regions free. */
static struct object *place(struct train_heap *heap, struct train *train, size_t words,
    enum old_allocation kind, bool popular, uint32_t keep)
{
	struct old_generation *old = &heap->old;
	struct car *car = train->open;
	size_t bytes = words * WORD_BYTES;
	bool plain = !popular && bytes <= REGION_BYTES;
	if (!plain || car == NULL || car->from || bytes > (size_t)(car->end - car->top))
		car = car_create(old, train,
		    popular ? CAR_POPULAR
		    : plain ? CAR_STANDARD
			    : CAR_OVERSIZED,
		    bytes, keep);
	return car != NULL ? car_allocate(old, car, words, kind) : NULL;
}

struct object *place_allocated(struct train_heap *heap, size_t words, enum old_allocation kind)
{
	struct train *train = allocation_train(heap);
	if (train == NULL)
		return NULL;
	struct object *object = place(heap, train, words, kind, false, placement_reserve(heap));
	if (object != NULL)
		train->filled += words * WORD_BYTES;
	else
		train_remove_empty(&heap->old, train);
	return object;
}

struct object *place_evacuated(struct train_heap *heap, struct train *train, size_t words,
    enum old_allocation kind, bool popular, uint32_t collected)
{
	/* Regions for all that may still be evacuated stay free, because each train may ask for one. */
	struct object *object = place(heap, train, words, kind, popular, collected + 1);
	if (object == NULL && popular)
		object = place(heap, train, words, kind, false, collected + 1);
	if (object == NULL)
		object = place(heap, place_external(heap), words, kind, false, 0);
	if (object == NULL)
		heap_exhausted(heap, "old generation full: no region to evacuate to");
	return object;
}
