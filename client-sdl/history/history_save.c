/* The whole history graph as a picture: pixels, or rectangles. Declared in history_view.h. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "png.h"
#include "history_view.h"
#include "layout.h"
#include "palette.h"
#include "svg.h"
#include "tilecode.h"

#define MOST_PIXELS (32 << 20)
#define MOST_RECTS  60000u
#define MOST_LINES  2000u /* of a vector picture */

/* A plan for all lines, joined until they fit. */
static bool plan_whole(struct hist_plan *p, struct hist_view *whole, const struct app *app,
    uint64_t most_lines, int most_height)
{
	struct cv_rect r = rect_make(0, 0, app->rect[PANEL_VIEW].w, 100000);
	whole->group = whole->group > 0 ? whole->group : 1;
	for (;;) {
		if (!hist_plan_make(p, whole, app, r, true))
			return false;
		if (p->lines <= most_lines && hist_plan_height(p) <= most_height)
			return true;
		if (p->row_px > 1)
			whole->row_px = p->row_px > 2 ? p->row_px / 2 : 1;
		else
			whole->group *= 2;
	}
}

/* A copy of the view that shows all lines, without a cursor. */
static struct hist_view *make_whole(const struct hist_view *v)
{
	struct hist_view *whole = malloc(sizeof *whole);
	if (whole == NULL)
		return NULL;
	*whole = *v;
	whole->set.follow = whole->fitted = false;
	whole->group = v->plan.group;
	whole->row_px = v->fitted ? v->plan.row_px : v->row_px;
	whole->has_cursor = false;
	whole->top = 0;
	memset(&whole->shown, 0, sizeof whole->shown);
	return whole;
}

static void free_whole(struct hist_view *whole)
{
	hist_shown_fini(&whole->shown);
	free(whole);
}

bool hist_save_png(struct hist_view *v, struct app *app, const char *path)
{
	struct hist_view *whole = make_whole(v);
	struct hist_plan p;
	struct cv cv = {0};
	char name[64], words[1200];
	struct gcs_error err = {.text = "no graph to save yet"};
	time_t now = time(NULL);
	struct tm local;
	localtime_r(&now, &local);
	strftime(name, sizeof name, "gcspy-history-%Y%m%d-%H%M%S.png", &local);
	path = path != NULL ? path : name;
	int width = app->rect[PANEL_VIEW].w;
	bool ok = whole != NULL && width > 0 &&
		  plan_whole(&p, whole, app, UINT64_MAX, MOST_PIXELS / width);
	int height = ok ? hist_plan_height(&p) + ui_px(&app->ui, 12) : 0;
	if (ok && !cv_init(&cv, width, height)) {
		gcs_fail(&err, GCS_NOMEM, "not enough memory for an image of %d \xc3\x97 %d", width,
		    height);
		ok = false;
	}
	if (ok) {
		cv_fill(&cv, rect_make(0, 0, width, height), app->ui.theme->ground);
		hist_status_text(whole, app, &p, words, sizeof words);
		text_in(&cv, hist_font(v, app, FONT_SMALL), p.status, TEXT_LEFT,
		    app->ui.theme->weak, words);
		hist_palette_set(whole, app);
		ok = hist_paint_graph(whole, app, &cv, &p, &whole->shown) &&
		     png_write(path, cv.px, width, height, &err) == GCS_OK;
	}
	if (ok)
		app_toast(app, "Saved %s: %d \xc3\x97 %d pixels%s", path, width, height,
		    p.group > v->plan.group ? ", several rows per line" : "");
	else
		app_toast(app, "Cannot save: %s", err.text);
	cv_fini(&cv);
	if (whole != NULL)
		free_whole(whole);
	return ok;
}

/* The tooltip of a named value in a vector picture; NULL for numbers. */
static const char *name_of(const struct hist_view *v, const struct gcs_stream *st, unsigned look)
{
	uint32_t i = look - LOOK_ENUM;
	if (v->set.edges || look < LOOK_ENUM || st == NULL || i >= st->enum_count)
		return NULL;
	return st->enum_names[i];
}

/* The rectangles of a line, one per run of a value. */
static uint32_t runs(const struct hist_view *v, const struct hist_plan *p, const uint16_t *line,
    int y, struct textbuf *out)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < p->lanes; i++) {
		const struct hist_block *b = &p->block[i];
		const uint16_t *l = line + b->first;
		const uint32_t *colour = hist_palette_colours(&v->palette, i);
		const struct gcs_stream *st = out != NULL ? hist_stream(v, i) : NULL;
		for (uint32_t c = 0; c < b->columns;) {
			uint32_t end = c + 1;
			while (end < b->columns && l[end] == l[c])
				end++;
			if (l[c] != LOOK_BACKGROUND) {
				n++;
				if (out != NULL)
					svg_rect(out, hist_column_x(b, c), y,
					    hist_column_x(b, end) - hist_column_x(b, c), p->row_px,
					    colour[l[c] & LOOK_MASK] & 0xffffffu,
					    name_of(v, st, l[c]));
			}
			c = end;
		}
	}
	return n;
}

static uint32_t put_raster(struct hist_view *v, const struct hist_plan *p, struct textbuf *out)
{
	uint32_t n = 0;
	if (!hist_shown_prepare(&v->shown, &v->graph, p, &v->set))
		return UINT32_MAX;
	for (uint64_t i = 0; i < p->lines && n <= MOST_RECTS; i++) {
		const uint16_t *line =
		    hist_shown_line(&v->shown, &v->graph, p, &v->set, p->first + i);
		n += runs(v, p, line, p->raster.y + (int)i * p->row_px, out);
	}
	return n;
}

