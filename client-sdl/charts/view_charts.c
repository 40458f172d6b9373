/* The charts view (V9, V10). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "charts.h"
#include "heap_text.h"
#include "layout.h"
#include "side.h"

static const struct chart *const all_charts[CHART_COUNT] = {
    [CHART_BARS] = &chart_bars,
    [CHART_HISTOGRAM] = &chart_histogram,
    [CHART_LINE] = &chart_line,
    [CHART_SCATTER] = &chart_scatter,
    [CHART_TREEMAP] = &chart_treemap,
    [CHART_TABLE] = &chart_table,
    [CHART_FRAGMENTATION] = &chart_fragmentation,
};

const struct chart *charts_at(enum chart_kind kind)
{
	return all_charts[kind];
}

static void *charts_open(struct app *app)
{
	(void)app;
	struct charts *c = calloc(1, sizeof *c);
	if (c == NULL)
		return NULL;
	c->scatter.y = c->scatter.space = c->line.space = c->fragmentation.space = GCS_NONE;
	c->treemap.hovered = GCS_NONE;
	c->table.sort = GCS_NONE;
	table_init(&c->table.table, 0, false);
	return c;
}

static void charts_close(void *self)
{
	struct charts *c = self;
	gcs_snapshot_unref(c->snapshot);
	free(c->columns.column);
	for (int i = 0; i < CHART_LINES; i++)
		free(c->line.columns[i].column);
	free(c->scatter.cell);
	free(c->treemap.node);
	free(c->table.order);
	free(c);
}

void charts_refresh(struct charts *c, struct app *app)
{
	uint32_t space = app->active_space;
	uint32_t stream = space < app->space_count ? app->stream_of[space] : GCS_NONE;
	if (c->version > 0 && c->snapshot == app->snapshot && c->data.space_id == space &&
	    c->data.stream_id == stream)
		return;
	if (c->snapshot != app->snapshot) {
		gcs_snapshot_unref(c->snapshot);
		c->snapshot = gcs_snapshot_ref(app->snapshot);
	}
	c->has_data = chart_data_init(&c->data, c->snapshot, space, stream);
	c->version++;
}

uint32_t charts_selected(const struct charts *c, const struct app *app)
{
	bool here = app->selected.space == app->active_space && app->selected.tile < c->data.tiles;
	return here ? app->selected.tile : GCS_NONE;
}

bool charts_walk(struct charts *c, struct app *app, enum command_id id, uint32_t page)
{
	charts_refresh(c, app);
	uint32_t n = c->data.tiles;
	uint32_t at = charts_selected(c, app);
	if (id < COMMAND_tile_left || id > COMMAND_tile_last)
		return false;
	if (n == 0)
		return true;
	/* Without a selection, a key selects the first tile. */
	if (at == GCS_NONE && id != COMMAND_tile_last)
		at = 0;
	else if (id == COMMAND_tile_left)
		at -= at > 0;
	else if (id == COMMAND_tile_up)
		at -= at < page ? at : page;
	else if (id == COMMAND_tile_right)
		at += at + 1 < n;
	else if (id == COMMAND_tile_down)
		at = n - at > page ? at + page : n - 1;
	else
		at = id == COMMAND_tile_first ? 0 : n - 1;
	app_select(app, app->active_space, at);
	return true;
}

void charts_tip(struct app *app, struct cv_rect at, const char *text)
{
	snprintf(app->ui.tip, sizeof app->ui.tip, "%s", text);
	app->ui.tip_at = at;
}

void charts_hover(struct charts *c, struct app *app, uint32_t tile, struct cv_rect at)
{
	struct tile_ref now = {GCS_NONE, 0};
	if (tile < c->data.tiles)
		now = (struct tile_ref){app->active_space, tile};
	bool same = now.space == app->hovered.space &&
		    (now.space == GCS_NONE || now.tile == app->hovered.tile);
	app->hovered = now;
	if (now.space != GCS_NONE)
		heap_tip(app, at);
	if (!same)
		app_dirty(app, PANEL_VIEW);
}

/* Dims snapshots that are out of date, as the heap map does. */
static void dim(struct app *app, struct cv_rect r)
{
	if (app->snapshot != NULL && app_is_old(app))
		cv_blend(&app->cv, r, app->ui.theme->ground, 110);
}

static void paint(struct charts *c, struct app *app, struct cv_rect r)
{
	const struct chart *chart = all_charts[c->kind];
	struct pen pen = {.ui = &app->ui};
	struct chart_heading head;
	cut_left(&r, ui_px(&app->ui, 12));
	cut_right(&r, ui_px(&app->ui, 12));
	cv_push_clip(&app->cv, r);
	if (charts_empty_heading(c, app, &head)) {
		charts_empty_paint(app, &pen, r, &head);
	} else {
		charts_heading_paint(c, app, &pen, &r);
		chart->paint(c, app, &pen, r);
		dim(app, r);
	}
	cv_pop_clip(&app->cv);
}

