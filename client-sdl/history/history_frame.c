/* Around and over the raster: title, axis, separators, charts, marks. Declared in
 * history_view.h. */
#include <inttypes.h>
#include <stdio.h>

#include "history_view.h"
#include "layout.h"

#define TIME_GAP 36 /* minimum pixels between times */

void hist_text(const struct hist_view *v, const struct app *app, struct cv *cv, struct cv_rect r,
    enum text_align align, uint32_t colour, const char *text)
{
	text_in(cv, hist_font(v, app, FONT_SMALL), r, align, colour, text);
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
		hist_lane_text(v, i, text, sizeof text);
		text_in(cv, hist_font(v, app, FONT_UI),
		    rect_make(b->x, p->names.y, next - b->x - ui_px(&app->ui, 8), p->names.h),
		    TEXT_LEFT, app->ui.theme->text, text);
	}
}

static void paint_border(
    const struct hist_view *v, struct app *app, struct cv *cv, const struct hist_plan *p)
{
	int border = ui_px(&app->ui, v->set.border);
	if (border > 0)
		cv_frame(cv, rect_inset(p->raster, -border), border, v->palette.theme.line);
}

static void paint_times(
    const struct hist_view *v, struct app *app, struct cv *cv, const struct hist_plan *p)
{
	const struct ui *ui = &app->ui;
	const struct theme *th = ui->theme;
	int step = hist_label_px(v, ui, TIME_GAP), h = font_height(hist_font(v, app, FONT_SMALL));
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
		hist_time_text(v, hist_row_at(&v->graph, from)->time_ns, text, sizeof text);
		int at = hist_line_y(p, line);
		cv_hline(cv, p->axis.x + p->axis.w - ui_px(ui, 14), at, ui_px(ui, 4), th->weak);
		hist_text(v, app, cv,
		    rect_make(p->axis.x + ui_px(ui, 2), at, p->axis.w - ui_px(ui, 18), h),
		    TEXT_RIGHT, th->weak, text);
	}
}

/* The y of a time, clamped to the raster. */
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
	/* Dims what is outside the range. */
	cv_blend(cv, rect_make(p->raster.x, p->raster.y, p->raster.w, top - p->raster.y),
	    th->ground, 110);
	cv_blend(cv,
	    rect_make(p->raster.x, bottom, p->raster.w, p->raster.y + p->raster.h - bottom),
	    th->ground, 110);
}

/* An arrow at the time that the other views show, and lines around its row if it is an earlier one.
 * */
static void paint_present(
    const struct hist_view *v, struct app *app, struct cv *cv, const struct hist_plan *p)
{
	const struct ui *ui = &app->ui;
	uint64_t line;
	if (!hist_present_line(v, app, p, &line) || line < p->top || line >= p->top + p->page)
		return;
	int size = ui_px(ui, 9), top = hist_line_y(p, line), y = top + p->row_px / 2;
	cv_arrow(cv,
	    rect_make(p->axis.x + p->axis.w - ui_px(ui, 9), y - size / 2, ui_px(ui, 7), size), 1,
	    ui->theme->selection);
	if (!hist_looks_back(app))
		return;
	int thick = ui_px(ui, 1), right = p->raster.x + p->raster.w;
	cv_fill(cv, rect_make(p->raster.x, top - thick, right - p->raster.x, thick),
	    ui->theme->selection);
	cv_fill(cv, rect_make(p->raster.x, top + p->row_px, right - p->raster.x, thick),
	    ui->theme->selection);
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

void hist_paint_title(
    const struct hist_view *v, struct app *app, struct cv *cv, const struct hist_plan *p)
{
	char text[800];
	if (!v->set.title)
		return;
	struct cv_rect r = p->title;
	uint64_t per = v->graph.stride * p->group;
	if (per > 1) {
		snprintf(text, sizeof text, "%" PRIu64 " events per row", per);
		int w = text_width(hist_font(v, app, FONT_SMALL), text);
		hist_text(v, app, cv, cut_right(&r, w), TEXT_RIGHT, app->ui.theme->warn, text);
		cut_right(&r, ui_px(&app->ui, 12));
	}
	hist_title_text(v, text, sizeof text);
	text_in(cv, hist_font(v, app, FONT_BOLD), r, TEXT_LEFT, v->palette.theme.text, text);
}

void hist_paint_frame(
    const struct hist_view *v, struct app *app, struct cv *cv, const struct hist_plan *p)
{
	paint_border(v, app, cv, p);
	paint_names(v, app, cv, p);
	hist_paint_lines(v, app, cv, p);
	paint_times(v, app, cv, p);
	paint_range(v, app, cv, p);
	paint_present(v, app, cv, p);
	paint_cursor(v, app, cv, p);
	for (uint32_t i = 0; i < p->charts; i++)
		hist_paint_chart(v, app, cv, p, i);
}
