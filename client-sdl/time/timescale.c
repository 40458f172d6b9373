#include "timescale.h"

#include "app.h"

#define LEAST_NS      UINT64_C(100000)    /* minimum that the timeline can show */
#define LEAST_SPAN_NS UINT64_C(100000000) /* minimum span of the whole */

int64_t timescale_ns(double ns)
{
	return (int64_t)(ns > 9e18 ? 9e18 : ns < -9e18 ? -9e18 : ns);
}

uint64_t timescale_span(uint64_t all)
{
	static const unsigned tenths[] = {10, 15, 20, 30, 50, 70};
	for (uint64_t unit = LEAST_SPAN_NS / 10; unit < UINT64_MAX / 700; unit *= 10)
		for (size_t i = 0; i < sizeof tenths / sizeof *tenths; i++)
			if (unit * tenths[i] >= all)
				return unit * tenths[i];
	return all;
}

/* The whole time. A live timeline fills from the right. */
static void whole(const struct app *app, uint64_t *from_ns, uint64_t *to_ns)
{
	uint64_t first = 0, last = 0;
	bool any = event_history_span(app, &first, &last);
	uint64_t span = last - first;
	if (!app->replay.on)
		span = timescale_span(any ? span : 0);
	/* All events at one time: shows some time around them. */
	span = span > 0 ? span : timescale_span(0);
	*to_ns = last > 0 ? last : span;
	*from_ns = *to_ns > span ? *to_ns - span : 0;
}

void timescale_part(const struct app *app, uint64_t *from_ns, uint64_t *to_ns)
{
	const struct timeline_view *v = &app->timeline;
	whole(app, from_ns, to_ns);
	if (!v->zoomed || v->span_ns >= *to_ns - *from_ns)
		return;
	if (v->follow && !app->replay.on)
		*from_ns = *to_ns - v->span_ns;
	else if (v->from_ns > *from_ns)
		*from_ns = v->from_ns < *to_ns - v->span_ns ? v->from_ns : *to_ns - v->span_ns;
	*to_ns = *from_ns + v->span_ns;
}

static void set_part(struct app *app, int64_t from_ns, uint64_t span_ns)
{
	struct timeline_view *v = &app->timeline;
	uint64_t first, last;
	whole(app, &first, &last);
	v->zoomed = span_ns < last - first;
	v->span_ns = span_ns < LEAST_NS ? LEAST_NS : span_ns;
	if (from_ns < (int64_t)first)
		from_ns = (int64_t)first;
	v->from_ns = (uint64_t)from_ns;
	/* Scrolling to the right end follows new events. */
	v->follow = !app->event_history.back && v->from_ns + v->span_ns >= last;
	app_dirty(app, PANEL_TIMELINE);
}

void timescale_zoom(struct app *app, double factor, uint64_t at_ns)
{
	uint64_t from, to;
	timescale_part(app, &from, &to);
	double span = (double)(to - from) * factor;
	double before = ((double)at_ns - (double)from) * factor;
	if (span > 9e18)
		return;
	if (span < (double)LEAST_NS) {
		before *= (double)LEAST_NS / span;
		span = (double)LEAST_NS;
	}
	set_part(app, timescale_ns((double)at_ns - before), (uint64_t)span);
}

void timescale_move(struct app *app, int64_t from_ns)
{
	uint64_t from, to;
	timescale_part(app, &from, &to);
	set_part(app, from_ns, to - from);
}

void timescale_pan(struct app *app, double part)
{
	uint64_t from, to;
	timescale_part(app, &from, &to);
	timescale_move(app, timescale_ns((double)from + part * (double)(to - from)));
}

void timescale_fit(struct app *app)
{
	app->timeline.zoomed = false;
	app->timeline.follow = true;
	app_dirty(app, PANEL_TIMELINE);
}

void timescale_reveal(struct app *app, uint64_t before_ns, bool plays)
{
	uint64_t from, to;
	const uint64_t at = event_history_shown_ns(app);
	if (!app->timeline.zoomed || app->timeline.drag != TIMELINE_NO_DRAG || at == before_ns)
		return;
	timescale_part(app, &from, &to);
	const bool seen = before_ns >= from && before_ns <= to;
	if ((at < from || at > to) && (seen || !plays))
		timescale_move(app, timescale_ns((double)at - (double)(to - from) / 2));
}
