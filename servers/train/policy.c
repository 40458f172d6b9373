/*
 * How much to collect: in proportion to what enters the old generation, and more the fuller it is. What one step
 * does not collect, later ones do, up to the size of one step.
 */
#include "heap_state.h"

void policy_allocated(struct train_heap *heap, size_t bytes, bool oversized)
{
	double added = heap->options.rate * (double)bytes, factor = 1;
	if (oversized)
		added /= 4; /* it is never copied */
	if (heap->options.target_cars != 0) {
		factor = (double)heap->old.car_count / heap->options.target_cars;
		factor *= factor;
		factor = factor < 0.2 ? 0.2 : factor > 8 ? 8 : factor;
	}
	heap->debt += added * factor;
}

uint32_t policy_cars(const struct train_heap *heap)
{
	double cars = heap->debt / REGION_BYTES;
	return cars < heap->options.max_cset ? (uint32_t)cars : heap->options.max_cset;
}

void policy_collected(struct train_heap *heap, uint32_t cars)
{
	double most = (double)heap->options.max_cset * REGION_BYTES;
	heap->debt -= (double)cars * REGION_BYTES;
	if (heap->debt < 0)
		heap->debt = 0;
	if (heap->debt > most)
		heap->debt = most;
}