static void charts_draw(void *self, struct app *app, struct cv_rect r, bool all)
{
	struct charts *c = self;
	const struct chart *chart = all_charts[c->kind];
	struct ui *ui = &app->ui;
	bool newer = c->snapshot != app->snapshot;
	charts_refresh(c, app);
	app->stats.tiles = 0;
	app->reveal = false;
	charts_fragmentation_note(c, app);
	charts_tabs_run(c, app, &r);
	if (chart->run != NULL) {
		chart->run(c, app, r, all);
		return;
	}
	cv_fill(&app->cv, r, ui->theme->ground);
	cv_touch(&app->cv, r);
	paint(c, app, r);
	/* Updates the tooltip to the new values. */
	if (newer && ui->tip[0] != 0 && rect_has(r, ui->mouse_x, ui->mouse_y) &&
	    chart->point != NULL) {
		bool dirty = app->dirty[PANEL_VIEW];
		ui->tip[0] = 0;
		chart->point(c, app, ui->mouse_x, ui->mouse_y);
		app->dirty[PANEL_VIEW] = dirty;
	}
}

static void charts_event(void *self, struct app *app, struct cv_rect r)
{
	struct charts *c = self;
	const struct chart *chart = all_charts[c->kind];
	const struct ui_event *ev = app->ui.ev;
	struct chart_heading head;
	charts_refresh(c, app);
	charts_tabs_run(c, app, &r);
	if (chart->run != NULL) {
		chart->run(c, app, r, false);
		return;
	}
	if (app->ui.used || charts_empty_heading(c, app, &head))
		return;
	if (ev->kind == EV_MOVE && app->ui.active == 0 && chart->point != NULL)
		chart->point(c, app, ev->x, ev->y);
	if (ev->kind != EV_DOWN)
		return;
	app->ui.focus = 0;
	if (ev->button == 1 && chart->press != NULL)
		chart->press(c, app, ev->x, ev->y);
}

static bool choose_chart(struct charts *c, struct app *app, const char *name)
{
	int kind = ((int)c->kind + 1) % CHART_COUNT;
	if (name != NULL) {
		for (kind = 0; kind < CHART_COUNT; kind++) {
			if (strcmp(all_charts[kind]->name, name) == 0)
				break;
		}
	}
	if (kind == CHART_COUNT) {
		app_toast(app,
		    "unknown chart \"%.60s\"; available: bars, histogram, line, scatter, treemap, "
		    "table, fragmentation",
		    name);
		return false;
	}
	c->kind = (enum chart_kind)kind;
	app->hovered.space = GCS_NONE;
	app->ui.tip[0] = 0;
	app->ui.focus = 0;
	app->view_all = true;
	app_dirty(app, PANEL_VIEW);
	app_dirty(app, PANEL_MODAL);
	return true;
}

/* The next space with tiles, cyclically. */
static bool walk_spaces(struct app *app, bool back)
{
	const struct gcs_model *model = app_model(app);
	uint32_t n = model != NULL ? model->space_count : 0;
	uint32_t at = app->active_space < n ? app->active_space : 0;
	for (uint32_t i = 0; i < n; i++) {
		at = back ? (at + n - 1) % n : (at + 1) % n;
		if (!app_shows(app, at) || gcs_snapshot_tiles(app->snapshot, at) == 0)
			continue;
		app_activate(app, at);
		break;
	}
	return true;
}

static bool charts_command(void *self, struct app *app, enum command_id id, const char *argument)
{
	struct charts *c = self;
	const struct chart *chart = all_charts[c->kind];
	if (id == COMMAND_chart)
		return choose_chart(c, app, argument);
	if (app->snapshot == NULL)
		return false;
	charts_refresh(c, app);
	if (chart->command != NULL && chart->command(c, app, id, argument))
		return true;
	switch (id) {
	case COMMAND_chart_add:
		return charts_add_line(c, app, argument) && choose_chart(c, app, "line");
	case COMMAND_chart_y:
		return charts_choose_y(c, app, argument) && choose_chart(c, app, "scatter");
	case COMMAND_space_next:
	case COMMAND_space_prev:
		return walk_spaces(app, id == COMMAND_space_prev);
	default:
		return charts_walk(c, app, id, 10);
	}
}

static bool charts_place(
    void *self, struct app *app, uint32_t space, uint32_t tile, struct cv_rect *r)
{
	struct charts *c = self;
	const struct chart *chart = all_charts[c->kind];
	app_frame(app);
	charts_refresh(c, app);
	if (space != app->active_space || tile >= c->data.tiles || chart->place == NULL)
		return false;
	return chart->place(c, app, tile, r);
}

static void charts_copy(void *self, struct app *app, struct textbuf *out)
{
	struct charts *c = self;
	const struct chart *chart = all_charts[c->kind];
	struct chart_heading head;
	charts_refresh(c, app);
	if (app->snapshot != NULL)
		app_frame(app);
	textbuf_printf(out, "chart\t%s\n", chart->title);
	if (charts_empty_heading(c, app, &head)) {
		textbuf_printf(out, "%s\n%s\n", head.title, head.text);
		return;
	}
	chart->heading(c, app, &head);
	textbuf_printf(out, "%s\n%s\n", head.title, head.text);
	chart->text(c, app, out);
}

