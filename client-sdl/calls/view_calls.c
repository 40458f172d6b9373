/* Callers and callees of sampled allocations as tables (S6, V9): the parts of the view. */
#include <stdio.h>
#include <stdlib.h>

#include "calls.h"
#include "side.h"

static void *calls_open(struct app *app)
{
	(void)app;
	struct calls_view *view = calloc(1, sizeof *view);
	if (view != NULL)
		table_init(&view->table, CALLS_BYTES, true);
	return view;
}

static void calls_close(void *self)
{
	struct calls_view *view = self;
	calls_forget_search(view);
	calltree_maker_fini(&view->maker);
	keyset_clear(&view->open);
	keyset_clear(&view->closed);
	free(view->row);
	free(view);
}

/* Cuts the head off; false if there is no table. */
static bool run_head(
    struct calls_view *view, struct app *app, struct cv_rect *r, struct profiles_empty *empty)
{
	char words[240];
	calls_match_text(view, app, words, sizeof words);
	profiles_head_run(app, words, r);
	sites_groups_run(app, &view->collapse, r);
	return !calls_explain_empty(view, app, empty);
}

static void calls_draw(void *self, struct app *app, struct cv_rect r, bool all)
{
	struct calls_view *view = self;
	struct ui *ui = &app->ui;
	struct profiles_empty empty;
	calls_sync(view, app);
	app->dirty[PANEL_VIEW] = false;
	bool old = profiles_are_old(app);
	bool shown = run_head(view, app, &r, &empty);
	all = all || view->stale || old != view->was_old || !rect_same(r, view->table_at);
	view->table_at = r;
	view->stale = false;
	view->was_old = old;
	app->stats.tiles = 0;
	if (shown) {
		struct table_rows rows = calls_table_rows(view, app);
		ui_table(ui, UI_ID(PANEL_VIEW, CALLS_TABLE), r, &view->table, &rows, all);
		return;
	}
	cv_fill(ui->cv, r, ui->theme->ground);
	cv_touch(ui->cv, r);
	profiles_empty_run(app, &empty, r);
	view->stale = true;
}

static void run_table(struct calls_view *view, struct app *app, struct cv_rect r)
{
	struct table_rows rows = calls_table_rows(view, app);
	int before = view->table.scroll;
	enum table_change change =
	    ui_table(&app->ui, UI_ID(PANEL_VIEW, CALLS_TABLE), r, &view->table, &rows, false);
	if (change == TABLE_SORTED)
		calls_sort_by(view, app);
	else if (change != TABLE_SAME)
		calls_note_selection(view, app);
	if (change == TABLE_TOGGLED)
		calls_toggle(view, app, view->table.selected);
	if (view->table.scroll != before)
		app_dirty(app, PANEL_VIEW);
}

static void calls_event(void *self, struct app *app, struct cv_rect r)
{
	struct calls_view *view = self;
	struct ui *ui = &app->ui;
	struct profiles_empty empty;
	bool pressed = ui->ev->kind == EV_DOWN;
	calls_sync(view, app);
	bool filtering = ui->focus == UI_ID(PANEL_VIEW, PROFILES_FILTER);
	run_head(view, app, &r, &empty);
	if (app->view_id != VIEW_CALLS)
		return; /* another grouping was chosen */
	calls_sync(view, app);
	bool shown = !calls_explain_empty(view, app, &empty);
	/* Enter moves the focus from the filter to the table. */
	struct keystroke stroke;
	if (filtering && !ui->used && key_of_event(ui->ev, &stroke) && stroke.key == KEY_ENTER &&
	    shown) {
		ui->focus = UI_ID(PANEL_VIEW, CALLS_TABLE);
		ui->focus_shown = true;
		ui_take(ui);
	}
	if (shown)
		run_table(view, app, r);
	else
		profiles_empty_run(app, &empty, r);
	if (pressed && !ui->used)
		ui->focus = 0;
}

static bool calls_command(void *self, struct app *app, enum command_id id, const char *argument)
{
	app_frame(app); /* brings the layout up to date */
	calls_sync(self, app);
	bool done = calls_run_command(self, app, id, argument);
	calls_sync(self, app);
	return done;
}

static void calls_copy_text(void *self, struct app *app, struct textbuf *out)
{
	calls_sync(self, app);
	calls_copy(self, app, out);
}

static void calls_side(void *self, struct app *app, struct cv_rect *column)
{
	site_locations_side(app, column);
	side_section(app, column, "Row", "");
	calltree_side_run(app, column, calls_place(self, true),
	    "Click a row or use the arrow keys to see its figures. Left and Right "
	    "collapse and expand rows, * expands all below.");
}

static void calls_side_text(void *self, struct app *app, struct textbuf *out)
{
	site_locations_text(app, out);
	calltree_side_text(calls_place(self, true), "row", out);
}

static void calls_poll(void *self, struct app *app)
{
	struct calls_view *view = self;
	if (view->maker.waiting && app->view_id == VIEW_CALLS)
		calls_sync(view, app);
}

static bool calls_settled(void *self, struct app *app)
{
	struct calls_view *view = self;
	calls_sync(view, app);
	return profiles_settled(app) && !view->maker.waiting && site_locations_settled(app);
}

static void calls_menu(void *self, struct app *app, bool pointed)
{
	struct calls_view *view = self;
	calls_sync(view, app);
	if (pointed && view->table.hovered < view->rows)
		calls_select(view, app, view->table.hovered);
	const struct calltree_place place = calls_place(view, true);
	if (place.part != NULL)
		profiles_menu_node(app, place);
	menu_section(app);
	profiles_menu_views(app);
}

const struct view calls_view = {
    .name = "calls",
    .title = "Call tree",
    .under = &sites_view,
    .show = COMMAND_call_tables,
    .open = calls_open,
    .close = calls_close,
    .draw = calls_draw,
    .event = calls_event,
    .command = calls_command,
    .copy_text = calls_copy_text,
    .has_side = profiles_have_side,
    .side = calls_side,
    .side_text = calls_side_text,
    .poll = calls_poll,
    .tick = profiles_view_tick,
    .due_ms = profiles_view_due_ms,
    .settled = calls_settled,
    .menu = calls_menu,
    .state = calls_state,
    .forget = calls_forget,
};
