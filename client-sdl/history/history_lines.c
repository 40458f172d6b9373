/* Separators, their labels, and lines at the selected event, thinned where they would be too
 * close. Declared in history_view.h. */
#include <stdio.h>

#include <gcspy/format.h>

#include "history_view.h"

/* Minimum pixels at scale 1. */
#define LABELS     52 /* between labels of separators */
#define SEPARATORS 24 /* between separators */
#define OWN        4  /* … with a period set by the user */
#define EVENTS     12 /* between lines at events */
#define STRENGTH   100

uint32_t hist_event_id(const struct hist_view *v)
{
	return v->graph.model != NULL && v->set.event[0] != 0
		   ? gcs_model_find_event(v->graph.model, v->set.event)
		   : GCS_NONE;
}

int hist_tile_x(const struct hist_view *v, const struct hist_plan *p, uint32_t lane, uint64_t tile)
{
	uint64_t column = tile / hist_tiles_per(&v->graph, p, lane);
	const struct hist_block *b = &p->block[lane];
	return hist_column_x(b, (uint32_t)(column < b->columns ? column : b->columns));
}

static double tile_px(const struct hist_view *v, const struct hist_plan *p, uint32_t lane)
{
	const struct hist_block *b = &p->block[lane];
	return (double)b->w / b->columns / (double)hist_tiles_per(&v->graph, p, lane);
}

static uint64_t period_of(
    const struct hist_view *v, const struct hist_plan *p, uint32_t lane, int least_px)
{
	uint64_t period = (uint64_t)v->set.separator;
	double px = tile_px(v, p, lane);
	while (period > 0 && (double)period * px < least_px)
		period *= 2;
	return period;
}

uint64_t hist_separator_period(
    const struct hist_view *v, const struct app *app, const struct hist_plan *p, uint32_t lane)
{
	bool own = v->set.separator != HIST_SEPARATOR;
	return period_of(v, p, lane, ui_px(&app->ui, own ? OWN : SEPARATORS));
}

/* Labels are spaced so that none is truncated. */
uint64_t hist_label_period(
    const struct hist_view *v, const struct app *app, const struct hist_plan *p, uint32_t lane)
{
	uint64_t period = hist_separator_period(v, app, p, lane), tiles = v->graph.lane[lane].tiles;
	char text[64];
	if (period == 0)
		return 0;
	hist_legend_text(v, lane, tiles > period ? tiles / period * period : 0, text, sizeof text);
	int w = text_width(hist_font(v, app, FONT_SMALL), text) + ui_px(&app->ui, 8);
	int least = hist_label_px(v, &app->ui, LABELS);
	least = w > least ? w : least;
	uint64_t labels = period;
	double px = tile_px(v, p, lane);
	while ((double)labels * px < least && labels < tiles)
		labels += period;
	return labels;
}

static void paint_labels(const struct hist_view *v, struct app *app, struct cv *cv,
    const struct hist_plan *p, uint32_t lane)
{
	const struct ui *ui = &app->ui;
	uint64_t labels = hist_label_period(v, app, p, lane), tiles = v->graph.lane[lane].tiles;
	for (uint64_t tile = 0; tile < tiles; tile += labels) {
		char text[64];
		hist_legend_text(v, lane, tile, text, sizeof text);
		int x = hist_tile_x(v, p, lane, tile);
		int room = hist_tile_x(v, p, lane, tile + labels) - x - ui_px(ui, 6);
		/* The last one gets the remainder. */
		if (room >= text_width(hist_font(v, app, FONT_SMALL), text))
			hist_text(v, app, cv, rect_make(x, p->labels.y, room, p->labels.h),
			    TEXT_LEFT, ui->theme->weak, text);
	}
}

/* Lines close together are fainter. */
static int strength(const struct app *app, double px)
{
	int full = ui_px(&app->ui, SEPARATORS), at = px < full ? (int)px : full;
	return STRENGTH * at / full + 30 * (full - at) / full;
}

static void paint_separators(
    const struct hist_view *v, struct app *app, struct cv *cv, const struct hist_plan *p)
{
	uint32_t ink = v->palette.theme.separator;
	for (uint32_t i = 0; i < p->lanes; i++) {
		const struct hist_block *b = &p->block[i];
		uint64_t period = hist_separator_period(v, app, p, i);
		int alpha = strength(app, (double)period * tile_px(v, p, i));
		for (uint64_t t = period; period > 0 && t < v->graph.lane[i].tiles; t += period)
			cv_blend(cv,
			    rect_make(hist_tile_x(v, p, i, t), p->raster.y, 1, p->raster.h), ink,
			    alpha);
		if (period > 0 && v->set.legend != LEGEND_OFF)
			paint_labels(v, app, cv, p, i);
		int gap = i + 1 < p->lanes ? b[1].x - b->x - b->w : 0;
		if (gap > 0 && v->set.space_separators)
			cv_fill(cv,
			    rect_make(b->x + b->w + gap / 2 - 1, p->names.y + ui_px(&app->ui, 2),
				ui_px(&app->ui, 2),
				p->raster.y + p->raster.h - p->names.y - ui_px(&app->ui, 2)),
			    ink);
	}
}

/* The last row of a line that contains the event, or NULL. */
static const struct hist_row *hit_of(
    const struct hist_view *v, const struct hist_plan *p, uint32_t event, uint64_t line)
{
	uint32_t from, to;
	hist_line_rows(p, &v->graph, line, &from, &to);
	const struct hist_row *hit = NULL;
	for (uint32_t r = from; r < to; r++) {
		const struct hist_row *row = hist_row_at(&v->graph, r);
		hit = row->kinds >> event & 1 ? row : hit;
	}
	return hit;
}

