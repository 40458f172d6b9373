/* What stands around and over the raster: title, axis, separators, charts, marks. Declared in
 * history_view.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "history_view.h"
#include "layout.h"
#include "strip.h"

#define LABEL_GAP 52 /* pixels at least between labels of separators */
#define TIME_GAP  36 /* … and of times */

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

uint64_t hist_separator_period(
    const struct hist_view *v, const struct hist_plan *p, uint32_t lane, int least_px)
{
	uint64_t period = (uint64_t)v->set.separator, per = hist_tiles_per(&v->graph, p, lane);
	double px = (double)p->block[lane].w / p->block[lane].columns / (double)per;
	while (period > 0 && (double)period * px < least_px)
		period *= 2;
	return period;
}

static void small_text(const struct app *app, struct cv *cv, struct cv_rect r,
    enum text_align align, uint32_t colour, const char *text)
{
	text_in(cv, app->ui.fonts->face[FONT_SMALL], r, align, colour, text);
}

static void paint_labels(const struct hist_view *v, struct app *app, struct cv *cv,
    const struct hist_plan *p, uint32_t lane, uint64_t period)
{
	const struct ui *ui = &app->ui;
	const struct hist_block *b = &p->block[lane];
	uint64_t labels = period;
	int least = ui_px(ui, LABEL_GAP);
	while (hist_tile_x(v, p, lane, labels) - b->x < least && labels < v->graph.lane[lane].tiles)
		labels += period;
	for (uint64_t tile = 0; tile < v->graph.lane[lane].tiles; tile += labels) {
		char text[64];
		hist_legend_words(v, lane, tile, text, sizeof text);
		int x = hist_tile_x(v, p, lane, tile);
		int room = hist_tile_x(v, p, lane, tile + labels) - x - ui_px(ui, 6);
		int w = text_width(ui->fonts->face[FONT_SMALL], text);
		/* The last one has the rest of the window's width. */
		if (tile + labels >= v->graph.lane[lane].tiles && room < w)
			continue;
		small_text(app, cv, rect_make(x, p->labels.y, room, p->labels.h), TEXT_LEFT,
		    ui->theme->weak, text);
	}
}

static void paint_separators(
    const struct hist_view *v, struct app *app, struct cv *cv, const struct hist_plan *p)
{
	const struct theme *th = app->ui.theme;
	for (uint32_t i = 0; i < p->lanes; i++) {
		uint64_t period = hist_separator_period(v, p, i, ui_px(&app->ui, 6));
		for (uint64_t t = period; period > 0 && t < v->graph.lane[i].tiles; t += period)
			cv_blend(cv,
			    rect_make(hist_tile_x(v, p, i, t), p->raster.y, 1, p->raster.h),
			    th->separator, 150);
		if (period > 0 && v->set.legend != LEGEND_OFF)
			paint_labels(v, app, cv, p, i, period);
		int gap = i + 1 < p->lanes ? p->block[i + 1].x - p->block[i].x - p->block[i].w : 0;
		if (gap > 0 && v->set.space_separators)
			cv_fill(cv,
			    rect_make(p->block[i].x + p->block[i].w + gap / 2 - 1,
				p->names.y + ui_px(&app->ui, 2), ui_px(&app->ui, 2),
				p->raster.y + p->raster.h - p->names.y - ui_px(&app->ui, 2)),
			    th->separator);
	}
}

static void paint_names(
    const struct hist_view *v, struct app *app, struct cv *cv, const struct hist_plan *p)
{
	char text[600];
	bool titled = p->lanes == 1 && v->set.title;
	for (uint32_t i = 0; !titled && i < p->lanes; i++) {
		const struct hist_block *b = &p->block[i];
		int next = i + 1 < p->lanes ? p->block[i + 1].x
			   : p->charts > 0  ? p->chart[0].x
					    : p->names.x + p->names.w;
		hist_lane_words(v, i, text, sizeof text);
		text_in(cv, app->ui.fonts->face[FONT_UI],
		    rect_make(b->x, p->names.y, next - b->x - ui_px(&app->ui, 8), p->names.h),
		    TEXT_LEFT, app->ui.theme->text, text);
	}
}

