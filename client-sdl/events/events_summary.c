#include "events_summary.h"

static void add(struct events_summary *p, const struct event_header *m)
{
	if (m->event >= GCS_MAX_EVENTS)
		return;
	p->count[m->event]++;
	events_figures_add(&p->figures[m->event], m);
}

/* The start of the rate's span before the last event: the first event in it; if events are rare,
 * the one before the last. */
static uint32_t base_event(const struct overview *o, uint32_t first, uint32_t last)
{
	const uint64_t now = o->at[last].time_ns;
	const uint64_t from = now > EVENTS_SPAN_NS ? now - EVENTS_SPAN_NS : 0;
	uint32_t i = overview_find(o, from);
	i = i > first ? i : first;
	return i < last || last == first ? i : last - 1;
}

/* Events that are not known are assumed to be of the same kinds as those that are. */
static void count_rates(
    struct events_summary *p, const struct overview *o, uint32_t first, uint32_t end)
{
	uint64_t count[GCS_MAX_EVENTS] = {0};
	const uint32_t last = end - 1, base = p->range ? first : base_event(o, first, last);
	const uint64_t span =
	    p->range ? p->to_ns - p->from_ns : o->at[last].time_ns - o->at[base].time_ns;
	if (span == 0)
		return;
	for (uint32_t i = p->range ? base : base + 1; i <= last; i++)
		if (o->at[i].event < GCS_MAX_EVENTS)
			count[o->at[i].event]++;
	double more = 1;
	if (last > base && o->at[last].place > o->at[base].place + (last - base))
		more = (double)(o->at[last].place - o->at[base].place) / (last - base);
	for (uint32_t i = 0; i < GCS_MAX_EVENTS; i++)
		p->rate[i] = (double)count[i] * more / ((double)span / 1e9);
}

void events_summary_count(struct events_summary *p, const struct overview *o, uint64_t from_ns,
    uint64_t to_ns, bool range)
{
	if (p->of == o && p->of_count == o->count && p->of_changes == o->changes &&
	    p->from_ns == from_ns && p->to_ns == to_ns && p->range == range)
		return;
	*p = (struct events_summary){.of = o,
	    .of_count = o->count,
	    .of_changes = o->changes,
	    .from_ns = from_ns,
	    .to_ns = to_ns,
	    .range = range};
	for (uint32_t i = 0; i < GCS_MAX_EVENTS; i++)
		p->rate[i] = -1;
	const uint32_t first = overview_find(o, from_ns);
	uint32_t end = first;
	for (; end < o->count && o->at[end].time_ns <= to_ns; end++)
		add(p, &o->at[end]);
	p->known = p->all = end - first;
	if (end == first)
		return;
	const uint64_t places = o->at[end - 1].place - o->at[first].place + 1;
	p->all = places > p->known && places < UINT64_MAX / 2 ? places : p->known;
	count_rates(p, o, first, end);
}
