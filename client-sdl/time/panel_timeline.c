/*
 * Input to the timeline (rows V3, V8): a click goes to a time, dragging follows the pointer and,
 * with Shift, selects a time range; the wheel zooms and, with Shift, scrolls, as does dragging the
 * axis; a double click shows all.
 */
#include <gcspy/format.h>
#include <inttypes.h>
#include <stdio.h>

#include "layout.h"
#include "range.h"
#include "timeline.h"

enum { TIMELINE_FIELD = 1, AXIS, DOUBLE_CLICK_MS = 400 };

/* The event nearest to a pixel, or NULL if none is within 4 pixels. */
static const struct event_header *event_at(const struct app *app, const struct timeline *s, int x)
{
	const struct overview *o = event_history_overview(app);
	uint32_t i = overview_find(o, timeline_time(s, x));
	const struct event_header *best = NULL;
	int least = 5;
	for (uint32_t j = i > 0 ? i - 1 : 0; j <= i && j < o->count; j++) {
		int at = timeline_x(s, o->at[j].time_ns);
		int distance = at > x ? at - x : x - at;
		if (distance < least) {
			least = distance;
			best = &o->at[j];
		}
	}
	return best;
}

/* The same in the lane under the pointer, for live timelines. */
static const struct event_header *event_in_lane(
    const struct app *app, const struct timeline *s, int x, int y)
{
	const struct overview *o = event_history_overview(app);
	const struct event_header *best = NULL;
	int least = 5;
	for (uint32_t i = overview_find(o, timeline_time(s, x + 5)); i-- > 0;) {
		int at = timeline_x(s, o->at[i].time_ns) + 1;
		if (at < x - least)
			break;
		int distance = at > x ? at - x : x - at;
		int lane = (y - s->ticks.y) / s->lane_height;
		if (distance < least && lane == timeline_lane(s, o->at[i].event)) {
			least = distance;
			best = &o->at[i];
		}
	}
	return best;
}

/* The time of the event at a pixel, else of the pixel itself. */
static uint64_t nearest_time(const struct app *app, const struct timeline *s, int x)
{
	const struct event_header *m = event_at(app, s, x);
	return m != NULL ? m->time_ns : timeline_time(s, x);
}

static void scrub(struct app *app, const struct timeline *s)
{
	const int x = app->ui.ev->x;
	uint64_t first, last;
	if (!event_history_span(app, &first, &last))
		return;
	if (!app->replay.on && x >= s->ticks.x + s->ticks.w - ui_px(&app->ui, 4) &&
	    s->end_ns >= last)
		event_history_live(app);
	else
		event_history_go_to(app, nearest_time(app, s, x));
}

void timeline_tip_text(const struct app *app, const struct event_header *m, char *text, size_t size)
{
	const struct gcs_model *model = app_model(app);
	uint64_t first = m->time_ns, last = m->time_ns;
	char words[64];
	event_history_span(app, &first, &last);
	size_t n = (size_t)snprintf(text, size, "%.200s\nEvent #\t%" PRIu64 "\nTime\t%s",
	    model != NULL && m->event < model->event_count ? model->events[m->event].name
							   : "Snapshot",
	    m->number, replay_put_time(words, sizeof words, m->time_ns - first));
	if (!app->replay.on) {
		gcs_format_number(
		    words, sizeof words, (int64_t)(last - m->time_ns), GCS_NANOSECONDS);
		n += (size_t)snprintf(text + n, size - n, "\nBehind live\t%s", words);
		gcs_format_number(words, sizeof words, (int64_t)m->elapsed_ns, GCS_NANOSECONDS);
		n += (size_t)snprintf(text + n, size - n, "\nSince previous event\t%s", words);
	}
	if (m->fired[0] != 0) {
		char names[2 * EVENT_HEADER_FIRED];
		event_header_put_fired(m, names, sizeof names);
		n += (size_t)snprintf(text + n, size - n, "\nTrigger\t%s", names);
	}
	if (m->pause_ns >= 0)
		n += (size_t)snprintf(text + n, size - n, "\nPause\t%s",
		    gcs_format_number(words, sizeof words, m->pause_ns, GCS_NANOSECONDS));
	if (m->before_bytes >= 0)
		n += (size_t)snprintf(text + n, size - n, "\nUsed before\t%s",
		    gcs_format_number(words, sizeof words, m->before_bytes, GCS_BYTES));
	if (m->used_bytes >= 0)
		snprintf(text + n, size - n, "\nUsed%s\t%s", m->before_bytes >= 0 ? " after" : "",
		    gcs_format_number(words, sizeof words, m->used_bytes, GCS_BYTES));
}

const struct event_header *timeline_nearest(const struct app *app, uint64_t time_ns)
{
	const struct overview *o = event_history_overview(app);
	const uint32_t i = overview_find(o, time_ns);
	if (o->count == 0 || i == 0)
		return o->count == 0 ? NULL : &o->at[0];
	if (i == o->count)
		return &o->at[i - 1];
	return o->at[i].time_ns - time_ns < time_ns - o->at[i - 1].time_ns ? &o->at[i]
									   : &o->at[i - 1];
}

