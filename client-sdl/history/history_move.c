/* Moving in a history graph: pointer, keys, cursor, zoom, selected range. Declared in
 * history_view.h. */
#include <stdlib.h>

#include "history_view.h"
#include "layout.h"

#define SLACK 4 /* pixels that the pointer may move during a click */

static const struct zoom {
	uint32_t group;
	int px;
} zooms[] = {{1024, 1}, {256, 1}, {64, 1}, {32, 1}, {16, 1}, {8, 1}, {4, 1}, {2, 1}, {1, 1}, {1, 2},
    {1, 3}, {1, 4}, {1, 6}, {1, 8}, {1, 10}, {1, 14}, {1, 20}, {1, 28}, {1, 40}};

#define ZOOMS ((int)(sizeof zooms / sizeof *zooms))

bool hist_cursor_place(
    const struct hist_view *v, const struct hist_plan *p, uint64_t *line, uint32_t *column)
{
	if (!v->has_cursor || v->graph.count == 0 || v->cursor_lane >= p->lanes)
		return false;
	*line = hist_line_of(p, &v->graph, hist_row_find(&v->graph, v->cursor_ns));
	uint64_t c = v->cursor_tile / hist_tiles_per(&v->graph, p, v->cursor_lane);
	uint32_t last = p->block[v->cursor_lane].columns - 1;
	*column = c < last ? (uint32_t)c : last;
	return true;
}

static void set_cursor(
    struct hist_view *v, struct app *app, uint64_t line, uint32_t lane, uint32_t column)
{
	uint32_t from, to;
	hist_line_rows(&v->plan, &v->graph, line, &from, &to);
	if (from >= to)
		return;
	v->has_cursor = true;
	v->cursor_ns = hist_row_at(&v->graph, from)->time_ns;
	v->cursor_lane = lane;
	v->cursor_tile = (uint32_t)(column * hist_tiles_per(&v->graph, &v->plan, lane));
	app_dirty(app, PANEL_VIEW);
	app_dirty(app, PANEL_SIDE);
}

static void scroll_to(struct hist_view *v, struct app *app, uint64_t top)
{
	uint64_t most = hist_top_most(&v->plan);
	v->top = top < v->plan.first ? v->plan.first : top > most ? most : top;
	v->set.follow = false;
	hist_dirty(app);
}

/* Scrolls the cursor's line into view and shows its tooltip. */
static void reveal(struct hist_view *v, struct app *app)
{
	const struct hist_plan *p = &v->plan;
	uint64_t line;
	uint32_t column;
	if (!hist_cursor_place(v, p, &line, &column))
		return;
	if (line < p->top)
		scroll_to(v, app, line);
	else if (p->page > 0 && line >= p->top + p->page)
		scroll_to(v, app, line - p->page + 1);
	app_frame(app);
	hist_tip(v, app, line, v->cursor_lane, column);
	app_dirty(app, PANEL_MODAL);
}

void hist_cursor_put(
    struct hist_view *v, struct app *app, uint64_t line, uint32_t lane, uint32_t tile)
{
	uint32_t column = (uint32_t)(tile / hist_tiles_per(&v->graph, &v->plan, lane));
	set_cursor(v, app, line, lane, column);
	v->cursor_tile = tile;
	reveal(v, app);
}

/* Goes to the time of a line. */
static void go_to(struct hist_view *v, struct app *app, uint64_t line)
{
	uint32_t from, to;
	hist_line_rows(&v->plan, &v->graph, line, &from, &to);
	if (from >= to)
		return;
	uint64_t time = hist_row_at(&v->graph, from)->time_ns;
	if (app->snapshot == NULL || gcs_snapshot_occurrence(app->snapshot)->time_ns != time)
		event_history_go_to(app, time);
}

void hist_go(struct hist_view *v, struct app *app)
{
	uint64_t line;
	uint32_t column;
	if (!hist_cursor_place(v, &v->plan, &line, &column))
		return;
	uint32_t from, to;
	hist_line_rows(&v->plan, &v->graph, line, &from, &to);
	const struct gcs_space *s = hist_space(v, v->cursor_lane);
	v->pending.space = GCS_NONE;
	if (s != NULL && from < to) {
		v->pending = (struct tile_ref){
		    gcs_model_find_space(v->graph.model, s->name), v->cursor_tile};
		v->pending_ns = hist_row_at(&v->graph, from)->time_ns;
	}
	go_to(v, app, line);
	hist_feed(v, app);
}

