/* Fragmentation of the free memory of a space, now and over events (V10). Declared in charts.h. */
#include <gcspy/format.h>
#include <math.h>
#include <stdio.h>

#include "charts.h"
#include "layout.h"

static void ready(struct charts *c)
{
	struct chart_fragmentation_state *f = &c->fragmentation;
	if (f->version == c->version)
		return;
	f->known = c->snapshot != NULL && free_rule_init(&f->rule, c->snapshot, c->data.space_id);
	if (f->known)
		free_runs_fill(&f->runs, &f->rule);
	f->version = c->version;
}

static void amount(const struct chart_fragmentation_state *f, double value, char *text, size_t size)
{
	if (f->rule.in_bytes)
		gcs_format_number(text, size, chart_whole(value), GCS_BYTES);
	else
		chart_count(text, size, (uint64_t)value, "tile", "tiles");
}

/* Keeps every second event of a full line, then every fourth, and so on. */
static void thin(struct chart_fragmentation_state *f)
{
	for (uint32_t i = 0; 2 * i < f->count; i++)
		f->course[i] = f->course[2 * i];
	f->count = (f->count + 1) / 2;
	f->stride *= 2;
}

void charts_fragmentation_note(struct charts *c, struct app *app)
{
	struct chart_fragmentation_state *f = &c->fragmentation;
	if (app->snapshot == NULL || c->kind != CHART_FRAGMENTATION)
		return;
	charts_refresh(c, app);
	ready(c);
	const struct gcs_occurrence *o = gcs_snapshot_occurrence(c->snapshot);
	if (f->space != c->data.space_id || f->connection != app->connection) {
		f->space = c->data.space_id;
		f->connection = app->connection;
		f->count = 0;
		f->seen = 0;
		f->stride = 1;
	}
	bool again = f->seen > 0 && f->last == o->sequence;
	double share = f->known ? free_fragmentation(&f->runs) : -1;
	f->last = o->sequence;
	if (again || share < 0 || !gcs_snapshot_gathered(c->snapshot, c->data.space_id))
		return;
	/* A recording can be played backwards. */
	while (f->count > 0 && f->course[f->count - 1].sequence >= o->sequence)
		f->count--;
	if (f->seen++ % f->stride != 0)
		return;
	if (f->count == CHART_COURSE)
		thin(f);
	f->course[f->count++] =
	    (struct course_entry){o->sequence, o->time_ns, event_history_shown_number(app), share};
}

static bool fragmentation_lacks(struct charts *c, struct app *app, char *text, size_t size)
{
	(void)app;
	ready(c);
	if (c->fragmentation.known)
		return false;
	snprintf(
	    text, size, "This space does not expose free memory. %s", c->fragmentation.rule.words);
	return true;
}

/* The first and the last bin with a run; false if there is none. */
static bool ends(const struct free_runs *runs, uint32_t *first, uint32_t *last)
{
	bool any = false;
	for (uint32_t i = 0; i < FREE_BINS; i++) {
		if (runs->bin[i] == 0)
			continue;
		*first = any ? *first : i;
		*last = i;
		any = true;
	}
	return any;
}

static void bin_text(
    const struct chart_fragmentation_state *f, uint32_t bin, char *text, size_t size)
{
	char runs[64], bytes[64], low[64], high[64];
	chart_count(runs, sizeof runs, f->runs.bin[bin], "run", "runs");
	amount(f, f->runs.in_bin[bin], bytes, sizeof bytes);
	amount(f, exp2(bin), low, sizeof low);
	amount(f, exp2(bin + 1), high, sizeof high);
	snprintf(text, size, "%s to %s\nRuns\t%s\nFree memory\t%s", low, high, runs, bytes);
}