/* A tooltip for the event under the pointer; where none is, for the nearest one. */
static void show_tip(struct app *app, const struct timeline *s, const struct event_header *m)
{
	struct ui *ui = &app->ui;
	char text[768];
	if (m == NULL)
		m = timeline_nearest(app, timeline_time(s, ui->ev->x));
	if (m == NULL || app_model(app) == NULL)
		return;
	app->hover_ns = m->time_ns;
	timeline_tip_text(app, m, text, sizeof text);
	struct cv_rect field = timeline_field(s);
	ui_tip(ui, UI_ID(PANEL_TIMELINE, TIMELINE_FIELD),
	    rect_make(timeline_x(s, m->time_ns), field.y, 2, field.h), text);
}

/* The bookmark whose flag is under the pointer. */
static bool tip_of_mark(struct app *app, const struct timeline *s)
{
	struct ui *ui = &app->ui;
	const struct marks *marks = &app->event_history.marks;
	int size = ui_px(ui, 7);
	uint64_t first, last;
	char text[256], time[32];
	for (uint32_t i = marks->count; i-- > 0;) {
		int x = timeline_x(s, marks->at[i].time_ns);
		if (ui->ev->x < x || ui->ev->x >= x + size || ui->ev->y >= s->ticks.y + size)
			continue;
		event_history_span(app, &first, &last);
		snprintf(text, sizeof text, "%s\nTime\t%s",
		    marks->at[i].note[0] != 0 ? marks->at[i].note : "Bookmark",
		    replay_put_time(time, sizeof time,
			marks->at[i].time_ns > first ? marks->at[i].time_ns - first : 0));
		ui_tip(ui, UI_ID(PANEL_TIMELINE, TIMELINE_FIELD),
		    rect_make(x, s->ticks.y, size, s->ticks.h), text);
		return true;
	}
	return false;
}

static void hover(struct app *app, const struct timeline *s)
{
	const struct ui_event *ev = app->ui.ev;
	if (!tip_of_mark(app, s))
		show_tip(app, s,
		    app->replay.on ? event_at(app, s, ev->x) : event_in_lane(app, s, ev->x, ev->y));
}

const struct event_header *timeline_pointed(const struct app *app)
{
	const struct timeline s = timeline_lay_out(app, app->rect[PANEL_TIMELINE]);
	const struct event_header *m = NULL;
	if (app->snapshot == NULL ||
	    !rect_has(timeline_field(&s), app->ui.mouse_x, app->ui.mouse_y))
		return NULL;
	m = app->replay.on ? event_at(app, &s, app->ui.mouse_x)
			   : event_in_lane(app, &s, app->ui.mouse_x, app->ui.mouse_y);
	return m != NULL ? m : timeline_nearest(app, timeline_time(&s, app->ui.mouse_x));
}

static bool is_double(struct app *app)
{
	struct timeline_view *v = &app->timeline;
	const int x = app->ui.ev->x, away = x > v->click_x ? x - v->click_x : v->click_x - x;
	const bool twice =
	    v->click_ms != 0 && away < 4 && app->now_ms - v->click_ms < DOUBLE_CLICK_MS;
	v->click_ms = twice ? 0 : app->now_ms;
	v->click_x = x;
	return twice;
}

static void press(struct app *app, const struct timeline *s, bool axis)
{
	struct timeline_view *v = &app->timeline;
	struct ui *ui = &app->ui;
	ui->focus = UI_ID(PANEL_TIMELINE, TIMELINE_FIELD);
	v->drag = TIMELINE_NO_DRAG;
	if (is_double(app)) {
		timescale_fit(app);
		return;
	}
	v->drag_x = ui->ev->x;
	v->drag_from_ns = s->from_ns;
	v->drag_ns = nearest_time(app, s, ui->ev->x);
	v->drag = axis                              ? TIMELINE_PANS
		  : (ui->ev->mods & MOD_SHIFT) != 0 ? TIMELINE_CHOOSES
						    : TIMELINE_SCRUBS;
	if (v->drag == TIMELINE_SCRUBS)
		scrub(app, s);
}

static void drag(struct app *app, const struct timeline *s)
{
	struct timeline_view *v = &app->timeline;
	const int x = app->ui.ev->x;
	ui_take(&app->ui);
	if (v->drag == TIMELINE_SCRUBS)
		scrub(app, s);
	else if (v->drag == TIMELINE_CHOOSES && x != v->drag_x)
		event_history_choose(app, v->drag_ns, nearest_time(app, s, x));
	else if (v->drag == TIMELINE_PANS && v->zoomed)
		timescale_move(
		    app, timescale_ns((double)v->drag_from_ns +
				      (double)(v->drag_x - x) / s->ticks.w * (double)s->span_ns));
}