static bool times_of(const struct hist_view *v, uint64_t line, uint64_t *first, uint64_t *last)
{
	uint32_t from, to;
	hist_line_rows(&v->plan, &v->graph, line, &from, &to);
	if (from >= to)
		return false;
	*first = hist_row_at(&v->graph, from)->time_ns;
	*last = hist_row_at(&v->graph, to - 1)->last_ns;
	return true;
}

static void choose_lines(const struct hist_view *v, struct app *app, uint64_t a, uint64_t b)
{
	uint64_t first, last, other, end;
	if (times_of(v, a < b ? a : b, &first, &other) &&
	    times_of(v, a < b ? b : a, &other, &last)) {
		end = last;
		event_history_choose(app, first, end);
	}
}

static void zoom_to(struct hist_view *v, struct app *app, uint32_t group, int px, int y)
{
	const struct hist_plan *p = &v->plan;
	uint64_t line = p->top;
	hist_line_at(p, y, &line);
	uint64_t row = line * p->group;
	int at = (y - p->raster.y) / (px > 0 ? px : 1);
	v->fitted = false;
	v->group = group;
	v->row_px = px;
	uint64_t now = row / group;
	v->top = at > 0 && now > (uint64_t)at ? now - (uint64_t)at : at > 0 ? 0 : now;
	app->ui.tip[0] = 0;
	hist_dirty(app);
}

static void zoom(struct hist_view *v, struct app *app, int dir, int y)
{
	const struct hist_plan *p = &v->plan;
	int i = 0;
	while (i + 1 < ZOOMS && (zooms[i].group > p->group || zooms[i].px < p->row_px))
		i++;
	bool exact = zooms[i].group == p->group && zooms[i].px == p->row_px;
	i += dir > 0 ? exact : -1;
	i = clamp_int(i, 0, ZOOMS - 1);
	zoom_to(v, app, zooms[i].group, zooms[i].px,
	    clamp_int(y, p->raster.y, p->raster.y + p->raster.h));
}

void hist_zoom_fitting(uint32_t rows, int height, uint32_t *group, int *row_px)
{
	int best = 0;
	for (int i = 0; i < ZOOMS; i++) {
		uint64_t lines = rows / zooms[i].group + 1;
		if (zooms[i].px <= 10 && lines * (uint64_t)zooms[i].px <= (uint64_t)height)
			best = i;
	}
	*group = zooms[best].group;
	*row_px = zooms[best].px;
}

/* Shows all rows as large as they fit, also after the window or the number of rows has changed. */
static void zoom_fit(struct hist_view *v, struct app *app)
{
	v->fitted = true;
	v->top = 0;
	app->ui.tip[0] = 0;
	hist_dirty(app);
}

static void drag(struct hist_view *v, struct app *app)
{
	const struct ui_event *ev = app->ui.ev;
	int moved = ev->y - v->drag_y;
	bool far = abs(moved) > ui_px(&app->ui, SLACK);
	if (v->drag == HIST_DRAG_RASTER && far)
		v->drag = HIST_DRAG_PAN;
	if (v->drag == HIST_DRAG_AXIS && far)
		v->drag = HIST_DRAG_RANGE;
	if (v->drag == HIST_DRAG_PAN) {
		int64_t top = (int64_t)v->drag_top - moved / v->plan.row_px;
		scroll_to(v, app, top > 0 ? (uint64_t)top : 0);
	} else if (v->drag == HIST_DRAG_RANGE) {
		uint64_t a, b;
		hist_line_at(&v->plan, v->drag_y, &a);
		hist_line_at(&v->plan, ev->y, &b);
		choose_lines(v, app, a, b);
	}
	ui_take(&app->ui);
}

static void click(struct hist_view *v, struct app *app)
{
	const struct ui_event *ev = app->ui.ev;
	uint64_t line;
	uint32_t lane, column;
	hist_line_at(&v->plan, ev->y, &line);
	if (v->drag == HIST_DRAG_AXIS) {
		go_to(v, app, line);
	} else if (v->drag == HIST_DRAG_RASTER && hist_column_at(&v->plan, ev->x, &lane, &column)) {
		set_cursor(v, app, line, lane, column);
		hist_go(v, app);
	}
}

static void hover(struct hist_view *v, struct app *app)
{
	const struct ui_event *ev = app->ui.ev;
	uint64_t line;
	uint32_t lane = HIST_LANES, column = 0;
	if (!hist_line_at(&v->plan, ev->y, &line))
		return;
	for (uint32_t i = 0; i < v->plan.charts; i++) {
		const struct cv_rect r = v->plan.chart[i];
		if (ev->x >= r.x && ev->x < r.x + r.w) {
			hist_tip_chart(v, app, line, i);
			return;
		}
	}
	hist_column_at(&v->plan, ev->x, &lane, &column);
	hist_tip(v, app, line, lane, column);
}

