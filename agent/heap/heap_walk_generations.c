/* The ranges of the heaps of Serial and Parallel. */
#include "heap_walk_ranges.h"

#include "area.h"

/* The last block of each space may be a part of one. */
enum { SPARE = 16 };

/* Walking a part takes a fraction of the least budget, or full collections, after which each part is
 * walked from its beginning, would never let it be counted; and a pause can iterate over all parts. */
enum { PART_BYTES = 1 << 16, MOST_PARTS = 4096 };

struct heap_walk_plan heap_walk_generations_plan(
    uint64_t heap_bytes, uint64_t block, uint32_t max_tiles)
{
	struct heap_walk_plan p = {.block = block, .part = block, .cells = max_tiles + SPARE};
	while (p.part < PART_BYTES || heap_bytes / p.part >= MOST_PARTS)
		p.part *= 2;
	p.parts = (uint32_t)(heap_bytes / p.part) + 1;
	return p;
}

struct heap_walk_size heap_walk_generations_size(const struct heap_walk_plan *plan)
{
	return (struct heap_walk_size){.ranges = HEAP_WALK_OLD + plan->parts, .cells = plan->cells};
}

/* A range that needs more cells than there are is impossible, and becomes empty. */
static uint32_t place(struct heap_walk_range *r, uint32_t cell, uint32_t tiles, uint32_t room)
{
	r->cell = cell;
	if (tiles <= room - cell)
		return cell + tiles;
	r->cell = 0;
	r->low = r->top = r->from = 0;
	return cell;
}

static uint64_t lower(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Cuts the old generation; returns the first cell after it. */
static uint32_t place_old(const struct vm_generations *raw, const struct heap_walk_plan *plan,
    enum heap_walk_way way, struct heap_walk_range *parts)
{
	const struct vm_space *old = &raw->old;
	const uint64_t end = raw->old_reserved.high > old->end ? raw->old_reserved.high : old->end;
	const uint32_t cells = area_tiles(old->bottom, end, plan->block);
	const bool room = cells <= plan->cells && end - old->bottom <= plan->parts * plan->part;
	for (uint32_t i = 0; i < plan->parts; i++) {
		const uint64_t low = lower(old->bottom + i * plan->part, old->top);
		parts[i] = (struct heap_walk_range){.low = low,
		    .from = low,
		    .top = room ? lower(low + plan->part, old->top) : low,
		    .block = plan->block,
		    .cell = room ? (uint32_t)((low - old->bottom) / plan->block) : 0,
		    .way = way,
		    .cards = true,
		    .follows = i != 0,
		    .reach = old->top};
	}
	return room ? cells : 0;
}

uint32_t heap_walk_generations(const struct vm_generations *raw, const struct heap_walk_plan *plan,
    const struct heap_walk_pause *pause, struct heap_walk_range *ranges)
{
	const struct vm_space *young[HEAP_WALK_OLD] = {[HEAP_WALK_EDEN] = &raw->eden,
	    [HEAP_WALK_FROM] = &raw->from,
	    [HEAP_WALK_TO] = &raw->to};
	const bool unfilled = pause->finish && pause->allocated;
	/* If eden is empty, the new object is at the end of the old generation. */
	const bool later = unfilled && raw->eden.top == raw->eden.bottom;
	uint32_t cell = place_old(
	    raw, plan, later ? HEAP_WALK_LATER : HEAP_WALK_OBJECTS, &ranges[HEAP_WALK_OLD]);
	for (int i = 0; i < HEAP_WALK_OLD; i++) {
		struct heap_walk_range *r = &ranges[i];
		*r = (struct heap_walk_range){.low = young[i]->bottom,
		    .from = young[i]->bottom,
		    .top = young[i]->top,
		    .block = plan->block,
		    .moves = true};
		cell = place(r, cell, area_tiles(r->low, r->top, plan->block), plan->cells);
	}
	if (unfilled || !pause->buffers)
		ranges[HEAP_WALK_EDEN].way = HEAP_WALK_NEVER;
	return HEAP_WALK_OLD + plan->parts;
}