static void paint_border(
    const struct hist_view *v, struct app *app, struct cv *cv, const struct hist_plan *p)
{
	int border = ui_px(&app->ui, v->set.border);
	if (border > 0)
		cv_frame(cv, rect_inset(p->raster, -border), border, app->ui.theme->line);
}

static void paint_times(
    const struct hist_view *v, struct app *app, struct cv *cv, const struct hist_plan *p)
{
	const struct ui *ui = &app->ui;
	const struct theme *th = ui->theme;
	int step = ui_px(ui, TIME_GAP), h = font_height(ui->fonts->face[FONT_SMALL]);
	cv_fill(cv, rect_make(p->axis.x + p->axis.w - ui_px(ui, 10), p->axis.y, 1, p->axis.h),
	    th->line);
	for (int y = 0; y + h <= p->raster.h || y == 0; y += step) {
		uint64_t line;
		uint32_t from, to;
		char text[64];
		hist_line_at(p, p->raster.y + y, &line);
		hist_line_rows(p, &v->graph, line, &from, &to);
		if (from >= to)
			return;
		hist_time_words(v, hist_row_at(&v->graph, from)->time_ns, text, sizeof text);
		int at = hist_line_y(p, line);
		cv_hline(cv, p->axis.x + p->axis.w - ui_px(ui, 14), at, ui_px(ui, 4), th->weak);
		small_text(app, cv,
		    rect_make(p->axis.x + ui_px(ui, 2), at, p->axis.w - ui_px(ui, 18), h),
		    TEXT_RIGHT, th->weak, text);
	}
}

/* The y of a time, inside the raster or at its ends. */
static int time_y(const struct hist_view *v, const struct hist_plan *p, uint64_t time_ns)
{
	uint32_t row = hist_row_find(&v->graph, time_ns);
	uint64_t line = hist_line_of(p, &v->graph, row);
	return clamp_int(hist_line_y(p, line), p->raster.y, p->raster.y + p->raster.h);
}

static void paint_range(
    const struct hist_view *v, struct app *app, struct cv *cv, const struct hist_plan *p)
{
	const struct ui *ui = &app->ui;
	const struct theme *th = ui->theme;
	const struct hist_row *last = hist_row_at(&v->graph, v->graph.count - 1);
	if (!app->range.on || app->range.to_ns < hist_row_at(&v->graph, 0)->time_ns ||
	    app->range.from_ns > last->last_ns)
		return;
	int top = time_y(v, p, app->range.from_ns);
	int bottom = time_y(v, p, app->range.to_ns);
	if (app->range.to_ns >= hist_row_at(&v->graph, 0)->time_ns &&
	    bottom < p->raster.y + p->raster.h)
		bottom += p->row_px;
	int thick = ui_px(ui, 2), x = p->axis.x + p->axis.w - ui_px(ui, 10);
	cv_blend(
	    cv, rect_make(p->axis.x, top, p->axis.w - ui_px(ui, 10), bottom - top), th->accent, 60);
	cv_fill(cv, rect_make(x, top, ui_px(ui, 4), bottom - top), th->accent);
	if (top > p->raster.y)
		cv_fill(cv, rect_make(x, top - thick, p->raster.x + p->raster.w - x, thick),
		    th->accent);
	if (bottom < p->raster.y + p->raster.h)
		cv_fill(cv, rect_make(x, bottom, p->raster.x + p->raster.w - x, thick), th->accent);
	/* What is outside steps back. */
	cv_blend(cv, rect_make(p->raster.x, p->raster.y, p->raster.w, top - p->raster.y),
	    th->ground, 110);
	cv_blend(cv,
	    rect_make(p->raster.x, bottom, p->raster.w, p->raster.y + p->raster.h - bottom),
	    th->ground, 110);
}

/* An arrow at the moment that the other views show. */
static void paint_present(
    const struct hist_view *v, struct app *app, struct cv *cv, const struct hist_plan *p)
{
	if (app->snapshot == NULL || gcs_snapshot_occurrence(app->snapshot)->event == GCS_NONE)
		return;
	uint64_t now = gcs_snapshot_occurrence(app->snapshot)->time_ns;
	uint32_t row = hist_row_find(&v->graph, now);
	uint64_t line = hist_line_of(p, &v->graph, row);
	if (now < hist_row_at(&v->graph, 0)->time_ns || line < p->top || line >= p->top + p->page)
		return;
	int size = ui_px(&app->ui, 9), y = hist_line_y(p, line) + p->row_px / 2;
	cv_arrow(cv,
	    rect_make(
		p->axis.x + p->axis.w - ui_px(&app->ui, 9), y - size / 2, ui_px(&app->ui, 7), size),
	    1, app->ui.theme->selection);
}

