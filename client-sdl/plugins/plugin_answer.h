/*
 * The answer of a plugin as the user sees it: a table, a tree, lines of text, or memory (F18, V10).
 * It holds what the answer was decoded to, the order of its rows and which branches are closed. The
 * window's thread only.
 */
#ifndef GCSPY_CLIENT_PLUGIN_ANSWER_H
#define GCSPY_CLIENT_PLUGIN_ANSWER_H

#include <gcspy/plugin.h>

#include "app.h"
#include "table.h"

#define PLUGIN_ANSWER_MOST (64u << 20) /* bytes of an answer that is shown */

struct plugin_answer {
	enum gcs_plugin_kind kind;
	bool shown; /* there is one; else `message` says why not, "": nothing was asked */
	char message[400];
	char about[400]; /* where it comes from: "asked at event 12", "trigger long at event 12" */
	char title[GCS_MAX_TEXT + 1]; /* of the answer, cleaned; "": none */
	struct gcs_table *grid;
	struct gcs_memory *memory;
	uint32_t *mark; /* of each byte of the memory: its innermost mark, GCS_NONE; may be NULL */
	char *text;     /* lines, each ended by a NUL */
	size_t *line;   /* their starts */
	uint32_t lines;
	uint32_t *row; /* rows in sight, in their order */
	uint32_t rows;
	bool *closed; /* of a tree, by row of the grid */
	struct table table;
	struct table_column column[GCS_MAX_COLUMNS];
	char (*column_title)[64]; /* of a table; allocated, since answers move with their pages */
	int columns;
	struct cv_rect at; /* where the rows were last shown */
};

/* Forgets the answer; a zeroed struct is fine. */
void plugin_answer_clear(struct plugin_answer *a);

/* Takes the body of an answer of that kind. False, with `message`, if it is not understood. */
bool plugin_answer_take(
    struct plugin_answer *a, enum gcs_plugin_kind kind, const void *bytes, size_t length);

/* Notes where an answer comes from, and what the server says about it. */
void plugin_answer_tell(struct plugin_answer *a, const char *event, const char *message);

/* The title, with line breaks; returns the height. Without paints: only that. */
int plugin_answer_head(
    const struct plugin_answer *a, const struct ui *ui, struct cv_rect r, bool paints);

/* Shows a message in place of an answer. */
void plugin_answer_fail(struct plugin_answer *a, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The widget, in both passes; id: its own and TABLE_IDS more. */
void plugin_answer_run(struct plugin_answer *a, struct app *app, uint32_t id, struct cv_rect r);

/* The table that the plugin has answered last, or NULL. */
const struct gcs_table *plugins_table(const struct app *app, const char *plugin);

/* The keys that move in a table; opens and closes branches. False if the command is not for it. */
bool plugin_answer_command(struct plugin_answer *a, struct app *app, enum command_id id);

/* All rows, a line each, columns with tabs between. */
void plugin_answer_text(const struct plugin_answer *a, struct textbuf *out);

/* plugin_rows.c: the rows in sight, again after a branch was closed or the order changed. */
bool plugin_rows_arrange(struct plugin_answer *a);
void plugin_rows_sort(struct plugin_answer *a);
struct table_rows plugin_rows_of(struct plugin_answer *a);
bool plugin_rows_is_parent(const struct plugin_answer *a, uint32_t row);

/* plugin_memory.c: lines of MEMORY_LINE bytes. */
#define MEMORY_LINE 16
enum { MEMORY_ADDRESS, MEMORY_BYTES, MEMORY_TEXT, MEMORY_MARKS, MEMORY_COLUMNS };
extern const struct table_column plugin_memory_columns[MEMORY_COLUMNS];
void plugin_memory_mark(struct plugin_answer *a);
void plugin_memory_cell(
    const struct plugin_answer *a, uint32_t row, int column, char *text, size_t size);
/* Paints the bytes over the rows of the table. */
void plugin_memory_paint(struct plugin_answer *a, struct app *app, struct cv_rect r);

#endif
