/*
 * Survivors: what collections leave of each frame outside the JDK, class or call site over the time
 * shown, how it grows, and what is suspected to leak. All figures are those of time_figures.h. The
 * window's thread.
 */
#ifndef GCSPY_CLIENT_LEAKS_VIEW_H
#define GCSPY_CLIENT_LEAKS_VIEW_H

#include "table.h"
#include "time_figures.h"

enum leaks_column {
	LEAKS_VERDICT,
	LEAKS_NAME,
	LEAKS_COURSE,
	LEAKS_BYTES,
	LEAKS_GROWTH,
	LEAKS_ERROR,
	LEAKS_SHARE,
	LEAKS_AGE,
	LEAKS_REASON,
	LEAKS_COLUMNS
};

enum { LEAKS_JOINS = 3, LEAKS_NAME_TEXT = 400, LEAKS_MOST_COPIED = 10000 };

enum leaks_widget {
	LEAKS_JOIN = 1,
	LEAKS_SAMPLE = 10,
	LEAKS_HELD,
	LEAKS_MAP,
	LEAKS_SITES,
	LEAKS_COLLECT,
	LEAKS_TABLE = 100
};

struct leaks_view {
	struct table table;
	uint32_t version, join; /* what the order is of */
	int sort;
	bool falling;
	uint32_t *order; /* numbers of survivors, by row */
	uint32_t rows;
	uint64_t selected_key; /* of a survivor; 0: none */
	struct cv_rect table_at;
};

/* leaks_rows.c: brings rows up to date; the figures, or NULL with the reason. */
const struct gcs_stats *leaks_sync(struct leaks_view *view, struct app *app, const char **why);
const struct gcs_survivor *leaks_row(
    const struct leaks_view *view, const struct gcs_stats *stats, uint32_t row);
/* The selected one, or NULL. */
const struct gcs_survivor *leaks_selected(
    const struct leaks_view *view, const struct gcs_stats *stats);
/* view_leaks.c: after the table's selection has changed. leaks_side.c: as in struct view. */
void leaks_note_selection(struct leaks_view *view, struct app *app, const struct gcs_stats *stats);
void leaks_menu(void *self, struct app *app, bool pointed);
struct leaks_context {
	const struct leaks_view *view;
	const struct gcs_stats *stats;
};
struct table_rows leaks_table_rows(const struct app *app, struct leaks_context *context);
void leaks_put_name(
    const struct gcs_stats *stats, const struct gcs_survivor *s, char *text, size_t size);
const char *leaks_verdict_word(enum gcs_verdict verdict);
void leaks_put_reason(
    const struct gcs_stats *stats, const struct gcs_survivor *s, char *text, size_t size);

/* leaks_paint.c: the courses and ages in the cells of visible rows, and one course in full. */
void leaks_paint_cells(struct leaks_view *view, struct app *app, struct cv_rect r,
    const struct table_rows *rows, const struct gcs_stats *stats);
void leaks_paint_course(struct app *app, struct cv_rect r, const struct gcs_stats *stats,
    const struct gcs_survivor *s, bool marks);

/* leaks_empty.c: in place of the table, why there is nothing, and a button with what helps. */
struct leaks_empty {
	char text[500];
	const char *label; /* of the button; "": none */
	enum command_id command;
};
void leaks_explain_empty(const struct app *app, const char *why, struct leaks_empty *empty);
void leaks_empty_run(struct app *app, struct cv_rect r, const char *why);

/* leaks_side.c: the selected survivor. */
void leaks_side(void *self, struct app *app, struct cv_rect *column);
void leaks_side_text(void *self, struct app *app, struct textbuf *out);

/* view_leaks.c */
bool leaks_command(struct app *app, const char *join);
extern const char *const leaks_join_titles[LEAKS_JOINS];

#endif
