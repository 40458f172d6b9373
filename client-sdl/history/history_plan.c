/* Layout of a history graph: pure arithmetic. Declared in history_view.h. */
#include <string.h>

#include "history_view.h"
#include "layout.h"

#define AXIS        78 /* pixels at scale 1: times */
#define CHART       76
#define CHART_LEAST 44 /* … if there are many, which take at most a quarter of the width */
#define MARKS       44 /* counts of the selected event */
#define LANE        48 /* of a lane, if it has that many columns */
#define PATTERN_FROM                                                                               \
	4 /* minimum pixels of a row with patterns, and of a cell drawn as in tile maps */
#define PICTURE_FROM 6
#define LEAST        120 /* of the raster, before charts are left out */
#define MOST_PX      40  /* maximum of a column, and of a row */

static int limit_px(int n)
{
	return clamp_int(n, 1, MOST_PX);
}

/* A lane's number of cells. */
static uint32_t columns_of(const struct hist_lane *lane)
{
	uint64_t n = ((uint64_t)lane->tiles + (1u << lane->shift) - 1) >> lane->shift;
	return n > 0 ? (uint32_t)n : 1;
}

/* Width for a lane. */
struct want {
	uint64_t cells;
	int least, most;
	bool settled;
	int width;
};

/* Lanes get width by their cells, within limits; one that reaches its limit leaves the rest to
 * the others. */
static void share(struct want *want, uint32_t lanes, int room)
{
	for (bool again = true; again;) {
		uint64_t cells = 0;
		int rest = room;
		again = false;
		for (uint32_t i = 0; i < lanes; i++) {
			cells += want[i].settled ? 0 : want[i].cells;
			rest -= want[i].settled ? want[i].width : 0;
		}
		for (uint32_t i = 0; i < lanes && !again; i++) {
			struct want *w = &want[i];
			if (w->settled)
				continue;
			w->width = rest > 0 ? (int)((uint64_t)rest * w->cells / cells) : 1;
			int limited = clamp_int(w->width, w->least, w->most);
			again = w->settled = limited != w->width;
			w->width = limited > 1 ? limited : 1;
		}
	}
}

static void place_blocks(struct hist_plan *p, const struct hist_view *v, const struct app *app)
{
	const struct hist_graph *g = &v->graph;
	int px = limit_px(ui_px(&app->ui, v->set.tile));
	int gap = ui_px(&app->ui, v->set.space_separators ? 9 : 4);
	int room = p->raster.w - gap * ((int)g->lanes - 1);
	int least = clamp_int(ui_px(&app->ui, LANE), 1, room / 2 / ((int)g->lanes + 1));
	struct want want[HIST_LANES] = {0};
	for (uint32_t i = 0; i < g->lanes; i++) {
		want[i].cells = columns_of(&g->lane[i]);
		want[i].most = (int)want[i].cells * (v->set.fill && px < MOST_PX ? MOST_PX : px);
		want[i].least = least < want[i].most ? least : want[i].most;
	}
	share(want, g->lanes, room);
	int x = p->raster.x;
	p->columns = 0;
	for (uint32_t i = 0; i < g->lanes; i++) {
		struct hist_block *b = &p->block[i];
		uint32_t cells = (uint32_t)want[i].cells, fit = (uint32_t)want[i].width;
		b->join = (cells + fit - 1) / fit;
		b->columns = (cells + b->join - 1) / b->join;
		b->first = p->columns;
		b->x = x;
		b->w = want[i].width;
		x += b->w + gap;
		p->columns += b->columns;
	}
	p->lanes = g->lanes;
	p->raster.w = g->lanes > 0 ? x - gap - p->raster.x : 0;
}

int hist_column_x(const struct hist_block *b, uint32_t column)
{
	return b->x + (int)((uint64_t)column * (uint64_t)b->w / b->columns);
}

struct cv_rect hist_cell_rect(
    const struct hist_plan *p, uint32_t lane, uint32_t column, uint64_t line)
{
	const struct hist_block *b = &p->block[lane];
	int x = hist_column_x(b, column);
	return rect_make(x, hist_line_y(p, line), hist_column_x(b, column + 1) - x, p->row_px);
}

/* What fits beside the raster. */
static uint32_t list_charts(const struct hist_view *v, uint32_t *of)
{
	const struct hist_graph *g = &v->graph;
	uint32_t n = 0;
	for (uint32_t i = 0; v->set.totals && i < g->lanes; i++) {
		if (g->lane[i].most != HIST_NONE)
			of[n++] = i;
	}
	if (v->set.totals && n == 0 && g->most_used >= 0)
		of[n++] = CHART_USED;
	if (v->set.pauses && g->most_pause >= 0)
		of[n++] = CHART_PAUSE;
	return n;
}

