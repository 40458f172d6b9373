/* The flame graph of sampled allocations (S6, V9): its parts, and the pointer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flame_view.h"
#include "layout.h"
#include "side.h"

static void *flame_open(struct app *app)
{
	(void)app;
	struct flame_view *view = calloc(1, sizeof *view);
	if (view == NULL)
		return NULL;
	view->zoom.to = 1;
	view->selected = view->hovered = GCS_NONE;
	return view;
}

static void flame_close(void *self)
{
	struct flame_view *view = self;
	calltree_maker_fini(&view->maker);
	flame_forget_holders(view);
	free(view->hit);
	free(view);
}

/* The path from the root to the zoomed frame; a click zooms to a frame of it. */
static void run_crumbs(struct flame_view *view, struct app *app, struct cv_rect row)
{
	struct ui *ui = &app->ui;
	const struct theme *th = ui->theme;
	const struct gcs_tree *tree = flame_part(view)->tree;
	struct font *font = ui->fonts->face[FONT_SMALL];
	uint32_t path[FLAME_CRUMBS];
	int n = 0;
	char name[120];
	const char *gap = " > ";
	int room = row.w, all = text_width(font, "all") + text_width(font, gap) + ui_px(ui, 40);
	/* From the inside out, as many as fit. */
	for (uint32_t at = view->focus; at != 0 && n < FLAME_CRUMBS - 1;
	     at = gcs_tree_node(tree, at)->parent) {
		calltree_put_short(name, sizeof name, gcs_tree_node(tree, at));
		room -= text_width(font, name) + text_width(font, gap);
		if (room < all && n > 0)
			break;
		path[n++] = at;
	}
	bool left_out = n > 0 && gcs_tree_node(tree, path[n - 1])->parent != 0;
	path[n++] = 0;
	for (int i = n - 1; i >= 0; i--) {
		uint32_t id = UI_ID(PANEL_VIEW, FLAME_CRUMB + i);
		calltree_put_short(name, sizeof name, gcs_tree_node(tree, path[i]));
		struct cv_rect crumb = cut_left(&row, text_width(font, name) + 1);
		if (ui_control(ui, id, crumb))
			flame_zoom_to(view, app, path[i]);
		if (ui_paints(ui)) {
			text_in(ui->cv, font, crumb, TEXT_LEFT,
			    i == 0          ? th->text
			    : ui->hot == id ? th->text
					    : th->accent,
			    name);
			if (i > 0 && ui->hot == id)
				cv_hline(ui->cv, crumb.x, crumb.y + crumb.h - ui_px(ui, 4), crumb.w,
				    th->text);
		}
		ui_ring(ui, id, crumb);
		if (i == 0)
			break;
		const char *then = i == n - 1 && left_out ? " > \xe2\x80\xa6 > " : gap;
		struct cv_rect between = cut_left(&row, text_width(font, then));
		if (ui_paints(ui))
			text_in(ui->cv, font, between, TEXT_LEFT, th->weak, then);
	}
}

static void run_path(struct flame_view *view, struct app *app, struct cv_rect row)
{
	struct ui *ui = &app->ui;
	char text[160];
	flame_hidden_text(view, text, sizeof text);
	struct font *font = ui->fonts->face[FONT_SMALL];
	int used = text_width(font, text) + ui_px(ui, 12);
	struct cv_rect said = cut_right(&row, used < row.w / 2 ? used : row.w / 2);
	if (ui_paints(ui))
		text_in(ui->cv, font, said, TEXT_RIGHT,
		    view->hidden > 0 ? ui->theme->text : ui->theme->weak, text);
	run_crumbs(view, app, row);
}

/* Cuts the head off; false if there is no graph. */
static bool run_head(
    struct flame_view *view, struct app *app, struct cv_rect *r, struct profiles_empty *empty)
{
	static const enum command_id commands[] = {
	    COMMAND_flame_measure, COMMAND_flame_way, COMMAND_flame_holders};
	const struct profiles_button buttons[] = {
	    {view->measure == GCS_BY_BYTES ? "Bytes" : "Objects",
		"Frame width: bytes or objects\nKey\tShift+U", false, false},
	    {view->icicle ? "Icicle" : "Flame", "Root at the top or at the bottom\nKey\tShift+F",
		false, false},
	    {"Holders", "What holds the objects, from the roots down\nKey\tCtrl+Shift+Y",
		view->holders.on, false}};
	const int own = flame_may_hold(app) || view->holders.on ? 3 : 2;
	char words[240];
	flame_match_text(view, app, words, sizeof words);
	profiles_head_run(app, words, r);
	int used = calltree_buttons_run(
	    app, buttons, own, &view->collapse, UI_ID(PANEL_VIEW, FLAME_BUTTON), r);
	if (used >= 0)
		app_command(app, commands[used], NULL);
	return !flame_explain_empty(view, app, empty);
}

