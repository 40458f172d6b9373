#include "sweep_internal.h"

#include <string.h>

#include "vm_cards.h"

/* Objects between two looks at the clock. */
enum { STRIDE = 512 };

/* Walking. */

struct visit {
	struct sweep *sweep;
	struct area area;
	struct sweep_cell *cells;
};

static void add_bytes(struct visit *v, const struct vm_object *o)
{
	uint64_t at = o->at, end = o->at + o->bytes;
	uint64_t cell = (at - v->area.low) / v->area.block;
	for (; at < end && cell < v->area.tiles; cell++) {
		uint64_t cell_end = v->area.low + (cell + 1) * v->area.block;
		uint64_t part = (end < cell_end ? end : cell_end) - at;
		if (o->kind == VM_OBJECT_FILLER)
			v->cells[cell].fillers += part;
		else
			v->cells[cell].bytes += part;
		at += part;
	}
}

static void visit(void *context, const struct vm_object *o)
{
	struct visit *v = context;
	add_bytes(v, o);
	if (o->kind == VM_OBJECT_FILLER)
		return;
	struct sweep_cell *cell = &v->cells[(o->at - v->area.low) / v->area.block];
	cell->objects++;
	cell->arrays += o->kind == VM_OBJECT_ARRAY;
	sweep_tally_add(v->sweep->tally, o->class_id, o->bytes);
}

bool sweep_walk_part(struct sweep *s, uint32_t i, struct vm_stretch *part, uint64_t deadline)
{
	struct track *t = &s->tracks[i];
	struct visit v = {s, sweep_area(&t->range), s->cells + t->range.cell};
	enum vm_objects_end end;
	bool time = true;
	part->holes = s->holes;
	part->hole_count = s->hole_count;
	part->marked = t->range.marked;
	do {
		end = vm_objects_walk(s->classes, part, STRIDE, visit, &v);
		time = sweep_clock_ns() < deadline;
	} while (end == VM_OBJECTS_PAUSED && time);
	if (end == VM_OBJECTS_STRANGE) {
		t->bad = part->at;
		t->walked = t->range.top;
	}
	sweep_tally_flush(s->tally, i, !t->fresh);
	return time;
}

/* Walks a range as far as the time allows. False when the time is over. */
static bool walk_range(struct sweep *s, uint32_t i, uint64_t deadline)
{
	struct track *t = &s->tracks[i];
	struct vm_stretch rest = {.at = t->walked, .end = t->limit};
	const bool time = sweep_walk_part(s, i, &rest, deadline);
	if (t->bad == UINT64_MAX)
		t->walked = rest.at;
	return time;
}

/* A walk that has come to its end: what it found takes the place of what was known before. */
static void settle(struct sweep *s, uint32_t i)
{
	struct track *t = &s->tracks[i];
	bool waits = t->range.way == SWEEP_LATER && t->limit == t->range.from;
	if (!t->fresh || t->walked < t->limit || waits)
		return;
	sweep_tally_replace(s->tally, i);
	t->fresh = false;
}

/*
 * In turns, so that each range is reached some day: the next time begins with the one that the
 * budget has cut short, unless that has to begin again anyway.
 */
void sweep_walk(struct sweep *s, uint64_t deadline)
{
	uint32_t first = s->turn < s->range_count ? s->turn : 0;
	bool time = sweep_fill_gaps(s, deadline);
	for (uint32_t n = 0; n < s->range_count; n++) {
		uint32_t i = (first + n) % s->range_count;
		struct track *t = &s->tracks[i];
		if (time && t->walked < t->limit) {
			time = walk_range(s, i, deadline);
			if (!time)
				s->turn = t->range.moves && t->walked < t->limit ? i + 1 : i;
		}
		settle(s, i);
	}
	sweep_find_gaps(s);
}

