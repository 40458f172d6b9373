/* The view of triggers: conditions that mark, pause or record, and what has fired (F17, V10). */
#include <gcspy/format.h>
#include <stdio.h>
#include <stdlib.h>

#include "heap_view.h"
#include "layout.h"
#include "plugins_menu.h"
#include "text.h"
#include "triggers_view.h"

#define ROWS_ID  UI_ID(PANEL_VIEW, TRIGGERS_TABLE)
#define FIRED_ID UI_ID(PANEL_VIEW, TRIGGERS_LIST)

static void *triggers_open(struct app *app)
{
	(void)app;
	struct triggers_view *view = calloc(1, sizeof *view);
	if (view == NULL)
		return NULL;
	table_init(&view->table, -1, false);
	table_init(&view->list, -1, false);
	view->suggestion = -1;
	return view;
}

static void triggers_close(void *self)
{
	struct triggers_view *view = self;
	gcs_triggers_free(view->state);
	triggers_fires_fini(&view->fires);
	free(view);
}

/* The list of all triggers. */

static void take_list(struct app *app, uint32_t tag, const struct gcs_answer *answer)
{
	struct triggers_view *view = app->views[VIEW_TRIGGERS];
	(void)tag;
	gcs_triggers_free(view->state);
	view->state = NULL;
	view->states = 0;
	if (answer->status == GCS_OK)
		view->state =
		    gcs_triggers_decode(answer->bytes, answer->length, &view->states, NULL);
	if (view->state == NULL)
		view->states = 0;
	app_dirty(app, PANEL_VIEW);
}

static uint64_t triggers_due_ms(void *self, const struct app *app)
{
	const struct triggers_view *view = self;
	if (triggers_refusal(app) != NULL)
		return UINT64_MAX;
	if (view->connection != app->connection || view->asked_ms == 0)
		return app->now_ms;
	return view->asked_ms + TRIGGERS_REFRESH_MS;
}

static void triggers_tick(void *self, struct app *app)
{
	struct triggers_view *view = self;
	if (triggers_due_ms(self, app) > app->now_ms || requests_are_pending(app, take_list))
		return;
	view->connection = app->connection;
	view->asked_ms = app->now_ms > 0 ? app->now_ms : 1;
	requests_query(app, "triggers", 0, NULL, take_list, 0);
}

/* Those of another program are off until the user wants them there too. */
static void triggers_note(void *self, struct app *app, const struct gcs_snapshot *snapshot)
{
	struct triggers_view *view = self;
	if (view->told_by != app->connection)
		view->told.count = 0;
	view->told_by = app->connection;
	fired_list_note(&view->told, snapshot);
	if (gcs_snapshot_fired_count(snapshot) > 0)
		view->asked_ms = 0;
	if (view->program != app->program) {
		view->program = app->program;
		for (uint32_t i = 0; i < view->set.count; i++) {
			view->set.at[i].on = view->set.at[i].on && view->set.sent_to == 0;
			view->set.at[i].changed_ns = 0;
		}
	}
	if (triggers_set_note(&view->set, snapshot))
		view->fires.of = NULL;
}

/* After the first snapshot, which tells whether it is the same program. */
static void triggers_poll(void *self, struct app *app)
{
	struct triggers_view *view = self;
	if (app->met == app->connection && view->program == app->program)
		triggers_set_meet(&view->set, app);
}

static void triggers_forget(void *self, struct app *app)
{
	struct triggers_view *view = self;
	(void)app;
	view->set.count = 0;
}

/* The selected trigger. */

static const struct trigger_row *selected_row(const struct triggers_view *view)
{
	return view->table.selected < view->rows ? &view->row[view->table.selected] : NULL;
}

static bool remove_named(struct triggers_view *view, struct app *app, const char *name)
{
	char copy[GCS_MAX_NAME + 1];
	snprintf(copy, sizeof copy, "%s", name);
	const bool done = triggers_set_remove(&view->set, app, copy);
	triggers_sync(view, app);
	return done;
}

