/* The view of events: counters and filters in one table, the latest events in another (V3, V10). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "events_view.h"
#include "heap_view.h"
#include "layout.h"

#define TABLE_ID UI_ID(PANEL_VIEW, EVENTS_TABLE)

static void *events_open(struct app *app)
{
	(void)app;
	struct events_view *view = calloc(1, sizeof *view);
	if (view == NULL)
		return NULL;
	table_init(&view->table, -1, false);
	table_init(&view->list, LIST_NUMBER, true);
	view->column = EVENTS_ENABLED;
	return view;
}

static void events_close(void *self)
{
	struct events_view *view = self;
	events_list_fini(&view->lines);
	events_order_fini(&view->by);
	free(view);
}

static bool has_side(void *self, struct app *app)
{
	(void)self;
	return app->snapshot != NULL && app->cv.w >= ui_px(&app->ui, 900);
}

/* In a low window rows matter more than buttons and timers, which the palette and a copy also
 * offer. */
static bool is_low(const struct app *app, struct cv_rect r)
{
	return r.h < ui_px(&app->ui, 190);
}

static struct events_places places_of(
    const struct events_view *view, const struct app *app, struct cv_rect r)
{
	const struct ui *ui = &app->ui;
	struct events_places p;
	int line = font_height(ui->fonts->face[FONT_SMALL]) + ui_px(ui, 8);
	bool low = is_low(app, r);
	bool finds = view->find.text[0] != 0 || ui->focus == UI_ID(PANEL_VIEW, EVENTS_FIELD_FIND);
	p.head = cut_top(&r, low ? 0 : events_head_height(app, r.w));
	/* Without the side panel, the timers are a line at the bottom. */
	p.foot = cut_bottom(&r, app->rect[PANEL_SIDE].w == 0 && !low ? line : 0);
	int rows = (int)view->filters.count;
	int all = ui_px(ui, 26) + rows * table_row_height(ui) + ui_px(ui, 2);
	int most = r.h * 6 / 10;
	int least = ui_px(ui, 26) + 2 * table_row_height(ui);
	p.table = cut_top(&r, clamp_int(all, least, most > least ? most : least));
	p.words = cut_top(&r, line);
	p.list_title = cut_top(&r, r.h > ui_px(ui, 70) || finds ? ui_px(ui, 30) : 0);
	p.list = r;
	return p;
}

static void words_of(const struct events_view *view, const struct app *app, char *text, size_t size)
{
	const char *unavailable = events_filters_unavailable(app);
	if (view->wrong[0] != 0)
		snprintf(text, size, "%s", view->wrong);
	else if (view->editing)
		snprintf(text, size, "Enter applies \xc2\xb7 Esc cancels");
	else if (unavailable != NULL)
		snprintf(text, size, "%s", unavailable);
	else if (is_low(app, app->rect[PANEL_VIEW]))
		snprintf(
		    text, size, "Arrows and Enter edit cells \xc2\xb7 Ctrl+K lists all commands");
	else
		snprintf(text, size,
		    "Arrows select a cell \xc2\xb7 Enter edits \xc2\xb7 Space toggles a box");
}

static void paint_attributes(
    struct events_view *view, struct app *app, const struct events_places *p)
{
	struct ui *ui = &app->ui;
	char text[400];
	struct cv_rect r = p->words;
	cut_left(&r, ui_px(ui, 12));
	cut_right(&r, ui_px(ui, 12));
	words_of(view, app, text, sizeof text);
	text_in(ui->cv, ui->fonts->face[FONT_SMALL], r, TEXT_LEFT,
	    view->wrong[0] != 0 ? ui->theme->bad : ui->theme->weak, text);
	if (p->foot.h == 0)
		return;
	r = p->foot;
	cut_left(&r, ui_px(ui, 12));
	cut_right(&r, ui_px(ui, 12));
	cv_hline(ui->cv, p->foot.x, p->foot.y, p->foot.w, ui->theme->line);
	events_timer_text(app, text, sizeof text);
	ui_label(ui, r, TEXT_LEFT, text);
}

static void events_draw(void *self, struct app *app, struct cv_rect r, bool all)
{
	struct events_view *view = self;
	struct ui *ui = &app->ui;
	(void)all;
	app->stats.tiles = 0;
	cv_fill(ui->cv, r, ui->theme->ground);
	cv_touch(ui->cv, r);
	events_sync(view, app);
	struct events_places p = places_of(view, app, r);
	struct table_rows rows = events_rows(view, app);
	if (p.head.h > 0)
		events_head_run(view, app, p.head);
	ui_table(ui, TABLE_ID, p.table, &view->table, &rows, true);
	events_edit_paint(view, app, p.table);
	events_edit_run(view, app, p.table);
	paint_attributes(view, app, &p);
	events_list_head(view, app, p.list_title);
	events_list_draw(view, app, p.list);
}

