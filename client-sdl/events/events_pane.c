/*
 * The lower half of the view of events: the list of events around the moment shown, and its search
 * field. Declared in events_view.h.
 */
#include <gcspy/format.h>
#include <stdio.h>
#include <string.h>

#include "events_view.h"
#include "layout.h"

#define LIST_ID UI_ID(PANEL_VIEW, EVENTS_LIST)
#define FIND_ID UI_ID(PANEL_VIEW, EVENTS_FIELD_FIND)

bool events_are_of_history(const struct app *app)
{
	return app->range.on || app->event_history.back || app->replay.on;
}

static bool is_by_time(const struct events_view *view)
{
	return view->by.count == 0;
}

/* The number in the list, which is in order of time, of a row of the table. */
static uint32_t turned(const struct events_view *view, uint32_t row)
{
	row = view->list.falling ? view->lines.count - 1 - row : row;
	return is_by_time(view) || row >= view->by.count ? row : view->by.row[row];
}

static uint32_t row_of(const struct events_view *view, uint32_t number)
{
	uint32_t row = number;
	if (!is_by_time(view))
		for (row = 0; row + 1 < view->by.count && view->by.row[row] != number;)
			row++;
	return view->list.falling ? view->lines.count - 1 - row : row;
}

/* The row of an event, or the nearest before it; TABLE_NONE without rows. */
static uint32_t row_near(const struct events_view *view, uint64_t time_ns, uint64_t sequence)
{
	const struct events_list *l = &view->lines;
	uint32_t i = events_list_find(l, time_ns);
	for (uint32_t k = i; k < l->count && events_list_at(l, k)->time_ns == time_ns; k++)
		if (events_list_at(l, k)->sequence == sequence)
			return row_of(view, k);
	if (l->count == 0)
		return TABLE_NONE;
	i = i < l->count && events_list_at(l, i)->time_ns == time_ns ? i : i > 0 ? i - 1 : 0;
	return row_of(view, i);
}

static const struct event_header *selected(const struct events_view *view)
{
	const uint32_t row = view->list.selected;
	return row < view->lines.count ? events_list_at(&view->lines, turned(view, row)) : NULL;
}

/* Identifies rows by their events, because others may be inserted before them. */
static void remember(struct events_view *view)
{
	const struct event_header *m = selected(view);
	view->chosen = m != NULL;
	view->chosen_ns = m != NULL ? m->time_ns : 0;
	view->chosen_sequence = m != NULL ? m->sequence : 0;
}

/* Another moment is shown: scrolls to its row at the next painting. */
static void follow(struct events_view *view, const struct app *app)
{
	const bool follows = app->replay.on || app->event_history.back;
	const uint64_t now = event_history_shown_ns(app);
	if (!follows || (now == view->followed_ns && !view->anew))
		return;
	view->followed_ns = now;
	view->list.selected = row_near(view, now, gcs_snapshot_occurrence(app->snapshot)->sequence);
	view->reveal = true;
}

void events_sync(struct events_view *view, struct app *app)
{
	const struct overview *o = event_history_overview(app);
	const bool range = app->range.on;
	const uint64_t from = range ? app->range.from_ns : 0;
	const uint64_t to = range ? app->range.to_ns : UINT64_MAX;
	const uint32_t before = view->lines.count;
	view->app = app;
	view->anew = events_list_take(&view->lines, o, app_model(app), from, to, view->find.text);
	const bool by_time = !events_order_sync(view);
	if (view->chosen && (view->anew || view->lines.count != before))
		view->list.selected = row_near(view, view->chosen_ns, view->chosen_sequence);
	/* Visible rows keep their place when newer ones are added above them. */
	if (!view->anew && by_time && view->list.falling && view->list.scroll > 0)
		view->list.scroll += (int)(view->lines.count - before) * table_row_height(&app->ui);
	follow(view, app);
	remember(view);
	if (events_are_of_history(app))
		events_summary_count(
		    &view->summary, o, from, range ? to : event_history_shown_ns(app), range);
}

/* The rows. */

static void list_cell(void *context, uint32_t row, int column, char *text, size_t size)
{
	const struct events_view *view = context;
	const struct gcs_model *model = app_model(view->app);
	const struct event_header *m = events_list_at(&view->lines, turned(view, row));
	*text = 0;
	switch (column) {
	case LIST_NUMBER:
		gcs_format_count(text, size, m->number);
		break;
	case LIST_TIME:
		events_put_time(m->wall_ns, m->time_ns, text, size);
		break;
	case LIST_EVENT:
		snprintf(text, size, "%s",
		    m->event < model->event_count ? model->events[m->event].name : EVENTS_NO_EVENT);
		break;
	case LIST_PAUSE:
		if (m->pause_ns >= 0)
			gcs_format_number(text, size, m->pause_ns, GCS_NANOSECONDS);
		break;
	default:
		snprintf(text, size, "%s", m->text);
		break;
	}
}