static bool go_last(struct app *app, const struct trigger_row *row)
{
	if (row->fire != NULL)
		return triggers_go_to(app, row->fire->last_ns);
	app_toast(app, "%.60s has not fired", trigger_row_name(row));
	return false;
}

static bool small_button(
    struct app *app, struct cv_rect *r, uint32_t id, const char *label, bool off)
{
	struct ui *ui = &app->ui;
	const int w = ui_button_width(ui, ICON_NONE, label);
	struct cv_rect b = cut_left(r, w);
	cut_left(r, ui_px(ui, 6));
	return b.w == w &&
	       ui_button(ui, UI_ID(PANEL_VIEW, id), b, ICON_NONE, label, off ? BUTTON_OFF : 0);
}

static void run_buttons(struct triggers_view *view, struct app *app, struct cv_rect r)
{
	const struct trigger_row *row = selected_row(view);
	const struct own_trigger *own = row != NULL ? row->own : NULL;
	const bool off = triggers_refusal(app) != NULL;
	const bool kept =
	    row != NULL && row->state != NULL && row->state->trigger.actions & GCS_TRIGGER_KEEP;
	if (small_button(app, &r, TRIGGERS_SWITCH,
		own != NULL && own->on ? "Switch off" : "Switch on", off || own == NULL))
		triggers_set_switch(&view->set, app, own->name, !own->on);
	else if (small_button(app, &r, TRIGGERS_EDIT, "Edit", own == NULL))
		triggers_form_load(view, own);
	else if (small_button(
		     app, &r, TRIGGERS_LAST, "Go to last fire", row == NULL || row->fire == NULL))
		go_last(app, row);
	else if (small_button(app, &r, TRIGGERS_REMOVE, "Remove", own == NULL && (off || !kept)))
		remove_named(view, app, trigger_row_name(row));
	else if (own != NULL && own->wrong[0] != 0 && ui_paints(&app->ui))
		text_in(&app->cv, app->ui.fonts->face[FONT_SMALL], r, TEXT_LEFT, app->ui.theme->bad,
		    own->wrong);
}

/* What has fired at the event shown, with a button for each answer of a plugin. */
static void run_fired(struct app *app, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	const struct gcs_fired *f;
	for (uint32_t i = 0; (f = gcs_snapshot_fired(app->snapshot, i)) != NULL; i++) {
		char text[160], name[100];
		snprintf(name, sizeof name, "%.90s", f->trigger);
		snprintf(
		    text, sizeof text, "%s (%llu)", text_clean(name), (unsigned long long)f->times);
		const int w = text_width(ui->fonts->face[FONT_UI], text);
		if (w > r.w)
			return;
		ui_value(ui, cut_left(&r, w), TEXT_LEFT, text);
		cut_left(&r, ui_px(ui, 6));
		snprintf(text, sizeof text, "Answer of %.60s", f->plugin);
		if (f->plugin[0] != 0 && small_button(app, &r, TRIGGERS_ANSWER + i, text, false)) {
			plugins_show_fired(app, f);
			return;
		}
		cut_left(&r, ui_px(ui, 10));
	}
}

static void title_text(const struct triggers_view *view, char *text, size_t size)
{
	char number[40];
	gcs_format_count(number, sizeof number, view->fires.count);
	if (view->fires.count == 0)
		snprintf(text, size, "Nothing has fired");
	else
		snprintf(text, size, "%s event%s at which triggers fired", number,
		    view->fires.count == 1 ? "" : "s");
}

/* Keys of the table: Space switches, Enter edits, Delete removes. */
static void row_keys(struct triggers_view *view, struct app *app)
{
	struct ui *ui = &app->ui;
	struct keystroke stroke;
	const struct trigger_row *row = selected_row(view);
	if (row == NULL || ui->ev == NULL || ui->used || ui->focus != ROWS_ID ||
	    !key_of_event(ui->ev, &stroke) || stroke.mods != 0)
		return;
	if (stroke.key == ' ' && row->own != NULL)
		triggers_set_switch(&view->set, app, row->own->name, !row->own->on);
	else if ((stroke.key == KEY_ENTER || stroke.key == KEY_F2) && row->own != NULL)
		triggers_form_load(view, row->own);
	else if (stroke.key == KEY_ENTER)
		go_last(app, row);
	else if (stroke.key == KEY_DELETE)
		remove_named(view, app, trigger_row_name(row));
	else
		return;
	ui_take(ui);
}

