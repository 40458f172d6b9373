/* All pauses as a histogram, and their percentiles by kind; declared in overview_view.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "layout.h"
#include "overview_view.h"
#include "side.h"

enum { HISTOGRAM_HEIGHT = 150 };

/* Buckets for each doubling. */
#define PER_OCTAVE 2

static double edge_of(int k)
{
	return exp2((double)k / PER_OCTAVE);
}

uint32_t overview_buckets(
    const struct gcs_stats *stats, struct overview_bucket bucket[OVERVIEW_BUCKETS])
{
	const uint64_t n = stats->no_pauses.text[0] == 0 ? stats->pauses.count : 0;
	if (n == 0)
		return 0;
	const double least = fmax((double)stats->pauses.min_ns, 1);
	const int first = (int)floor(log2(least) * PER_OCTAVE);
	const int last = (int)floor(log2(fmax((double)stats->pauses.max_ns, 1)) * PER_OCTAVE);
	const int count = clamp_int(last - first + 1, 1, OVERVIEW_BUCKETS);
	for (int i = 0; i < count; i++)
		bucket[i] = (struct overview_bucket){edge_of(first + i), edge_of(first + i + 1), 0};
	int at = 0;
	for (uint64_t i = 0; i < n; i++) {
		while (at + 1 < count && (double)stats->sorted_pauses_ns[i] >= bucket[at].to_ns)
			at++;
		bucket[at].count++;
	}
	return (uint32_t)count;
}

struct histogram {
	struct app *app;
	struct cv_rect area;
	const struct overview_bucket *bucket;
	int count;
	uint64_t most;
};

static int bar_x(const struct histogram *h, double at)
{
	return h->area.x + (int)(at / h->count * h->area.w + 0.5);
}

static int place_of_ns(const struct histogram *h, double ns)
{
	const double from = log2(h->bucket[0].from_ns);
	const double at = (log2(fmax(ns, 1)) - from) * PER_OCTAVE;
	return bar_x(h, fmin(fmax(at, 0), h->count));
}

static void paint_bars(const struct histogram *h)
{
	struct ui *ui = &h->app->ui;
	const uint32_t colour = timeline_colour(ui->theme, ui->theme->warn);
	for (int i = 0; i < h->count; i++) {
		const int x = bar_x(h, i), w = bar_x(h, i + 1) - x;
		const int high =
		    (int)ceil((double)h->area.h * (double)h->bucket[i].count / (double)h->most);
		cv_fill(ui->cv, rect_make(x, h->area.y + h->area.h - high, w > 2 ? w - 1 : w, high),
		    colour);
	}
}

/* A line with its name above; names that would touch the one before are left out. */
static void paint_percentile(const struct histogram *h, const char *name, uint64_t ns, int *end)
{
	struct ui *ui = &h->app->ui;
	const int x = place_of_ns(h, (double)ns), w = text_width(ui->fonts->face[FONT_SMALL], name);
	const int left = clamp_int(x - w / 2, h->area.x, h->area.x + h->area.w - w);
	cv_vline(ui->cv, x < h->area.x + h->area.w ? x : x - 1, h->area.y - ui_px(ui, 3),
	    h->area.h + ui_px(ui, 3), ui->theme->text);
	if (left < *end + ui_px(ui, 4))
		return;
	*end = left + w;
	ui_label(
	    ui, rect_make(left, h->area.y - ui_px(ui, 17), w + 1, ui_px(ui, 13)), TEXT_LEFT, name);
}

static void paint_times(const struct histogram *h, struct cv_rect row)
{
	struct ui *ui = &h->app->ui;
	int end = -1;
	for (double ns = 1; ns < 1e13; ns *= 10) {
		char text[32];
		if (ns < h->bucket[0].from_ns || ns > h->bucket[h->count - 1].to_ns)
			continue;
		const int x = place_of_ns(h, ns);
		gcs_format_figure(text, sizeof text, ns, GCS_UNIT_NANOSECONDS);
		const int w = text_width(ui->fonts->face[FONT_SMALL], text);
		const int left = clamp_int(x - w / 2, row.x, row.x + row.w - w);
		if (left < end)
			continue;
		end = left + w + ui_px(ui, 8);
		cv_vline(ui->cv, x, row.y, ui_px(ui, 3), ui->theme->line);
		ui_label(ui, rect_make(left, row.y + ui_px(ui, 2), w + 1, row.h - ui_px(ui, 2)),
		    TEXT_LEFT, text);
	}
}

