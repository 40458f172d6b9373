/* The history view: how tiles changed over time, one row per event (V8, V9). */
#include <stdlib.h>
#include <string.h>

#include "history_view.h"
#include "layout.h"

static void *graph_open(struct app *app)
{
	struct hist_view *v = calloc(1, sizeof *v);
	if (v == NULL)
		return NULL;
	hist_settings_init(&v->set);
	v->group = 1;
	v->pending.space = GCS_NONE;
	v->reader = hist_reader_create(app->wake, app->wake_context);
	if (v->reader == NULL || !hist_graph_limit(&v->graph, (uint32_t)v->set.rows, false) ||
	    !hist_graph_limit(&v->tail, (uint32_t)v->set.rows, false)) {
		hist_reader_destroy(v->reader);
		hist_graph_fini(&v->graph);
		hist_graph_fini(&v->tail);
		free(v);
		return NULL;
	}
	textfield_set(&v->factor, "1");
	for (int i = 0; i < HIST_COLOURS; i++)
		textfield_set(&v->colour[i], "theme");
	return v;
}

static void graph_close(void *self)
{
	struct hist_view *v = self;
	hist_reader_destroy(v->reader);
	hist_maker_fini(&v->maker);
	hist_graph_fini(&v->graph);
	hist_graph_fini(&v->tail);
	hist_shown_fini(&v->shown);
	if (v->fonts_scale != 0)
		fonts_fini(&v->fonts);
	free(v);
}

void hist_dirty(struct app *app)
{
	app_dirty(app, PANEL_VIEW);
	app_dirty(app, PANEL_SIDE);
}

bool hist_command(struct app *app, enum command_id id, const char *argument)
{
	struct hist_view *v = app->views[VIEW_HISTORY];
	if (id == COMMAND_history && argument != NULL)
		return hist_set(v, app, argument);
	if (id == COMMAND_history_png)
		return hist_save_png(v, app, argument);
	/* The view is shown already and has rejected the command. */
	if (id == COMMAND_history_go && app->view_id == VIEW_HISTORY)
		return false;
	if (id == COMMAND_history_settings)
		hist_open_settings(v, app);
	else
		app_set_view(app, VIEW_HISTORY);
	return id != COMMAND_history_go || app->view->command(app->view_self, app, id, argument);
}

bool hist_paint_graph(struct hist_view *v, struct app *app, struct cv *cv,
    const struct hist_plan *plan, struct hist_shown *shown)
{
	if (!hist_shown_prepare(shown, &v->graph, plan, &v->set))
		return false;
	hist_paint_title(v, app, cv, plan);
	hist_paint_raster(cv, shown, &v->palette, &v->graph, plan, &v->set);
	hist_paint_frame(v, app, cv, plan);
	return true;
}

static bool run_button(
    struct ui *ui, uint32_t id, struct cv_rect *row, const char *label, unsigned flags)
{
	int w = ui_button_width(ui, ICON_NONE, label);
	if (w > row->w)
		return false;
	struct cv_rect r = cut_right(row, w);
	cut_right(row, ui_px(ui, 8));
	return ui_button(ui, UI_ID(PANEL_VIEW, id), r, ICON_NONE, label, flags);
}

static bool run_switch(
    struct ui *ui, uint32_t id, struct cv_rect *row, const char *label, const char *tip, bool *on)
{
	int w = text_width(ui->fonts->face[FONT_UI], label) + ui_px(ui, 34);
	if (w > row->w)
		return false;
	struct cv_rect r = cut_left(row, w);
	cut_left(row, ui_px(ui, 8));
	bool turned = ui_toggle(ui, UI_ID(PANEL_VIEW, id), r, label, on);
	ui_tip(ui, UI_ID(PANEL_VIEW, id), r, tip);
	return turned;
}

