/*
 * Where a walk can begin in a space that is walked in parts: at its bottom, where the walk of the
 * part before has ended, or where the JVM's own table says that an object begins. The table is used
 * only after it has agreed with walks, is compared at the end of each further one, and is never
 * used again once it was wrong.
 */
#include "heap_walk_internal.h"
#include "vm_starts.h"

static bool has_table(const struct heap_walk *s)
{
	return vm_has(s->vm, VM_OBJECT_STARTS) && !s->misled;
}

/* The walk of the part before has reached this one. */
static bool is_reached(const struct track *before, const struct track *t)
{
	return before->known && before->bad == UINT64_MAX && before->epoch == t->epoch &&
	       before->walked >= t->range.low;
}

bool heap_walk_knows_start(struct heap_walk *s, uint32_t i)
{
	struct track *t = &s->tracks[i];
	if (t->known || !t->range.follows || i == 0) {
		t->known = true;
		return true;
	}
	const struct track *before = &s->tracks[i - 1];
	const uint64_t low = t->range.low;
	const bool ask = has_table(s) && s->agreed != 0 && !is_reached(before, t);
	const uint64_t start = ask ? vm_start_before(s->vm, low) : 0;
	if (is_reached(before, t)) {
		t->walked = before->walked > low ? before->last : low;
	} else if (start != 0) {
		t->walked = start;
		t->by_table = true;
	} else if (before->known && before->bad != UINT64_MAX) {
		/* Where the next object begins is unknown. */
		heap_walk_give_up(s, i, low);
	} else {
		return false;
	}
	t->known = true;
	return true;
}

/* The table was wrong: discards what was walked from its entries. */
static void distrust(struct heap_walk *s)
{
	s->misled = true;
	s->epoch++;
	for (uint32_t i = 0; i < s->range_count; i++) {
		struct track *t = &s->tracks[i];
		if (!t->by_table)
			continue;
		walk_totals_drop(s->totals, i);
		t->walked = t->limit = t->range.from;
		t->bad = UINT64_MAX;
		t->known = t->by_table = false;
		t->fresh = true;
	}
}

void heap_walk_check_start(struct heap_walk *s, uint32_t i)
{
	const struct track *t = &s->tracks[i];
	const struct heap_walk_range *next = &s->ranges[i + 1];
	if (!has_table(s) || i + 1 == s->range_count || !next->follows || next->low == next->top ||
	    t->bad != UINT64_MAX || t->walked < next->low)
		return;
	const uint64_t start = vm_start_before(s->vm, next->low);
	if (start == t->last || (start == next->low && t->walked == start))
		s->agreed++;
	else if (start != 0)
		distrust(s);
}
