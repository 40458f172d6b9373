/* The overview's charts over time; declared in overview_view.h. */
#include <gcspy/format.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "layout.h"
#include "overview_view.h"

enum { MOST_COLUMNS = 1 << 14, BAR = 10 };

double overview_round(double value, bool bytes)
{
	static const double tens[] = {1, 2, 5, 10};
	static const double twos[] = {1, 2, 4, 5, 8, 10, 16, 20, 32, 40, 64, 80, 100, 128, 160, 200,
	    256, 320, 400, 512, 640, 800, 1024};
	const double base = bytes ? 1024 : 10;
	const double *steps = bytes ? twos : tens;
	const size_t count = bytes ? sizeof twos / sizeof *twos : sizeof tens / sizeof *tens;
	double unit = 1;
	if (!(value > 0) || value > 1e300)
		return 1;
	while (unit > value)
		unit /= base;
	while (unit * base <= value)
		unit *= base;
	for (size_t i = 0; i < count; i++)
		if (unit * steps[i] >= value)
			return unit * steps[i];
	return unit * base;
}

static int columns_of(const struct timeline *s)
{
	return clamp_int(s->ticks.w - 3, 0, MOST_COLUMNS);
}

static int column_at(const struct timeline *s, uint64_t time_ns, int count)
{
	return clamp_int(timeline_x(s, time_ns) - s->ticks.x, 0, count - 1);
}

/* The mean of what each column covers: between two pauses in a row may be a millisecond, of which a rate
 * of its own would set the scale. */
void overview_allocation(
    const struct overview *o, const struct timeline *s, double *column, int count)
{
	static double covered[MOST_COLUMNS];
	int64_t left = -1;
	uint64_t left_ns = 0;
	int first = 0; /* the column of left_ns */
	for (int i = 0; i < count; i++)
		column[i] = covered[i] = 0;
	for (uint32_t i = 0; i < o->count && count > 0; i++) {
		const struct event_brief *m = &o->brief[i];
		const int64_t now = m->before_bytes >= 0 ? m->before_bytes : m->used_bytes;
		left = m->after_gap ? -1 : left;
		if (now < 0)
			continue;
		const int last = column_at(s, m->time_ns, count);
		if (left >= 0 && m->time_ns > left_ns && m->time_ns >= s->from_ns &&
		    left_ns <= s->end_ns) {
			const double ns = (double)(m->time_ns - left_ns);
			const double rate = (now > left ? (double)(now - left) : 0) / ns;
			/* Columns between its ends are all its own; those at the ends share. */
			const double width = (double)s->span_ns / count;
			const double part = first == last ? ns : (ns < width ? ns : width) / 2;
			for (int c = first; c <= last; c++) {
				const double time = c == first || c == last ? part : width;
				column[c] += rate * time;
				covered[c] += time;
			}
		}
		left = m->used_bytes >= 0 ? m->used_bytes : now;
		left_ns = m->time_ns;
		first = last;
	}
	for (int i = 0; i < count; i++)
		column[i] = covered[i] > 0 ? column[i] * 1e9 / covered[i] : -1;
}

/* A pause ends at its event. */
void overview_share(
    const struct overview *o, const struct timeline *s, double *column, int count, int step)
{
	const double bar = (double)s->span_ns / count * step;
	for (int i = 0; i < count; i++)
		column[i] = 0;
	for (uint32_t i = overview_find(o, s->from_ns); count > 0 && i < o->count; i++) {
		const struct event_brief *m = &o->brief[i];
		if (m->pause_ns <= 0)
			continue;
		double left = (double)m->pause_ns;
		double end = (double)(int64_t)(m->time_ns - s->from_ns);
		/* From the last bar that it is in back to the first. */
		for (int k = (int)fmin(ceil(end / bar), (double)(count / step + 1)) - 1;
		     k >= 0 && left > 0; k--) {
			const double part = fmin(left, end - k * bar);
			if (part > 0 && k * step < count)
				column[k * step] += part / bar;
			left -= fmax(part, 0);
			end = k * bar;
		}
	}
	for (int i = 0; i < count; i++)
		column[i] = fmin(column[i - i % step], 1);
}