/* Marks the event of the snapshot. */
static bool is_shown(void *context, uint32_t row)
{
	const struct events_view *view = context;
	const struct event_header *m = events_list_at(&view->lines, turned(view, row));
	const struct gcs_occurrence *o = gcs_snapshot_occurrence(view->app->snapshot);
	return m->time_ns == o->time_ns && m->sequence == o->sequence;
}

struct table_rows events_list_rows(struct events_view *view, struct app *app)
{
	view->app = app;
	return (struct table_rows){.column = events_list_columns,
	    .columns = LIST_COLUMNS,
	    .count = view->lines.count,
	    .cell = list_cell,
	    .marked = is_shown,
	    .context = view,
	    .old = app_is_old(app)};
}

/* Text. */

/* The number of events, and of all known ones. */
static uint64_t all_events(const struct app *app, const struct events_list *list)
{
	const struct overview *o = event_history_overview(app);
	if (app->replay.on && !app->range.on)
		return app->replay.at.events;
	const uint32_t first = app->range.on ? overview_find(o, list->from_ns) : 0;
	const uint32_t end = app->range.on && list->to_ns < UINT64_MAX
				 ? overview_find(o, list->to_ns + 1)
				 : o->count;
	if (end == first)
		return 0;
	const uint64_t all = o->at[end - 1].place - o->at[first].place + 1;
	const uint32_t known = end - first;
	return all > known && all < UINT64_MAX / 2 ? all : known;
}

static uint32_t known_events(const struct app *app, const struct events_list *list)
{
	const struct overview *o = event_history_overview(app);
	const uint32_t end =
	    list->to_ns < UINT64_MAX ? overview_find(o, list->to_ns + 1) : o->count;
	return end - overview_find(o, list->from_ns);
}

void events_list_text(struct events_view *view, const struct app *app, char *text, size_t size)
{
	const uint32_t known = known_events(app, &view->lines);
	const uint64_t all = all_events(app, &view->lines);
	char a[40], b[40];
	*text = 0;
	gcs_format_number(a, sizeof a, view->lines.count, GCS_DECIMAL);
	gcs_format_number(b, sizeof b, known, GCS_DECIMAL);
	if (view->find.text[0] != 0)
		snprintf(text, size, "%s of %s match", a, b);
	else
		snprintf(text, size, "%s", b);
	if (known < all) {
		gcs_format_count(a, sizeof a, all);
		append_clause(text, size, "%s of %s loaded%s", b, a,
		    app->source.ops == NULL || app->source.ops->headers == NULL || app->replay.whole
			? ""
			: ", loading the rest");
	}
	if (app->range.on)
		append_clause(text, size, "in the selected range");
	const struct event_header *m = selected(view);
	if (events_are_of_history(app) && m != NULL && app->snapshot != NULL &&
	    m->time_ns == gcs_snapshot_occurrence(app->snapshot)->time_ns) {
		gcs_format_count(a, sizeof a, m->number);
		append_clause(text, size, "showing event %s", a);
	}
}

/* The title of the list and its search field. */

static struct cv_rect field_of(const struct app *app, struct cv_rect *r)
{
	const struct ui *ui = &app->ui;
	int w = ui_px(ui, r->w > ui_px(ui, 560) ? 220 : 130);
	w = w < r->w / 2 ? w : r->w / 2;
	struct cv_rect field = cut_right(r, w);
	cut_right(r, ui_px(ui, 8));
	return rect_make(field.x, field.y + ui_px(ui, 2), field.w, field.h - ui_px(ui, 4));
}

void events_list_head(struct events_view *view, struct app *app, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	char text[256];
	if (r.h <= 0)
		return;
	cut_left(&r, ui_px(ui, 12));
	cut_right(&r, ui_px(ui, 12));
	const struct cv_rect field = field_of(app, &r);
	if (ui_field(ui, FIND_ID, field, &view->find, "Find (Ctrl+F)")) {
		events_sync(view, app);
		app_dirty(app, PANEL_VIEW);
	}
	ui_tip(
	    ui, FIND_ID, field, "Event, kind, cause or number; all words must match\nKey\tCtrl+F");
	if (!ui_paints(ui))
		return;
	const char *title = events_are_of_history(app) ? "Events" : "Latest events";
	struct font *bold = ui->fonts->face[FONT_BOLD];
	text_in(ui->cv, bold, r, TEXT_LEFT, ui->theme->text, title);
	cut_left(&r, text_width(bold, title) + ui_px(ui, 10));
	events_list_text(view, app, text, sizeof text);
	ui_label(ui, r, TEXT_LEFT, text);
}