/* Cards change at any time: all are counted at each event, for half of the budget at most. */
void sweep_count_cards(struct sweep *s, uint64_t deadline)
{
	bool time = vm_has(s->vm, VM_CARDS);
	uint32_t first = s->card_turn < s->range_count ? s->card_turn : 0;
	for (uint32_t n = 0; n < s->range_count; n++) {
		uint32_t i = (first + n) % s->range_count;
		const struct sweep_range *r = &s->ranges[i];
		struct area area = sweep_area(r);
		for (uint32_t k = 0; r->cards && k < area.tiles; k++) {
			struct sweep_cell *cell = &s->cells[r->cell + k];
			struct vm_cards cards;
			uint64_t low = area.low + k * area.block, high = low + area.block;
			cell->cards_behind = !time;
			if (!time)
				continue;
			vm_cards_count(s->vm, low, high < r->top ? high : r->top, &cards);
			cell->clean = cards.clean;
			cell->dirty = cards.dirty;
			cell->other = cards.other;
			time = k % 16 != 15 || sweep_clock_ns() < deadline;
		}
		if (!time && s->card_turn == first)
			s->card_turn = i + 1;
	}
}

/* The picture. */

static void mark(const struct area *area, struct sweep_cell *cells, uint64_t low, uint64_t high)
{
	uint64_t first = low <= area->low ? 0 : (low - area->low) / area->block;
	for (uint64_t i = first; i < area->tiles; i++) {
		uint64_t start = area->low + i * area->block, end = start + area->block;
		uint64_t from = start > low ? start : low, to = end < high ? end : high;
		if (from < to)
			cells[i].unparsable += to - from;
	}
}

/* What a range's cells lack: what cannot be walked, and where the walk has not come yet. */
static void finish_range(struct sweep *s, uint32_t i, struct sweep_picture *p)
{
	const struct track *t = &s->tracks[i];
	const struct sweep_range *r = &t->range;
	struct sweep_cell *cells = s->cells + r->cell;
	struct area area = sweep_area(r);
	for (uint32_t k = 0; k < area.tiles; k++) {
		uint64_t end = area.low + (k + 1) * area.block;
		cells[k].unparsable = 0;
		cells[k].behind = t->walked < (end < r->top ? end : r->top);
	}
	if (r->from > r->low)
		mark(&area, cells, r->low, r->from);
	if (t->bad != UINT64_MAX)
		mark(&area, cells, t->bad, r->top);
	p->used += r->top - r->low;
	p->behind += r->top - t->walked;
	p->unparsable += t->bad == UINT64_MAX ? r->from - r->low
			 : t->bad <= r->from  ? r->top - r->low
					      : r->from - r->low + r->top - t->bad;
}

/* Where a buffer's objects have not been walked over yet. */
static void mark_gaps(struct sweep *s, struct sweep_picture *p)
{
	for (size_t i = 0; i < s->gaps_behind; i++) {
		const struct gap *gap = &s->gaps[i];
		const struct sweep_range *r = &s->tracks[gap->range].range;
		uint64_t last = (gap->end - 1 - r->low) / r->block;
		for (uint64_t k = (gap->at - r->low) / r->block; k <= last; k++)
			s->cells[r->cell + k].behind = true;
		p->behind += gap->end - gap->at;
	}
}

static void list_classes(struct sweep *s, struct sweep_picture *p)
{
	const struct tally_total *totals = sweep_tally_totals(s->tally);
	uint32_t count = vm_classes_count(s->classes);
	p->class_count = 0;
	for (uint32_t id = 0; id < count; id++) {
		if (totals[id].objects == 0 && s->before[id] == 0)
			continue;
		p->classes[p->class_count++] = (struct sweep_class){
		    .id = id,
		    .objects = totals[id].objects,
		    .bytes = totals[id].bytes,
		    .growth = (int64_t)(totals[id].bytes - s->before[id]),
		};
		s->before[id] = totals[id].bytes;
	}
	p->first = s->first;
	p->generation = s->generation;
	p->lost = sweep_tally_lost(s->tally);
	s->first = false;
}

void sweep_take_picture(struct sweep *s, struct sweep_picture *p)
{
	p->used = p->behind = p->unparsable = 0;
	p->range_count = s->range_count;
	p->cell_count = s->driver.size.cells;
	for (uint32_t i = 0; i < s->range_count; i++)
		finish_range(s, i, p);
	mark_gaps(s, p);
	memcpy(p->ranges, s->ranges, s->range_count * sizeof *p->ranges);
	memcpy(p->cells, s->cells, p->cell_count * sizeof *p->cells);
	list_classes(s, p);
}