/* Labels at zero, in the middle and on top. */
static void paint_scale(struct app *app, const struct timeline *s, double top, enum gcs_unit unit)
{
	struct ui *ui = &app->ui;
	const int high = ui_px(ui, 13);
	for (int i = 0; i <= 2; i++) {
		char text[40];
		const int y = s->ticks.y + s->ticks.h - 1 - (s->ticks.h - 1) * i / 2;
		cv_hline(ui->cv, s->ticks.x, y, s->ticks.w,
		    i == 0 ? ui->theme->line : cv_mix(ui->theme->ground, ui->theme->line, 130));
		/* The label on top is the last to go. */
		if (i < 2 && s->ticks.h < (i == 0 ? 2 : 4) * high)
			continue;
		if (unit == GCS_UNIT_SHARE)
			snprintf(text, sizeof text, "%g %%", 100 * top * i / 2);
		else
			gcs_format_figure(text, sizeof text, top * i / 2, unit);
		const int at = clamp_int(
		    y - high / 2, s->ticks.y - ui_px(ui, 2), s->ticks.y + s->ticks.h - high);
		struct cv_rect r = rect_make(s->ticks.x - ui_px(ui, 66), at, ui_px(ui, 60), high);
		ui_label(ui, r, TEXT_RIGHT, i == 0 ? "0" : text);
	}
}

static int height_of(const struct timeline *s, double value, double top)
{
	const int h = (int)((s->ticks.h - 1) * (value / top) + 0.5);
	return clamp_int(h, 0, s->ticks.h);
}

/* A colour sample and its name at the right end of a title; returns what is left of the title. */
static struct cv_rect paint_key(
    struct ui *ui, struct cv_rect r, uint32_t colour, int thick, const char *name)
{
	struct cv_rect text = cut_right(&r, text_width(ui->fonts->face[FONT_SMALL], name));
	ui_label(ui, text, TEXT_LEFT, name);
	cut_right(&r, ui_px(ui, 5));
	struct cv_rect box = cut_right(&r, ui_px(ui, 12));
	cv_fill(ui->cv, centred(box, box.w, thick), colour);
	cut_right(&r, ui_px(ui, 12));
	return r;
}

static void paint_title(struct app *app, struct cv_rect r, const char *name, const char *note)
{
	struct ui *ui = &app->ui;
	struct font *bold = ui->fonts->face[FONT_BOLD];
	cv_fill(ui->cv, r, ui->theme->ground);
	text_in(ui->cv, bold, r, TEXT_LEFT, ui->theme->text, name);
	cut_left(&r, text_width(bold, name) + ui_px(ui, 10));
	ui_label(ui, r, TEXT_LEFT, note);
}

/* What the heap has from the system, as a line of steps. */
static void paint_committed(struct app *app, const struct timeline *s, double top, uint32_t ink)
{
	const struct overview *o = event_history_overview(app);
	const int thick = ui_px(&app->ui, 2);
	int64_t level = -1;
	int from = s->ticks.x;
	for (uint32_t i = 0; i < o->count; i++) {
		const struct event_brief *m = &o->brief[i];
		level = m->after_gap ? -1 : level;
		if (m->committed_bytes < 0)
			continue;
		const int x =
		    clamp_int(timeline_x(s, m->time_ns), s->ticks.x, s->ticks.x + s->ticks.w);
		const int y = s->ticks.y + s->ticks.h - height_of(s, (double)level, top);
		if (level >= 0 && x > from)
			cv_fill(&app->cv, rect_make(from, y, x - from, thick), ink);
		if (x > from || level < 0)
			from = x;
		level = m->committed_bytes;
	}
}