static void run_tools(struct hist_view *v, struct app *app, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	if (r.h < ui_px(ui, 30))
		return;
	struct cv_rect row =
	    rect_make(r.x + ui_px(ui, 8), r.y + ui_px(ui, 6), r.w - ui_px(ui, 16), ui_px(ui, 28));
	if (run_button(ui, HIST_SAVE, &row, "Save PNG", 0))
		hist_save_png(v, app, NULL);
	if (run_button(ui, HIST_SETTINGS, &row, "Settings", 0))
		hist_open_settings(v, app);
	if (run_switch(ui, HIST_FOLLOW, &row, "Follow",
		hist_looks_back(app) ? "Keep the shown event visible"
				     : "Keep the newest row visible",
		&v->set.follow))
		hist_dirty(app);
	if (run_switch(
		ui, HIST_COLLECT, &row, "Collect", "Add new events to the graph", &v->set.collect))
		hist_dirty(app);
	bool newest = v->set.newest;
	if (run_switch(ui, HIST_NEWEST, &row, "Newest only",
		"When full, drop the oldest row instead of merging rows", &newest))
		hist_set(v, app, newest ? "max=on" : "max=off");
}

static void run_status(struct hist_view *v, struct app *app, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	char status[1200], notice[900];
	if (!ui_paints(ui))
		return;
	hist_status_text(v, app, &v->plan, status, sizeof status);
	hist_notice_text(v, notice, sizeof notice);
	struct font *small = ui->fonts->face[FONT_SMALL];
	if (notice[0] != 0) {
		int w = text_width(small, notice) + ui_px(ui, 16);
		w = w < r.w * 6 / 10 ? w : r.w * 6 / 10;
		text_in(ui->cv, small, cut_left(&r, w), TEXT_LEFT, ui->theme->warn, notice);
	}
	cut_right(&r, ui_px(ui, 12));
	ui_label(ui, r, TEXT_LEFT, status);
}

static void paint_empty(struct hist_view *v, struct app *app, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	char title[200], text[800];
	hist_empty_text(v, app, title, sizeof title, text, sizeof text);
	struct cv_rect box = centred(r, ui_px(ui, 480), ui_px(ui, 120));
	box = centred(box, box.w - ui_px(ui, 32), box.h);
	struct cv_rect row = cut_top(&box, ui_px(ui, 28));
	text_in(ui->cv, ui->fonts->face[FONT_BOLD], row, TEXT_LEFT, ui->theme->text, title);
	text_paragraph(ui->cv, ui->fonts->face[FONT_UI], box, ui->theme->weak, text);
}

/* Lines scaled down: a long graph exceeds the widget's numbers. */
static bool run_bar(struct hist_view *v, struct app *app)
{
	const struct hist_plan *p = &v->plan;
	int at = (int)(p->top - p->first), before = at;
	bool moved = ui_scroll_bar(
	    &app->ui, UI_ID(PANEL_VIEW, HIST_BAR), p->bar, (int)p->lines, (int)p->page, &at);
	if (!moved || at == before)
		return false;
	v->top = p->first + (uint64_t)at;
	v->set.follow = false;
	return true;
}

/* The background around the raster, which paints itself. */
static void clear_around(struct cv *cv, struct cv_rect r, struct cv_rect raster, uint32_t ground)
{
	cv_fill(cv, cut_top(&r, raster.y - r.y), ground);
	cv_fill(cv, cut_bottom(&r, r.y + r.h - raster.y - raster.h), ground);
	cv_fill(cv, cut_left(&r, raster.x - r.x), ground);
	cut_left(&r, raster.w);
	cv_fill(cv, r, ground);
}

static void graph_draw(void *self, struct app *app, struct cv_rect r, bool all)
{
	struct hist_view *v = self;
	struct ui *ui = &app->ui;
	(void)all;
	app->stats.tiles = 0;
	cv_touch(ui->cv, r);
	enum hist_detail detail = v->plan.detail;
	hist_fonts_prepare(v, app);
	bool any = hist_plan_make(&v->plan, v, app, r, false);
	/* The legend matches the raster. */
	if (detail != v->plan.detail)
		app_dirty(app, PANEL_SIDE);
	any = any && hist_shown_prepare(&v->shown, &v->graph, &v->plan, &v->set);
	if (any)
		clear_around(ui->cv, r, v->plan.raster, ui->theme->ground);
	else
		cv_fill(ui->cv, r, ui->theme->ground);
	hist_palette_set(v, app);
	run_tools(v, app, v->plan.tools);
	cv_hline(ui->cv, r.x, v->plan.tools.y + v->plan.tools.h - 1, r.w, ui->theme->line);
	if (!any || !hist_paint_graph(v, app, ui->cv, &v->plan, &v->shown)) {
		cut_top(&r, v->plan.tools.h);
		paint_empty(v, app, r);
		return;
	}
	v->top = v->plan.top;
	run_bar(v, app);
	run_status(v, app, v->plan.status);
	struct cv_rect field = rect_or(v->plan.axis, v->plan.raster);
	ui_control(ui, UI_ID(PANEL_VIEW, HIST_RASTER), field);
	if (!v->has_cursor)
		ui_ring(ui, UI_ID(PANEL_VIEW, HIST_RASTER), field);
	app->stats.tiles = v->plan.columns * v->plan.page;
}