/* Free memory by the length of the run that it belongs to. */
static void paint_runs(struct charts *c, const struct pen *pen, struct cv_rect r)
{
	struct chart_fragmentation_state *f = &c->fragmentation;
	struct ui *ui = pen->ui;
	uint32_t first = 0, last = 0;
	pen_text(pen, FONT_SMALL, cut_top(&r, ui_px(ui, 18)), TEXT_LEFT, ui->theme->text,
	    "Free memory by run length");
	f->bins.area.w = 0;
	if (!ends(&f->runs, &first, &last)) {
		pen_text(pen, FONT_SMALL, r, TEXT_CENTRE, ui->theme->weak, "No free tiles");
		return;
	}
	const struct gcs_stream unit = {.name = "",
	    .prefix = "",
	    .suffix = "",
	    .format = f->rule.in_bytes ? GCS_BYTES : GCS_DECIMAL};
	double most = 0;
	for (uint32_t i = first; i <= last; i++)
		most = f->runs.in_bin[i] > most ? f->runs.in_bin[i] : most;
	axis_of_values(&f->bins.y, &unit, 0, most, 4, true);
	f->bins.x = (struct axis){.low = first, .high = last + 1};
	for (uint32_t i = first; i <= last + 1 && f->bins.x.count < AXIS_TICKS; i++) {
		char *label = f->bins.x.label[f->bins.x.count];
		gcs_format_number(label, AXIS_LABEL, chart_whole(exp2(i)), unit.format);
		f->bins.x.tick[f->bins.x.count++] = i;
	}
	plot_lay_out(pen, &f->bins, r);
	plot_paint(pen, &f->bins);
	f->first_bin = first;
	f->bin_count = last - first + 1;
	for (uint32_t i = first; i <= last; i++) {
		struct cv_rect bar = charts_column_rect(&f->bins, f->bin_count, i - first);
		char count[64], tip[300];
		bar.y = (int)plot_y(&f->bins, f->runs.in_bin[i]);
		bar.h = f->bins.area.y + f->bins.area.h - bar.y;
		bin_text(f, i, tip, sizeof tip);
		pen_fill(pen, bar, ui->theme->accent, tip);
		chart_count(count, sizeof count, f->runs.bin[i], "run", "runs");
		int h = font_height(ui->fonts->face[FONT_SMALL]);
		if (f->runs.bin[i] > 0)
			pen_text(pen, FONT_SMALL, rect_make(bar.x, bar.y - h - 1, bar.w, h),
			    TEXT_CENTRE, ui->theme->text, count);
	}
}

static void paint_course(struct charts *c, const struct pen *pen, struct cv_rect r)
{
	struct chart_fragmentation_state *f = &c->fragmentation;
	struct ui *ui = pen->ui;
	char events_text[64], words[120];
	chart_count(events_text, sizeof events_text, f->seen, "event", "events");
	snprintf(words, sizeof words, "Fragmentation over %s", events_text);
	pen_text(pen, FONT_SMALL, cut_top(&r, ui_px(ui, 18)), TEXT_LEFT, ui->theme->text, words);
	axis_of_shares(&f->line.y, 100);
	double from = f->count > 0 ? (double)f->course[0].sequence : 0;
	double to = f->count > 0 ? (double)f->course[f->count - 1].sequence : 1;
	const struct gcs_stream events = {.name = "", .prefix = "", .suffix = ""};
	axis_of_values(&f->line.x, &events, from, to > from ? to : from + 1, 6, false);
	plot_lay_out(pen, &f->line, r);
	plot_paint(pen, &f->line);
	if (f->count < 2) {
		pen_text(pen, FONT_SMALL, f->line.area, TEXT_CENTRE, ui->theme->weak,
		    "At least two events needed");
		return;
	}
	for (uint32_t i = 0; i + 1 < f->count; i++)
		pen_line(pen, plot_x(&f->line, (double)f->course[i].sequence),
		    plot_y(&f->line, 100 * f->course[i].share),
		    plot_x(&f->line, (double)f->course[i + 1].sequence),
		    plot_y(&f->line, 100 * f->course[i + 1].share), ui->theme->accent, DASH_NONE);
}

static void fragmentation_paint(
    struct charts *c, struct app *app, const struct pen *pen, struct cv_rect r)
{
	(void)app;
	ready(c);
	/* Side by side if the window is low. */
	bool low = r.h < ui_px(pen->ui, 260);
	struct cv_rect course = low ? cut_right(&r, r.w / 2) : cut_bottom(&r, r.h * 2 / 5);
	if (low)
		cut_right(&r, ui_px(pen->ui, 10));
	else
		cut_bottom(&r, ui_px(pen->ui, 6));
	paint_runs(c, pen, r);
	paint_course(c, pen, course);
}

static void share_text(double share, char *text, size_t size)
{
	if (share < 0)
		snprintf(text, size, "nothing free");
	else
		snprintf(text, size, "%.1f %%", 100 * share);
}

