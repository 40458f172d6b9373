#include "overview.h"

#include <stdlib.h>
#include <string.h>

void overview_fini(struct overview *o)
{
	free(o->at);
	free(o->brief);
	memset(o, 0, sizeof *o);
}

uint32_t overview_find(const struct overview *o, uint64_t time_ns)
{
	uint32_t low = 0;
	uint32_t high = o->count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (o->brief[middle].time_ns < time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct event_brief brief_of(const struct event_header *m)
{
	return (struct event_brief){.time_ns = m->time_ns,
	    .pause_ns = m->pause_ns,
	    .used_bytes = m->used_bytes,
	    .before_bytes = m->before_bytes,
	    .committed_bytes = m->committed_bytes,
	    .event = m->event,
	    .after_gap = m->after_gap,
	    .fired = m->fired[0] != '\0'};
}

/* Drops one of each pair of neighbours. A gap before one that is dropped is before the next one
 * that is kept. */
static void thin(struct overview *o)
{
	uint32_t all = o->newest_whole ? o->count / 2 : o->count;
	uint32_t n = all / 2;
	bool gap = false;
	o->changes++;
	for (uint32_t i = 0; i < n; i++) {
		const struct event_header *a = &o->at[2 * i];
		const bool fired = a[0].fired[0] != 0;
		const bool second =
		    fired != (a[1].fired[0] != 0) ? !fired : a[1].pause_ns > a[0].pause_ns;
		const bool before = gap || a[0].after_gap || (second && a[1].after_gap);
		gap = !second && a[1].after_gap;
		o->at[i] = second ? a[1] : a[0];
		o->at[i].after_gap = before;
		o->brief[i] = brief_of(&o->at[i]);
	}
	if (gap && all < o->count)
		o->at[all].after_gap = o->brief[all].after_gap = true;
	memmove(&o->at[n], &o->at[all], (o->count - all) * sizeof *o->at);
	memmove(&o->brief[n], &o->brief[all], (o->count - all) * sizeof *o->brief);
	o->count -= all - n;
	if (o->newest_whole)
		o->whole_ns = o->at[n].time_ns;
	else
		o->stride *= 2;
}

static bool has_room(struct overview *o)
{
	if (o->count < o->capacity)
		return true;
	if (o->capacity == OVERVIEW_LIMIT) {
		thin(o);
		return true;
	}
	uint32_t capacity = o->capacity > 0 ? o->capacity * 2 : 256;
	struct event_header *at = realloc(o->at, capacity * sizeof *at);
	o->at = at != NULL ? at : o->at;
	struct event_brief *brief = realloc(o->brief, capacity * sizeof *brief);
	o->brief = brief != NULL ? brief : o->brief;
	if (at == NULL || brief == NULL)
		return false;
	o->capacity = capacity;
	return true;
}

static bool has(const struct overview *o, uint32_t i, const struct event_header *m)
{
	for (; i < o->count && o->at[i].time_ns == m->time_ns; i++)
		if (o->at[i].sequence == m->sequence && o->at[i].event == m->event)
			return true;
	return false;
}

void overview_add(struct overview *o, const struct event_header *m)
{
	if (has(o, overview_find(o, m->time_ns), m))
		return;
	if (m->pause_ns > o->most_pause)
		o->most_pause = m->pause_ns;
	const int64_t used = m->used_bytes > m->before_bytes ? m->used_bytes : m->before_bytes;
	if (used > o->most_used)
		o->most_used = used;
	if (m->committed_bytes > o->most_committed)
		o->most_committed = m->committed_bytes;
	o->has_gaps = o->has_gaps || m->after_gap;
	if (o->stride == 0)
		o->stride = 1;
	if (o->seen++ % o->stride != 0 || !has_room(o))
		return;
	/* After those of the same time, so that order of arrival is kept. */
	uint32_t i = overview_find(o, m->time_ns + 1);
	o->changes += i < o->count;
	memmove(&o->at[i + 1], &o->at[i], (o->count - i) * sizeof *o->at);
	memmove(&o->brief[i + 1], &o->brief[i], (o->count - i) * sizeof *o->brief);
	o->at[i] = *m;
	o->brief[i] = brief_of(m);
	o->count++;
}
