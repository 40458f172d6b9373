/*
 * The table of call sites as trees of callers and callees (S6, V9): top-down, bottom-up, and a
 * sandwich of one method. sites_groups.c chooses between these and the other groupings. Each is a
 * tree whose rows unfold; keys identify open rows in successive trees. The window's thread.
 */
#ifndef GCSPY_CLIENT_CALLS_H
#define GCSPY_CLIENT_CALLS_H

#include "app.h"
#include "calltree_view.h"
#include "keyset.h"
#include "sites_view.h"

#define CALLS_MOST_ROWS   200000u
#define CALLS_MOST_OPENED 5000u  /* at once */
#define CALLS_MOST_COPIED 10000u /* rows, as text */
#define CALLS_MOST_CHAIN  64     /* rows that open together, having one child each */

#define CALLS_FORMS 3

enum calls_widget { CALLS_TABLE = SITES_TABLE };

enum calls_column {
	CALLS_BYTES,
	CALLS_ERROR,
	CALLS_SHARE,
	CALLS_SELF,
	CALLS_OBJECTS,
	CALLS_SAMPLES,
	CALLS_NAME,
	CALLS_OWN, /* the first frame outside the JDK and libraries */
	CALLS_COLUMNS
};

extern const struct table_column calls_columns[CALLS_COLUMNS];

struct calls_row {
	uint32_t node;
	uint32_t part;
};

struct calls_view {
	struct calltree_maker maker;
	enum calltree_form form;
	bool collapse;
	char method[CALLTREE_METHOD]; /* of the sandwich */
	uint32_t filter_version;
	/* By part and node, while something is searched: found; an ancestor of such; shown. */
	bool *hit[2], *above[2], *shown[2];
	uint32_t hits;
	double matched;
	struct keyset open, closed;
	struct calls_row *row;
	uint32_t rows, left_out;
	struct table table;
	bool has_selected;
	uint64_t selected_key;
	bool stale, was_old;
	struct profiles_live live; /* of the comparison */
	struct cv_rect table_at;
};

/* calls_rows.c */
void calls_sync(struct calls_view *view, struct app *app);
void calls_sort_by(struct calls_view *view, struct app *app);
const struct calltree_part *calls_part(const struct calls_view *view, uint32_t part);

/* The node of a row; of the selected row, or NULL. */
const struct gcs_node *calls_node(const struct calls_view *view, uint32_t row);
const struct gcs_node *calls_selected(const struct calls_view *view);
bool calls_is_open(const struct calls_view *view, uint32_t row);

/* Opens or closes a row. */
void calls_toggle(struct calls_view *view, struct app *app, uint32_t row);

/* Opens all rows below a row, up to a limit; a toast says if there are more. */
void calls_open_all(struct calls_view *view, struct app *app, uint32_t row);
void calls_select(struct calls_view *view, struct app *app, uint32_t row);
void calls_note_selection(struct calls_view *view, struct app *app);

/* The node of a row; of the selected one, or of the one under the pointer. */
struct calltree_place calls_place_at(const struct calls_view *view, uint32_t row);
struct calltree_place calls_place(const struct calls_view *view, bool selected);
void calls_forget_search(struct calls_view *view);

/* calls_cells.c. The number in a node's column; in a difference, the change. */
double calls_value(const struct gcs_node *node, int column);
struct table_rows calls_table_rows(struct calls_view *view, const struct app *app);
void calls_cell(void *context, uint32_t row, int column, char *text, size_t size);

/* calls_commands.c */
bool calls_run_command(
    struct calls_view *view, struct app *app, enum command_id id, const char *argument);
void calls_choose(struct calls_view *view, struct app *app, enum calltree_form form);
const char *calls_form_title(enum calltree_form form);
extern const char *const calls_form_names[CALLS_FORMS]; /* of commands */

/* What is shown in place of the table; false: the table is. */
bool calls_explain_empty(
    const struct calls_view *view, const struct app *app, struct profiles_empty *empty);

/* The saved state, as in struct view. */
void calls_state(void *self, struct app *app, enum state_scope scope, struct textbuf *out);
void calls_forget(void *self, struct app *app);

/* calls_text.c */
void calls_match_text(
    const struct calls_view *view, const struct app *app, char *text, size_t size);
void calls_copy(struct calls_view *view, struct app *app, struct textbuf *out);

#endif