void hist_pointer(struct hist_view *v, struct app *app)
{
	struct ui *ui = &app->ui;
	const struct ui_event *ev = ui->ev;
	const struct hist_plan *p = &v->plan;
	uint32_t id = UI_ID(PANEL_VIEW, HIST_RASTER);
	struct cv_rect area = rect_or(rect_or(p->axis, p->marks), p->raster);
	if (p->charts > 0)
		area = rect_or(area, p->chart[p->charts - 1]);
	bool inside = rect_has(area, ev->x, ev->y);
	if (ev->kind == EV_WHEEL && inside && ev->wheel != 0 && !ui->used) {
		if (ev->mods & MOD_SHIFT)
			scroll_to(v, app,
			    ev->wheel > 0 && p->top < 3u * (uint64_t)ev->wheel
				? 0
				: p->top - (uint64_t)(int64_t)(3 * ev->wheel));
		else
			zoom(v, app, ev->wheel > 0 ? 1 : -1, ev->y);
		ui_take(ui);
		return;
	}
	bool was = ui->active == id;
	ui_area(ui, id, area);
	if (ev->kind == EV_DOWN && ui->active == id) {
		v->drag = ev->x < p->marks.x ? HIST_DRAG_AXIS : HIST_DRAG_RASTER;
		v->drag_y = ev->y;
		v->drag_top = p->top;
		ui->focus = id;
	} else if (ev->kind == EV_MOVE && was) {
		drag(v, app);
	} else if (ev->kind == EV_UP && was) {
		if (inside)
			click(v, app);
		v->drag = HIST_DRAG_NONE;
	} else if (ev->kind == EV_MOVE && ui->hot == id) {
		hover(v, app);
	}
}

static void move_cursor(struct hist_view *v, struct app *app, int64_t lines, int64_t columns)
{
	const struct hist_plan *p = &v->plan;
	uint64_t line = p->top + (p->lines < p->page ? p->lines : p->page) - 1;
	uint32_t column = 0, lane = v->has_cursor && v->cursor_lane < p->lanes ? v->cursor_lane : 0;
	if (p->lines == 0 || p->lanes == 0)
		return;
	bool had = hist_cursor_place(v, p, &line, &column);
	int64_t to = had ? (int64_t)(line - p->first) + lines : (int64_t)(line - p->first);
	int64_t last = (int64_t)p->lines - 1;
	to = to < 0 ? 0 : to > last ? last : to;
	int64_t next = (int64_t)column + (had ? columns : 0);
	/* At the end of a lane the next one begins. */
	if (next < 0 && lane > 0)
		next = p->block[--lane].columns - 1;
	else if (next >= p->block[lane].columns && lane + 1 < p->lanes)
		next = (lane++, 0);
	int64_t end = p->block[lane].columns - 1;
	next = next < 0 ? 0 : next > end ? end : next;
	/* Looking back, the shown event is followed while the cursor is visible. */
	v->set.follow = v->set.follow && (to == last || hist_looks_back(app));
	v->top = p->top;
	set_cursor(v, app, p->first + (uint64_t)to, lane, (uint32_t)next);
	app->ui.focus = UI_ID(PANEL_VIEW, HIST_RASTER);
	app->ui.focus_shown = true;
	reveal(v, app);
}

bool hist_cursor_to(struct hist_view *v, struct app *app, const char *seconds)
{
	char *end;
	double at = strtod(seconds, &end);
	const uint32_t rows = v->graph.count;
	if (rows == 0 || v->plan.lanes == 0) {
		app_toast(app, "history_go %.60s: the graph is empty", seconds);
		return false;
	}
	const double first =
	    ((double)hist_row_at(&v->graph, 0)->time_ns - (double)v->origin_ns) / 1e9;
	const double last =
	    ((double)hist_row_at(&v->graph, rows - 1)->last_ns - (double)v->origin_ns) / 1e9;
	/* To the millisecond, as displayed. */
	if (end == seconds || *end != 0 || !(at >= first - 0.001) || at > last + 0.001) {
		app_toast(app, "history_go %.60s: expected seconds from %.3f to %.3f", seconds,
		    first > 0 ? first : 0, last);
		return false;
	}
	uint32_t row = hist_row_find(&v->graph, v->origin_ns + (uint64_t)(at * 1e9));
	uint32_t lane = v->has_cursor && v->cursor_lane < v->plan.lanes ? v->cursor_lane : 0;
	uint64_t line, now = hist_line_of(&v->plan, &v->graph, row);
	uint32_t column = 0;
	hist_cursor_place(v, &v->plan, &line, &column);
	set_cursor(v, app, now, lane, column);
	reveal(v, app);
	return v->has_cursor;
}