/* The list. */

static bool go_to_selected(struct events_view *view, struct app *app)
{
	const struct event_header *m = selected(view);
	return m != NULL && event_history_go_to(app, m->time_ns);
}

/* From the search field into the list. */
static void enter_list(struct events_view *view, struct app *app, struct keystroke stroke)
{
	struct ui *ui = &app->ui;
	if (stroke.mods != 0 || (stroke.key != KEY_ENTER && stroke.key != KEY_DOWN))
		return;
	ui_take(ui);
	if (view->lines.count == 0)
		return;
	if (view->list.selected == TABLE_NONE)
		view->list.selected = 0;
	view->reveal = true;
	ui->focus = LIST_ID;
	ui->focus_shown = true;
	remember(view);
	app_dirty(app, PANEL_VIEW);
}

void events_list_event(struct events_view *view, struct app *app, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	struct table_rows list = events_list_rows(view, app);
	struct keystroke stroke;
	uint32_t row;
	int column;
	bool pressed =
	    ui->ev->kind == EV_DOWN && ui->ev->button == 1 && !ui->used &&
	    table_cell_at(ui, r, &view->list, &list, ui->ev->x, ui->ev->y, &row, &column);
	bool key = !ui->used && key_of_event(ui->ev, &stroke);
	if (key && ui->focus == FIND_ID)
		enter_list(view, app, stroke);
	bool enter =
	    key && !ui->used && ui->focus == LIST_ID && stroke.key == KEY_ENTER && stroke.mods == 0;
	if (enter)
		ui_take(ui);
	if (ui_table(ui, LIST_ID, r, &view->list, &list, false) == TABLE_SORTED) {
		events_order_sync(view);
		view->list.scroll = 0;
		if (view->chosen)
			view->list.selected =
			    row_near(view, view->chosen_ns, view->chosen_sequence);
		app_dirty(app, PANEL_VIEW);
	}
	remember(view);
	if (pressed || enter)
		go_to_selected(view, app);
}

const struct event_header *events_list_select_hovered(struct events_view *view)
{
	if (view->list.hovered >= view->lines.count)
		return NULL;
	view->list.selected = view->list.hovered;
	remember(view);
	return selected(view);
}

/* Scrolls with some context if it was out of sight. */
static void bring_into_sight(struct events_view *view, struct app *app, struct cv_rect r)
{
	const int height = table_row_height(&app->ui);
	const int room = table_page(&app->ui, r) * height;
	const uint32_t row = view->list.selected;
	if (row >= view->lines.count)
		return;
	const int64_t top = (int64_t)row * height;
	if (top < view->list.scroll || top + height > (int64_t)view->list.scroll + room)
		view->list.scroll = top > room / 2 ? (int)(top - room / 2) : 0;
	table_reveal(&app->ui, r, &view->list, view->lines.count);
}

void events_list_draw(struct events_view *view, struct app *app, struct cv_rect r)
{
	struct table_rows list = events_list_rows(view, app);
	if (view->reveal)
		bring_into_sight(view, app, r);
	view->reveal = false;
	ui_table(&app->ui, LIST_ID, r, &view->list, &list, true);
}

/* Searching. */

bool events_find(struct events_view *view, struct app *app, const char *text)
{
	char words[256];
	app_dirty(app, PANEL_VIEW);
	if (text == NULL) {
		textfield_set(&view->find, view->find.text);
		app->ui.focus = FIND_ID;
		app->ui.focus_shown = true;
		return true;
	}
	if (strlen(text) >= EVENTS_FIND) {
		app_toast(app, "find: limited to %d characters", EVENTS_FIND - 1);
		return false;
	}
	textfield_set(&view->find, text);
	events_sync(view, app);
	events_list_text(view, app, words, sizeof words);
	app_toast(app, "%s", words);
	return true;
}

bool events_find_end(struct events_view *view, struct app *app)
{
	if (view->find.text[0] == 0)
		return false;
	textfield_set(&view->find, "");
	if (app->ui.focus == FIND_ID)
		app->ui.focus = 0;
	events_sync(view, app);
	app_toast(app, "All events again");
	view->reveal = view->chosen;
	app_dirty(app, PANEL_VIEW);
	return true;
}
