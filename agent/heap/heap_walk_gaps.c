/*
 * Threads' buffers in ranges that do not move and are walked only once. The walk skips the free
 * part of a buffer, which later contains objects: such gaps are remembered and walked at the next
 * event, when the buffer may have a free part again.
 */
#include "heap_walk_internal.h"

size_t heap_walk_find_gaps(
    const struct vm_tlab *tlabs, size_t count, struct vm_gap *gaps, size_t room)
{
	size_t found = 0;
	for (size_t i = 0; i < count && found < room; i++)
		if (tlabs[i].start != 0 && tlabs[i].top < tlabs[i].hard_end)
			gaps[found++] = (struct vm_gap){tlabs[i].top, tlabs[i].hard_end};
	/* Shell sort: in place, without recursion. */
	for (size_t step = found / 2; step != 0; step /= 2) {
		for (size_t i = step; i < found; i++) {
			struct vm_gap gap = gaps[i];
			size_t at = i;
			for (; at >= step && gaps[at - step].low > gap.low; at -= step)
				gaps[at] = gaps[at - step];
			gaps[at] = gap;
		}
	}
	return found;
}

void heap_walk_drop_pending(struct heap_walk *s)
{
	size_t kept = 0;
	for (size_t i = 0; i < s->pending_count; i++) {
		const struct track *t = &s->tracks[s->pending[i].range];
		if (!t->anew && t->bad == UINT64_MAX)
			s->pending[kept++] = s->pending[i];
	}
	s->pending_count = kept;
}

bool heap_walk_pending(struct heap_walk *s, uint64_t deadline)
{
	size_t kept = 0;
	bool time = true;
	for (size_t i = 0; i < s->pending_count; i++) {
		struct pending_gap *gap = &s->pending[i];
		struct vm_address_range part = {.at = gap->at, .end = gap->end};
		const uint64_t last = s->tracks[gap->range].last;
		/* The range has become unparsable. */
		if (s->tracks[gap->range].bad != UINT64_MAX)
			continue;
		if (time)
			time = heap_walk_objects_part(s, gap->range, &part, deadline);
		s->tracks[gap->range].last = last;
		gap->at = part.at;
		if (gap->at < gap->end)
			s->pending[kept++] = *gap;
	}
	s->pending_count = s->pending_old = kept;
	return time;
}

/* True for a part of a gap that is still pending. */
static bool is_known(const struct heap_walk *s, size_t count, const struct vm_gap *gap)
{
	for (size_t i = 0; i < count; i++)
		if (s->pending[i].at < gap->high && s->pending[i].end > gap->low)
			return true;
	return false;
}

/* Gaps are in address order, and so are the ranges of heaps that have such buffers. */
void heap_walk_add_pending(struct heap_walk *s)
{
	uint32_t i = 0;
	for (size_t g = 0; g < s->gap_count; g++) {
		const struct vm_gap *gap = &s->gaps[g];
		while (i < s->range_count && s->tracks[i].range.top <= gap->low)
			i++;
		if (i == s->range_count)
			break;
		const struct track *t = &s->tracks[i];
		if (t->range.moves || gap->low < t->range.low || gap->high > t->walked ||
		    t->bad != UINT64_MAX || is_known(s, s->pending_old, gap))
			continue;
		if (s->pending_count == TLABS) {
			s->epoch++; /* no room: the next walk starts over */
			return;
		}
		s->pending[s->pending_count++] = (struct pending_gap){i, gap->low, gap->high};
	}
}
