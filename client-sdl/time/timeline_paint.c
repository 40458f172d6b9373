/* Painting the timeline; declared in timeline.h. */
#include <gcspy/format.h>
#include <stdio.h>
#include <string.h>

#include "layout.h"
#include "range.h"
#include "timeline.h"

/* The visible events: the first index, and one past the last. */
static void in_sight(
    const struct overview *o, const struct timeline *s, uint32_t *first, uint32_t *end)
{
	*first = overview_find(o, s->from_ns);
	*end = overview_find(o, s->end_ns + 1);
}

/* The place of one line of text at x, kept inside the timeline. */
static struct cv_rect words_box(const struct app *app, const struct timeline *s, int x, int y,
    enum text_align align, const char *text)
{
	const struct ui *ui = &app->ui;
	const struct cv_rect field = timeline_field(s);
	int w = text_width(ui->fonts->face[FONT_SMALL], text) + 2 * ui_px(ui, 4);
	w = w < field.w ? w : field.w;
	x -= align == TEXT_RIGHT ? w : align == TEXT_CENTRE ? w / 2 : 0;
	return rect_make(clamp_int(x, field.x, field.x + field.w - w), y, w, ui_px(ui, 13));
}

/* Text with a background of its own, over what is painted. */
static void paint_box_label(struct app *app, struct cv_rect box, uint32_t ground, const char *text)
{
	struct ui *ui = &app->ui;
	int pad = ui_px(ui, 4);
	cv_fill(ui->cv, box, ground);
	box.x += pad;
	box.w -= 2 * pad;
	text_in(ui->cv, ui->fonts->face[FONT_SMALL], box, TEXT_LEFT, ui->theme->text, text);
}

/* The description of the range and its place; empty without a range. */
static struct cv_rect range_box(
    const struct app *app, const struct timeline *s, char *text, size_t size)
{
	const struct event_history_range *r = &app->range;
	*text = 0;
	if (!r->on || r->to_ns < s->from_ns || r->from_ns > s->end_ns)
		return rect_make(0, 0, 0, 0);
	uint64_t from = r->from_ns > s->from_ns ? r->from_ns : s->from_ns;
	uint64_t to = r->to_ns < s->end_ns ? r->to_ns : s->end_ns;
	range_summary(app, text, size);
	return words_box(app, s, timeline_x(s, from) / 2 + timeline_x(s, to) / 2,
	    s->axis.h > 0 ? s->axis.y : s->ticks.y, TEXT_CENTRE, text);
}

static void paint_ticks(struct app *app, const struct timeline *s)
{
	const struct gcs_model *model = app_model(app);
	const struct overview *o = event_history_overview(app);
	int last_x[GCS_MAX_EVENTS]; /* per lane: a pixel is painted once */
	uint32_t colour[GCS_MAX_EVENTS], i, end;
	memset(last_x, -1, sizeof last_x);
	for (i = 0; i < model->event_count && i < GCS_MAX_EVENTS; i++)
		colour[i] = timeline_colour(app->ui.theme, model->events[i].colour);
	int w = ui_px(&app->ui, 2);
	for (in_sight(o, s, &i, &end); i < end; i++) {
		const struct event_brief *m = &o->brief[i];
		if (m->event >= model->event_count || m->event >= GCS_MAX_EVENTS)
			continue;
		int lane = timeline_lane(s, m->event);
		int x = timeline_x(s, m->time_ns);
		if (last_x[lane] == x)
			continue;
		last_x[lane] = x;
		cv_fill(&app->cv,
		    rect_make(x, s->ticks.y + lane * s->lane_height + 1, w, s->lane_height - 2),
		    colour[m->event]);
	}
}

