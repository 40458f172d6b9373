/* The used heap and the pauses on the timeline. Declared in timeline.h. */
#include <gcspy/format.h>
#include <math.h>
#include <stdlib.h>

#include "layout.h"
#include "timeline.h"

/* The columns that are being filled. Times are nanoseconds after the start of the shown part. */
struct reduction {
	struct timeline_column *column;
	uint32_t count;
	double span, step; /* all columns but the first; each */
	double time, used; /* the previous point; used < 0: none */
	uint32_t at;       /* its column, if it is in one */
};

static uint32_t column_of(const struct reduction *r, double time)
{
	double column = ceil(time / r->step);
	return column <= 0 ? 0 : column < r->count ? (uint32_t)column : r->count - 1;
}

static void add_value(const struct reduction *r, uint32_t column, double used)
{
	struct timeline_column *c = &r->column[column];
	int64_t value = used < 9.2e18 ? (int64_t)(used + 0.5) : INT64_MAX;
	c->least = c->least < 0 || value < c->least ? value : c->least;
	c->most = value > c->most ? value : c->most;
}

/* The straight line from the previous point: its values at the edges of each column. */
static void add_line(const struct reduction *r, double time, double used)
{
	double from = fmax(r->time, -r->step), to = fmin(time, r->span);
	if (!(from < to))
		return;
	double slope = (used - r->used) / (time - r->time);
	for (uint32_t i = column_of(r, from); i <= column_of(r, to); i++) {
		double left = fmax(from, (i - 1.0) * r->step), right = fmin(to, i * r->step);
		if (!(left < right))
			continue;
		add_value(r, i, r->used + slope * (left - r->time));
		add_value(r, i, right < time ? r->used + slope * (right - r->time) : used);
	}
}

/* A point is never earlier than the one before it. */
static void add_point(struct reduction *r, double time, int64_t used)
{
	time = time > r->time ? time : r->time;
	const bool seen = time > -r->step && time <= r->span;
	const uint32_t at = seen ? column_of(r, time) : 0;
	/* Within a column the two points say all of their line. */
	if (r->used >= 0 && !(seen && r->time > -r->step && at == r->at))
		add_line(r, time, (double)used);
	if (seen)
		add_value(r, at, (double)used);
	r->at = at;
	r->time = time;
	r->used = (double)used;
}

void timeline_reduce(const struct overview *o, uint64_t from_ns, uint64_t end_ns,
    struct timeline_column *column, uint32_t count)
{
	struct reduction r = {.column = column, .count = count, .time = -INFINITY, .used = -1};
	for (uint32_t i = 0; i < count; i++)
		column[i] = (struct timeline_column){.least = -1, .most = -1};
	if (count < 2 || end_ns <= from_ns)
		return;
	r.span = (double)(end_ns - from_ns);
	r.step = r.span / (count - 1);
	/* The line that comes into sight begins at the last point before it. */
	uint64_t step = r.step < 9e18 ? (uint64_t)ceil(r.step) : UINT64_MAX;
	uint32_t i = overview_find(o, from_ns > step ? from_ns - step : 0);
	while (i > 0 && o->brief[i - 1].used_bytes < 0)
		i--;
	i -= i > 0;
	for (; i < o->count && r.time <= r.span; i++) {
		const struct event_brief *m = &o->brief[i];
		double time = (double)(int64_t)(m->time_ns - from_ns);
		if (m->after_gap)
			r.used = -1;
		if (m->pause_ns > 0 && time > -r.step && time <= r.span) {
			struct timeline_column *c = &column[column_of(&r, time)];
			c->pause_ns = m->pause_ns > c->pause_ns ? m->pause_ns : c->pause_ns;
		}
		if (m->before_bytes >= 0)
			add_point(&r, time - (double)(m->pause_ns > 0 ? m->pause_ns : 0),
			    m->before_bytes);
		if (m->used_bytes >= 0)
			add_point(&r, time, m->used_bytes);
	}
}

static int part_of(int h, int64_t value, int64_t most)
{
	int part = most > 0 ? (int)((double)h * ((double)value / (double)most)) : 0;
	return value > 0 && part == 0 ? 1 : part;
}