static uint32_t lines_in_sight(const struct hist_plan *p)
{
	return p->page < p->lines ? p->page : (uint32_t)p->lines;
}

/* Iterates over the visible lines that contain the event. */
struct walk {
	uint32_t event, i;
	uint64_t step, count; /* occurrences at the previous line */
	int alpha;
	int y, drawn_y;
	bool any, drawn;
};

/* The stride of occurrences whose lines are far enough apart on average. */
static struct walk walk_begin(
    const struct hist_view *v, const struct app *app, const struct hist_plan *p)
{
	struct walk w = {.event = hist_event_id(v), .step = 1};
	uint32_t n = lines_in_sight(p), hits = 0;
	for (uint32_t i = 0; w.event < 64 && i < n; i++)
		hits += hit_of(v, p, w.event, p->top + i) != NULL;
	if (hits == 0)
		return w;
	double px = (double)n * p->row_px / hits;
	while (px * (double)w.step < ui_px(&app->ui, EVENTS))
		w.step *= 2;
	w.alpha = strength(app, px * (double)w.step);
	return w;
}

/* Advances to the next line to draw; false after the last. A line is drawn where the count
 * passes a multiple of the step, so that it moves with its row, unless it is too close to the
 * previous one. */
static bool walk_on(
    const struct hist_view *v, const struct app *app, const struct hist_plan *p, struct walk *w)
{
	const struct hist_row *hit = NULL;
	for (; w->event < 64 && hit == NULL && w->i < lines_in_sight(p); w->i++)
		hit = hit_of(v, p, w->event, p->top + w->i);
	if (hit == NULL)
		return false;
	uint64_t now = w->event < hit->counters ? hit->counter[w->event] : w->count + 1;
	uint64_t before = w->count > 0 || now == 0 ? w->count : now - 1;
	w->y = p->raster.y + (int)(w->i - 1) * p->row_px;
	w->drawn = now / w->step != before / w->step &&
		   (!w->any || w->y - w->drawn_y >= ui_px(&app->ui, EVENTS));
	w->drawn_y = w->drawn ? w->y : w->drawn_y;
	w->any = w->any || w->drawn;
	w->count = now;
	return true;
}

static void paint_events(
    const struct hist_view *v, struct app *app, struct cv *cv, const struct hist_plan *p)
{
	const struct ui *ui = &app->ui;
	int h = font_height(hist_font(v, app, FONT_SMALL)), free_from = p->raster.y - h;
	int mark = ui_px(ui, 6);
	struct walk w = walk_begin(v, app, p);
	while (walk_on(v, app, p, &w)) {
		cv_fill(cv, rect_make(p->raster.x - mark, w.y, mark, 1), ui->theme->text);
		if (w.drawn)
			cv_blend(cv, rect_make(p->raster.x, w.y, p->raster.w, 1),
			    v->palette.theme.separator, w.alpha);
		if (w.y < free_from)
			continue;
		char text[32];
		gcs_format_count(text, sizeof text, w.count);
		hist_text(v, app, cv,
		    rect_make(p->marks.x, w.y, p->marks.w - mark - ui_px(ui, 4), h), TEXT_RIGHT,
		    ui->theme->weak, text);
		free_from = w.y + h;
	}
}

void hist_paint_lines(
    const struct hist_view *v, struct app *app, struct cv *cv, const struct hist_plan *p)
{
	paint_separators(v, app, cv, p);
	paint_events(v, app, cv, p);
}

/* "4th"; returns text. */
static char *ordinal(char *text, size_t size, uint64_t n)
{
	char number[48];
	bool teen = n % 100 / 10 == 1;
	gcs_format_count(number, sizeof number, n);
	snprintf(text, size, "%s%s", number,
	    n % 10 == 1 && !teen   ? "st"
	    : n % 10 == 2 && !teen ? "nd"
	    : n % 10 == 3 && !teen ? "rd"
				   : "th");
	return text;
}

static void separator_text(const struct hist_view *v, const struct app *app,
    const struct hist_plan *p, char *text, size_t size)
{
	uint64_t least = UINT64_MAX, most = 1;
	char number[60];
	text[0] = 0;
	for (uint32_t i = 0; v->set.separator > 0 && i < p->lanes; i++) {
		uint64_t period = hist_separator_period(v, app, p, i);
		/* If none are drawn, none are reported as left out. */
		if (v->graph.lane[i].tiles <= (uint64_t)v->set.separator)
			continue;
		period /= (uint64_t)v->set.separator;
		least = period < least ? period : least;
		most = period > most ? period : most;
	}
	if (most > 1)
		snprintf(text, size, "%severy %s separator", least < most ? "up to " : "",
		    ordinal(number, sizeof number, most));
}

void hist_line_text(const struct hist_view *v, const struct app *app, const struct hist_plan *p,
    char *text, size_t size)
{
	char number[60];
	separator_text(v, app, p, text, size);
	struct walk w = walk_begin(v, app, p);
	uint64_t left_out = 0;
	while (walk_on(v, app, p, &w))
		left_out += !w.drawn;
	if (left_out > 0 && w.step > 1)
		append_clause(text, size, "one line per %s %s",
		    ordinal(number, sizeof number, w.step), v->set.event);
	else if (left_out > 0)
		append_clause(
		    text, size, "lines closer than %d pixels omitted", ui_px(&app->ui, EVENTS));
}
