/*
 * The strip of events: a lane per event with its name and counter, a tick for each snapshot
 * received. Time runs to the right and ends at the newest event, so that the strip stands still
 * while nothing happens.
 */
#include <gcspy/format.h>
#include <stdio.h>
#include <string.h>

#include "layout.h"
#include "strip.h"

#define NS_PER_S UINT64_C(1000000000)

/* The time that the strip covers: the first of these that holds all, else the last. */
static uint64_t span_of(const struct timeline *t)
{
	static const uint64_t seconds[] = {1, 2, 5, 10, 20, 30, 60, 120, 300, 600};
	size_t n = sizeof seconds / sizeof *seconds;
	if (t->count == 0)
		return seconds[0] * NS_PER_S;
	uint64_t all = timeline_at(t, t->count - 1)->time_ns - timeline_at(t, 0)->time_ns;
	size_t i = 0;
	while (i + 1 < n && seconds[i] * NS_PER_S < all)
		i++;
	return seconds[i] * NS_PER_S;
}

static void paint_axis(struct app *app, const struct strip *s, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	struct cv_rect axis = rect_make(s->ticks.x, s->ticks.y + s->ticks.h, s->ticks.w,
	    r.y + r.h - s->ticks.y - s->ticks.h - ui_px(ui, 2));
	if (axis.h < ui_px(ui, 10))
		return;
	char text[64];
	for (int i = 0; i <= 4; i++) {
		int x = axis.x + axis.w * i / 4;
		uint64_t ago = s->span_ns * (uint64_t)(4 - i) / 4;
		if (i < 4)
			cv_vline(ui->cv, x, s->ticks.y, s->ticks.h, ui->theme->line);
		gcs_format_number(text, sizeof text, (int64_t)ago, GCS_NANOSECONDS);
		char label[80];
		snprintf(label, sizeof label, "%s%s", i < 4 ? "\xe2\x80\x93" : "",
		    i < 4 ? text : "newest");
		int w = ui_px(ui, 90);
		struct cv_rect at = rect_make(i == 4 ? x - w : x, axis.y, w, axis.h);
		ui_label(ui, at, i == 4 ? TEXT_RIGHT : TEXT_LEFT, label);
	}
}

static void paint_ticks(struct app *app, const struct strip *s)
{
	const struct gcs_model *model = app_model(app);
	const struct timeline *t = &app->timeline;
	int last_x[GCS_MAX_EVENTS]; /* per lane: ticks that would cover each other are painted once
				     */
	for (uint32_t i = 0; i < GCS_MAX_EVENTS; i++)
		last_x[i] = -1;
	uint32_t colour[GCS_MAX_EVENTS];
	for (uint32_t i = 0; i < model->event_count && i < GCS_MAX_EVENTS; i++)
		colour[i] = strip_colour(app->ui.theme, model->events[i].colour);
	uint64_t from = s->end_ns > s->span_ns ? s->end_ns - s->span_ns : 0;
	int w = ui_px(&app->ui, 2);
	for (uint32_t i = timeline_find(t, from); i < t->count; i++) {
		const struct timeline_entry *e = timeline_at(t, i);
		int lane = strip_lane(s, e->event);
		int x = strip_x(s, e->time_ns);
		if (e->event >= model->event_count || e->event >= GCS_MAX_EVENTS ||
		    last_x[lane] == x)
			continue;
		last_x[lane] = x;
		struct cv_rect tick =
		    rect_make(x, s->ticks.y + lane * s->lane_height + 1, w, s->lane_height - 2);
		cv_fill(&app->cv, tick, colour[e->event]);
	}
}

/* The entry nearest to the pointer, within 4 pixels and in its lane; count if there is none. */
static uint32_t entry_at(const struct app *app, const struct strip *s, int x, int y)
{
	const struct timeline *t = &app->timeline;
	uint32_t best = t->count;
	int least = 5;
	for (uint32_t i = t->count; i-- > 0;) {
		const struct timeline_entry *e = timeline_at(t, i);
		int at = strip_x(s, e->time_ns) + 1;
		if (at < x - least)
			break;
		int distance = at > x ? at - x : x - at;
		int lane = (y - s->ticks.y) / s->lane_height;
		if (distance < least && lane == strip_lane(s, e->event)) {
			least = distance;
			best = i;
		}
	}
	return best;
}

static void tip_of_entry(struct app *app, const struct strip *s)
{
	const struct gcs_model *model = app_model(app);
	uint32_t i = entry_at(app, s, app->ui.ev->x, app->ui.ev->y);
	if (model == NULL || i >= app->timeline.count)
		return;
	const struct timeline_entry *e = timeline_at(&app->timeline, i);
	if (e->event >= model->event_count)
		return;
	char ago[64], elapsed[64], text[512];
	gcs_format_number(ago, sizeof ago, (int64_t)(s->end_ns - e->time_ns), GCS_NANOSECONDS);
	gcs_format_number(elapsed, sizeof elapsed, (int64_t)e->elapsed_ns, GCS_NANOSECONDS);
	snprintf(text, sizeof text,
	    "%.200s\nNumber\t%llu\nBefore the newest\t%s\nSince the one before\t%s",
	    model->events[e->event].name, (unsigned long long)e->sequence, ago, elapsed);
	uint32_t id = UI_ID(PANEL_TIMELINE, 1);
	app->ui.hot = id;
	struct cv_rect at = rect_make(strip_x(s, e->time_ns), s->ticks.y, 2, s->ticks.h);
	ui_tip(&app->ui, id, at, text);
}

void timeline_run(struct app *app, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	if (app->replay.on) {
		recording_run(app, r);
		return;
	}
	const struct timeline *t = &app->timeline;
	uint64_t end = t->count > 0 ? timeline_at(t, t->count - 1)->time_ns : 0;
	struct strip s = strip_lay_out(app, r, end, span_of(t));
	if (!ui_paints(ui)) {
		if (ui->ev->kind == EV_MOVE && rect_has(s.ticks, ui->ev->x, ui->ev->y))
			tip_of_entry(app, &s);
		return;
	}
	cv_hline(ui->cv, r.x, r.y, r.w, ui->theme->line);
	cv_fill(ui->cv, s.ticks, ui->theme->ground);
	if (app->snapshot == NULL) {
		ui_label(ui, s.ticks, TEXT_CENTRE, "Events appear here");
		return;
	}
	paint_axis(app, &s, r);
	strip_labels(app, &s, r);
	if (app->timeline.count > 0)
		paint_ticks(app, &s);
}

void timeline_text(struct app *app, struct textbuf *out)
{
	const struct gcs_model *model = app_model(app);
	if (app->replay.on)
		recording_text(app, out);
	for (uint32_t i = 0; model != NULL && i < model->event_count; i++)
		textbuf_printf(out, "count of %s\t%llu\n", model->events[i].name,
		    (unsigned long long)gcs_snapshot_counter(app->snapshot, i));
}