/* The used heap below `marks` pixels for the pauses, which hang from the top edge. */
static void paint_saw(struct app *app, const struct timeline *s, double top, int marks)
{
	const struct overview *o = event_history_overview(app);
	const struct theme *th = app->ui.theme;
	const uint32_t area = cv_mix(th->ground, th->accent, 70);
	const uint32_t edge = timeline_colour(th, th->accent), warn = timeline_colour(th, th->warn);
	const int count = columns_of(s), bottom = s->ticks.y + s->ticks.h,
		  thick = ui_px(&app->ui, 1);
	struct timeline_column *column = calloc((size_t)count + 1, sizeof *column);
	if (column == NULL)
		return;
	timeline_reduce(o, s->from_ns, s->end_ns, column, (uint32_t)count);
	for (int i = 0; i < count; i++) {
		const struct timeline_column *c = &column[i];
		const int x = s->ticks.x + 1 + i;
		if (c->most >= 0) {
			const int high = height_of(s, (double)c->most, top);
			const int low = height_of(s, (double)c->least, top);
			cv_fill(&app->cv, rect_make(x, bottom - high, 1, high), area);
			cv_fill(&app->cv, rect_make(x, bottom - high, 1, high - low + thick), edge);
		}
	}
	for (int i = 0; i < count; i++) {
		if (column[i].pause_ns <= 0 || o->most_pause <= 0)
			continue;
		const int h = (int)(marks * ((double)column[i].pause_ns / (double)o->most_pause));
		const int high = clamp_int(h, ui_px(&app->ui, 3), marks);
		cv_fill(&app->cv,
		    rect_make(s->ticks.x + 1 + i, s->ticks.y - marks, ui_px(&app->ui, 2), high),
		    warn);
	}
	free(column);
}

static void paint_heap(struct app *app, const struct overview_layout *l)
{
	struct ui *ui = &app->ui;
	const struct timeline *s = &l->plot[PLOT_HEAP];
	const struct overview *o = event_history_overview(app);
	const struct theme *th = ui->theme;
	const double committed = (double)o->most_committed;
	const bool any = o->most_used > 0;
	const char *none = time_figures_no_event(app);
	char note[120] = "";
	const int marks = o->most_pause > 0 ? clamp_int(s->ticks.h / 6, 0, ui_px(ui, 26)) : 0;
	struct timeline below = *s;
	cut_top(&below.ticks, marks);
	const double top = overview_round(fmax((double)o->most_used, committed) * 1.02, true);
	const uint32_t line = timeline_colour(th, th->good);
	if (!any)
		snprintf(note, sizeof note, "not known: %s",
		    none != NULL ? none : "no event has the memory in use");
	paint_title(app, l->title[PLOT_HEAP], "Heap", note);
	struct cv_rect key = l->title[PLOT_HEAP];
	cut_right(&key, ui_px(ui, 4));
	if (o->most_pause > 0)
		key = paint_key(ui, key, timeline_colour(th, th->warn), ui_px(ui, 9), "pause");
	if (committed > 0)
		key = paint_key(ui, key, line, ui_px(ui, 2), "committed");
	if (any)
		paint_key(ui, key, timeline_colour(th, th->accent), ui_px(ui, 9), "used");
	if (any || committed > 0)
		paint_scale(app, &below, top, GCS_UNIT_BYTES);
	paint_saw(app, &below, top, marks);
	if (committed > 0)
		paint_committed(app, &below, top, line);
}

/* Columns as an area, or why there are none. */
static void paint_area(struct app *app, const struct timeline *s, const double *column, int count,
    double top, uint32_t colour)
{
	const struct theme *th = app->ui.theme;
	const uint32_t edge = timeline_colour(th, colour), area = cv_mix(th->ground, edge, 110);
	const int bottom = s->ticks.y + s->ticks.h, thick = ui_px(&app->ui, 1);
	for (int i = 0; i < count; i++) {
		if (!(column[i] > 0))
			continue;
		const int x = s->ticks.x + 1 + i, h = height_of(s, column[i], top);
		const int high = h > 0 ? h : 1;
		cv_fill(&app->cv, rect_make(x, bottom - high, 1, high), area);
		cv_fill(&app->cv, rect_make(x, bottom - high, 1, thick), edge);
	}
}