static void place_charts(struct hist_plan *p, const struct hist_view *v, const struct app *app)
{
	const struct ui *ui = &app->ui;
	uint32_t of[HIST_CHARTS];
	uint32_t n = list_charts(v, of);
	int gap = ui_px(ui, 10), room = p->raster.w - ui_px(ui, LEAST);
	int w = n > 0 ? p->raster.w / 4 / (int)n - gap : 0;
	w = p->chart_px =
	    clamp_int(w, hist_label_px(v, ui, CHART_LEAST), hist_label_px(v, ui, CHART));
	/* The graphs get at least half of the width. */
	room = room < p->raster.w / 2 ? room : p->raster.w / 2;
	uint32_t fit = room > 0 ? (uint32_t)(room / (w + gap)) : 0;
	p->charts = n < fit ? n : fit;
	p->left_out = n - p->charts;
	p->raster.w -= (int)p->charts * (w + gap);
	for (uint32_t i = 0; i < p->charts; i++)
		/* Pauses come last. */
		p->chart_of[i] = of[i + (i + 1 == p->charts ? p->left_out : 0)];
}

/* Charts start at the right edge of the raster and use the free width up to `right`. */
static void move_charts(
    struct hist_plan *p, const struct hist_view *v, const struct app *app, int right)
{
	int gap = ui_px(&app->ui, 10), most = hist_label_px(v, &app->ui, CHART);
	int room = right - p->raster.x - p->raster.w;
	int w = p->charts > 0 ? room / (int)p->charts - gap : 0;
	w = p->chart_px = clamp_int(w, p->chart_px, p->chart_px > most ? p->chart_px : most);
	for (uint32_t i = 0; i < p->charts; i++)
		p->chart[i] = rect_make(p->raster.x + p->raster.w + gap + (int)i * (w + gap),
		    p->raster.y, w, p->raster.h);
}

/* The tile size, or more while there are few rows. */
static int fitting_px(const struct hist_view *v, const struct app *app, int room)
{
	static const int sizes[] = {10, 8, 6, 4, 3, 2};
	int px = limit_px(ui_px(&app->ui, v->set.tile));
	for (int i = 0; v->set.fill && i < 6; i++) {
		int wide = ui_px(&app->ui, sizes[i]);
		if (wide > px && (uint64_t)v->graph.count * (uint64_t)wide <= (uint64_t)room)
			return limit_px(wide);
	}
	return px;
}

static void place_lines(struct hist_plan *p, const struct hist_view *v, const struct app *app)
{
	const struct hist_graph *g = &v->graph;
	p->group = v->group > 1 ? v->group : 1;
	p->row_px = v->row_px > 0 ? v->row_px : fitting_px(v, app, p->raster.h);
	if (v->fitted)
		hist_zoom_fitting(g->count, p->raster.h, &p->group, &p->row_px);
	p->first = g->gone / p->group;
	p->lines = g->count > 0 ? (g->gone + g->count - 1) / p->group + 1 - p->first : 0;
}

uint64_t hist_top_most(const struct hist_plan *p)
{
	return p->first + (p->lines > p->page ? p->lines - p->page : 0);
}

bool hist_looks_back(const struct app *app)
{
	return app->replay.on || app->event_history.back;
}

bool hist_present_line(
    const struct hist_view *v, const struct app *app, const struct hist_plan *p, uint64_t *line)
{
	if (app->snapshot == NULL || v->graph.count == 0 ||
	    gcs_snapshot_occurrence(app->snapshot)->event == GCS_NONE)
		return false;
	uint64_t now = gcs_snapshot_occurrence(app->snapshot)->time_ns;
	*line = hist_line_of(p, &v->graph, hist_row_find(&v->graph, now));
	return now >= hist_row_at(&v->graph, 0)->time_ns;
}

/* Follows the newest row, or the shown event, which is centred when it scrolls out of view. */
static void place_top(struct hist_plan *p, const struct hist_view *v, const struct app *app)
{
	uint64_t last = hist_top_most(p), line;
	bool back = hist_looks_back(app);
	p->top = (v->set.follow && !back) || v->top > last ? last : v->top;
	p->top = p->top < p->first ? p->first : p->top;
	if (!v->set.follow || !back || !hist_present_line(v, app, p, &line))
		return;
	if (line >= p->top && line < p->top + p->page)
		return;
	p->top = line > p->first + p->page / 2 ? line - p->page / 2 : p->first;
	p->top = p->top > last ? last : p->top;
}

/* The same for all lanes, so that the legend can show it. */
static enum hist_detail detail_of(const struct hist_plan *p)
{
	int least = p->row_px;
	for (uint32_t i = 0; i < p->lanes; i++) {
		int w = p->block[i].w / (int)p->block[i].columns;
		least = w < least ? w : least;
	}
	return least >= PICTURE_FROM       ? HIST_PICTURES
	       : p->row_px >= PATTERN_FROM ? HIST_TEXTURES
					   : HIST_PLAIN;
}