static void tip_of_bar(const struct histogram *h, uint64_t all)
{
	struct ui *ui = &h->app->ui;
	const uint32_t id = UI_ID(PANEL_SIDE, OVERVIEW_HISTOGRAM);
	char text[200], from[32], to[32];
	if (ui_paints(ui) || ui->hot != id || h->area.w <= 0)
		return;
	const int i = clamp_int((ui->ev->x - h->area.x) * h->count / h->area.w, 0, h->count - 1);
	const struct overview_bucket *b = &h->bucket[i];
	gcs_format_figure(from, sizeof from, b->from_ns, GCS_UNIT_NANOSECONDS);
	gcs_format_figure(to, sizeof to, b->to_ns, GCS_UNIT_NANOSECONDS);
	snprintf(text, sizeof text, "%s \xe2\x80\x93 %s\nPauses\t%llu of %llu", from, to,
	    (unsigned long long)b->count, (unsigned long long)all);
	ui_tip(ui, id, rect_make(bar_x(h, i), h->area.y, bar_x(h, i + 1) - bar_x(h, i), h->area.h),
	    text);
}

static void run_histogram(struct app *app, struct cv_rect r, const struct gcs_stats *s)
{
	struct ui *ui = &app->ui;
	struct overview_bucket bucket[OVERVIEW_BUCKETS];
	const uint32_t count = overview_buckets(s, bucket);
	struct cv_rect times = cut_bottom(&r, ui_px(ui, 17));
	cut_top(&r, ui_px(ui, 18));
	struct histogram h = {app, r, bucket, (int)count, 1};
	for (uint32_t i = 0; i < count; i++)
		h.most = bucket[i].count > h.most ? bucket[i].count : h.most;
	ui_area(ui, UI_ID(PANEL_SIDE, OVERVIEW_HISTOGRAM), r);
	tip_of_bar(&h, s->pauses.count);
	if (!ui_paints(ui))
		return;
	int end = -1000;
	cv_hline(ui->cv, r.x, r.y + r.h, r.w, ui->theme->line);
	paint_bars(&h);
	paint_percentile(&h, "p50", s->pauses.median_ns, &end);
	paint_percentile(&h, "p90", s->pauses.p90_ns, &end);
	paint_percentile(&h, "p99", s->pauses.p99_ns, &end);
	paint_times(&h, times);
}

static int figure_width(const struct ui *ui, struct cv_rect row)
{
	return clamp_int(row.w / 5, ui_px(ui, 40), ui_px(ui, 66));
}

/* The name, and right-aligned figures below their titles. */
static void paint_row(struct app *app, struct cv_rect row, const char *name,
    const struct gcs_stats_pauses *p, bool bold)
{
	static const char *const titles[] = {"Count", "p50", "p99", "Max"};
	struct ui *ui = &app->ui;
	const int w = figure_width(ui, row);
	char text[4][32] = {"", "", "", ""};
	if (p != NULL) {
		snprintf(text[0], sizeof text[0], "%llu", (unsigned long long)p->count);
		gcs_format_figure(
		    text[1], sizeof text[1], (double)p->median_ns, GCS_UNIT_NANOSECONDS);
		gcs_format_figure(text[2], sizeof text[2], (double)p->p99_ns, GCS_UNIT_NANOSECONDS);
		gcs_format_figure(text[3], sizeof text[3], (double)p->max_ns, GCS_UNIT_NANOSECONDS);
	}
	for (int i = 3; i >= 0; i--) {
		struct cv_rect cell = cut_right(&row, i == 0 ? ui_px(ui, 36) : w);
		cut_left(&cell, ui_px(ui, 2));
		if (p == NULL)
			ui_label(ui, cell, TEXT_RIGHT, titles[i]);
		else
			text_in(ui->cv, ui->fonts->face[FONT_SMALL], cell, TEXT_RIGHT,
			    ui->theme->text, text[i]);
	}
	text_in_ends(ui->cv, ui->fonts->face[bold ? FONT_BOLD : FONT_SMALL], row,
	    p == NULL ? ui->theme->weak : ui->theme->text, name);
}