static double most_of(const double *column, int count)
{
	double most = 0;
	for (int i = 0; i < count; i++)
		most = fmax(most, column[i]);
	return most;
}

/* Used bytes tell what was allocated only where memory is freed in pauses. */
static const char *no_allocation(const struct app *app)
{
	const char *why;
	const struct gcs_stats *s = time_figures(app, &why);
	return s == NULL ? why : s->allocation.why.text;
}

static void paint_rates(struct app *app, const struct overview_layout *l, double *column)
{
	const struct overview *o = event_history_overview(app);
	const struct timeline *rate = &l->plot[PLOT_ALLOCATION], *share = &l->plot[PLOT_SHARE];
	const int count = columns_of(rate), step = ui_px(&app->ui, BAR);
	const char *why = no_allocation(app);
	char note[300] = "bytes per second, between collections";
	overview_allocation(o, rate, column, count);
	const double most = most_of(column, count);
	if (why[0] != 0)
		snprintf(note, sizeof note, "not known: %s", why);
	paint_title(app, l->title[PLOT_ALLOCATION], "Allocation rate", note);
	const double top = overview_round(most, true);
	if (why[0] == 0) {
		paint_scale(app, rate, top, GCS_UNIT_BYTES_PER_SECOND);
		paint_area(app, rate, column, count, top, app->ui.theme->good);
	}
	overview_share(o, share, column, count, step);
	const double most_share = most_of(column, count);
	const bool pauses = o->most_pause > 0;
	char bar[40];
	if (pauses && count > 0)
		snprintf(note, sizeof note, "share of each %s",
		    gcs_format_figure(bar, sizeof bar, (double)share->span_ns * step / count,
			GCS_UNIT_NANOSECONDS));
	else
		snprintf(note, sizeof note, "not known: %s",
		    time_figures_no_event(app) != NULL ? time_figures_no_event(app)
						       : "no event has a pause");
	paint_title(app, l->title[PLOT_SHARE], "Time in pauses", note);
	if (!pauses)
		return;
	const double all = most_share > 0.5 ? 1 : overview_round(most_share, false);
	paint_scale(app, share, all, GCS_UNIT_SHARE);
	paint_area(app, share, column, count, all, app->ui.theme->warn);
}

/* The selected range, the moment shown and the one under the pointer in one of the charts. */
static void paint_moments(struct app *app, const struct timeline *s)
{
	const struct theme *th = app->ui.theme;
	const struct cv_rect f = s->ticks;
	timeline_paint_gaps(app, s, f);
	cv_push_clip(&app->cv, f);
	if (app->range.on) {
		const int a = timeline_x(s, app->range.from_ns),
			  b = timeline_x(s, app->range.to_ns);
		cv_blend(&app->cv, rect_make(a, f.y, b - a + 1, f.h), th->accent, 45);
		cv_vline(&app->cv, a, f.y, f.h, th->text);
		cv_vline(&app->cv, b, f.y, f.h, th->text);
	}
	if (app->hover_ns != 0)
		cv_blend(&app->cv,
		    rect_make(timeline_x(s, app->hover_ns), f.y, ui_px(&app->ui, 1), f.h), th->text,
		    150);
	if (app->replay.on || app->event_history.back)
		cv_fill(&app->cv,
		    rect_make(
			timeline_x(s, event_history_shown_ns(app)), f.y, ui_px(&app->ui, 2), f.h),
		    th->text);
	cv_pop_clip(&app->cv);
}

void overview_plots_paint(struct app *app, const struct overview_layout *l)
{
	const int count = columns_of(&l->all);
	double *column = calloc((size_t)count + 1, sizeof *column);
	if (column == NULL || l->plot[PLOT_SHARE].ticks.h < ui_px(&app->ui, 12)) {
		free(column);
		return;
	}
	timeline_paint_axis(app, &l->all, rect_make(0, 0, 0, 0));
	paint_heap(app, l);
	paint_rates(app, l, column);
	for (int i = 0; i < OVERVIEW_PLOTS; i++)
		paint_moments(app, &l->plot[i]);
	free(column);
}
