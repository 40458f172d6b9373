/*
 * Shared by the files of the view of events: received events (events_log.h), earlier moments
 * (events_summary.h, events_list.h), filters (events_filter.h), the rows of the upper table
 * (events_rows.c), the cell being edited (events_edit.c), the list below (events_pane.c), the parts
 * above and beside (events_head.c, events_side.c). view_events.c combines them. The window's thread
 * only.
 */
#ifndef GCSPY_CLIENT_EVENTS_VIEW_H
#define GCSPY_CLIENT_EVENTS_VIEW_H

#include "app.h"
#include "events_filter.h"
#include "events_list.h"
#include "events_log.h"
#include "events_summary.h"
#include "events_update.h"
#include "table.h"

/* The widgets of the view; the tables number theirs from these on. */
enum events_widget {
	EVENTS_BUTTON = 1,
	EVENTS_UPDATE = 40,
	EVENTS_FIELD = 50,
	EVENTS_FIELD_FIND = 60,
	EVENTS_TABLE = 100,
	EVENTS_LIST = 150
};

enum events_column {
	EVENTS_NAME,
	EVENTS_COUNT,
	EVENTS_RATE,
	EVENTS_ENABLED,
	EVENTS_DELAY,
	EVENTS_PAUSE,
	EVENTS_PERIOD,
	EVENTS_SINCE,
	EVENTS_MEAN,
	EVENTS_LONGEST,
	EVENTS_COLUMNS
};

enum events_list_column {
	LIST_NUMBER,
	LIST_TIME,
	LIST_EVENT,
	LIST_PAUSE,
	LIST_WORDS,
	LIST_COLUMNS
};

/* The list's rows by another column than time, from the least to the greatest. */
struct events_order {
	uint32_t *row; /* numbers of the list's events */
	uint32_t count, room;
	int column;
};

struct events_view {
	uint64_t program; /* that the log is about: app->program */
	struct events_log log;
	struct events_summary summary; /* of a recording, a time range, or an earlier moment */
	struct events_list lines;      /* of the list */
	struct events_order by;        /* of the list, unless it is in order of time */
	struct textfield find;
	bool anew, reveal, chosen; /* rows changed; scroll to the selected one; there is one */
	uint64_t chosen_ns, chosen_sequence, followed_ns;
	struct events_filters filters;
	struct events_update update;
	struct table table, list;
	uint32_t order[GCS_MAX_EVENTS]; /* events in sorted order */
	uint32_t ordered;
	int column; /* of the cell in focus: EVENTS_ENABLED to EVENTS_PERIOD */
	bool editing;
	struct textfield field;
	char wrong[160]; /* why the typed value is invalid, or "" */
	struct app *app; /* during a pass, for the cells */
	uint64_t second; /* since the last event, at which the rates are shown */
};

/* The places of the parts. */
struct events_places {
	struct cv_rect head, table, words, list_title, list, foot;
};

/* events_rows.c */
extern const struct table_column events_columns[EVENTS_COLUMNS];
extern const struct table_column events_list_columns[LIST_COLUMNS];
struct table_rows events_rows(struct events_view *view, struct app *app);

/* The text of a cell for copying; a check box is "yes" or "no". */
void events_cell_text(
    struct events_view *view, uint32_t event, int column, char *text, size_t size);
void events_sort(struct events_view *view, struct app *app);

/* Recent occurrences per second; negative: unknown. */
double events_rate(const struct events_view *view, const struct app *app, uint32_t event);

/* The wall-clock time "14:02:33.123", or the time since the server's clock started. */
void events_put_time(int64_t wall_ns, uint64_t time_ns, char *text, size_t size);

/* events_order.c: brings it up to date with the list; false: the list is in order of time. */
bool events_order_sync(struct events_view *view);
void events_order_fini(struct events_order *order);

/* events_pane.c: the list. True if a recording, a time range or an earlier moment is described,
 * by the events known of it. */
bool events_are_of_history(const struct app *app);
/* Updates the list; to be called before its rows are used. There must be a snapshot. */
void events_sync(struct events_view *view, struct app *app);
struct table_rows events_list_rows(struct events_view *view, struct app *app);
/* "12 of 340 fit": the number of events in the list. */
void events_list_text(struct events_view *view, const struct app *app, char *text, size_t size);
void events_list_head(struct events_view *view, struct app *app, struct cv_rect r);
void events_list_event(struct events_view *view, struct app *app, struct cv_rect r);
void events_list_draw(struct events_view *view, struct app *app, struct cv_rect r);
/* Searches, or opens the search field (NULL); ends the search, false if there was none. */
bool events_find(struct events_view *view, struct app *app, const char *text);
bool events_find_end(struct events_view *view, struct app *app);

/* events_edit.c: the cell in focus. */
/* Before the table: keys for the cell. */
void events_edit_keys(struct events_view *view, struct app *app, struct cv_rect table);
/* After it: a click on a cell, its text field; in the paint pass the boxes and the cursor. */
void events_edit_click(
    struct events_view *view, struct app *app, struct cv_rect table, bool pressed);
void events_edit_run(struct events_view *view, struct app *app, struct cv_rect table);
void events_edit_paint(struct events_view *view, struct app *app, struct cv_rect table);
/* Commits or cancels an edit. False: the value is invalid, and `wrong` says why. */
bool events_edit_commit(struct events_view *view, struct app *app);
void events_edit_cancel(struct events_view *view, struct app *app);
/* The event of the selected row, or GCS_NONE. */
uint32_t events_selected(const struct events_view *view);

/* Its saved state, as struct view has it. */
void events_state(void *self, struct app *app, enum state_scope scope, struct textbuf *out);
/* Sorts one of the tables, as sites_sort and sites_reverse do in the views of call sites. */
bool events_sort_command(
    struct events_view *view, struct app *app, enum command_id id, const char *argument);

/* events_head.c: the buttons above the table, and the slider of the update interval. */
int events_head_height(const struct app *app, int width);
void events_head_run(struct events_view *view, struct app *app, struct cv_rect r);

/* The interval and the achieved rate; false if the target is not in sample-driven mode. */
bool events_update_words(
    struct events_view *view, const struct app *app, char *text, size_t size, bool *late);

/* The command `update`: sets the interval, or puts the slider in focus (NULL). */
bool events_update_command(struct app *app, const char *argument);

/* events_side.c */
void events_side_run(struct events_view *view, struct app *app, struct cv_rect *column);
void events_side_text(struct events_view *view, struct app *app, struct textbuf *out);
/* The timers in one line, for windows without the side panel. */
void events_timer_text(const struct app *app, char *text, size_t size);

/* view_events.c: the commands for filters, whichever view is shown. */
bool events_has_command(enum command_id id);
bool events_command(struct app *app, enum command_id id, const char *argument);

/* events_pane.c: selects the row under the pointer; its event, or NULL. */
const struct event_header *events_list_select_hovered(struct events_view *view);

/* events_menu.c: as in struct view. */
void events_menu(void *self, struct app *app, bool pointed);

#endif