/* The used heap as an area whose upper edge is the saw-tooth; above it, a mark for each pause. */
static void paint_columns(struct app *app, const struct timeline *s, struct cv_rect pauses)
{
	const struct overview *o = event_history_overview(app);
	const struct theme *th = app->ui.theme;
	const uint32_t area = cv_mix(th->ground, th->accent, 70);
	const uint32_t edge = timeline_colour(th, th->accent), warn = timeline_colour(th, th->warn);
	const int bottom = s->graph.y + s->graph.h, high = bottom - pauses.y - pauses.h - 1;
	const int thick = ui_px(&app->ui, 1), least = ui_px(&app->ui, 3);
	const uint32_t count = (uint32_t)clamp_int(s->ticks.w - 3, 0, 1 << 15);
	struct timeline_column *column = calloc(count + 1, sizeof *column);
	if (column == NULL)
		return;
	timeline_reduce(o, s->from_ns, s->end_ns, column, count);
	for (uint32_t i = 0; i < count; i++) {
		const struct timeline_column *c = &column[i];
		const int x = s->ticks.x + 1 + (int)i;
		if (c->most >= 0) {
			int top = part_of(high, c->most, o->most_used);
			int low = part_of(high, c->least, o->most_used);
			cv_fill(&app->cv, rect_make(x, bottom - top, 1, top), area);
			cv_fill(&app->cv, rect_make(x, bottom - top, 1, top - low + thick), edge);
		}
		if (c->pause_ns > 0) {
			int h = part_of(pauses.h, c->pause_ns, o->most_pause);
			h = h > least ? h : least;
			cv_fill(&app->cv,
			    rect_make(x, pauses.y + pauses.h - h, ui_px(&app->ui, 2), h), warn);
		}
	}
	free(column);
}

void timeline_paint_gaps(struct app *app, const struct timeline *s, struct cv_rect field)
{
	struct ui *ui = &app->ui;
	const struct overview *o = event_history_overview(app);
	static const char words[] = "not known";
	cv_push_clip(&app->cv, field);
	for (uint32_t i = 1; o->has_gaps && i < o->count; i++) {
		if (!o->brief[i].after_gap || o->brief[i].time_ns < s->from_ns)
			continue;
		const int x = timeline_x(s, o->brief[i - 1].time_ns) + ui_px(ui, 1);
		struct cv_rect r =
		    rect_make(x, field.y, timeline_x(s, o->brief[i].time_ns) - x, field.h);
		cv_blend(&app->cv, r, ui->theme->line, 70);
		if (r.w > text_width(ui->fonts->face[FONT_SMALL], words) && r.h >= ui_px(ui, 13))
			ui_label(ui, r, TEXT_CENTRE, words);
	}
	cv_pop_clip(&app->cv);
}

static void paint_label(
    struct app *app, struct cv_rect r, const char *name, int64_t most, enum gcs_format format)
{
	struct ui *ui = &app->ui;
	char text[64];
	if (most <= 0)
		return;
	gcs_format_number(text, sizeof text, most, format);
	struct cv_rect number = cut_right(&r, text_width(ui->fonts->face[FONT_SMALL], text));
	text_in(ui->cv, ui->fonts->face[FONT_SMALL], number, TEXT_RIGHT, ui->theme->text, text);
	ui_label(ui, r, TEXT_LEFT, name);
}

void timeline_paint_graph(struct app *app, const struct timeline *s, int left)
{
	struct ui *ui = &app->ui;
	const struct overview *o = event_history_overview(app);
	const struct cv_rect g = s->graph;
	if (rect_empty(g))
		return;
	struct cv_rect pauses = rect_make(g.x, g.y + 1, g.w, o->most_used > 0 ? g.h / 3 : g.h - 1);
	paint_columns(app, s, pauses);
	timeline_paint_gaps(app, s, g);
	cv_hline(ui->cv, g.x, g.y, g.w, ui->theme->line);
	struct cv_rect row = rect_make(left + ui_px(ui, 25), g.y + 1, g.x - left - ui_px(ui, 33),
	    clamp_int(g.h / 2, 0, ui_px(ui, 15)));
	paint_label(app, row, "Longest pause", o->most_pause, GCS_NANOSECONDS);
	row.y += row.h > pauses.h ? row.h : pauses.h;
	paint_label(app, row, "Peak used", o->most_used, GCS_BYTES);
}
