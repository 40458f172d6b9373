/* Table: a row per tile, a column per stream; the text plugin of 2002. Declared in charts.h. */
#include <gcspy/format.h>
#include <stdio.h>
#include <string.h>

#include "charts.h"
#include "charts_rows.h"
#include "layout.h"

static void cell(void *context, uint32_t row, int column, char *text, size_t size)
{
	const struct charts *c = context;
	const struct chart_table_state *t = &c->table;
	text[0] = 0;
	if (row >= t->count || t->order[row] >= c->data.tiles)
		return;
	uint32_t tile = t->order[row];
	if (t->stream[column] == GCS_NONE) {
		gcs_format_tile_name(text, size, c->snapshot, c->data.space_id, tile);
		chart_clean(text);
	} else if (t->data[column].values != NULL) {
		chart_tile_text(text, size, &t->data[column], tile);
	}
}

static struct table_rows rows_of(struct charts *c, const struct app *app)
{
	return (struct table_rows){.column = c->table.column,
	    .columns = c->table.columns,
	    .count = c->table.count,
	    .cell = cell,
	    .context = c,
	    .old = app_is_old(app)};
}

/* Keeps the row of the selected tile selected. */
static void follow_selection(struct charts *c, const struct app *app)
{
	struct chart_table_state *t = &c->table;
	uint32_t tile = charts_selected(c, app);
	uint32_t row = t->table.selected;
	if (tile == GCS_NONE) {
		t->table.selected = TABLE_NONE;
		return;
	}
	if (row < t->count && t->order[row] == tile)
		return;
	t->table.selected = TABLE_NONE;
	for (uint32_t i = 0; i < t->count; i++) {
		if (t->order[i] == tile)
			t->table.selected = i;
	}
	table_reveal(&app->ui, t->at, &t->table, t->count);
}

/* The number of streams without a column, also for lack of width. */
static uint32_t hidden(struct charts *c, const struct app *app)
{
	const struct chart_table_state *t = &c->table;
	struct table_rows rows = rows_of(c, app);
	int x[CHART_COLUMNS], w[CHART_COLUMNS];
	uint32_t n = t->more;
	table_layout(&app->ui, &rows, t->at.w - ui_px(&app->ui, 12), x, w);
	for (int i = 0; i < t->columns; i++)
		n += w[i] == 0;
	return n;
}

static void table_heading(struct charts *c, struct app *app, struct chart_heading *head)
{
	const struct chart_table_state *t = &c->table;
	char tiles[240], found[96] = "", more[96] = "", sorted[96] = "", number[48];
	uint32_t left = hidden(c, app);
	snprintf(head->title, sizeof head->title, "Tiles of %.200s", c->data.space->name);
	chart_clean(head->title);
	charts_tiles_text(tiles, sizeof tiles, &c->data);
	/* What changes comes first, because the end may be cut off. */
	gcs_format_number(number, sizeof number, t->count, GCS_DECIMAL);
	if (t->field.text[0] != 0)
		snprintf(found, sizeof found, "%s found \xc2\xb7 ", number);
	gcs_format_number(number, sizeof number, (int64_t)t->sorted_of, GCS_DECIMAL);
	if (!t->sorted)
		snprintf(sorted, sizeof sorted, "sorted as of event %s \xc2\xb7 ", number);
	if (left > 0)
		snprintf(more, sizeof more, "%u more %s: [ and ] show them \xc2\xb7 ", left,
		    left == 1 ? "stream" : "streams");
	snprintf(head->text, sizeof head->text, "%s%s%s%s", found, sorted, more, tiles);
}

static void run_filter(struct charts *c, struct app *app, struct cv_rect row)
{
	struct chart_table_state *t = &c->table;
	struct ui *ui = &app->ui;
	struct chart_heading head;
	row.h = ui_px(ui, 30);
	table_heading(c, app, &head);
	int w = clamp_int(row.w / 2, ui_px(ui, 100), ui_px(ui, 320));
	struct cv_rect field = cut_left(&row, w);
	if (ui_field(ui, UI_ID(PANEL_VIEW, CHARTS_FILTER), field, &t->field,
		"Address, number or name (Ctrl+F)")) {
		charts_rows_filter(c, app);
		app_dirty(app, PANEL_VIEW);
	}
	cut_left(&row, ui_px(ui, 12));
	ui_label(ui, row, TEXT_LEFT, head.text);
}

static void note_sort(struct charts *c, struct app *app)
{
	struct chart_table_state *t = &c->table;
	t->sort = t->stream[t->table.sort];
	charts_rows_filter(c, app);
	app_dirty(app, PANEL_VIEW);
}

/* Enter moves the focus from the filter to the rows. */
static void leave_filter(struct app *app)
{
	struct keystroke stroke;
	struct ui *ui = &app->ui;
	if (ui->ev == NULL || ui->used || ui->focus != UI_ID(PANEL_VIEW, CHARTS_FILTER) ||
	    !key_of_event(ui->ev, &stroke) || stroke.key != KEY_ENTER)
		return;
	ui->focus = UI_ID(PANEL_VIEW, CHARTS_TABLE);
	ui->focus_shown = true;
	ui_take(ui);
}