static bool charts_has_side(void *self, struct app *app)
{
	(void)self;
	return app->snapshot != NULL;
}

static void charts_side(void *self, struct app *app, struct cv_rect *column)
{
	(void)self;
	side_streams(app, column);
	side_legend(app, column);
	side_tile(app, column);
}

static void charts_side_text(void *self, struct app *app, struct textbuf *out)
{
	(void)self;
	side_streams_text(app, out);
	side_tile_text(app, out);
}

static bool charts_svg(void *self, struct app *app, struct textbuf *out)
{
	struct charts *c = self;
	const struct chart *chart = all_charts[c->kind];
	struct cv_rect r = app->rect[PANEL_VIEW];
	struct chart_heading head;
	charts_refresh(c, app);
	if (chart->paint == NULL || charts_empty_heading(c, app, &head))
		return false;
	cut_top(&r, ui_px(&app->ui, 40));
	struct pen pen = {.ui = &app->ui, .svg = out, .x = r.x, .y = r.y};
	chart->heading(c, app, &head);
	svg_begin(
	    out, r.w * 100 / app->scale, r.h * 100 / app->scale, app->ui.theme->ground, head.title);
	cut_left(&r, ui_px(&app->ui, 12));
	cut_right(&r, ui_px(&app->ui, 12));
	charts_heading_paint(c, app, &pen, &r);
	chart->paint(c, app, &pen, r);
	svg_end(out);
	/* Restores the layout of the window. */
	app->view_all = true;
	app_dirty(app, PANEL_VIEW);
	return true;
}

static void charts_poll(void *self, struct app *app)
{
	struct charts *c = self;
	if (app->view_id == VIEW_CHARTS)
		charts_fragmentation_note(c, app);
}

/* When the table is due to be sorted again. */
static uint64_t charts_due_ms(void *self, const struct app *app)
{
	const struct charts *c = self;
	bool late = app->snapshot != NULL && c->kind == CHART_TABLE && c->table.capacity > 0 &&
		    !c->table.sorted && c->data.tiles <= CHART_MANY;
	return late ? c->table.sorted_ms + CHART_RESORT_MS : UINT64_MAX;
}

static void charts_tick(void *self, struct app *app)
{
	if (app->now_ms >= charts_due_ms(self, app))
		app_dirty(app, PANEL_VIEW);
}

/* Streams added to a chart. */
static void put_streams(struct textbuf *out, const struct app *app, enum command_id command,
    uint32_t space, const uint32_t *streams, uint32_t count)
{
	const struct gcs_space *s = app_space(app, space);
	if (s == NULL || count == 0)
		return;
	view_state_put(out, "", COMMAND_space, s->name);
	for (uint32_t i = 0; i < count; i++) {
		if (streams[i] < s->stream_count)
			view_state_put(out, "", command, s->streams[streams[i]].name);
	}
}

static void charts_state(void *self, struct app *app, enum state_scope scope, struct textbuf *out)
{
	const struct charts *c = self;
	if (scope == STATE_STYLE) {
		view_state_put(out, "chart", COMMAND_chart, all_charts[c->kind]->name);
		return;
	}
	put_streams(out, app, COMMAND_chart_add, c->line.space, c->line.added, c->line.count);
	put_streams(
	    out, app, COMMAND_chart_y, c->scatter.space, &c->scatter.y, c->scatter.y != GCS_NONE);
}

static void charts_forget(void *self, struct app *app)
{
	struct charts *c = self;
	c->line.space = c->scatter.space = c->scatter.y = GCS_NONE;
	c->line.count = 0;
	app_dirty(app, PANEL_VIEW);
}

static void charts_menu(void *self, struct app *app, bool pointed)
{
	(void)self;
	(void)pointed;
	menu_add(app, COMMAND_chart, NULL, NULL);
	menu_add(app, COMMAND_stream_next, NULL, NULL);
	menu_add(app, COMMAND_space_next, NULL, NULL);
	menu_add(app, COMMAND_summary, "Summary of this space", NULL);
	menu_add(app, COMMAND_heap_map, "Heap map", NULL);
}

const struct view charts_view = {
    .name = "charts",
    .title = "Charts",
    .show = COMMAND_charts,
    .menu = charts_menu,
    .open = charts_open,
    .close = charts_close,
    .draw = charts_draw,
    .event = charts_event,
    .command = charts_command,
    .place = charts_place,
    .copy_text = charts_copy,
    .has_side = charts_has_side,
    .side = charts_side,
    .side_text = charts_side_text,
    .svg = charts_svg,
    .of_snapshot = true,
    .poll = charts_poll,
    .tick = charts_tick,
    .due_ms = charts_due_ms,
    .state = charts_state,
    .forget = charts_forget,
};