/* Lines at the chosen event, with its count. */
static void paint_marks(
    const struct hist_view *v, struct app *app, struct cv *cv, const struct hist_plan *p)
{
	const struct ui *ui = &app->ui;
	uint32_t event = hist_event_id(v);
	int h = font_height(ui->fonts->face[FONT_SMALL]), free_from = p->raster.y - h;
	int last = p->raster.y - 8;
	for (uint32_t i = 0; event < 64 && i < p->page && i < p->lines; i++) {
		uint32_t from, to;
		hist_line_rows(p, &v->graph, p->top + i, &from, &to);
		const struct hist_row *hit = NULL;
		for (uint32_t r = from; r < to; r++) {
			const struct hist_row *row = hist_row_at(&v->graph, r);
			hit = row->kinds >> event & 1 ? row : hit;
		}
		int y = p->raster.y + (int)i * p->row_px;
		if (hit == NULL)
			continue;
		int mark = ui_px(ui, 6);
		cv_fill(cv, rect_make(p->raster.x - mark, y, mark, 1), ui->theme->text);
		/* Lines that stand close would hide what they divide. */
		if (y - last >= 4)
			cv_blend(cv, rect_make(p->raster.x, y, p->raster.w, 1),
			    ui->theme->separator, 150);
		last = y;
		if (y < free_from || event >= hit->counters)
			continue;
		char text[32];
		snprintf(text, sizeof text, "%u", hit->counter[event]);
		small_text(app, cv, rect_make(p->marks.x, y, p->marks.w - mark - ui_px(ui, 4), h),
		    TEXT_RIGHT, ui->theme->weak, text);
		free_from = y + h;
	}
}

static void paint_cursor(
    const struct hist_view *v, struct app *app, struct cv *cv, const struct hist_plan *p)
{
	const struct ui *ui = &app->ui;
	uint64_t line;
	uint32_t column;
	if (!hist_cursor_place(v, p, &line, &column) || line < p->top || line >= p->top + p->page)
		return;
	struct cv_rect cell = hist_cell_rect(p, v->cursor_lane, column, line);
	cv_blend(cv, rect_make(p->raster.x, cell.y, p->raster.w, cell.h), ui->theme->selection, 70);
	cv_blend(cv, rect_make(cell.x, p->raster.y, cell.w, p->raster.h), ui->theme->selection, 70);
	int grow = ui_px(ui, 3);
	cv_frame(cv, rect_inset(cell, -grow), ui_px(ui, 2), ui->theme->selection);
	cv_frame(cv, rect_inset(cell, -grow + ui_px(ui, 2)), ui_px(ui, 1), ui->theme->select_in);
}

/* The charts. */

int64_t hist_chart_most(const struct hist_view *v, uint32_t of)
{
	const struct hist_graph *g = &v->graph;
	return of < HIST_LANES     ? g->lane[of].most
	       : of == CHART_PAUSE ? g->most_pause
				   : g->most_used;
}

int64_t hist_chart_value(
    const struct hist_view *v, const struct hist_plan *p, uint32_t of, uint64_t line)
{
	uint32_t from, to;
	int64_t most = -1;
	hist_line_rows(p, &v->graph, line, &from, &to);
	for (uint32_t i = from; i < to; i++) {
		const struct hist_row *row = hist_row_at(&v->graph, i);
		int64_t value = of == CHART_PAUSE          ? row->pause_ns
				: of == CHART_USED         ? row->used
				: row->strip[of].has_total ? row->strip[of].total
							   : -1;
		most = value > most ? value : most;
	}
	return most;
}

static int part_of(int w, int64_t value, int64_t most)
{
	if (most <= 0 || value <= 0)
		return 0;
	int part = (int)((double)w * ((double)value / (double)most));
	return part > 0 ? part : 1;
}