static void put_axis(
    struct hist_view *v, const struct app *app, const struct hist_plan *p, struct textbuf *out)
{
	char text[200];
	const struct theme *th = app->ui.theme;
	int small = 11 * v->set.font / HIST_FONT, main = 12 * v->set.font / HIST_FONT;
	uint32_t ink = v->palette.theme.separator;
	for (int y = 0; y < p->raster.h; y += hist_label_px(v, &app->ui, 36)) {
		uint64_t line;
		uint32_t from, to;
		hist_line_at(p, p->raster.y + y, &line);
		hist_line_rows(p, &v->graph, line, &from, &to);
		if (from >= to)
			break;
		hist_time_text(v, hist_row_at(&v->graph, from)->time_ns, text, sizeof text);
		svg_text(out, p->axis.x + p->axis.w - 16, p->raster.y + y + 10, small, SVG_RIGHT,
		    th->weak, 0, text);
	}
	for (uint32_t i = 0; i < p->lanes; i++) {
		hist_lane_text(v, i, text, sizeof text);
		svg_text(out, p->block[i].x, p->names.y + p->names.h - 4, main, SVG_LEFT, th->text,
		    p->block[i].w, text);
		uint64_t period = hist_label_period(v, app, p, i);
		for (uint64_t t = 0; period > 0 && t < v->graph.lane[i].tiles; t += period) {
			int x = hist_tile_x(v, p, i, t);
			if (t > 0)
				svg_line(
				    out, x, p->raster.y, x, p->raster.y + p->raster.h, 0.5, ink);
			hist_legend_text(v, i, t, text, sizeof text);
			if (v->set.legend != LEGEND_OFF)
				svg_text(out, x, p->labels.y + p->labels.h - 5, small, SVG_LEFT,
				    th->weak, 0, text);
		}
	}
}

static void put_border(const struct hist_view *v, const struct app *app, const struct hist_plan *p,
    struct textbuf *out)
{
	int border = ui_px(&app->ui, v->set.border);
	struct cv_rect r = rect_inset(p->raster, -border);
	if (border > 0)
		svg_rect(out, r.x, r.y, r.w, r.h, v->palette.theme.line, NULL);
	r = p->raster;
	if (border > 0 || v->palette.theme.ground != app->ui.theme->ground)
		svg_rect(out, r.x, r.y, r.w, r.h, v->palette.theme.ground, NULL);
}

static void put_chart(struct hist_view *v, const struct app *app, const struct hist_plan *p,
    uint32_t chart, struct textbuf *out)
{
	struct cv_rect r = p->chart[chart];
	uint32_t of = p->chart_of[chart];
	int64_t most = hist_chart_most(v, of);
	const struct theme *th = app->ui.theme;
	char text[600];
	hist_chart_name(v, of, text, sizeof text);
	int small = 11 * v->set.font / HIST_FONT;
	svg_text(out, r.x, p->names.y + p->names.h - 4, small, SVG_LEFT, th->text, r.w, text);
	hist_chart_fit(v, app, of, most, r.w, text, sizeof text);
	svg_text(
	    out, r.x + r.w, p->labels.y + p->labels.h - 5, small, SVG_RIGHT, th->weak, 0, text);
	for (uint64_t i = 0; i < p->lines; i++) {
		int64_t value = hist_chart_value(v, p, of, p->first + i);
		if (value > 0 && most > 0)
			svg_rect(out, r.x, r.y + (int)i * p->row_px,
			    (double)r.w * ((double)value / (double)most), p->row_px,
			    (of == CHART_PAUSE ? th->warn : th->accent) & 0xffffffu, NULL);
	}
}

bool hist_svg(void *self, struct app *app, struct textbuf *out)
{
	struct hist_view *v = self;
	struct hist_view *whole = v->graph.count > 0 ? make_whole(v) : NULL;
	struct hist_plan p;
	char words[1200];
	if (whole == NULL)
		return false;
	hist_palette_set(whole, app);
	bool ok = plan_whole(&p, whole, app, MOST_LINES, 1 << 20);
	while (ok && p.lines > 1 && put_raster(whole, &p, NULL) > MOST_RECTS) {
		whole->group *= 2;
		ok = plan_whole(&p, whole, app, MOST_LINES, 1 << 20);
	}
	if (ok) {
		hist_title_text(whole, words, sizeof words);
		svg_begin(out, app->rect[PANEL_VIEW].w, hist_plan_height(&p) + 12,
		    app->ui.theme->ground, words);
		if (v->set.title)
			svg_text(out, p.title.x, p.title.y + p.title.h - 8,
			    14 * v->set.font / HIST_FONT, SVG_LEFT, whole->palette.theme.text,
			    p.title.w, words);
		hist_status_text(whole, app, &p, words, sizeof words);
		svg_text(out, p.status.x, p.status.y + p.status.h - 6, 11 * v->set.font / HIST_FONT,
		    SVG_LEFT, app->ui.theme->weak, 0, words);
		put_border(whole, app, &p, out);
		put_raster(whole, &p, out);
		put_axis(whole, app, &p, out);
		for (uint32_t i = 0; i < p.charts; i++)
			put_chart(whole, app, &p, i, out);
		svg_end(out);
	}
	free_whole(whole);
	return ok;
}