static void run_list(struct triggers_view *view, struct app *app, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	struct table_rows rows = triggers_fired_rows(view, app);
	struct keystroke stroke;
	const bool pressed = ui->ev != NULL && ui->ev->kind == EV_DOWN && !ui->used;
	const bool enter = ui->ev != NULL && !ui->used && ui->focus == FIRED_ID &&
			   key_of_event(ui->ev, &stroke) && stroke.key == KEY_ENTER;
	const enum table_change change =
	    ui_table(ui, FIRED_ID, r, &view->list, &rows, ui_paints(ui));
	const struct event_header *m = triggers_fired_at(view, view->list.selected);
	if (enter)
		ui_take(ui);
	if (m != NULL && (enter || (pressed && change == TABLE_SELECTED)))
		triggers_go_to(app, m->time_ns);
}

static void run_triggers(struct triggers_view *view, struct app *app, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	char text[100];
	triggers_sync(view, app);
	const struct triggers_places p = triggers_places_of(view, app, r);
	triggers_form_run(view, app, p.form);
	row_keys(view, app);
	run_buttons(view, app, p.buttons);
	triggers_sync(view, app);
	struct table_rows rows = triggers_rows(view, app);
	ui_table(ui, ROWS_ID, p.table, &view->table, &rows, ui_paints(ui));
	if (ui_paints(ui)) {
		title_text(view, text, sizeof text);
		text_in(
		    ui->cv, ui->fonts->face[FONT_BOLD], p.title, TEXT_LEFT, ui->theme->text, text);
	}
	run_fired(app, p.fired);
	run_list(view, app, p.list);
	ui_scroll_wheel(ui, r, p.content, r.h, table_row_height(ui), &view->scroll);
	ui_scroll_bar(ui, UI_ID(PANEL_VIEW, TRIGGERS_SCROLL), p.bar, p.content, r.h, &view->scroll);
}

static void triggers_draw(void *self, struct app *app, struct cv_rect r, bool all)
{
	(void)all;
	app->stats.tiles = 0;
	cv_fill(&app->cv, r, app->ui.theme->ground);
	cv_touch(&app->cv, r);
	run_triggers(self, app, r);
}

static void triggers_event(void *self, struct app *app, struct cv_rect r)
{
	const bool pressed = app->ui.ev->kind == EV_DOWN;
	run_triggers(self, app, r);
	if (pressed && !app->ui.used)
		app->ui.focus = 0;
}

/* The arrows move in the table of triggers unless the other one is in focus. */
static bool run_in_view(void *self, struct app *app, enum command_id id, const char *argument)
{
	struct triggers_view *view = self;
	if (app->snapshot == NULL || app->modal != MODAL_NONE || argument != NULL)
		return false;
	triggers_sync(view, app);
	const struct triggers_places p = triggers_places_of(view, app, app->rect[PANEL_VIEW]);
	const int64_t by = command_rows(id, table_page(&app->ui, p.table));
	if (by == 0)
		return false;
	table_move(&app->ui, p.table, &view->table, view->rows, by);
	app->ui.focus = ROWS_ID;
	app->ui.focus_shown = true;
	app_dirty(app, PANEL_VIEW);
	return true;
}

bool triggers_have_command(enum command_id id)
{
	return id == COMMAND_trigger || id == COMMAND_trigger_switch ||
	       id == COMMAND_trigger_remove || id == COMMAND_fired_prev || id == COMMAND_fired_next;
}