static void fragmentation_heading(struct charts *c, struct app *app, struct chart_heading *head)
{
	const struct chart_fragmentation_state *f = &c->fragmentation;
	char free[64], whole[64], longest[64], name[200], runs[64], tiles[64], share[40];
	(void)app;
	ready(c);
	share_text(free_fragmentation(&f->runs), share, sizeof share);
	snprintf(head->title, sizeof head->title, "Fragmentation of %.200s: %s",
	    c->data.space->name, share);
	chart_clean(head->title);
	amount(f, f->runs.free, free, sizeof free);
	amount(f, f->runs.whole, whole, sizeof whole);
	amount(f, f->runs.longest, longest, sizeof longest);
	chart_count(runs, sizeof runs, f->runs.count, "run", "runs");
	chart_count(tiles, sizeof tiles, f->runs.longest_tiles, "tile", "tiles");
	if (!(f->runs.free > 0)) {
		snprintf(head->text, sizeof head->text, "%s", f->rule.words);
		return;
	}
	if (f->runs.count == 0) {
		snprintf(head->text, sizeof head->text, "%s free, but no tile entirely \xc2\xb7 %s",
		    free, f->rule.words);
		return;
	}
	gcs_format_tile_name(
	    name, sizeof name, c->snapshot, c->data.space_id, f->runs.longest_first);
	snprintf(head->text, sizeof head->text,
	    "%s free, %s in %s \xc2\xb7 longest: %s, %s from %s \xc2\xb7 %s Left and "
	    "Right "
	    "move between runs",
	    free, whole, runs, longest, tiles, chart_clean(name), f->rule.words);
}

/* The bin under the pointer, or GCS_NONE. */
static uint32_t bin_at(const struct chart_fragmentation_state *f, int x, int y)
{
	if (f->bins.area.w <= 0)
		return GCS_NONE;
	uint32_t column = charts_column_at(&f->bins, f->bin_count, x, y);
	return column != GCS_NONE ? f->first_bin + column : GCS_NONE;
}

static void course_tip(const struct chart_fragmentation_state *f, struct app *app, int x, int y)
{
	char text[160], number[48], share[40];
	uint32_t best = 0;
	if (!rect_has(f->line.area, x, y) || f->count < 2)
		return;
	for (uint32_t i = 1; i < f->count; i++) {
		double a = plot_x(&f->line, (double)f->course[i].sequence) - x;
		double b = plot_x(&f->line, (double)f->course[best].sequence) - x;
		best = fabs(a) < fabs(b) ? i : best;
	}
	gcs_format_count(number, sizeof number, f->course[best].number);
	share_text(f->course[best].share, share, sizeof share);
	snprintf(text, sizeof text, "Event %s\nFragmentation\t%s", number, share);
	charts_tip(app, rect_make(x, y, 1, 1), text);
}

static void fragmentation_point(struct charts *c, struct app *app, int x, int y)
{
	const struct chart_fragmentation_state *f = &c->fragmentation;
	char text[300];
	uint32_t bin = bin_at(f, x, y);
	if (bin == GCS_NONE) {
		course_tip(f, app, x, y);
		return;
	}
	bin_text(f, bin, text, sizeof text);
	charts_tip(app, rect_make(x, y, 1, 1), text);
}

/* Selects the longest run of a bin. */
static void fragmentation_press(struct charts *c, struct app *app, int x, int y)
{
	const struct chart_fragmentation_state *f = &c->fragmentation;
	uint32_t bin = bin_at(f, x, y);
	if (bin != GCS_NONE && f->runs.bin[bin] > 0)
		app_select(app, c->data.space_id, f->runs.first_of[bin]);
}

static bool fragmentation_command(
    struct charts *c, struct app *app, enum command_id id, const char *argument)
{
	(void)argument;
	ready(c);
	if ((id != COMMAND_tile_left && id != COMMAND_tile_right) || !c->fragmentation.known)
		return false;
	uint32_t tiles;
	uint32_t run = free_next_run(&c->fragmentation.rule, charts_selected(c, app),
	    id == COMMAND_tile_right ? 1 : -1, &tiles);
	if (run != GCS_NONE)
		app_select(app, c->data.space_id, run);
	return true;
}

static void fragmentation_text(struct charts *c, struct app *app, struct textbuf *out)
{
	const struct chart_fragmentation_state *f = &c->fragmentation;
	char text[300], number[48], share[40];
	(void)app;
	for (uint32_t i = 0; i < FREE_BINS; i++) {
		if (f->runs.bin[i] == 0)
			continue;
		bin_text(f, i, text, sizeof text);
		for (char *p = text; *p != 0; p++)
			*p = *p == '\n' ? '\t' : *p;
		textbuf_printf(out, "length\t%s\n", text);
	}
	for (uint32_t i = 0; i < f->count; i++) {
		gcs_format_count(number, sizeof number, f->course[i].number);
		share_text(f->course[i].share, share, sizeof share);
		textbuf_printf(out, "event %s\t%s\n", number, share);
	}
}

const struct chart chart_fragmentation = {
    .name = "fragmentation",
    .title = "Fragmentation",
    .lacks = fragmentation_lacks,
    .heading = fragmentation_heading,
    .paint = fragmentation_paint,
    .point = fragmentation_point,
    .press = fragmentation_press,
    .command = fragmentation_command,
    .text = fragmentation_text,
};
