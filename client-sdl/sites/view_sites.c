/* The view of call sites: sampled allocations of the running program as a table (S6, V4). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layout.h"
#include "sites_view.h"

#define TEXT_ROWS 10000u /* maximum rows copied as text */

static void *sites_open(struct app *app)
{
	(void)app;
	struct sites_view *view = calloc(1, sizeof *view);
	if (view == NULL)
		return NULL;
	table_init(&view->table, SITES_BYTES, true);
	return view;
}

static void sites_close(void *self)
{
	struct sites_view *view = self;
	sites_view_fini(view);
	free(view);
}

bool sites_has_table(
    const struct sites_view *view, const struct app *app, struct profiles_empty *empty)
{
	if (profiles_explain_empty(app, empty))
		return false;
	if (view->row == NULL) {
		snprintf(empty->title, sizeof empty->title, "%s",
		    view->failed ? "Not enough memory for the call sites"
				 : "Grouping the call sites \xe2\x80\xa6");
		snprintf(empty->text, sizeof empty->text, "%s",
		    view->failed ? "Close other programs and try again." : "This takes a moment.");
		return false;
	}
	if (view->rows > 0)
		return true;
	profiles_explain_none(app, empty);
	return false;
}

static void run_head(struct sites_view *view, struct app *app, struct cv_rect *r)
{
	char words[240];
	sites_match_text(view, app, words, sizeof words);
	profiles_head_run(app, words, r);
	sites_groups_run(app, NULL, r);
}

static void sites_draw(void *self, struct app *app, struct cv_rect r, bool all)
{
	struct sites_view *view = self;
	struct ui *ui = &app->ui;
	struct profiles_empty empty;
	struct cv_rect body = r;
	sites_sync(view, app);
	app->dirty[PANEL_VIEW] = false; /* it is painted now */
	bool old = profiles_are_old(app);
	all = all || view->stale || old != view->was_old;
	run_head(view, app, &body);
	/* The rows stay as they are while only what is above them changes. */
	all = all || !rect_same(body, view->table_at);
	view->table_at = body;
	view->stale = false;
	view->was_old = old;
	app->stats.tiles = 0;
	if (sites_has_table(view, app, &empty)) {
		struct table_rows rows = sites_table_rows(view, app);
		ui_table(ui, UI_ID(PANEL_VIEW, SITES_TABLE), body, &view->table, &rows, all);
		return;
	}
	cv_fill(ui->cv, body, ui->theme->ground);
	cv_touch(ui->cv, body);
	profiles_empty_run(app, &empty, body);
}

static void run_table(struct sites_view *view, struct app *app, struct cv_rect body)
{
	struct table_rows rows = sites_table_rows(view, app);
	uint32_t id = UI_ID(PANEL_VIEW, SITES_TABLE);
	int before = view->table.scroll;
	enum table_change change = ui_table(&app->ui, id, body, &view->table, &rows, false);
	if (change == TABLE_SORTED)
		sites_sort_by(view, app);
	else if (change == TABLE_SELECTED)
		sites_note_selection(view, app);
	if (view->table.scroll != before)
		app_dirty(app, PANEL_VIEW);
}

static void sites_event(void *self, struct app *app, struct cv_rect r)
{
	struct sites_view *view = self;
	struct ui *ui = &app->ui;
	bool pressed = ui->ev->kind == EV_DOWN;
	struct profiles_empty empty;
	sites_sync(view, app);
	bool filtering = ui->focus == UI_ID(PANEL_VIEW, PROFILES_FILTER);
	run_head(view, app, &r);
	if (app->view_id != VIEW_SITES)
		return; /* another grouping was chosen */
	sites_sync(view, app);
	/* Enter goes from the filter to what it has found. */
	struct keystroke stroke;
	if (filtering && !ui->used && key_of_event(ui->ev, &stroke) && stroke.key == KEY_ENTER &&
	    sites_has_table(view, app, &empty)) {
		ui->focus = UI_ID(PANEL_VIEW, SITES_TABLE);
		ui->focus_shown = true;
		ui_take(ui);
	}
	if (sites_has_table(view, app, &empty))
		run_table(view, app, r);
	else
		profiles_empty_run(app, &empty, r);
	if (pressed && !ui->used)
		ui->focus = 0;
}

static bool sites_command(void *self, struct app *app, enum command_id id, const char *argument)
{
	sites_sync(self, app);
	bool done = sites_run_command(self, app, id, argument);
	sites_sync(self, app);
	return done;
}

static void rows_text(struct sites_view *view, const struct app *app, struct textbuf *out)
{
	char text[TABLE_CELL];
	const struct table_column *column = sites_table_rows(view, app).column;
	const int columns = sites_column_count(view);
	for (int i = 0; i < columns; i++)
		if (column[i].rank != TABLE_HIDDEN)
			textbuf_printf(out, i > 0 ? "\t%s" : "%s", column[i].title);
	textbuf_puts(out, "\n");
	for (uint32_t row = 0; row < view->rows && row < TEXT_ROWS; row++) {
		for (int i = 0; i < columns; i++) {
			if (column[i].rank == TABLE_HIDDEN)
				continue;
			sites_cell(view, row, i, text, sizeof text);
			char *tab = strchr(text, '\t');
			if (tab != NULL)
				*tab = ' ';
			textbuf_printf(out, i > 0 ? "\t%s" : "%s", text);
		}
		textbuf_puts(out, "\n");
	}
	if (view->rows > TEXT_ROWS)
		textbuf_printf(out, "and %u more\n", view->rows - TEXT_ROWS);
}

static void sites_copy(void *self, struct app *app, struct textbuf *out)
{
	struct sites_view *view = self;
	struct profiles_empty empty;
	char match[240];
	sites_sync(view, app);
	textbuf_printf(out,
	    view->wanted == GCS_SITES_BY_SITE ? "call sites\t%s\n" : "call sites\t%s\tby %s\n",
	    gcs_profile_kind_title(view->kind), sites_group_name(view->wanted));
	sites_match_text(view, app, match, sizeof match);
	profiles_copy_text(app, match, out);
	if (sites_has_table(view, app, &empty))
		rows_text(view, app, out);
	else
		textbuf_printf(out, "%s\n%s\n", empty.title, empty.text);
}

static void sites_side(void *self, struct app *app, struct cv_rect *column)
{
	sites_sync(self, app);
	site_locations_side(app, column);
	sites_side_run(self, app, column);
}

static void sites_side_text(void *self, struct app *app, struct textbuf *out)
{
	sites_sync(self, app);
	site_locations_text(app, out);
	sites_stack_text(self, app, out);
}

static void sites_poll(void *self, struct app *app)
{
	struct sites_view *view = self;
	profiles_poll(app);
	if (view->waiting && app->view_id == VIEW_SITES)
		sites_sync(view, app);
}

static bool sites_settled(void *self, struct app *app)
{
	struct sites_view *view = self;
	sites_sync(view, app);
	return profiles_settled(app) && !view->waiting && site_locations_settled(app);
}

const struct view sites_view = {
    .name = "sites",
    .title = "Call sites",
    .show = COMMAND_call_sites,
    .open = sites_open,
    .close = sites_close,
    .draw = sites_draw,
    .event = sites_event,
    .command = sites_command,
    .copy_text = sites_copy,
    .has_side = profiles_have_side,
    .side = sites_side,
    .side_text = sites_side_text,
    .poll = sites_poll,
    .tick = profiles_view_tick,
    .due_ms = profiles_view_due_ms,
    .settled = sites_settled,
    .menu = sites_menu,
    .state = sites_state,
};
