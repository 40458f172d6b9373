/*
 * Shared by the files of the view of triggers (F17, V10): the triggers of this window
 * (triggers_set.h) and of others, what has fired (triggers_fires.c), the form with its completion
 * (triggers_form.c). view_triggers.c combines them. The window's thread only.
 */
#ifndef GCSPY_CLIENT_TRIGGERS_VIEW_H
#define GCSPY_CLIENT_TRIGGERS_VIEW_H

#include "app.h"
#include "table.h"
#include "triggers_complete.h"
#include "triggers_set.h"

#define TRIGGERS_REFRESH_MS 2000 /* between questions for all triggers */
#define TRIGGERS_ROWS       96

enum triggers_widget {
	TRIGGERS_SET = 1,
	TRIGGERS_PAUSE,
	TRIGGERS_RECORD,
	TRIGGERS_KEEP,
	TRIGGERS_PLUGIN,
	TRIGGERS_SWITCH,
	TRIGGERS_EDIT,
	TRIGGERS_REMOVE,
	TRIGGERS_LAST,
	TRIGGERS_SCROLL,
	TRIGGERS_SUGGESTION = 20,
	TRIGGERS_ANSWER = 40,
	TRIGGERS_FIELD = 80, /* the condition */
	TRIGGERS_FIELD_NAME,
	TRIGGERS_FIELD_NTH,
	TRIGGERS_FIELD_MOST,
	TRIGGERS_TABLE = 100,
	TRIGGERS_LIST = 150
};

/* What the known events say about one trigger. */
struct trigger_fire {
	char name[EVENT_HEADER_FIRED];
	uint64_t count, last_ns, last_sequence;
	int64_t last_wall_ns;
};

/* The events at which triggers have fired, in order of time; updated incrementally. */
struct trigger_fires {
	const struct overview *of;
	uint64_t changes, last_ns, last_sequence;
	uint32_t looked;
	uint32_t *at; /* indices into the overview */
	uint32_t count, capacity;
	struct trigger_fire by[TRIGGERS_ROWS];
	uint32_t names;
};

struct trigger_row {
	const struct own_trigger *own;         /* of this window, or NULL */
	const struct gcs_trigger_state *state; /* as the server lists it, or NULL */
	const struct trigger_fire *fire;       /* the last time, or NULL */
	const struct fired_trigger *told;      /* by what fired, or NULL */
};

enum trigger_column {
	TRIGGER_NAME,
	TRIGGER_ON,
	TRIGGER_WHEN,
	TRIGGER_THEN,
	TRIGGER_FIRED,
	TRIGGER_LAST,
	TRIGGER_COLUMNS
};

struct triggers_view {
	struct triggers_set set;
	uint64_t program;
	uint64_t connection, asked_ms; /* of the question for all triggers; 0: at once */
	struct gcs_trigger_state *state;
	uint32_t states;
	struct trigger_fires fires;
	uint64_t told_by; /* connection */
	struct fired_list told;
	struct trigger_row row[TRIGGERS_ROWS];
	uint32_t rows;
	struct table table, list;
	struct textfield condition, name, nth, most;
	uint32_t actions;
	char plugin[TRIGGERS_NAME];
	int suggestion;  /* chosen by the arrows; -1: none */
	int scroll;      /* pixels, in a window too low for all; limited when it is used */
	struct app *app; /* during a pass, for the cells */
};

/* triggers_rows.c */
void triggers_sync(struct triggers_view *view, struct app *app);
struct table_rows triggers_rows(struct triggers_view *view, struct app *app);
struct table_rows triggers_fired_rows(struct triggers_view *view, struct app *app);
const char *trigger_row_name(const struct trigger_row *row);
/* Row of the table of fires to event, newest first; NULL: none. */
const struct event_header *triggers_fired_at(const struct triggers_view *view, uint32_t row);

/* triggers_set.c: the commands that set what the user has set, as struct view has it. */
void triggers_state(void *self, struct app *app, enum state_scope scope, struct textbuf *out);

/* triggers_fires.c */
/* Counts what the triggers of the set have fired since their conditions were set. */
void triggers_fires_take(
    struct trigger_fires *f, const struct triggers_set *set, const struct overview *o);
/* True if this window's trigger had another condition at that event. */
bool triggers_fires_is_earlier(
    const struct triggers_set *set, const char *name, const struct event_header *m);
void triggers_fires_fini(struct trigger_fires *f);
/* Goes to the next (way 1) or previous (-1) event at which a trigger fired; false with a toast. */
bool triggers_go_fired(struct app *app, int way);
/* Goes to such an event; a recording stops there. */
bool triggers_go_to(struct app *app, uint64_t time_ns);

struct triggers_places {
	struct cv_rect bar; /* empty where all is seen */
	int content;        /* pixels from top to bottom */
	struct cv_rect form, buttons, table, title, fired, list;
};

/* triggers_form.c */
struct triggers_places triggers_places_of(
    const struct triggers_view *view, const struct app *app, struct cv_rect r);
int triggers_form_height(const struct triggers_view *view, const struct app *app, int width);
void triggers_form_run(struct triggers_view *view, struct app *app, struct cv_rect r);
void triggers_form_load(struct triggers_view *view, const struct own_trigger *t);

/* view_triggers.c: the commands, whichever view is shown. */
bool triggers_have_command(enum command_id id);
bool triggers_command(struct app *app, enum command_id id, const char *argument);

#endif