static void events_event(void *self, struct app *app, struct cv_rect r)
{
	struct events_view *view = self;
	struct ui *ui = &app->ui;
	events_sync(view, app);
	struct events_places p = places_of(view, app, r);
	bool pressed = ui->ev->kind == EV_DOWN;
	if (p.head.h > 0)
		events_head_run(view, app, p.head);
	events_edit_keys(view, app, p.table);
	events_edit_run(view, app, p.table);
	struct table_rows rows = events_rows(view, app);
	bool in_table = pressed && ui->ev->button == 1 && !ui->used;
	if (in_table && view->editing && !events_edit_commit(view, app))
		events_edit_cancel(view, app);
	if (ui_table(ui, TABLE_ID, p.table, &view->table, &rows, false) == TABLE_SORTED)
		events_sort(view, app);
	events_edit_click(view, app, p.table, in_table);
	events_list_head(view, app, p.list_title);
	events_list_event(view, app, p.list);
	if (pressed && !ui->used)
		ui->focus = 0;
	if (ui->used || ui->ev->kind == EV_WHEEL)
		app_dirty(app, PANEL_SIDE);
}

/* The arrows work even if the table is not in focus. */
static bool move_by_command(struct events_view *view, struct app *app, enum command_id id)
{
	struct events_places p = places_of(view, app, app->rect[PANEL_VIEW]);
	int64_t by = command_rows(id, table_page(&app->ui, p.table));
	if (id == COMMAND_tile_left || id == COMMAND_tile_right) {
		view->column += id == COMMAND_tile_left ? -1 : 1;
		view->column = clamp_int(view->column, EVENTS_ENABLED, EVENTS_PERIOD);
		by = view->table.selected == TABLE_NONE ? 1 : 0;
	} else if (by == 0) {
		return false;
	}
	table_move(&app->ui, p.table, &view->table, view->filters.count, by);
	app->ui.focus = TABLE_ID;
	app->ui.focus_shown = true;
	app_dirty(app, PANEL_VIEW);
	app_dirty(app, PANEL_SIDE);
	return true;
}

static bool run_command(void *self, struct app *app, enum command_id id, const char *argument)
{
	struct events_view *view = self;
	if (argument != NULL && (id == COMMAND_sites_sort || id == COMMAND_sites_reverse))
		return events_sort_command(view, app, id, argument);
	if (app->snapshot == NULL || app->modal != MODAL_NONE)
		return false;
	if (id == COMMAND_find)
		return events_find(view, app, argument);
	if (id == COMMAND_back && view->editing) {
		events_edit_cancel(view, app);
		return true;
	}
	if (id == COMMAND_back && events_find_end(view, app))
		return true;
	/* The focus moves elsewhere: commits if valid. */
	bool leaves = id == COMMAND_next_focus || id == COMMAND_prev_focus;
	if (leaves && view->editing && !events_edit_commit(view, app))
		events_edit_cancel(view, app);
	return move_by_command(view, app, id);
}

static void put_table(struct events_view *view, struct app *app, struct textbuf *out)
{
	char text[TABLE_CELL];
	view->app = app;
	struct table_rows rows = events_rows(view, app);
	for (int i = 0; i < EVENTS_COLUMNS; i++)
		textbuf_printf(
		    out, i + 1 < EVENTS_COLUMNS ? "%s\t" : "%s\n", events_columns[i].title);
	for (uint32_t row = 0; row < rows.count; row++) {
		for (int i = 0; i < EVENTS_COLUMNS; i++) {
			events_cell_text(view, view->order[row], i, text, sizeof text);
			textbuf_printf(out, i + 1 < EVENTS_COLUMNS ? "%s\t" : "%s\n", text);
		}
	}
}

static void copy_text(void *self, struct app *app, struct textbuf *out)
{
	struct events_view *view = self;
	char text[TABLE_CELL];
	if (app->snapshot == NULL) {
		heap_view.copy_text(app->views[VIEW_HEAP], app, out);
		return;
	}
	events_sync(view, app);
	put_table(view, app, out);
	bool late;
	if (events_update_words(view, app, text, sizeof text, &late))
		textbuf_printf(out, "Updates\t%s\n", text);
	words_of(view, app, text, sizeof text);
	textbuf_printf(out, "%s\n", text);
	if (app->rect[PANEL_SIDE].w == 0)
		events_side_text(view, app, out);
	struct table_rows list = events_list_rows(view, app);
	events_list_text(view, app, text, sizeof text);
	textbuf_printf(
	    out, "%s\t%s\n", events_are_of_history(app) ? "Events" : "Latest events", text);
	if (view->find.text[0] != 0)
		textbuf_printf(out, "Find\t%s\n", view->find.text);
	for (uint32_t row = 0; row < list.count; row++) {
		for (int i = 0; i < LIST_COLUMNS; i++) {
			list.cell(view, row, i, text, sizeof text);
			textbuf_printf(out, i + 1 < LIST_COLUMNS ? "%s\t" : "%s\n", text);
		}
	}
}

static void side(void *self, struct app *app, struct cv_rect *column)
{
	events_side_run(self, app, column);
}

static void view_side_text(void *self, struct app *app, struct textbuf *out)
{
	if (app->snapshot != NULL)
		events_side_text(self, app, out);
}