/* The row of the path and the area of the graph with its scroll bar. */
static struct cv_rect cut_path(
    const struct app *app, struct flame_view *view, struct cv_rect *r, struct cv_rect *bar)
{
	struct cv_rect path = cut_top(r, ui_px(&app->ui, 26));
	cut_left(&path, ui_px(&app->ui, 12));
	cut_right(&path, ui_px(&app->ui, 12));
	*bar = cut_right(r, ui_px(&app->ui, 12));
	view->area = *r;
	cut_left(&view->area, ui_px(&app->ui, 12));
	return path;
}

static bool run_bar(struct flame_view *view, struct app *app, struct cv_rect bar)
{
	const struct gcs_tree *tree = flame_part(view)->tree;
	int64_t rows = (int64_t)(gcs_tree_depth(tree) + 1) * flame_row_height(app);
	int content = rows < 1 << 28 ? (int)rows : 1 << 28;
	int most = content > view->area.h ? content - view->area.h : 0;
	/* The bar counts from the top, the graph from its root. */
	int at = view->icicle ? view->scroll : most - view->scroll;
	int before = at;
	ui_scroll_bar(&app->ui, UI_ID(PANEL_VIEW, FLAME_BAR), bar, content, view->area.h, &at);
	view->scroll = view->icicle ? at : most - at;
	return at != before;
}

static void flame_draw(void *self, struct app *app, struct cv_rect r, bool all)
{
	struct flame_view *view = self;
	struct ui *ui = &app->ui;
	struct profiles_empty empty;
	struct cv_rect bar;
	(void)all;
	flame_sync(view, app);
	app->dirty[PANEL_VIEW] = false;
	app->stats.tiles = 0;
	bool shown = run_head(view, app, &r, &empty);
	cv_fill(ui->cv, r, ui->theme->ground);
	cv_touch(ui->cv, r);
	if (!shown) {
		profiles_empty_run(app, &empty, r);
		return;
	}
	struct cv_rect path = cut_path(app, view, &r, &bar);
	flame_rescale(view, app);
	flame_limit_scroll(view, app);
	flame_paint(view, app);
	run_path(view, app, path);
	run_bar(view, app, bar);
	struct ui_focus_list *list = &ui->items[ui->panel];
	if (list->count < UI_FOCUS_ITEMS)
		list->id[list->count++] = UI_ID(PANEL_VIEW, FLAME_AREA);
}

static void point(struct flame_view *view, struct app *app)
{
	struct ui *ui = &app->ui;
	uint32_t before = view->hovered;
	view->hovered = flame_at(view, app, ui->ev->x, ui->ev->y);
	if (view->hovered != before)
		app_dirty(app, PANEL_VIEW);
	if (view->hovered == GCS_NONE)
		return;
	char text[UI_TIP_TEXT];
	flame_tip(view, view->hovered, text, sizeof text);
	ui_tip(ui, UI_ID(PANEL_VIEW, FLAME_AREA), flame_rect(view, app, view->hovered), text);
}

static void drag(struct flame_view *view, struct app *app)
{
	const struct ui_event *ev = app->ui.ev;
	int dx = ev->x - view->drag_x, dy = ev->y - view->drag_y;
	int slack = ui_px(&app->ui, 4);
	if (!view->dragged && abs(dx) < slack && abs(dy) < slack)
		return;
	view->dragged = true;
	view->hovered = GCS_NONE;
	if (view->area.w > 0)
		flame_pan(view, &view->drag_zoom, -(double)dx / view->area.w);
	view->scroll = view->drag_scroll + (view->icicle ? -dy : dy);
	flame_limit_scroll(view, app);
	app_dirty(app, PANEL_VIEW);
}

static void run_area(struct flame_view *view, struct app *app)
{
	struct ui *ui = &app->ui;
	const struct ui_event *ev = ui->ev;
	uint32_t id = UI_ID(PANEL_VIEW, FLAME_AREA);
	bool inside = rect_has(view->area, ev->x, ev->y);
	if (ev->kind == EV_DOWN && inside && ev->button == 1 && !ui->used) {
		view->dragged = false;
		view->drag_x = ev->x;
		view->drag_y = ev->y;
		view->drag_scroll = view->scroll;
		view->drag_zoom = view->zoom;
		ui->focus = 0;
	}
	bool clicked = ui_area(ui, id, view->area) && !view->dragged;
	if (ev->kind == EV_MOVE && ui->active == id)
		drag(view, app);
	else if (ev->kind == EV_MOVE && ui->hot == id)
		point(view, app);
	else if (ev->kind == EV_MOVE && view->hovered != GCS_NONE) {
		view->hovered = GCS_NONE;
		app_dirty(app, PANEL_VIEW);
	}
	uint32_t node = clicked ? flame_at(view, app, ev->x, ev->y) : GCS_NONE;
	if (node != GCS_NONE) {
		flame_select(view, app, node);
		flame_zoom_to(view, app, node);
	}
	if (ev->kind != EV_WHEEL || !inside || ev->wheel == 0 || ui->used)
		return;
	if (ev->mods & MOD_SHIFT) {
		view->scroll += (ev->wheel > 0) == view->icicle ? -ui_px(ui, 54) : ui_px(ui, 54);
		flame_limit_scroll(view, app);
		app_dirty(app, PANEL_VIEW);
	} else {
		flame_zoom_at(view, app, ev->wheel > 0 ? 1 / 1.25 : 1.25, ev->x);
	}
	ui_take(ui);
}