/* Shift with Up and Down extends the range from where the cursor was. */
static void extend_range(struct hist_view *v, struct app *app, int dir)
{
	uint64_t line, anchor;
	uint32_t column;
	if (!v->has_cursor)
		move_cursor(v, app, 0, 0);
	if (!v->anchored || !app->range.on) {
		v->anchored = true;
		v->anchor_ns = v->cursor_ns;
	}
	move_cursor(v, app, dir, 0);
	if (!hist_cursor_place(v, &v->plan, &line, &column))
		return;
	anchor = hist_line_of(&v->plan, &v->graph, hist_row_find(&v->graph, v->anchor_ns));
	choose_lines(v, app, anchor, line);
}

bool hist_key(struct hist_view *v, struct app *app)
{
	struct ui *ui = &app->ui;
	struct keystroke stroke;
	if (ui->focus != UI_ID(PANEL_VIEW, HIST_RASTER) || !key_of_event(ui->ev, &stroke))
		return false;
	if (stroke.key == KEY_ENTER && stroke.mods == 0) {
		if (!v->has_cursor)
			move_cursor(v, app, 0, 0);
		hist_go(v, app);
	} else if ((stroke.key == KEY_UP || stroke.key == KEY_DOWN) && stroke.mods == MOD_SHIFT) {
		extend_range(v, app, stroke.key == KEY_UP ? -1 : 1);
	} else {
		return false;
	}
	ui_take(ui);
	return true;
}

bool hist_move(struct hist_view *v, struct app *app, enum command_id id)
{
	const struct hist_plan *p = &v->plan;
	int64_t page = p->page > 1 ? p->page - 1 : 1, all = INT32_MAX;
	switch (id) {
	case COMMAND_tile_left:
	case COMMAND_tile_right:
		move_cursor(v, app, 0, id == COMMAND_tile_left ? -1 : 1);
		return true;
	case COMMAND_tile_up:
	case COMMAND_tile_down:
		move_cursor(v, app, id == COMMAND_tile_up ? -1 : 1, 0);
		return true;
	case COMMAND_tile_first:
		move_cursor(v, app, 0, 0);
		move_cursor(v, app, -all, 0);
		return true;
	case COMMAND_tile_last:
		move_cursor(v, app, 0, 0);
		move_cursor(v, app, all, 0);
		v->set.follow = v->set.follow || !hist_looks_back(app);
		return true;
	case COMMAND_scroll_up:
	case COMMAND_scroll_down:
		move_cursor(v, app, 0, 0);
		move_cursor(v, app, id == COMMAND_scroll_up ? -page : page, 0);
		return true;
	case COMMAND_reveal:
		reveal(v, app);
		return true;
	case COMMAND_zoom_in:
	case COMMAND_zoom_out:
		zoom(v, app, id == COMMAND_zoom_in ? 1 : -1, p->raster.y + p->raster.h / 2);
		return true;
	case COMMAND_zoom_fit:
		zoom_fit(v, app);
		return true;
	default:
		return false;
	}
}

bool hist_back(struct hist_view *v, struct app *app)
{
	uint32_t focus = app->ui.focus;
	if (app->modal != MODAL_NONE || (focus != 0 && focus != UI_ID(PANEL_VIEW, HIST_RASTER) &&
					    focus != UI_ID(PANEL_SIDE, HIST_FIND)))
		return false;
	app->ui.tip[0] = 0;
	app_dirty(app, PANEL_MODAL);
	if (hist_find_close(v, app))
		return true;
	if (v->has_cursor) {
		v->has_cursor = v->anchored = false;
		app->ui.focus = 0;
		app_toast(app, "Cursor removed");
	} else if (v->only.on) {
		v->only.on = false;
		app_toast(app, "All tiles again");
	} else if (app->range.on) {
		v->anchored = false;
		event_history_choose_all(app);
		app_toast(app, "Time range cleared");
	} else {
		app->ui.focus = 0;
		app_set_view(app, VIEW_HEAP);
		app_toast(app, "Back to the heap map");
	}
	hist_dirty(app);
	return true;
}
