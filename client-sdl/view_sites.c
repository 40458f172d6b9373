/* The view of call sites: sampled allocations of the running program as a table (S6, V4). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layout.h"
#include "sites_view.h"

#define TEXT_ROWS 10000u /* rows that are copied as text */

static void *sites_open(struct app *app)
{
	(void)app;
	struct sites_view *view = calloc(1, sizeof *view);
	if (view == NULL)
		return NULL;
	view->automatic = true;
	table_init(&view->table, SITES_BYTES, true);
	return view;
}

static void sites_close(void *self)
{
	struct sites_view *view = self;
	sites_fini(&view->sites);
	sites_index_fini(&view->index);
	sites_filter_fini(&view->filter);
	for (int i = 0; i < GCS_PROFILE_KIND_COUNT; i++)
		gcs_profile_free(view->data[i].profile);
	free(view->order);
	free(view);
}

bool sites_has_table(const struct sites_view *view, const struct app *app)
{
	char title[400], text[800];
	bool offer;
	return !sites_empty_words(view, app, title, sizeof title, text, sizeof text, &offer);
}

static void sites_draw(void *self, struct app *app, struct cv_rect r, bool all)
{
	struct sites_view *view = self;
	struct ui *ui = &app->ui;
	struct cv_rect body = r;
	bool old = sites_is_old(view, app);
	all = all || view->stale || old != view->was_old;
	sites_head_run(view, app, &body);
	/* The rows stay as they are while only what is above them changes. */
	all = all || !rect_same(body, view->table_at);
	view->table_at = body;
	view->stale = false;
	view->was_old = old;
	app->stats.tiles = 0;
	if (sites_has_table(view, app)) {
		struct table_rows rows = sites_table_rows(view, app);
		ui_table(ui, UI_ID(PANEL_VIEW, SITES_TABLE), body, &view->table, &rows, all);
		return;
	}
	cv_fill(ui->cv, body, ui->theme->ground);
	cv_touch(ui->cv, body);
	sites_empty_run(view, app, body);
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
	bool filtering = ui->focus == UI_ID(PANEL_VIEW, SITES_FILTER);
	sites_head_run(view, app, &r);
	/* Enter goes from the filter to what it has found. */
	struct keystroke stroke;
	if (filtering && !ui->used && key_of_event(ui->ev, &stroke) && stroke.key == KEY_ENTER &&
	    sites_has_table(view, app)) {
		ui->focus = UI_ID(PANEL_VIEW, SITES_TABLE);
		ui->focus_shown = true;
		ui_take(ui);
	}
	if (sites_has_table(view, app))
		run_table(view, app, r);
	else
		sites_empty_run(view, app, r);
	if (pressed && !ui->used)
		ui->focus = 0;
}

static bool sites_command(void *self, struct app *app, enum command_id id, const char *argument)
{
	return sites_run_command(self, app, id, argument);
}

static bool sites_place(
    void *self, struct app *app, uint32_t space, uint32_t tile, struct cv_rect *r)
{
	(void)self;
	(void)app;
	(void)space;
	(void)tile;
	(void)r;
	return false;
}

static void rows_words(struct sites_view *view, struct textbuf *out)
{
	char text[TABLE_CELL];
	for (int i = 0; i < SITES_COLUMNS; i++)
		textbuf_printf(
		    out, "%s%s", sites_columns[i].title, i + 1 < SITES_COLUMNS ? "\t" : "\n");
	for (uint32_t row = 0; row < view->sites.count && row < TEXT_ROWS; row++) {
		for (int i = 0; i < SITES_COLUMNS; i++) {
			sites_cell(view, row, i, text, sizeof text);
			char *tab = strchr(text, '\t');
			if (tab != NULL)
				*tab = ' ';
			textbuf_printf(out, "%s%s", text, i + 1 < SITES_COLUMNS ? "\t" : "\n");
		}
	}
	if (view->sites.count > TEXT_ROWS)
		textbuf_printf(out, "and %u more\n", view->sites.count - TEXT_ROWS);
}

static void sites_copy(void *self, struct app *app, struct textbuf *out)
{
	struct sites_view *view = self;
	char title[400], text[1200];
	bool offer;
	textbuf_printf(out, "call sites\t%s\n", gcs_profile_kind_title(view->kind));
	sites_head_words(view, app, text, sizeof text);
	if (text[0] != 0)
		textbuf_printf(out, "%s\n", text);
	sites_loss_words(view, text, sizeof text);
	if (text[0] != 0)
		textbuf_printf(out, "%s\n", text);
	sites_match_words(view, text, sizeof text);
	if (view->field.text[0] != 0)
		textbuf_printf(out, "filter\t%s\t%s\n", view->field.text, text);
	if (sites_empty_words(view, app, title, sizeof title, text, sizeof text, &offer))
		textbuf_printf(out, "%s\n%s\n", title, text);
	else
		rows_words(view, out);
}

static bool sites_has_side(void *self, struct app *app)
{
	(void)app;
	const struct sites_view *view = self;
	return view->index.profile != NULL;
}

static void sites_side(void *self, struct app *app, struct cv_rect *column)
{
	sites_side_run(self, app, column);
}

static void sites_side_text(void *self, struct app *app, struct textbuf *out)
{
	(void)app;
	sites_side_words(self, out);
}

static void sites_poll(void *self, struct app *app)
{
	sites_fetch_poll(self, app);
}

static void sites_tick(void *self, struct app *app)
{
	sites_fetch_tick(self, app);
}

static uint64_t sites_due_ms(void *self, const struct app *app)
{
	return sites_fetch_due_ms(self, app);
}

static bool sites_settled(void *self, struct app *app)
{
	const struct sites_view *view = self;
	const struct sites_data *data = &view->data[view->kind];
	return data->answered && data->connection == app->connection && !view->fetch.wanted &&
	       view->fetch.interval[0] == 0 && !sites_is_waiting(view, app);
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
    .place = sites_place,
    .copy_text = sites_copy,
    .has_side = sites_has_side,
    .side = sites_side,
    .side_text = sites_side_text,
    .poll = sites_poll,
    .tick = sites_tick,
    .due_ms = sites_due_ms,
    .settled = sites_settled,
};