static void graph_event(void *self, struct app *app, struct cv_rect r)
{
	struct hist_view *v = self;
	struct ui *ui = &app->ui;
	(void)r;
	run_tools(v, app, v->plan.tools);
	if (ui->used || v->graph.count == 0 || v->plan.page == 0)
		return;
	if (hist_key(v, app))
		return;
	if (run_bar(v, app))
		hist_dirty(app);
	if (ui->used || ui->ev->kind == EV_KEY || ui->ev->kind == EV_TEXT)
		return;
	hist_pointer(v, app);
}

static bool graph_run(void *self, struct app *app, enum command_id id, const char *argument)
{
	struct hist_view *v = self;
	app_frame(app); /* brings the layout up to date */
	switch (id) {
	case COMMAND_back:
		return hist_back(v, app);
	case COMMAND_stream_next:
	case COMMAND_stream_prev:
		hist_turn_stream(v, app, id == COMMAND_stream_next ? 1 : -1);
		return true;
	case COMMAND_space_next:
	case COMMAND_space_prev:
		hist_turn_space(v, app, id == COMMAND_space_next ? 1 : -1);
		return true;
	case COMMAND_find:
		if (argument != NULL)
			return hist_find(v, app, argument);
		hist_find_open(v, app);
		return true;
	case COMMAND_history_go:
		if (argument != NULL && !hist_cursor_to(v, app, argument))
			return false;
		if (!v->has_cursor)
			app_toast(app, "Move the cursor first, with the arrow keys");
		hist_go(v, app);
		return v->has_cursor;
	default:
		return hist_move(v, app, id);
	}
}

static bool graph_place(
    void *self, struct app *app, uint32_t space, uint32_t tile, struct cv_rect *r)
{
	struct hist_view *v = self;
	app_frame(app);
	const struct gcs_space *s = app_space(app, space);
	for (uint32_t i = 0; s != NULL && v->graph.count > 0 && i < v->plan.lanes; i++) {
		if (strcmp(v->graph.lane[i].space, s->name) != 0 || tile >= v->graph.lane[i].tiles)
			continue;
		uint32_t column = (uint32_t)(tile / hist_tiles_per(&v->graph, &v->plan, i));
		*r = hist_cell_rect(&v->plan, i, column, v->plan.top);
		r->y = v->plan.raster.y + v->plan.raster.h - v->plan.row_px;
		return true;
	}
	return false;
}

static bool graph_has_side(void *self, struct app *app)
{
	const struct hist_view *v = self;
	(void)app;
	return v->graph.lanes > 0;
}

static void history_menu(void *self, struct app *app, bool pointed)
{
	const struct hist_view *v = self;
	(void)pointed;
	if (v->has_cursor)
		menu_add(app, COMMAND_history_go, "Go to the moment at the cursor", NULL);
	menu_add(app, COMMAND_history_settings, "Settings of the graph", NULL);
	menu_add(app, COMMAND_history_png, NULL, NULL);
}

const struct view history_view = {
    .name = "history",
    .title = "History",
    .show = COMMAND_history,
    .menu = history_menu,
    .open = graph_open,
    .close = graph_close,
    .draw = graph_draw,
    .event = graph_event,
    .command = graph_run,
    .place = graph_place,
    .copy_text = hist_copy_text,
    .has_side = graph_has_side,
    .side = hist_side_run,
    .side_text = hist_side_text,
    .svg = hist_svg,
    .note = hist_note,
    .poll = hist_feed,
    .tick = hist_feed,
    .settled = hist_settled,
    .state = hist_state,
    .forget = hist_forget,
};