static void table_run(struct charts *c, struct app *app, struct cv_rect r, bool all)
{
	struct chart_table_state *t = &c->table;
	struct ui *ui = &app->ui;
	struct chart_heading heading;
	struct pen pen = {.ui = ui};
	bool pressed = ui->ev != NULL && ui->ev->kind == EV_DOWN && !ui->used;
	if (charts_empty_heading(c, app, &heading)) {
		if (ui_paints(ui)) {
			cv_fill(ui->cv, r, ui->theme->ground);
			cv_touch(ui->cv, r);
			charts_empty_paint(app, &pen, r, &heading);
		}
		return;
	}
	bool changed = charts_rows_refresh(c, app);
	struct cv_rect head = cut_top(&r, ui_px(ui, 46));
	if (ui_paints(ui)) {
		cv_fill(ui->cv, head, ui->theme->ground);
		cv_touch(ui->cv, head);
	}
	cut_left(&head, ui_px(ui, 12));
	cut_right(&head, ui_px(ui, 12));
	cut_top(&head, ui_px(ui, 8));
	run_filter(c, app, head);
	leave_filter(app);
	all = all || changed || !rect_same(t->at, r) || t->was_old != app_is_old(app);
	t->at = r;
	follow_selection(c, app);
	struct table_rows rows = rows_of(c, app);
	uint32_t id = UI_ID(PANEL_VIEW, CHARTS_TABLE);
	int before = t->table.scroll;
	if (ui_paints(ui))
		t->was_old = app_is_old(app);
	else
		changed = false;
	enum table_change change = ui_table(ui, id, r, &t->table, &rows, all);
	if (change == TABLE_SORTED)
		note_sort(c, app);
	else if (change == TABLE_SELECTED && t->table.selected < t->count)
		app_select(app, c->data.space_id, t->order[t->table.selected]);
	if (t->table.scroll != before)
		app_dirty(app, PANEL_VIEW);
	app->stats.tiles = (uint32_t)table_page(ui, r);
	if (pressed && !ui->used)
		ui->focus = 0;
}

static bool sort_by(struct charts *c, struct app *app, const char *name)
{
	struct chart_table_state *t = &c->table;
	int column = (t->table.sort + 1) % t->columns;
	if (name != NULL) {
		for (column = 0; column < t->columns; column++) {
			if (strcmp(t->column[column].name, name) == 0)
				break;
		}
	}
	if (column == t->columns) {
		app_toast(app, "No column named \"%.100s\"", name);
		return true;
	}
	t->table.sort = column;
	t->table.falling = t->stream[column] != GCS_NONE;
	note_sort(c, app);
	return true;
}

/* Moves the selection by rows; without one, to the first or last row. */
static void walk(struct charts *c, struct app *app, int64_t by)
{
	struct chart_table_state *t = &c->table;
	follow_selection(c, app);
	table_move(&app->ui, t->at, &t->table, t->count, by);
	if (t->table.selected < t->count)
		app_select(app, c->data.space_id, t->order[t->table.selected]);
}

static bool go_back(struct charts *c, struct app *app)
{
	struct chart_table_state *t = &c->table;
	if (app->modal != MODAL_NONE || t->field.text[0] == 0)
		return false;
	textfield_set(&t->field, "");
	app->ui.focus = 0;
	charts_rows_filter(c, app);
	app_toast(app, "Filter cleared");
	app_dirty(app, PANEL_VIEW);
	return true;
}

static bool set_filter(struct charts *c, struct app *app, const char *text)
{
	if (text != NULL) {
		textfield_set(&c->table.field, text);
		charts_rows_filter(c, app);
	} else {
		app->ui.focus = UI_ID(PANEL_VIEW, CHARTS_FILTER);
		app->ui.focus_shown = true;
	}
	app_dirty(app, PANEL_VIEW);
	return true;
}

static bool table_command(
    struct charts *c, struct app *app, enum command_id id, const char *argument)
{
	struct chart_table_state *t = &c->table;
	if (c->data.tiles == 0)
		return false;
	charts_rows_refresh(c, app);
	const int64_t by = command_rows(id, table_page(&app->ui, t->at));
	if (by != 0) {
		walk(c, app, by);
		return true;
	}
	switch (id) {
	case COMMAND_sites_filter:
	case COMMAND_find:
		return set_filter(c, app, argument);
	case COMMAND_sites_sort:
		return sort_by(c, app, argument);
	case COMMAND_sites_reverse:
		t->table.falling = !t->table.falling;
		note_sort(c, app);
		return true;
	case COMMAND_back:
		return go_back(c, app);
	case COMMAND_reveal:
		follow_selection(c, app);
		table_reveal(&app->ui, t->at, &t->table, t->count);
		app_dirty(app, PANEL_VIEW);
		return true;
	default:
		return false;
	}
}

static void table_text(struct charts *c, struct app *app, struct textbuf *out)
{
	struct chart_table_state *t = &c->table;
	char text[TABLE_CELL];
	charts_rows_refresh(c, app);
	for (int i = 0; i < t->columns; i++) {
		snprintf(text, sizeof text, "%s", t->column[i].title);
		textbuf_printf(out, i + 1 < t->columns ? "%s\t" : "%s\n", chart_clean(text));
	}
	for (uint32_t row = 0; row < t->count && row < CHART_ROWS; row++) {
		for (int i = 0; i < t->columns; i++) {
			cell(c, row, i, text, sizeof text);
			textbuf_printf(out, i + 1 < t->columns ? "%s\t" : "%s\n", text);
		}
	}
	if (t->count > CHART_ROWS)
		textbuf_printf(out, "and %u more\n", t->count - CHART_ROWS);
}

const struct chart chart_table = {
    .name = "table",
    .title = "Table",
    .heading = table_heading,
    .run = table_run,
    .command = table_command,
    .text = table_text,
};
