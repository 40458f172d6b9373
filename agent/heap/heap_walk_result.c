/* The result of a heap walk. The cells that have changed are copied in the pause, as far as time
 * allows; the thread that reads the result completes them. */
#include "heap_walk_internal.h"

#include <string.h>

#include "now.h"

/* Cells copied between two reads of the clock. */
enum { STRIDE = 2048 };

/* Bytes of the range that have not been walked yet. */
static uint64_t bytes_waiting(const struct track *t)
{
	const uint64_t from = t->walked > t->range.low ? t->walked : t->range.low;
	return from < t->range.top ? t->range.top - from : 0;
}

static uint64_t unparsable(const struct track *t)
{
	const struct heap_walk_range *r = &t->range;
	return t->bad == UINT64_MAX ? r->from - r->low
	       : t->bad <= r->from  ? r->top - r->low
				    : r->from - r->low + r->top - t->bad;
}

/* None of its cells' values is shown. */
static bool is_blank(const struct track *t)
{
	return t->bad <= t->range.low && !t->range.cards;
}

/* Copies a range's cells; false if time was up before all were copied. */
static bool copy_cells(
    const struct heap_walk *s, const struct track *t, struct heap_walk_result *p, uint64_t deadline)
{
	const uint32_t cells = heap_walk_area(&t->range).tiles;
	bool time = true;
	uint32_t k = 0;
	for (; k < cells && time; k += STRIDE) {
		const uint32_t count = cells - k < STRIDE ? cells - k : STRIDE,
			       at = t->range.cell + k;
		memcpy(&p->cells[at], &s->cells[at], count * sizeof *p->cells);
		time = now_ns() < deadline;
	}
	return k >= cells;
}

/* Those that there is no time for come first at the next event. */
static void copy_ranges(struct heap_walk *s, struct result_buffer *p, uint64_t deadline)
{
	const uint32_t first = s->copy_turn < s->range_count ? s->copy_turn : 0;
	bool time = true;
	for (uint32_t n = 0; n < s->range_count; n++) {
		const uint32_t i = (first + n) % s->range_count;
		struct track *t = &s->tracks[i];
		struct missing *missing = &p->missing[i];
		if (t->changed || t->version == 0)
			t->version = ++s->versions;
		t->changed = false;
		*missing = (struct missing){t->walked, t->bad, t->cards_to, false};
		if (is_blank(t) || p->versions[i] == t->version)
			continue;
		missing->late = !time || !copy_cells(s, t, &p->shown, deadline);
		p->versions[i] = missing->late ? 0 : t->version;
		if (time && missing->late)
			s->copy_turn = n == 0 ? i + 1 : i;
		time = time && !missing->late && now_ns() < deadline;
	}
}

static void list_classes(struct heap_walk *s, struct heap_walk_result *p)
{
	const struct walk_total *totals = walk_totals_totals(s->totals);
	uint32_t count = vm_classes_count(s->classes);
	p->class_count = 0;
	for (uint32_t id = 0; id < count; id++) {
		if (totals[id].objects == 0 && s->before[id] == 0)
			continue;
		p->classes[p->class_count++] = (struct heap_walk_class){
		    .id = id,
		    .objects = totals[id].objects,
		    .bytes = totals[id].bytes,
		    .growth = (int64_t)(totals[id].bytes - s->before[id]),
		};
		s->before[id] = totals[id].bytes;
	}
	p->first = s->first;
	p->generation = s->generation;
	p->lost = walk_totals_lost(s->totals);
	s->first = false;
}

static void sum_up(
    const struct heap_walk *s, const struct result_buffer *from, struct heap_walk_result *p)
{
	p->used = p->behind = p->unsettled = p->unparsable = 0;
	for (uint32_t i = 0; i < s->range_count; i++) {
		const struct track *t = &s->tracks[i];
		const uint64_t used = t->range.top - t->range.low, behind = bytes_waiting(t);
		p->used += used;
		p->behind += from->missing[i].late ? used : behind;
		p->unsettled += t->fresh ? used - behind : 0;
		p->unparsable += unparsable(t);
	}
	for (size_t i = 0; i < s->pending_old; i++)
		p->behind += s->pending[i].end - s->pending[i].at;
}

void heap_walk_take_result(struct heap_walk *s, struct result_buffer *p, uint64_t deadline)
{
	p->shown.range_count = s->range_count;
	list_classes(s, &p->shown);
	memcpy(p->shown.ranges, s->ranges, s->range_count * sizeof *s->ranges);
	memcpy(p->pending, s->pending, s->pending_old * sizeof *s->pending);
	p->pending_count = s->pending_old;
	copy_ranges(s, p, deadline);
	sum_up(s, p, &p->shown);
}

/* Completing. */

static void mark(const struct area *area, struct heap_walk_cell *cells, uint64_t low, uint64_t high)
{
	uint64_t first = low <= area->low ? 0 : (low - area->low) / area->block;
	for (uint64_t i = first; i < area->tiles; i++) {
		uint64_t start = area->low + i * area->block, end = start + area->block;
		uint64_t from = start > low ? start : low, to = end < high ? end : high;
		if (from < to)
			cells[i].unparsable += to - from;
	}
}

/* Sets which cells of a range are unparsable or not walked yet. */
static void complete_range(
    const struct heap_walk_range *r, const struct missing *missing, struct heap_walk_cell *cells)
{
	const struct area area = heap_walk_area(r);
	for (uint32_t k = 0; k < area.tiles; k++) {
		const uint64_t low = area.low + k * area.block, end = low + area.block;
		struct heap_walk_cell *cell = &cells[k];
		if (low >= missing->bad) {
			cell->bytes = cell->fillers = 0;
			cell->objects = cell->arrays = 0;
		}
		cell->unparsable = 0;
		cell->behind = missing->late || missing->walked < (end < r->top ? end : r->top);
		cell->cards_behind = r->cards && (missing->late || k >= missing->cards_to);
	}
	if (r->from > r->low)
		mark(&area, cells, r->low, r->from);
	if (missing->bad != UINT64_MAX)
		mark(&area, cells, missing->bad, r->top);
	for (uint32_t k = area.tiles; k < r->own; k++)
		cells[k] = (struct heap_walk_cell){0};
}

/* A buffer's objects have not been walked yet. */
static void complete_gap(const struct heap_walk_result *p, const struct pending_gap *gap)
{
	const struct heap_walk_range *r = &p->ranges[gap->range];
	const uint64_t last = (gap->end - 1 - r->low) / r->block;
	for (uint64_t k = (gap->at - r->low) / r->block; k <= last; k++)
		p->cells[r->cell + k].behind = true;
}

void heap_walk_complete(struct heap_walk *s, const struct heap_walk_result *result)
{
	for (int i = 0; i < BUFFERS; i++) {
		struct result_buffer *p = &s->buffers[i];
		if (result != &p->shown)
			continue;
		for (uint32_t k = 0; k < result->range_count; k++)
			complete_range(&result->ranges[k], &p->missing[k],
			    result->cells + result->ranges[k].cell);
		for (size_t k = 0; k < p->pending_count; k++)
			complete_gap(result, &p->pending[k]);
	}
}