/* Names and counters of the lanes; the counters are the newest, also while the user looks back. */
static void paint_labels(struct app *app, const struct timeline *s, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	const struct gcs_model *model = app_model(app);
	const struct gcs_snapshot *newest = event_history_newest(app);
	for (uint32_t i = 0; i < model->event_count && i < (uint32_t)s->lanes; i++) {
		struct cv_rect row =
		    rect_make(r.x + ui_px(ui, 16), s->ticks.y + (int)i * s->lane_height,
			s->ticks.x - r.x - ui_px(ui, 24), s->lane_height);
		char count[48];
		gcs_format_count(count, sizeof count, gcs_snapshot_counter(newest, i));
		int w = text_width(ui->fonts->face[FONT_SMALL], count);
		struct cv_rect number = cut_right(&row, w);
		text_in(ui->cv, ui->fonts->face[FONT_SMALL], number, TEXT_RIGHT, ui->theme->text,
		    count);
		cut_right(&row, ui_px(ui, 8));
		struct cv_rect mark = cut_left(&row, ui_px(ui, 3));
		cut_left(&row, ui_px(ui, 6));
		cv_fill(ui->cv, rect_inset(mark, 0),
		    timeline_colour(ui->theme, model->events[i].colour));
		bool merged = (int)i == s->lanes - 1 && model->event_count > (uint32_t)s->lanes;
		char name[320];
		snprintf(
		    name, sizeof name, "%s%s", model->events[i].name, merged ? " and more" : "");
		ui_label(ui, row, TEXT_LEFT, name);
	}
}

/* Hatches the time before the start of full history, with a label at its end. */
static void paint_thinned(struct app *app, const struct timeline *s)
{
	struct ui *ui = &app->ui;
	struct cv_rect field = timeline_field(s);
	uint64_t until;
	uint32_t stride = event_history_thinned(app, &until);
	int x = stride > 0 ? timeline_x(s, until) : 0;
	char text[64];
	if (stride == 0 || x <= field.x)
		return;
	x = x < field.x + field.w ? x : field.x + field.w;
	int rim = ui_px(ui, 5);
	struct cv_rect r = rect_make(field.x, field.y, x - field.x, rim);
	cv_fill(ui->cv, r, ui->theme->panel);
	cv_hatch(ui->cv, r, ui_px(ui, 4), ui->theme->weak);
	cv_vline(ui->cv, x, field.y, field.h, ui->theme->weak);
	if (stride == UINT32_MAX)
		snprintf(text, sizeof text, "no history before this point");
	else
		snprintf(text, sizeof text, "every %uth event before this point", stride);
	if (text_width(ui->fonts->face[FONT_SMALL], text) + ui_px(ui, 8) < x - field.x)
		paint_box_label(
		    app, words_box(app, s, x, field.y, TEXT_RIGHT, text), ui->theme->panel, text);
}

static void paint_range(struct app *app, const struct timeline *s)
{
	struct ui *ui = &app->ui;
	struct cv_rect field = timeline_field(s);
	const struct event_history_range *r = &app->range;
	int right = field.x + field.w;
	if (!r->on || r->to_ns < s->from_ns || r->from_ns > s->end_ns)
		return;
	int a = timeline_x(s, r->from_ns), b = timeline_x(s, r->to_ns) + 1;
	int x = a > field.x ? a : field.x;
	int w = (b < right ? b : right) - x;
	cv_blend(ui->cv, rect_make(x, field.y, w > 1 ? w : 1, field.h), ui->theme->accent, 60);
}

/* Over the ticks, which may hide the background: both ends, a bar between them, the text. */
static void paint_range_ends(struct app *app, const struct timeline *s)
{
	struct ui *ui = &app->ui;
	struct cv_rect field = timeline_field(s);
	char text[96];
	struct cv_rect box = range_box(app, s, text, sizeof text);
	if (box.w == 0)
		return;
	int a = timeline_x(s, app->range.from_ns), b = timeline_x(s, app->range.to_ns) + 1;
	int thick = ui_px(ui, 1), bar = ui_px(ui, 3);
	cv_push_clip(ui->cv, field);
	cv_fill(ui->cv, rect_make(a, field.y, thick, field.h), ui->theme->text);
	cv_fill(ui->cv, rect_make(b, field.y, thick, field.h), ui->theme->text);
	cv_fill(ui->cv, rect_make(a, field.y + field.h - bar, b - a, bar), ui->theme->text);
	cv_pop_clip(ui->cv);
	paint_box_label(app, box, ui->theme->raised, text);
}

/* One end of a range that has no other yet. */
static void paint_end(struct app *app, const struct timeline *s, bool on, uint64_t time_ns)
{
	struct cv_rect field = timeline_field(s);
	int x = on ? timeline_x(s, time_ns) : -1;
	if (on && x >= field.x && x < field.x + field.w)
		cv_vline(&app->cv, x, field.y, field.h, app->ui.theme->accent);
}