bool triggers_command(struct app *app, enum command_id id, const char *argument)
{
	struct triggers_view *view = app->views[VIEW_TRIGGERS];
	struct own_trigger t, *own;
	char wrong[400];
	if (id == COMMAND_fired_prev || id == COMMAND_fired_next)
		return triggers_go_fired(app, id == COMMAND_fired_prev ? -1 : 1);
	if (id == COMMAND_trigger && argument == NULL) {
		app_set_view(app, VIEW_TRIGGERS);
		app->ui.focus = UI_ID(PANEL_VIEW, TRIGGERS_FIELD);
		app->ui.focus_shown = true;
		app_dirty(app, PANEL_VIEW);
		return true;
	}
	if (id == COMMAND_trigger) {
		if (triggers_set_parse(&view->set, argument, &t, wrong, sizeof wrong))
			return triggers_set_put(&view->set, app, &t);
		app_toast(app, "%s", wrong);
		return false;
	}
	own = triggers_set_find(&view->set, argument != NULL ? argument : "");
	if (own == NULL) {
		app_toast(app, "No trigger of this window is named \"%.60s\"",
		    argument != NULL ? argument : "");
		return false;
	}
	return id == COMMAND_trigger_switch
		   ? triggers_set_switch(&view->set, app, own->name, !own->on)
		   : remove_named(view, app, own->name);
}

static void put_rows(const struct table_rows *rows, struct textbuf *out)
{
	char text[TABLE_CELL];
	for (int i = 0; i < rows->columns; i++)
		textbuf_printf(out, i + 1 < rows->columns ? "%s\t" : "%s\n", rows->column[i].title);
	for (uint32_t row = 0; row < rows->count; row++) {
		for (int i = 0; i < rows->columns; i++) {
			rows->cell(rows->context, row, i, text, sizeof text);
			textbuf_printf(out, i + 1 < rows->columns ? "%s\t" : "%s\n", text);
		}
	}
}

static void triggers_copy(void *self, struct app *app, struct textbuf *out)
{
	struct triggers_view *view = self;
	const struct gcs_fired *f;
	char text[100];
	if (app->snapshot == NULL) {
		heap_view.copy_text(app->views[VIEW_HEAP], app, out);
		return;
	}
	triggers_sync(view, app);
	struct table_rows rows = triggers_rows(view, app);
	put_rows(&rows, out);
	for (uint32_t i = 0; i < view->set.count; i++)
		if (view->set.at[i].wrong[0] != 0)
			textbuf_printf(
			    out, "rejected\t%s\t%s\n", view->set.at[i].name, view->set.at[i].wrong);
	title_text(view, text, sizeof text);
	textbuf_printf(out, "%s\n", text);
	for (uint32_t i = 0; (f = gcs_snapshot_fired(app->snapshot, i)) != NULL; i++)
		textbuf_printf(out, "fired here\t%s\t%llu\t%s\t%s\t%s\n", f->trigger,
		    (unsigned long long)f->times, f->condition, f->plugin, f->message);
	rows = triggers_fired_rows(view, app);
	put_rows(&rows, out);
}

static bool triggers_have_side(void *self, struct app *app)
{
	(void)self;
	(void)app;
	return false;
}

static void triggers_side(void *self, struct app *app, struct cv_rect *column)
{
	(void)self;
	(void)app;
	(void)column;
}

static void triggers_side_text(void *self, struct app *app, struct textbuf *out)
{
	(void)self;
	(void)app;
	(void)out;
}

const struct view triggers_view = {
    .name = "triggers",
    .title = "Triggers",
    .show = COMMAND_triggers,
    .open = triggers_open,
    .close = triggers_close,
    .draw = triggers_draw,
    .event = triggers_event,
    .command = run_in_view,
    .copy_text = triggers_copy,
    .has_side = triggers_have_side,
    .side = triggers_side,
    .side_text = triggers_side_text,
    .state = triggers_state,
    .forget = triggers_forget,
    .of_snapshot = true,
    .note = triggers_note,
    .poll = triggers_poll,
    .tick = triggers_tick,
    .due_ms = triggers_due_ms,
};