static void flame_event(void *self, struct app *app, struct cv_rect r)
{
	struct flame_view *view = self;
	struct ui *ui = &app->ui;
	struct profiles_empty empty;
	struct cv_rect bar;
	bool pressed = ui->ev->kind == EV_DOWN;
	flame_sync(view, app);
	bool filtering = ui->focus == UI_ID(PANEL_VIEW, PROFILES_FILTER);
	bool shown = run_head(view, app, &r, &empty);
	struct keystroke stroke;
	if (filtering && !ui->used && key_of_event(ui->ev, &stroke) && stroke.key == KEY_ENTER) {
		ui->focus = 0; /* back to the frames */
		ui_take(ui);
	}
	if (shown) {
		struct cv_rect path = cut_path(app, view, &r, &bar);
		run_path(view, app, path);
		if (run_bar(view, app, bar))
			app_dirty(app, PANEL_VIEW);
		run_area(view, app);
	} else {
		profiles_empty_run(app, &empty, r);
	}
	if (pressed && !ui->used)
		ui->focus = 0;
}

static bool flame_command(void *self, struct app *app, enum command_id id, const char *argument)
{
	app_frame(app); /* brings the layout up to date */
	flame_sync(self, app);
	return flame_run_command(self, app, id, argument);
}

static void flame_copy_text(void *self, struct app *app, struct textbuf *out)
{
	app_frame(app);
	flame_sync(self, app);
	flame_copy(self, app, out);
}

static void flame_side(void *self, struct app *app, struct cv_rect *column)
{
	site_locations_side(app, column);
	struct calltree_place place = flame_place(self, true);
	side_section(app, column, "Frame", place.part != NULL ? "Enter zooms in" : "");
	calltree_side_run(app, column, place,
	    "Click a frame to zoom into it; use the arrow keys to select frames and see their "
	    "figures here.");
	flame_legend_run(self, app, column);
}

static void flame_side_text(void *self, struct app *app, struct textbuf *out)
{
	site_locations_text(app, out);
	calltree_side_text(flame_place(self, true), "frame", out);
}

static bool flame_picture(void *self, struct app *app, struct textbuf *out)
{
	flame_sync(self, app);
	return flame_svg(self, app, out);
}

static void flame_poll(void *self, struct app *app)
{
	struct flame_view *view = self;
	if (view->maker.waiting && app->view_id == VIEW_FLAME)
		flame_sync(view, app);
}

static bool flame_settled(void *self, struct app *app)
{
	struct flame_view *view = self;
	flame_sync(view, app);
	return profiles_settled(app) && !view->maker.waiting && !view->holders.pending &&
	       site_locations_settled(app);
}

static void flame_menu(void *self, struct app *app, bool pointed)
{
	struct flame_view *view = self;
	flame_sync(view, app);
	if (pointed && view->hovered != GCS_NONE && flame_part(view) != NULL)
		flame_select(view, app, view->hovered);
	const struct calltree_place place = flame_place(view, true);
	if (place.part != NULL)
		profiles_menu_node(app, place);
	else
		menu_add(app, COMMAND_frame_out, NULL, NULL);
	menu_section(app);
	menu_add(app, COMMAND_flame_way, NULL, NULL);
	menu_add(app, COMMAND_flame_measure, NULL, NULL);
	profiles_menu_views(app);
}

const struct view flame_view = {
    .name = "flame",
    .title = "Flame",
    .show = COMMAND_flame_graph,
    .open = flame_open,
    .close = flame_close,
    .draw = flame_draw,
    .event = flame_event,
    .command = flame_command,
    .copy_text = flame_copy_text,
    .has_side = profiles_have_side,
    .side = flame_side,
    .side_text = flame_side_text,
    .svg = flame_picture,
    .poll = flame_poll,
    .tick = profiles_view_tick,
    .due_ms = profiles_view_due_ms,
    .settled = flame_settled,
    .menu = flame_menu,
    .state = flame_state,
};