/* A triangle at the bottom of the field where a trigger has fired. */
static void paint_fired(struct app *app, const struct timeline *s)
{
	struct ui *ui = &app->ui;
	const struct overview *o = event_history_overview(app);
	const struct cv_rect field = timeline_field(s);
	const int size = ui_px(ui, 5);
	int last = -1;
	uint32_t i, end;
	for (in_sight(o, s, &i, &end); i < end; i++) {
		if (!o->brief[i].fired)
			continue;
		const int x = timeline_x(s, o->brief[i].time_ns);
		if (x == last)
			continue;
		last = x;
		for (int k = 0; k < size; k++)
			cv_hline(ui->cv, x + 1 - k, field.y + field.h - size + k, 2 * k + 1,
			    ui->theme->bad);
	}
}

/* A flag on a pole; filled if there is a note. */
static void paint_marks(struct app *app, const struct timeline *s)
{
	struct ui *ui = &app->ui;
	struct cv_rect field = timeline_field(s);
	const struct marks *marks = &app->event_history.marks;
	uint32_t colour = timeline_colour(ui->theme, ui->theme->good);
	int size = ui_px(ui, 7);
	for (uint32_t i = 0; i < marks->count; i++) {
		int x = timeline_x(s, marks->at[i].time_ns);
		if (x < field.x || x >= field.x + field.w)
			continue;
		struct cv_rect flag = rect_make(x, field.y, size, size);
		cv_fill(ui->cv, rect_make(x, field.y, ui_px(ui, 1), field.h), colour);
		cv_fill(ui->cv, flag, marks->at[i].note[0] != 0 ? colour : ui->theme->ground);
		cv_frame(ui->cv, flag, ui_px(ui, 1), colour);
	}
}

/* The moment under the pointer, here or in a chart. */
static void paint_hover(struct app *app, const struct timeline *s)
{
	const struct cv_rect field = timeline_field(s);
	const int x = app->hover_ns != 0 ? timeline_x(s, app->hover_ns) : -1;
	if (x >= field.x && x < field.x + field.w)
		cv_blend(&app->cv, rect_make(x, field.y, ui_px(&app->ui, 2), field.h),
		    app->ui.theme->text, 130);
}

static void paint_cursor(struct app *app, const struct timeline *s)
{
	struct ui *ui = &app->ui;
	struct cv_rect field = timeline_field(s);
	int w = ui_px(ui, 2);
	int x = timeline_x(s, event_history_shown_ns(app));
	if (!app->replay.on && !app->event_history.back)
		return; /* at the right end, where new events appear */
	if (x < field.x - w || x >= field.x + field.w)
		return;
	cv_fill(ui->cv, rect_make(x, field.y, w, field.h), ui->theme->text);
	int knob = ui_px(ui, 4);
	cv_fill(ui->cv, rect_make(x - knob / 2, field.y, w + knob, knob), ui->theme->text);
}

void timeline_paint(struct app *app, const struct timeline *s, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	cv_hline(ui->cv, r.x, r.y, r.w, ui->theme->line);
	cv_fill(ui->cv, timeline_field(s), ui->theme->ground);
	if (app->snapshot == NULL) {
		ui_label(ui, s->ticks, TEXT_CENTRE, "Events appear here");
		return;
	}
	cv_push_clip(ui->cv, rect_make(s->ticks.x, r.y, s->ticks.w, r.h));
	paint_range(app, s);
	char words[96];
	timeline_paint_axis(app, s, range_box(app, s, words, sizeof words));
	cv_pop_clip(ui->cv);
	paint_labels(app, s, r);
	timeline_paint_graph(app, s, r.x);
	paint_ticks(app, s);
	cv_push_clip(ui->cv, timeline_field(s));
	paint_fired(app, s);
	cv_pop_clip(ui->cv);
	paint_thinned(app, s);
	paint_marks(app, s);
	paint_end(app, s, app->event_history.begun, app->event_history.begin_ns);
	paint_end(app, s, app->event_history.ended, app->event_history.end_ns);
	paint_range_ends(app, s);
	paint_hover(app, s);
	paint_cursor(app, s);
}
