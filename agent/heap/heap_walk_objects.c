#include "heap_walk_internal.h"
#include "now.h"

/* Objects between two reads of the clock. */
enum { STRIDE = 256 };

struct visit {
	struct heap_walk *heap_walk;
	struct track *track;
	struct area area;
	struct heap_walk_cell *cells;
};

/* Clears cells up to `count` at the beginning of a walk; cards stay. */
static void clear_cells(struct track *t, struct heap_walk_cell *cells, uint64_t count)
{
	for (; t->cleared < count; t->cleared++) {
		struct heap_walk_cell *cell = &cells[t->cleared];
		cell->bytes = cell->fillers = 0;
		cell->objects = cell->arrays = 0;
	}
}

/* Number of cells up to an address. */
static uint64_t cells_below(const struct area *area, uint64_t address)
{
	const uint64_t cells = area_tiles(area->low, address, area->block);
	return cells < area->tiles ? cells : area->tiles;
}

/* Without the parts in neighbouring ranges. */
static void add_bytes(struct visit *v, const struct vm_object *o)
{
	uint64_t at = o->at > v->area.low ? o->at : v->area.low, end = o->at + o->bytes;
	uint64_t cell = (at - v->area.low) / v->area.block;
	clear_cells(v->track, v->cells, cells_below(&v->area, end));
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
	v->track->last = o->at;
	add_bytes(v, o);
	if (o->kind == VM_OBJECT_FILLER || o->at < v->area.low)
		return;
	struct heap_walk_cell *cell = &v->cells[(o->at - v->area.low) / v->area.block];
	cell->objects++;
	cell->arrays += o->kind == VM_OBJECT_ARRAY;
	walk_totals_add(v->heap_walk->totals, o->class_id, o->bytes);
}

bool heap_walk_objects_part(
    struct heap_walk *s, uint32_t i, struct vm_address_range *part, uint64_t deadline)
{
	struct track *t = &s->tracks[i];
	struct visit v = {s, t, heap_walk_area(&t->range), s->cells + t->range.cell};
	enum vm_objects_end end;
	bool time = true;
	part->gaps = s->gaps;
	part->gap_count = s->gap_count;
	part->marked = t->range.marked;
	t->changed = true;
	do {
		end = vm_objects_walk(s->classes, part, STRIDE, visit, &v);
		time = now_ns() < deadline;
	} while (end == VM_OBJECTS_PAUSED && time);
	if (end == VM_OBJECTS_STRANGE) {
		t->bad = part->at > t->range.low ? part->at : t->range.low;
		t->walked = t->range.top;
	}
	clear_cells(t, v.cells, cells_below(&v.area, part->at));
	walk_totals_flush(s->totals, i, !t->fresh);
	return time;
}

/* Walks a range as far as time allows. False when time is up. */
static bool walk_range(struct heap_walk *s, uint32_t i, uint64_t deadline)
{
	struct track *t = &s->tracks[i];
	struct vm_address_range rest = {.at = t->walked, .end = t->limit, .reach = t->range.reach};
	const bool time = heap_walk_objects_part(s, i, &rest, deadline);
	if (t->bad == UINT64_MAX)
		t->walked = rest.at;
	if (t->walked >= t->limit)
		heap_walk_check_start(s, i);
	return time;
}

/* A walk that has reached its end: its counts replace the earlier ones. */
static void settle(struct heap_walk *s, uint32_t i)
{
	struct track *t = &s->tracks[i];
	bool waits = t->range.way == HEAP_WALK_LATER && t->limit == t->range.from;
	if (!t->fresh || t->walked < t->limit || waits)
		return;
	walk_totals_replace(s->totals, i);
	t->fresh = false;
}

/* Walks a range, after those before it if they are needed to find where it begins. False when time
 * is up, with the range being walked then. */
static bool walk_up_to(struct heap_walk *s, uint32_t range, uint64_t deadline, uint32_t *cut)
{
	bool time = true;
	uint32_t i = range;
	while (!heap_walk_knows_start(s, i))
		i--;
	for (; time && i <= range && heap_walk_knows_start(s, i); i++) {
		if (s->tracks[i].walked < s->tracks[i].limit)
			time = walk_range(s, i, deadline);
		settle(s, i);
		*cut = i;
	}
	return time;
}

/* The range to be walked first next time, when time was up in the range `cut` on the way to
 * `range`. */
static uint32_t next_turn(const struct heap_walk *s, uint32_t range, uint32_t cut)
{
	const struct track *t = &s->tracks[cut];
	if (cut == range)
		return t->range.moves || t->walked >= t->limit ? cut + 1 : cut;
	/* That way begins at the bottom again: others come first. */
	do
		cut++;
	while (cut < s->range_count && s->ranges[cut].follows);
	return cut;
}

/* Round robin, so that each range is reached eventually: the next walk begins with the range that
 * the budget has cut short, unless that one has to start again anyway. */
void heap_walk_objects(struct heap_walk *s, uint64_t deadline)
{
	uint32_t first = s->turn < s->range_count ? s->turn : 0, cut = 0;
	bool time = heap_walk_pending(s, deadline);
	for (uint32_t n = 0; n < s->range_count; n++) {
		uint32_t i = (first + n) % s->range_count;
		if (time && s->tracks[i].walked < s->tracks[i].limit) {
			time = walk_up_to(s, i, deadline, &cut);
			if (!time) {
				s->turn = next_turn(s, i, cut);
				s->whole = n == 0;
			}
		}
		settle(s, i);
	}
	heap_walk_add_pending(s);
}