static void wheel(struct app *app, const struct timeline *s)
{
	const struct ui_event *ev = app->ui.ev;
	if ((ev->mods & MOD_SHIFT) != 0)
		timescale_pan(app, -0.1 * ev->wheel);
	else
		timescale_zoom(app, ev->wheel > 0 ? 0.8 : 1.25, timeline_time(s, ev->x));
	ui_take(&app->ui);
}

static enum command_id command_of(struct keystroke stroke)
{
	const bool far = stroke.mods == MOD_SHIFT;
	switch (stroke.key) {
	case KEY_LEFT:
		return far ? COMMAND_skip_back : COMMAND_step_back;
	case KEY_RIGHT:
		return far ? COMMAND_skip_forward : COMMAND_step;
	case KEY_HOME:
		return far ? COMMAND_COUNT : COMMAND_first_event;
	case KEY_END:
		return far ? COMMAND_COUNT : COMMAND_last_event;
	default:
		return COMMAND_COUNT;
	}
}

/* The same as the wheel. */
static bool scale_key(struct app *app, uint32_t key)
{
	static const struct {
		uint32_t key;
		const char *how;
	} keys[] = {{'+', "in"}, {'=', "in"}, {'-', "out"}, {'0', "all"}, {KEY_PAGE_UP, "earlier"},
	    {KEY_PAGE_DOWN, "later"}};
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		if (keys[i].key != key)
			continue;
		ui_take(&app->ui);
		app_command(app, COMMAND_time_scale, keys[i].how);
		return true;
	}
	return false;
}

static void on_key(struct app *app)
{
	struct keystroke stroke;
	if (!key_of_event(app->ui.ev, &stroke) || (stroke.mods & ~MOD_SHIFT) != 0)
		return;
	if (scale_key(app, stroke.key))
		return;
	enum command_id id = command_of(stroke);
	if (id == COMMAND_COUNT)
		return;
	ui_take(&app->ui);
	/* An arrow key must not resume the program. */
	if (id == COMMAND_step && !app->replay.on && !app->event_history.back)
		return;
	app_command(app, id, NULL);
}

static void on_event(struct app *app, const struct timeline *s)
{
	struct ui *ui = &app->ui;
	const uint32_t id = UI_ID(PANEL_TIMELINE, TIMELINE_FIELD),
		       axis = UI_ID(PANEL_TIMELINE, AXIS);
	const struct cv_rect field = timeline_field(s);
	if (ui->ev->kind == EV_KEY || ui->ev->kind == EV_TEXT) {
		if (ui->focus == id)
			on_key(app);
		return;
	}
	if (ui->ev->kind == EV_WHEEL) {
		if (rect_has(field, ui->ev->x, ui->ev->y) ||
		    rect_has(s->axis, ui->ev->x, ui->ev->y))
			wheel(app, s);
		return;
	}
	ui_area(ui, id, field);
	ui_area(ui, axis, s->axis);
	const bool active = ui->active == id || ui->active == axis;
	if (ui->ev->kind == EV_DOWN && active)
		press(app, s, ui->active == axis);
	else if (ui->ev->kind == EV_UP)
		app->timeline.drag = TIMELINE_NO_DRAG;
	else if (ui->ev->kind == EV_MOVE && active)
		drag(app, s);
	else if (ui->ev->kind == EV_MOVE && ui->hot == id)
		hover(app, s);
}

void timeline_run(struct app *app, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	uint32_t id = UI_ID(PANEL_TIMELINE, TIMELINE_FIELD);
	struct timeline s = timeline_lay_out(app, r);
	if (!ui_paints(ui)) {
		if (app->snapshot != NULL)
			on_event(app, &s);
		return;
	}
	if (app->snapshot != NULL)
		ui_control(ui, id, timeline_field(&s));
	timeline_paint(app, &s, r);
	ui_ring(ui, id, timeline_field(&s));
}

static void recording_text(struct app *app, struct textbuf *out)
{
	const struct replay *r = &app->replay;
	char words[256];
	textbuf_printf(
	    out, "recording\tevent %" PRIu64 " of %" PRIu64 "\n", r->at.place + 1, r->at.events);
	textbuf_printf(out, "on the timeline\t%u events\n", r->overview.count);
	replay_loss_text(app, words, sizeof words);
	if (words[0] != 0)
		textbuf_printf(out, "missing\t%s\n", words);
}

void timeline_text(struct app *app, struct textbuf *out)
{
	const struct gcs_model *model = app_model(app);
	if (app->replay.on)
		recording_text(app, out);
	event_history_text(app, out);
	for (uint32_t i = 0; model != NULL && i < model->event_count; i++)
		textbuf_printf(out, "count of %s\t%llu\n", model->events[i].name,
		    (unsigned long long)gcs_snapshot_counter(event_history_newest(app), i));
}
