/*
 * Threads' buffers in ranges that do not move, and are therefore walked once. The free part of a
 * buffer is left out of the walk; later there are objects. Such gaps are remembered and walked over
 * at the next event, where the buffer may have a free part again.
 */
#include "heap_walk_internal.h"

void heap_walk_forget_gaps(struct heap_walk *s)
{
	size_t kept = 0;
	for (size_t i = 0; i < s->gap_count; i++) {
		const struct track *t = &s->tracks[s->gaps[i].range];
		if (!t->anew && t->bad == UINT64_MAX)
			s->gaps[kept++] = s->gaps[i];
	}
	s->gap_count = kept;
}

bool heap_walk_fill_gaps(struct heap_walk *s, uint64_t deadline)
{
	size_t kept = 0;
	bool time = true;
	for (size_t i = 0; i < s->gap_count; i++) {
		struct gap *gap = &s->gaps[i];
		struct vm_address_range part = {.at = gap->at, .end = gap->end};
		const uint64_t last = s->tracks[gap->range].last;
		/* One that was strange has ended its range. */
		if (s->tracks[gap->range].bad != UINT64_MAX)
			continue;
		if (time)
			time = heap_walk_objects_part(s, gap->range, &part, deadline);
		s->tracks[gap->range].last = last;
		gap->at = part.at;
		if (gap->at < gap->end)
			s->gaps[kept++] = *gap;
	}
	s->gap_count = s->gaps_behind = kept;
	return time;
}

/* Nobody has come to that gap yet, which was wider. */
static bool is_known(const struct heap_walk *s, size_t count, const struct vm_gap *hole)
{
	for (size_t i = 0; i < count; i++)
		if (s->gaps[i].at < hole->high && s->gaps[i].end > hole->low)
			return true;
	return false;
}

/* The holes lie in order, and so do the ranges of the heaps that have such buffers. */
void heap_walk_find_gaps(struct heap_walk *s)
{
	uint32_t i = 0;
	for (size_t h = 0; h < s->hole_count; h++) {
		const struct vm_gap *hole = &s->holes[h];
		while (i < s->range_count && s->tracks[i].range.top <= hole->low)
			i++;
		if (i == s->range_count)
			break;
		const struct track *t = &s->tracks[i];
		if (t->range.moves || hole->low < t->range.low || hole->high > t->walked ||
		    t->bad != UINT64_MAX || is_known(s, s->gaps_behind, hole))
			continue;
		if (s->gap_count == TLABS) {
			s->epoch++; /* no room: the next walk begins again */
			return;
		}
		s->gaps[s->gap_count++] = (struct gap){i, hole->low, hole->high};
	}
}