static void paint_table(struct app *app, struct cv_rect *column, const char *title,
    const struct gcs_stats_pauses *list, uint32_t count, const struct gcs_stats_pauses *all)
{
	struct ui *ui = &app->ui;
	struct font *small = ui->fonts->face[FONT_SMALL];
	const int high = ui_px(ui, 19);
	const bool paints = ui_paints(ui);
	struct cv_rect row = cut_top(column, high);
	if (paints) {
		paint_row(app, row, title, NULL, false);
		cv_hline(&app->cv, column->x, column->y, column->w, app->ui.theme->line);
	}
	row = all != NULL ? cut_top(column, high) : row;
	if (paints && all != NULL)
		paint_row(app, row, "All", all, true);
	for (uint32_t i = 0; i < count; i++) {
		const char *name = list[i].name;
		row = cut_top(column, high);
		/* A long name has a line of its own: cut, several kinds would look the same. */
		if (text_width(small, name) > row.w - 3 * figure_width(ui, row) - ui_px(ui, 36)) {
			if (paints)
				text_in_ends(ui->cv, small, row, ui->theme->text, name);
			name = "";
			row = cut_top(column, high);
		}
		if (paints)
			paint_row(app, row, name, &list[i], false);
	}
	cut_top(column, ui_px(&app->ui, 8));
}

void overview_side(void *self, struct app *app, struct cv_rect *column)
{
	struct ui *ui = &app->ui;
	const char *why;
	const struct gcs_stats *s = time_figures(app, &why);
	char text[300];
	(void)self;
	side_section(app, column, "Pauses", "");
	const char *none = s == NULL ? why : s->no_pauses.text;
	if (none[0] != 0) {
		snprintf(text, sizeof text, "%s%s", s == NULL ? "" : "Not known: ", none);
		side_paragraph(app, column, FONT_SMALL, ui->theme->weak, 4, text);
		return;
	}
	run_histogram(app, cut_top(column, ui_px(ui, HISTOGRAM_HEIGHT)), s);
	cut_top(column, ui_px(ui, 6));
	paint_table(app, column, "By kind", s->kinds, s->kind_count, &s->pauses);
	paint_table(app, column, "By cause", s->causes, s->cause_count, NULL);
}

void overview_side_text(void *self, struct app *app, struct textbuf *out)
{
	struct overview_bucket bucket[OVERVIEW_BUCKETS];
	const char *why;
	char a[32], b[32], c[32];
	const struct gcs_stats *s = time_figures(app, &why);
	const uint32_t count = s != NULL ? overview_buckets(s, bucket) : 0;
	(void)self;
	for (uint32_t i = 0; i < count; i++)
		if (bucket[i].count > 0)
			textbuf_printf(out, "pauses from %s to %s\t%llu\n",
			    gcs_format_figure(a, sizeof a, bucket[i].from_ns, GCS_UNIT_NANOSECONDS),
			    gcs_format_figure(b, sizeof b, bucket[i].to_ns, GCS_UNIT_NANOSECONDS),
			    (unsigned long long)bucket[i].count);
	for (uint32_t i = 0; s != NULL && i < s->kind_count; i++) {
		const struct gcs_stats_pauses *p = &s->kinds[i];
		textbuf_printf(out, "pauses %s\t%llu\tp50 %s\tp99 %s\tmax %s\n", p->name,
		    (unsigned long long)p->count,
		    gcs_format_figure(a, sizeof a, (double)p->median_ns, GCS_UNIT_NANOSECONDS),
		    gcs_format_figure(b, sizeof b, (double)p->p99_ns, GCS_UNIT_NANOSECONDS),
		    gcs_format_figure(c, sizeof c, (double)p->max_ns, GCS_UNIT_NANOSECONDS));
	}
}
