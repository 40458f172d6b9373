/* The cell of the event table that is in focus: cursor, check boxes, text field. Declared in
 * events_view.h. */
#include <stdio.h>

#include "events_view.h"
#include "layout.h"

#define TABLE_ID UI_ID(PANEL_VIEW, EVENTS_TABLE)
#define FIELD_ID UI_ID(PANEL_VIEW, EVENTS_FIELD)

uint32_t events_selected(const struct events_view *view)
{
	return view->table.selected < view->ordered ? view->order[view->table.selected] : GCS_NONE;
}

static bool is_box(int column)
{
	return column == EVENTS_ENABLED || column == EVENTS_PAUSE;
}

static void toggle(struct events_view *view, struct app *app, uint32_t event)
{
	struct gcs_filter f = view->filters.request[event].filter;
	if (view->column == EVENTS_ENABLED)
		f.enabled = !f.enabled;
	else
		f.pause = !f.pause;
	events_filters_set(&view->filters, app, event, &f);
}

static void begin(struct events_view *view, struct app *app, uint32_t event)
{
	const char *unavailable = events_filters_unavailable(app);
	if (unavailable != NULL) {
		app_toast(app, "%s", unavailable);
		return;
	}
	const struct gcs_filter *f = &view->filters.request[event].filter;
	char number[16];
	snprintf(
	    number, sizeof number, "%u", view->column == EVENTS_DELAY ? f->delay_ms : f->period);
	textfield_set(&view->field, number);
	view->editing = true;
	view->wrong[0] = 0;
	app->ui.focus = FIELD_ID;
	app->ui.focus_shown = true;
	app_dirty(app, PANEL_VIEW);
}

static void end(struct events_view *view, struct app *app)
{
	view->editing = false;
	view->wrong[0] = 0;
	if (app->ui.focus == FIELD_ID)
		app->ui.focus = TABLE_ID;
	app_dirty(app, PANEL_VIEW);
}

void events_edit_cancel(struct events_view *view, struct app *app)
{
	end(view, app);
}

bool events_edit_commit(struct events_view *view, struct app *app)
{
	uint32_t event = events_selected(view);
	if (!view->editing || event == GCS_NONE) {
		end(view, app);
		return true;
	}
	struct gcs_filter f = view->filters.request[event].filter;
	if (!events_filter_parse(&f, events_columns[view->column].name, view->field.text,
		view->wrong, sizeof view->wrong)) {
		app_dirty(app, PANEL_VIEW);
		return false;
	}
	events_filters_set(&view->filters, app, event, &f);
	end(view, app);
	return true;
}

/* Enter commits; Up and Down commit and move to another row. */
static void field_keys(struct events_view *view, struct app *app, struct cv_rect table)
{
	struct ui *ui = &app->ui;
	struct keystroke stroke;
	if (ui->focus != FIELD_ID) {
		/* The focus has moved elsewhere: commits if valid. */
		if (!events_edit_commit(view, app))
			end(view, app);
		return;
	}
	if (!key_of_event(ui->ev, &stroke) || ui->ev->kind != EV_KEY)
		return;
	int by = stroke.key == KEY_UP ? -1 : stroke.key == KEY_DOWN ? 1 : 0;
	if (by == 0 && stroke.key != KEY_ENTER)
		return;
	ui_take(ui);
	if (events_edit_commit(view, app) && by != 0)
		table_move(ui, table, &view->table, view->ordered, by);
}

void events_edit_keys(struct events_view *view, struct app *app, struct cv_rect table)
{
	struct ui *ui = &app->ui;
	struct keystroke stroke;
	if (view->editing) {
		field_keys(view, app, table);
		return;
	}
	if (ui->used || ui->focus != TABLE_ID || !key_of_event(ui->ev, &stroke) || stroke.mods != 0)
		return;
	uint32_t event = events_selected(view);
	if (stroke.key == KEY_LEFT || stroke.key == KEY_RIGHT) {
		view->column = clamp_int(view->column + (stroke.key == KEY_LEFT ? -1 : 1),
		    EVENTS_ENABLED, EVENTS_PERIOD);
		ui_take(ui);
		return;
	}
	bool enter = stroke.key == KEY_ENTER || stroke.key == KEY_F2;
	if (event == GCS_NONE || !(enter || (stroke.key == ' ' && is_box(view->column))))
		return;
	ui_take(ui);
	if (is_box(view->column))
		toggle(view, app, event);
	else
		begin(view, app, event);
}