static void note(void *self, struct app *app, const struct gcs_snapshot *snapshot)
{
	struct events_view *view = self;
	if (view->program != app->program) {
		view->program = app->program;
		events_log_clear(&view->log);
		view->chosen = false;
		view->list.selected = TABLE_NONE;
	}
	uint32_t before = view->filters.count;
	events_filters_meet(&view->filters, app, gcs_snapshot_model(snapshot));
	if (before != view->filters.count)
		view->ordered = 0;
	if (!app->replay.on)
		events_log_add(&view->log, snapshot, app->now_ms);
}

/* Rates fall while nothing happens. */
static uint64_t due_ms(void *self, const struct app *app)
{
	const struct events_view *view = self;
	if (app->state != SOURCE_LIVE || app->run != GCS_RUNNING || app->replay.on)
		return UINT64_MAX;
	uint64_t since = app->now_ms - view->log.arrived_ms;
	return view->log.arrived_ms + (since / 1000 + 1) * 1000;
}

/* Rates and the update interval. */
static uint64_t events_due_ms(void *self, const struct app *app)
{
	const struct events_view *view = self;
	const uint64_t rates = due_ms(self, app), update = events_update_due_ms(&view->update, app);
	return rates < update ? rates : update;
}

static void tick(void *self, struct app *app)
{
	struct events_view *view = self;
	const uint64_t second = (app->now_ms - view->log.arrived_ms) / 1000;
	events_update_tick(&view->update, app);
	if (app->snapshot == NULL || due_ms(self, app) == UINT64_MAX || second == view->second)
		return;
	view->second = second;
	app_dirty(app, PANEL_VIEW);
}

struct change {
	enum command_id command;
	void (*make)(struct gcs_filter *filter);
};

static void enable(struct gcs_filter *f)
{
	f->enabled = true;
}

static void disable(struct gcs_filter *f)
{
	f->enabled = false;
}

static void clear_delay(struct gcs_filter *f)
{
	f->delay_ms = 0;
}

static void clear_pause(struct gcs_filter *f)
{
	f->pause = false;
}

static void reset_period(struct gcs_filter *f)
{
	f->period = 1;
}

static void set_default(struct gcs_filter *f)
{
	*f = (struct gcs_filter){.enabled = true, .period = 1};
}

static const struct change changes[] = {
    {COMMAND_enable_events, enable},
    {COMMAND_disable_events, disable},
    {COMMAND_clear_delays, clear_delay},
    {COMMAND_clear_pauses, clear_pause},
    {COMMAND_reset_periods, reset_period},
    {COMMAND_default_filters, set_default},
};

static const struct change *change_of(enum command_id id)
{
	for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
		if (changes[i].command == id)
			return &changes[i];
	}
	return NULL;
}

bool events_has_command(enum command_id id)
{
	return id == COMMAND_filter || id == COMMAND_update || change_of(id) != NULL;
}

static bool change_all(
    struct events_view *view, struct app *app, const struct change *change, const char *name)
{
	struct events_filters *f = &view->filters;
	uint32_t only = GCS_NONE;
	if (name != NULL && (only = events_filters_find(f, name, strlen(name))) == GCS_NONE) {
		app_toast(app, "No event named \"%.80s\"", name);
		return false;
	}
	for (uint32_t i = 0; i < f->count; i++) {
		struct gcs_filter filter = f->request[i].filter;
		if (only != GCS_NONE && i != only)
			continue;
		change->make(&filter);
		if (memcmp(&filter, &f->request[i].filter, sizeof filter) != 0 &&
		    !events_filters_set(f, app, i, &filter))
			return false;
	}
	return true;
}

bool events_command(struct app *app, enum command_id id, const char *argument)
{
	struct events_view *view = app->views[VIEW_EVENTS];
	if (id == COMMAND_update)
		return events_update_command(app, argument);
	const char *unavailable = events_filters_unavailable(app);
	if (unavailable != NULL) {
		app_toast(app, "%s", unavailable);
		return false;
	}
	if (view->editing)
		events_edit_cancel(view, app);
	app_dirty(app, PANEL_VIEW);
	app_dirty(app, PANEL_SIDE);
	if (id != COMMAND_filter)
		return change_all(view, app, change_of(id), argument);
	uint32_t event;
	struct gcs_filter filter;
	char wrong[200];
	if (!events_filters_parse(&view->filters, argument != NULL ? argument : "", &event, &filter,
		wrong, sizeof wrong)) {
		app_toast(app, "%s", wrong);
		return false;
	}
	return events_filters_set(&view->filters, app, event, &filter);
}

const struct view events_view = {
    .name = "events",
    .title = "Events",
    .show = COMMAND_events,
    .open = events_open,
    .close = events_close,
    .draw = events_draw,
    .event = events_event,
    .command = run_command,
    .copy_text = copy_text,
    .has_side = has_side,
    .side = side,
    .side_text = view_side_text,
    .of_snapshot = true,
    .note = note,
    .tick = tick,
    .due_ms = events_due_ms,
    .menu = events_menu,
    .state = events_state,
};
