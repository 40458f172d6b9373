#include "sweep_generations.h"

#include "area.h"

/* Each space's last block may be a part of one. */
enum { SPARE = 16 };

struct sweep_size sweep_generations_size(uint32_t max_tiles)
{
	return (struct sweep_size){.ranges = SWEEP_GENERATIONS, .cells = max_tiles + SPARE};
}

static struct sweep_range range_of(const struct vm_space *s, uint64_t block)
{
	return (struct sweep_range){
	    .low = s->bottom, .top = s->top, .from = s->bottom, .block = block};
}

/* A range that would need cells beyond the room that there is has none: the JVM tells nonsense. */
static uint32_t place(struct sweep_range *r, uint32_t cell, uint32_t tiles, uint32_t room)
{
	r->cell = cell;
	if (tiles <= room - cell)
		return cell + tiles;
	r->cell = 0;
	r->low = r->top = r->from = 0;
	return cell;
}

uint32_t sweep_generations(const struct vm_generations *raw, uint64_t block, uint32_t max_tiles,
    const struct sweep_moment *moment, struct sweep_range *ranges)
{
	const struct vm_space *spaces[SWEEP_GENERATIONS] = {
	    [SWEEP_OLD] = &raw->old,
	    [SWEEP_EDEN] = &raw->eden,
	    [SWEEP_FROM] = &raw->from,
	    [SWEEP_TO] = &raw->to,
	};
	bool unfilled = moment->finish && moment->allocated;
	uint64_t old_end =
	    raw->old_reserved.high > raw->old.end ? raw->old_reserved.high : raw->old.end;
	uint32_t cell = 0, room = sweep_generations_size(max_tiles).cells;
	for (int i = 0; i < SWEEP_GENERATIONS; i++) {
		struct sweep_range *r = &ranges[i];
		*r = range_of(spaces[i], block);
		r->moves = i != SWEEP_OLD;
		r->cards = i == SWEEP_OLD;
		cell = place(
		    r, cell, area_tiles(r->low, i == SWEEP_OLD ? old_end : r->top, block), room);
	}
	if (unfilled || !moment->buffers)
		ranges[SWEEP_EDEN].way = SWEEP_NEVER;
	/* With nothing in eden, what was allocated is at the end of the old generation. */
	if (unfilled && raw->eden.top == raw->eden.bottom)
		ranges[SWEEP_OLD].way = SWEEP_LATER;
	return SWEEP_GENERATIONS;
}
