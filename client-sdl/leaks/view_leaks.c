/* Survivors and suspects as a table: the parts of the view. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "layout.h"
#include "leaks_view.h"

static const enum gcs_sites_by joins[LEAKS_JOINS] = {
    GCS_SITES_BY_FRAME, GCS_SITES_BY_CLASS, GCS_SITES_BY_SITE};
const char *const leaks_join_titles[LEAKS_JOINS] = {"Outside the JDK", "Classes", "Call sites"};
static const char *const join_names[LEAKS_JOINS] = {"frame", "class", "site"};

static void *leaks_open(struct app *app)
{
	(void)app;
	struct leaks_view *view = calloc(1, sizeof *view);
	if (view != NULL)
		table_init(&view->table, LEAKS_GROWTH, true);
	return view;
}

static void leaks_close(void *self)
{
	struct leaks_view *view = self;
	free(view->order);
	free(view);
}

/* Where the buttons have no room, one of them opens a menu of all. */
static void open_joins(struct app *app)
{
	menu_begin(app, "Rows of the table");
	for (int i = 0; i < LEAKS_JOINS; i++)
		menu_add(app, COMMAND_leaks, leaks_join_titles[i], join_names[i]);
	menu_open(app, app->ui.mouse_x, app->ui.mouse_y);
}

static void run_joins(struct app *app, struct cv_rect *row)
{
	struct ui *ui = &app->ui;
	char label[60];
	int used = 0, shown = 0;
	for (int i = 0; i < LEAKS_JOINS; i++) {
		used += ui_button_width(ui, ICON_NONE, leaks_join_titles[i]) + ui_px(ui, 6);
		shown = app->figures.by == joins[i] ? i : shown;
	}
	const bool brief = used > row->w;
	snprintf(label, sizeof label, "%s \xe2\x80\xa6", leaks_join_titles[shown]);
	for (int i = 0; i < LEAKS_JOINS; i++) {
		const uint32_t id = UI_ID(PANEL_VIEW, LEAKS_JOIN + i);
		const char *title = brief ? label : leaks_join_titles[i];
		if (brief && i > 0)
			return;
		struct cv_rect button = cut_left(row, ui_button_width(ui, ICON_NONE, title));
		cut_left(row, ui_px(ui, 6));
		const bool on = !brief && i == shown;
		if (!ui_button(ui, id, button, ICON_NONE, title, on ? BUTTON_PRIMARY : 0))
			continue;
		if (brief)
			open_joins(app);
		else
			time_figures_join(app, joins[i]);
	}
}

/* The choice of what is joined, and a line about the whole. Cuts the head off. */
static void run_head(struct app *app, const struct gcs_stats *stats, struct cv_rect *r)
{
	struct ui *ui = &app->ui;
	struct cv_rect row = cut_top(r, ui_px(ui, 38));
	if (ui_paints(ui)) {
		cv_fill(ui->cv, row, ui->theme->panel);
		cv_touch(ui->cv, row);
	}
	row = rect_inset(row, ui_px(ui, 6));
	run_joins(app, &row);
	cut_left(&row, ui_px(ui, 8));
	const char *collect = "Collect";
	if (collect_refusal(app) == NULL && row.w > ui_button_width(ui, ICON_NONE, collect)) {
		const uint32_t id = UI_ID(PANEL_VIEW, LEAKS_COLLECT);
		struct cv_rect button = cut_right(&row, ui_button_width(ui, ICON_NONE, collect));
		cut_right(&row, ui_px(ui, 8));
		ui_tip(ui, id, button, "Collect garbage, which pauses the program\nKey\tCtrl+G");
		if (ui_button(ui, id, button, ICON_NONE, collect,
			collect_is_awaited(app) ? BUTTON_OFF : 0))
			app_command(app, COMMAND_collect, NULL);
	}
	char text[300] = "";
	if (stats != NULL && stats->suspect_count > 0)
		snprintf(text, sizeof text, "%u of %u suspected to leak", stats->suspect_count,
		    stats->survivor_count);
	else if (stats != NULL)
		snprintf(text, sizeof text, "%u survivor%s, %s", stats->survivor_count,
		    stats->survivor_count == 1 ? "" : "s",
		    stats->no_suspects.text[0] != 0 ? "suspects not known" : "none suspected");
	if (replay_profiles_cure(app)[0] != 0)
		append_clause(text, sizeof text, "%s", replay_profiles_cure(app));
	if (time_figures_remark(app)[0] != 0)
		append_clause(text, sizeof text, "%s", time_figures_remark(app));
	/* A stub of it tells nothing. */
	if (row.w >= ui_px(ui, 50))
		ui_label(ui, row, TEXT_LEFT, text);
}

static void leaks_draw(void *self, struct app *app, struct cv_rect r, bool all)
{
	struct leaks_view *view = self;
	const char *why;
	const struct gcs_stats *stats = leaks_sync(view, app, &why);
	(void)all;
	app->stats.tiles = 0;
	run_head(app, stats, &r);
	view->table_at = r;
	if (stats == NULL) {
		cv_fill(&app->cv, r, app->ui.theme->ground);
		cv_touch(&app->cv, r);
		leaks_empty_run(app, r, why);
		return;
	}
	struct leaks_context context = {view, stats};
	struct table_rows rows = leaks_table_rows(app, &context);
	ui_table(&app->ui, UI_ID(PANEL_VIEW, LEAKS_TABLE), r, &view->table, &rows, true);
	leaks_paint_cells(view, app, r, &rows, stats);
}