/* In windows: buttons above, text below, the scroll bar on the right. */
static void cut_window(struct hist_plan *p, const struct ui *ui, struct cv_rect *r)
{
	p->tools = cut_top(r, ui_px(ui, r->h > ui_px(ui, 200) ? 40 : 0));
	p->bar = cut_right(r, ui_px(ui, 12));
	p->status = cut_bottom(r, ui_px(ui, r->h > ui_px(ui, 160) ? 26 : 0));
	cut_left(&p->status, ui_px(ui, 12));
}

bool hist_plan_make(struct hist_plan *p, const struct hist_view *v, const struct app *app,
    struct cv_rect r, bool whole)
{
	const struct ui *ui = &app->ui;
	memset(p, 0, sizeof *p);
	if (whole)
		p->status = cut_top(&r, 0);
	else
		cut_window(p, ui, &r);
	cut_right(&r, ui_px(ui, 8));
	cut_left(&r, ui_px(ui, 4));
	p->title = cut_top(&r, v->set.title ? hist_label_px(v, ui, 26) : ui_px(ui, 4));
	if (whole)
		p->status = cut_top(&r, hist_label_px(v, ui, 20));
	/* A single lane is named by the title. */
	bool named = v->graph.lanes > 1 || !v->set.title || v->set.totals || v->set.pauses;
	p->names = cut_top(&r, named ? hist_label_px(v, ui, 18) : 0);
	p->labels = cut_top(&r, hist_label_px(v, ui, 18));
	p->axis = cut_left(&r, hist_label_px(v, ui, AXIS - 18) + ui_px(ui, 18));
	p->marks = cut_left(&r, v->set.event[0] != 0 ? hist_label_px(v, ui, MARKS) : 0);
	int border = ui_px(ui, v->set.border);
	p->raster = rect_inset(r, border);
	int right = p->raster.x + p->raster.w;
	p->status.x = whole ? p->axis.x + ui_px(ui, 8) : p->status.x;
	cut_left(&p->title, ui_px(ui, 8));
	place_charts(p, v, app);
	place_blocks(p, v, app);
	place_lines(p, v, app);
	if (whole)
		p->raster.h = (int)p->lines * p->row_px;
	p->page = p->raster.h > 0 ? (uint32_t)(p->raster.h / p->row_px) : 0;
	place_top(p, v, app);
	p->detail = detail_of(p);
	uint64_t in_sight = p->lines < p->page ? p->lines : p->page;
	p->raster.h = (int)in_sight * p->row_px;
	p->axis.y = p->marks.y = p->bar.y = p->raster.y;
	p->axis.h = p->marks.h = p->raster.h;
	p->bar.h = (int)p->page * p->row_px;
	move_charts(p, v, app, right);
	return v->graph.count > 0 && p->page > 0 && p->columns > 0 && p->raster.w > 0;
}

int hist_plan_height(const struct hist_plan *p)
{
	return p->raster.y + p->raster.h;
}

void hist_line_rows(const struct hist_plan *p, const struct hist_graph *g, uint64_t line,
    uint32_t *from, uint32_t *to)
{
	uint64_t first = line * p->group, behind = first + p->group;
	uint64_t end = g->gone + g->count;
	first = first > g->gone ? first : g->gone;
	behind = behind < end ? behind : end;
	*from = (uint32_t)(first < end ? first - g->gone : g->count);
	*to = (uint32_t)(behind > g->gone ? behind - g->gone : 0);
}

uint64_t hist_line_of(const struct hist_plan *p, const struct hist_graph *g, uint32_t row)
{
	return (g->gone + row) / p->group;
}

int hist_line_y(const struct hist_plan *p, uint64_t line)
{
	if (line < p->top)
		return p->raster.y - p->row_px;
	uint64_t n = line - p->top;
	return n > p->page ? p->raster.y + p->raster.h : p->raster.y + (int)n * p->row_px;
}

bool hist_line_at(const struct hist_plan *p, int y, uint64_t *line)
{
	if (p->lines == 0 || p->raster.h <= 0)
		return false;
	int n =
	    (clamp_int(y, p->raster.y, p->raster.y + p->raster.h - 1) - p->raster.y) / p->row_px;
	*line = p->top + (uint64_t)n;
	return y >= p->raster.y && y < p->raster.y + p->raster.h;
}

uint64_t hist_tiles_per(const struct hist_graph *g, const struct hist_plan *p, uint32_t lane)
{
	return (uint64_t)p->block[lane].join << g->lane[lane].shift;
}

bool hist_column_at(const struct hist_plan *p, int x, uint32_t *lane, uint32_t *column)
{
	for (uint32_t i = 0; i < p->lanes; i++) {
		const struct hist_block *b = &p->block[i];
		if (x < b->x || x >= b->x + b->w)
			continue;
		*lane = i;
		uint32_t c = (uint32_t)((uint64_t)(x - b->x) * b->columns / (uint64_t)b->w);
		while (c + 1 < b->columns && hist_column_x(b, c + 1) <= x)
			c++;
		*column = c;
		return true;
	}
	return false;
}
