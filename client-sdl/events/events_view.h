/*
 * The parts of the view of events that its files share: what came (events_log.h), what is known of
 * earlier moments (events_past.h, events_list.h), the filters (events_filter.h), the rows of the
 * upper table (events_rows.c), the cell that is edited in it (events_edit.c), the list below
 * (events_pane.c), what is above and beside (events_head.c, events_side.c). view_events.c puts them
 * together. The window's thread only.
 */
#ifndef GCSPY_CLIENT_EVENTS_VIEW_H
#define GCSPY_CLIENT_EVENTS_VIEW_H

#include "app.h"
#include "events_filter.h"
#include "events_list.h"
#include "events_log.h"
#include "events_past.h"
#include "table.h"

/* The widgets of the view; the tables take their numbers from theirs on. */
enum events_widget {
	EVENTS_BUTTON = 1,
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

enum events_list_column { LIST_NUMBER, LIST_TIME, LIST_EVENT, LIST_WORDS, LIST_COLUMNS };

struct events_view {
	struct events_log log;
	struct events_past event_history; /* of a recording, a chosen part, an earlier moment */
	struct events_list lines;         /* of the list */
	struct textfield find;
	bool anew, reveal, chosen; /* rows changed; the selected one is to be seen; there is one */
	uint64_t chosen_ns, chosen_sequence, followed_ns;
	struct events_filters filters;
	struct table table, list;
	uint32_t order[GCS_MAX_EVENTS]; /* events as they are sorted */
	uint32_t ordered;
	int column; /* of the cell with the keyboard: EVENTS_ENABLED to EVENTS_PERIOD */
	bool editing;
	struct textfield field;
	char wrong[160]; /* why what was typed is not allowed, "" */
	struct app *app; /* of the pass that runs, for the cells */
	uint64_t second; /* since the last event, for which the rates are shown */
};

/* Where the parts are. */
struct events_places {
	struct cv_rect head, table, words, list_title, list, foot;
};

/* events_rows.c */
extern const struct table_column events_columns[EVENTS_COLUMNS];
extern const struct table_column events_list_columns[LIST_COLUMNS];
struct table_rows events_rows(struct events_view *view, struct app *app);

/* The text of a cell for a copy, where a check box is "yes" or "no". */
void events_cell_words(
    struct events_view *view, uint32_t event, int column, char *text, size_t size);
void events_sort(struct events_view *view, struct app *app);

/* "14:02:33.123" of an entry, or its time since the server's clock began. */
void events_put_time(int64_t wall_ns, uint64_t time_ns, char *text, size_t size);

/* events_pane.c: the list. True if what is told is of a recording, a part of time, or an earlier
 * moment, and so of what is known of it. */
bool events_of_past(const struct app *app);
/* Takes what is new; before rows are asked for. There must be a picture. */
void events_sync(struct events_view *view, struct app *app);
struct table_rows events_list_rows(struct events_view *view, struct app *app);
/* "12 of 340 fit": how many there are, and of what. */
void events_list_words(struct events_view *view, const struct app *app, char *text, size_t size);
void events_list_head(struct events_view *view, struct app *app, struct cv_rect r);
void events_list_event(struct events_view *view, struct app *app, struct cv_rect r);
void events_list_draw(struct events_view *view, struct app *app, struct cv_rect r);
/* Looks for words, or lets the user type them (NULL); ends that, false if nothing is looked for. */
bool events_find(struct events_view *view, struct app *app, const char *text);
bool events_find_end(struct events_view *view, struct app *app);

/* events_edit.c: the cell that has the keyboard. */
/* Before the table runs: what the keyboard means to the cell. */
void events_edit_keys(struct events_view *view, struct app *app, struct cv_rect table);
/* After it: the click on a cell, the field in it; in the paint pass the boxes and the cursor. */
void events_edit_click(
    struct events_view *view, struct app *app, struct cv_rect table, bool pressed);
void events_edit_run(struct events_view *view, struct app *app, struct cv_rect table);
void events_edit_paint(struct events_view *view, struct app *app, struct cv_rect table);
/* Takes over what was typed, or gives it up. False: it is not allowed, and the line says why. */
bool events_edit_commit(struct events_view *view, struct app *app);
void events_edit_cancel(struct events_view *view, struct app *app);
/* The event of the selected row, GCS_NONE without one. */
uint32_t events_selected(const struct events_view *view);

/* events_keep.c: what is kept, as struct view has it. */
void events_state(void *self, struct app *app, enum state_scope scope, struct textbuf *out);
/* Sorts one of the tables, as sites_sort and sites_reverse do in the views of call sites. */
bool events_sort_command(
    struct events_view *view, struct app *app, enum command_id id, const char *argument);

/* events_head.c: the buttons above the table. */
int events_head_height(const struct app *app, int width);
void events_head_run(struct events_view *view, struct app *app, struct cv_rect r);

/* events_side.c */
void events_side_run(struct events_view *view, struct app *app, struct cv_rect *column);
void events_side_words(struct events_view *view, struct app *app, struct textbuf *out);
/* The timers in one line, for windows without the side panel. */
void events_timer_words(const struct app *app, char *text, size_t size);
extern const char events_none_yet[];

/* view_events.c: the commands about filters, whichever view is shown. */
bool events_has_command(enum command_id id);
bool events_command(struct app *app, enum command_id id, const char *argument);

#endif
