/* Courses over time and shares by age; declared in leaks_view.h. */
#include <math.h>

#include "app.h"
#include "layout.h"
#include "leaks_view.h"
#include "palette.h"
#include "timeline.h"

static double most_bytes(const struct gcs_stats *stats, const struct gcs_survivor *s)
{
	double most = 0;
	for (uint32_t i = 0; i < stats->judged_profiles; i++)
		most = fmax(most, gcs_survivor_bytes(stats, s, i));
	return most;
}

struct course {
	struct app *app;
	struct cv_rect r;
	double first, span, most;
	uint32_t area, edge;
};

static int x_of(const struct course *c, double seconds)
{
	return c->r.x + (int)((c->r.w - 1) * (seconds - c->first) / c->span + 0.5);
}

static int high_of(const struct course *c, double bytes)
{
	return (int)((c->r.h - 1) * bytes / c->most + 0.5);
}

/* The area between two profiles, below a straight line. */
static void paint_piece(const struct course *c, int x1, double left, int x2, double right)
{
	struct cv *cv = &c->app->cv;
	const int thick = ui_px(&c->app->ui, 2), bottom = c->r.y + c->r.h;
	for (int x = x1; x <= x2; x++) {
		const double part = x2 > x1 ? (double)(x - x1) / (x2 - x1) : 1;
		const int high = high_of(c, left + (right - left) * part);
		cv_fill(cv, rect_make(x, bottom - high, 1, high), c->area);
		cv_fill(cv, rect_make(x, bottom - high - 1, 1, thick), c->edge);
	}
}

void leaks_paint_course(struct app *app, struct cv_rect r, const struct gcs_stats *stats,
    const struct gcs_survivor *s, bool marks)
{
	const struct theme *th = app->ui.theme;
	const uint32_t n = stats->judged_profiles;
	const bool suspect = s->verdict == GCS_VERDICT_GROWS;
	const uint32_t ink = timeline_colour(th, suspect ? th->bad : th->accent);
	struct course c = {.app = app, .r = r, .most = most_bytes(stats, s), .edge = ink};
	c.area = cv_mix(marks ? th->panel : th->ground, ink, 70);
	cv_hline(&app->cv, r.x, r.y + r.h - 1, r.w, cv_mix(th->ground, th->line, 160));
	if (n == 0 || !(c.most > 0) || r.h < 4 || r.w < 4)
		return;
	c.first = gcs_judged_seconds(stats, 0);
	c.span = fmax(gcs_judged_seconds(stats, n - 1) - c.first, 1e-9);
	for (uint32_t i = 0; i + 1 < n; i++)
		paint_piece(&c, x_of(&c, gcs_judged_seconds(stats, i)),
		    gcs_survivor_bytes(stats, s, i), x_of(&c, gcs_judged_seconds(stats, i + 1)),
		    gcs_survivor_bytes(stats, s, i + 1));
	const int dot = ui_px(&app->ui, 3);
	for (uint32_t i = 0; i < n && (marks || n == 1); i++) {
		const int x = x_of(&c, gcs_judged_seconds(stats, i));
		const int y = r.y + r.h - high_of(&c, gcs_survivor_bytes(stats, s, i));
		cv_fill(&app->cv, rect_make(x - dot / 2, y - dot / 2 - 1, dot, dot), th->text);
	}
}

enum { AGES = (int)GCS_SURVIVAL_BUCKETS };

/* A bar for each number of collections survived. */
static void paint_ages(struct app *app, struct cv_rect r, const struct gcs_site *site)
{
	const struct theme *th = app->ui.theme;
	double most = 0;
	for (int i = 0; i < AGES; i++)
		most = fmax(most, site->survival[i]);
	if (!(most > 0) || r.w < AGES)
		return;
	const int step = r.w / AGES;
	for (int i = 0; i < AGES; i++) {
		int high = (int)ceil((r.h - 1) * site->survival[i] / most);
		const uint32_t ink = high > 0 ? timeline_colour(th, th->accent) : th->line;
		high = high > 0 ? high : 1;
		cv_fill(&app->cv,
		    rect_make(r.x + i * step, r.y + r.h - high, step > 2 ? step - 1 : step, high),
		    ink);
	}
}

/* A word on a coloured ground. */
static void paint_badge(struct app *app, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	struct font *small = ui->fonts->face[FONT_SMALL];
	const char *word = leaks_verdict_word(GCS_VERDICT_GROWS);
	const uint32_t ground = ui->theme->bad;
	const uint32_t ink = theme_contrast(ground, 0xffffff) >= 4.5 ? 0xffffffff : 0xff000000;
	const int w = text_width(small, word) + ui_px(ui, 14);
	struct cv_rect box = cut_left(&r, w < r.w ? w : r.w);
	box = centred(box, box.w, font_height(small) + ui_px(ui, 3));
	cv_round(ui->cv, box, ui_px(ui, 7), ground);
	text_in(ui->cv, small, box, TEXT_CENTRE, ink, word);
}

void leaks_paint_cells(struct leaks_view *view, struct app *app, struct cv_rect r,
    const struct table_rows *rows, const struct gcs_stats *stats)
{
	const struct ui *ui = &app->ui;
	const uint32_t first = (uint32_t)(view->table.scroll / table_row_height(ui));
	const uint32_t end = first + (uint32_t)table_page(ui, r) + 2;
	for (uint32_t row = first; row < view->rows && row < end; row++) {
		const struct gcs_survivor *s = leaks_row(view, stats, row);
		struct cv_rect cell;
		if (table_cell_rect(ui, r, &view->table, rows, row, LEAKS_COURSE, &cell)) {
			cell = rect_inset(cell, ui_px(ui, 3));
			leaks_paint_course(app, cell, stats, s, false);
		}
		if (table_cell_rect(ui, r, &view->table, rows, row, LEAKS_AGE, &cell))
			paint_ages(app, rect_inset(cell, ui_px(ui, 4)), s->site);
		if (s->verdict == GCS_VERDICT_GROWS &&
		    table_cell_rect(ui, r, &view->table, rows, row, LEAKS_VERDICT, &cell)) {
			cut_left(&cell, ui_px(ui, 5));
			paint_badge(app, cell);
		}
	}
}