static void paint_chart_head(const struct hist_view *v, struct app *app, struct cv *cv,
    const struct hist_plan *p, uint32_t chart)
{
	const struct ui *ui = &app->ui;
	struct cv_rect r = p->chart[chart];
	uint32_t of = p->chart_of[chart];
	char text[600];
	hist_chart_name(v, of, text, sizeof text);
	small_text(
	    app, cv, rect_make(r.x, p->names.y, r.w, p->names.h), TEXT_LEFT, ui->theme->text, text);
	hist_chart_words(v, of, hist_chart_most(v, of), text, sizeof text);
	small_text(app, cv, rect_make(r.x, p->labels.y, r.w, p->labels.h), TEXT_RIGHT,
	    ui->theme->weak, text);
}

/* Pauses are bars; totals a line that holds until the next event tells another one. */
void hist_paint_chart(const struct hist_view *v, struct app *app, struct cv *cv,
    const struct hist_plan *p, uint32_t chart)
{
	const struct theme *th = app->ui.theme;
	struct cv_rect r = p->chart[chart];
	uint32_t of = p->chart_of[chart];
	int64_t most = hist_chart_most(v, of);
	uint32_t ink = strip_colour(th, of == CHART_PAUSE ? th->warn : th->accent);
	uint32_t ground = cv_mix(th->ground, th->accent, 60);
	int w = r.w - 2, thick = ui_px(&app->ui, 2), before = -1;
	paint_chart_head(v, app, cv, p, chart);
	cv_fill(cv, rect_make(r.x, r.y, 1, r.h), th->line);
	cv_fill(cv, rect_make(r.x + r.w - 1, r.y, 1, r.h), cv_mix(th->ground, th->line, 128));
	for (uint32_t i = 0; i < p->page && i < p->lines; i++) {
		int64_t value = hist_chart_value(v, p, of, p->top + i);
		int y = r.y + (int)i * p->row_px, at = part_of(w, value, most);
		if (of == CHART_PAUSE) {
			int h = p->row_px > 2 ? p->row_px - 1 : p->row_px;
			cv_fill(cv, rect_make(r.x + 1, y, at, h), ink);
			continue;
		}
		at = value < 0 ? before : at;
		if (at < 0)
			continue;
		cv_fill(cv, rect_make(r.x + 1, y, at, p->row_px), ground);
		int from = before < 0 || before > at ? at : before;
		int to = before > at ? before : at;
		cv_fill(cv,
		    rect_make(r.x + 1 + from - (from >= thick ? thick : from), y, to - from + thick,
			to > from ? thick : p->row_px),
		    ink);
		cv_fill(cv,
		    rect_make(r.x + 1 + at - (at >= thick ? thick : at), y, thick, p->row_px), ink);
		before = at;
	}
}

void hist_paint_title(
    const struct hist_view *v, struct app *app, struct cv *cv, const struct hist_plan *p)
{
	char text[800];
	if (!v->set.title)
		return;
	struct cv_rect r = p->title;
	uint64_t per = v->graph.stride * p->group;
	if (per > 1) {
		/* A mark that rows are no single events. */
		snprintf(text, sizeof text, "%" PRIu64 " events to a row", per);
		int w = text_width(app->ui.fonts->face[FONT_SMALL], text);
		small_text(app, cv, cut_right(&r, w), TEXT_RIGHT, app->ui.theme->warn, text);
		cut_right(&r, ui_px(&app->ui, 12));
	}
	hist_title_words(v, text, sizeof text);
	text_in(cv, app->ui.fonts->face[FONT_BOLD], r, TEXT_LEFT, app->ui.theme->text, text);
}

void hist_paint_frame(
    const struct hist_view *v, struct app *app, struct cv *cv, const struct hist_plan *p)
{
	paint_border(v, app, cv, p);
	paint_names(v, app, cv, p);
	paint_separators(v, app, cv, p);
	paint_times(v, app, cv, p);
	paint_marks(v, app, cv, p);
	paint_range(v, app, cv, p);
	paint_present(v, app, cv, p);
	paint_cursor(v, app, cv, p);
	for (uint32_t i = 0; i < p->charts; i++)
		hist_paint_chart(v, app, cv, p, i);
}