void events_edit_click(
    struct events_view *view, struct app *app, struct cv_rect table, bool pressed)
{
	struct ui *ui = &app->ui;
	struct table_rows rows = events_rows(view, app);
	uint32_t row;
	int column;
	if (!pressed ||
	    !table_cell_at(ui, table, &view->table, &rows, ui->ev->x, ui->ev->y, &row, &column))
		return;
	if (column < EVENTS_ENABLED || column > EVENTS_PERIOD)
		return;
	view->column = column;
	ui->dirty = true;
	if (is_box(column))
		toggle(view, app, view->order[row]);
	else
		begin(view, app, view->order[row]);
}

static bool cell_place(
    struct events_view *view, struct app *app, struct cv_rect table, struct cv_rect *r)
{
	struct table_rows rows = events_rows(view, app);
	return table_cell_rect(
	    &app->ui, table, &view->table, &rows, view->table.selected, view->column, r);
}

void events_edit_run(struct events_view *view, struct app *app, struct cv_rect table)
{
	struct cv_rect r;
	if (!view->editing)
		return;
	if (!cell_place(view, app, table, &r)) {
		/* Scrolled out of sight, or the column is hidden. */
		if (!ui_paints(&app->ui))
			end(view, app);
		return;
	}
	if (ui_field(&app->ui, FIELD_ID, r, &view->field, ""))
		view->wrong[0] = 0;
}

static void paint_box(struct ui *ui, struct cv_rect cell, bool on, bool old)
{
	const struct theme *th = ui->theme;
	int size = ui_px(ui, 14);
	struct cv_rect box = centred(cell, size, size);
	uint32_t ink = old ? th->weak : th->accent;
	cv_round(ui->cv, box, ui_px(ui, 3), on ? ink : th->raised);
	if (on)
		cv_fill(ui->cv, rect_inset(box, ui_px(ui, 4)), th->on_accent);
	else
		cv_round_frame(ui->cv, box, ui_px(ui, 3), ui_px(ui, 1), th->weak);
}

static void paint_mark(struct app *app, struct cv_rect cell, uint32_t event)
{
	struct ui *ui = &app->ui;
	const struct gcs_model *model = app_model(app);
	if (model == NULL || event >= model->event_count)
		return;
	int h = ui_px(ui, 12);
	struct cv_rect mark =
	    rect_make(cell.x + ui_px(ui, 8), cell.y + (cell.h - h) / 2, ui_px(ui, 4), h);
	cv_round(ui->cv, mark, ui_px(ui, 2), 0xff000000u | model->events[event].colour);
}

void events_edit_paint(struct events_view *view, struct app *app, struct cv_rect table)
{
	struct ui *ui = &app->ui;
	struct table_rows rows = events_rows(view, app);
	struct cv_rect cell;
	const bool boxes = events_filters_unavailable(app) == NULL;
	for (uint32_t row = 0; row < rows.count; row++) {
		uint32_t event = view->order[row];
		const struct gcs_filter *f = &view->filters.request[event].filter;
		if (table_cell_rect(ui, table, &view->table, &rows, row, EVENTS_NAME, &cell))
			paint_mark(app, cell, event);
		if (boxes &&
		    table_cell_rect(ui, table, &view->table, &rows, row, EVENTS_ENABLED, &cell))
			paint_box(ui, cell, f->enabled, rows.old);
		if (boxes &&
		    table_cell_rect(ui, table, &view->table, &rows, row, EVENTS_PAUSE, &cell))
			paint_box(ui, cell, f->pause, rows.old);
	}
	if (!boxes || view->editing || !cell_place(view, app, table, &cell))
		return;
	bool focused = ui->focus == TABLE_ID;
	cell.h--;
	cv_frame(ui->cv, cell, ui_px(ui, focused ? 2 : 1),
	    focused ? ui->theme->accent : ui->theme->weak);
}