void leaks_note_selection(struct leaks_view *view, struct app *app, const struct gcs_stats *stats)
{
	const struct gcs_survivor *s = leaks_selected(view, stats);
	view->selected_key = s != NULL ? s->key : 0;
	app->side_scroll = 0;
	app_dirty(app, PANEL_VIEW);
	app_dirty(app, PANEL_SIDE);
}

static void leaks_event(void *self, struct app *app, struct cv_rect r)
{
	struct leaks_view *view = self;
	const char *why;
	const struct gcs_stats *stats = leaks_sync(view, app, &why);
	const bool pressed = app->ui.ev->kind == EV_DOWN;
	run_head(app, stats, &r);
	stats = leaks_sync(view, app, &why);
	if (stats == NULL) {
		leaks_empty_run(app, r, why);
		return;
	}
	struct leaks_context context = {view, stats};
	struct table_rows rows = leaks_table_rows(app, &context);
	const enum table_change change =
	    ui_table(&app->ui, UI_ID(PANEL_VIEW, LEAKS_TABLE), r, &view->table, &rows, false);
	if (change == TABLE_SELECTED)
		leaks_note_selection(view, app, stats);
	if (change != TABLE_SAME || app->ui.ev->kind == EV_WHEEL || app->ui.active != 0)
		app_dirty(app, PANEL_VIEW);
	if (pressed && !app->ui.used)
		app->ui.focus = 0;
}

bool leaks_command(struct app *app, const char *join)
{
	for (int i = 0; i < LEAKS_JOINS; i++) {
		if (strcmp(join, join_names[i]) != 0)
			continue;
		app_set_view(app, VIEW_LEAKS);
		time_figures_join(app, joins[i]);
		return true;
	}
	app_toast(app, "leaks %.40s: expected frame, class or site", join);
	return false;
}

static bool leaks_run_command(void *self, struct app *app, enum command_id id, const char *argument)
{
	struct leaks_view *view = self;
	const char *why;
	const struct gcs_stats *stats = leaks_sync(view, app, &why);
	const int64_t by = command_rows(id, table_page(&app->ui, view->table_at));
	if (id == COMMAND_sites_sample) {
		profiles_run_command(app, id, argument);
		return true;
	}
	if (stats == NULL || by == 0)
		return false;
	if (table_move(&app->ui, view->table_at, &view->table, view->rows, by))
		leaks_note_selection(view, app, stats);
	return true;
}

static void leaks_copy(void *self, struct app *app, struct textbuf *out)
{
	struct leaks_view *view = self;
	const char *why;
	const struct gcs_stats *stats = leaks_sync(view, app, &why);
	if (stats == NULL) {
		struct leaks_empty empty;
		leaks_explain_empty(app, why, &empty);
		textbuf_printf(out, "no survivors\t%s\n%s\n%s\n", why, empty.text, empty.label);
		return;
	}
	struct leaks_context context = {view, stats};
	const struct table_rows rows = leaks_table_rows(app, &context);
	for (uint32_t row = 0; row < view->rows && row < LEAKS_MOST_COPIED; row++) {
		for (int i = 0; i < LEAKS_COLUMNS; i++) {
			char text[TABLE_CELL];
			rows.cell(&context, row, i, text, sizeof text);
			if (i == LEAKS_COURSE || i == LEAKS_AGE)
				continue;
			if (i > 0)
				textbuf_puts(out, "\t");
			const size_t skip = text[0] == '\t';
			text[strcspn(text + skip, "\t") + skip] =
			    i == LEAKS_NAME && strchr(text + skip, '\t') != NULL ? ' ' : 0;
			textbuf_printf(out, "%s", text + skip);
		}
		textbuf_puts(out, "\n");
	}
	if (view->rows > LEAKS_MOST_COPIED)
		textbuf_printf(out, "%u more\n", view->rows - LEAKS_MOST_COPIED);
}

static void leaks_tick(void *self, struct app *app)
{
	sampling_tick(app);
	time_figures_tick(self, app);
}

static bool leaks_has_side(void *self, struct app *app)
{
	(void)self;
	return app->snapshot != NULL;
}

static void leaks_state(void *self, struct app *app, enum state_scope scope, struct textbuf *out)
{
	(void)self;
	(void)app;
	(void)scope;
	(void)out;
}

const struct view leaks_view = {
    .name = "leaks",
    .title = "Leaks",
    .show = COMMAND_leaks,
    .open = leaks_open,
    .close = leaks_close,
    .draw = leaks_draw,
    .event = leaks_event,
    .command = leaks_run_command,
    .copy_text = leaks_copy,
    .has_side = leaks_has_side,
    .least_width = 420,
    .side = leaks_side,
    .side_text = leaks_side_text,
    .tick = leaks_tick,
    .due_ms = time_figures_due_ms,
    .settled = time_figures_settled,
    .menu = leaks_menu,
    .state = leaks_state,
};
