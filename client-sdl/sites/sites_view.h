/*
 * The parts of the view of call sites that its files share: the rows (sites_rows.c), the words
 * (sites_words.c) and the side panel (sites_side.c). view_sites.c puts them together; what is
 * shown, and what stands above it, is that of profiles.h. The window's thread only.
 */
#ifndef GCSPY_CLIENT_SITES_VIEW_H
#define GCSPY_CLIENT_SITES_VIEW_H

#include "app.h"
#include "sites_index.h"
#include "table.h"

#define SITES_FRAMES_SHOWN 256u /* of the selected stack */

/* The table takes its widgets' numbers from here on. */
enum { SITES_TABLE = 100 };

enum sites_column {
	SITES_BYTES,
	SITES_ERROR,
	SITES_SHARE,
	SITES_OBJECTS,
	SITES_SAMPLES,
	SITES_AGE,
	SITES_CLASS_NAME,
	SITES_TOP,
	SITES_COLUMNS
};

struct sites_view {
	uint32_t version, filter_version; /* of the profiles that the rest is made of */
	enum gcs_profile_kind kind;
	struct shared_profile *shown;
	struct gcs_profile *joined; /* with what it is compared with; NULL: nothing is compared */
	/* Of what is shown, or empty. */
	struct sites_index index;
	struct sites sites;
	uint64_t *numbers; /* gcs_site_number by entry, once they were wanted; NULL: not yet */
	bool *marked;      /* by site: the heap map's selected tile has it; NULL: none is marked */
	uint32_t *order;   /* sites as they are sorted */
	struct table table;
	bool has_selected;
	uint64_t selected_key; /* of the selected site, found again in the next profile */
	bool stale;            /* the rows have to be painted anew */
	bool was_old;          /* as painted */
	struct cv_rect table_at;
};

/* sites_rows.c */
extern const struct table_column sites_columns[SITES_COLUMNS];

/* Makes anew what is not of the present profile, choice and filter. */
void sites_sync(struct sites_view *view, struct app *app);
void sites_resort(struct sites_view *view, struct app *app);

/* After another choice of order: the selected site, else the first ones, are in sight. */
void sites_sort_by(struct sites_view *view, struct app *app);
struct table_rows sites_table_rows(struct sites_view *view, const struct app *app);
void sites_cell(void *context, uint32_t row, int column, char *text, size_t size);

/* False for totals of which nothing has died: their ages are those at death. */
bool sites_has_age(const struct sites_view *view, const struct site *site);

/* The selected site, or NULL. */
const struct site *sites_selected(const struct sites_view *view);

/* Keeps the table's selection for the time when the rows are others. */
void sites_note_selection(struct sites_view *view, struct app *app);

/* sites_words.c, also for the other views: all write at most size bytes and return the text. */
char *sites_put_bytes(char *text, size_t size, double bytes);
char *sites_put_count(char *text, size_t size, double count);
char *sites_put_share(char *text, size_t size, double part, double whole);

/* The same with a sign: "+1.5 MiB", "-2 KiB" (with a dash), "0 B". */
char *sites_put_change(
    char *text, size_t size, char *(*put)(char *, size_t, double), double change);

/* By how much it has grown: "+12.5 %", "new", "gone". */
char *sites_put_growth(char *text, size_t size, double now, double before);

/* A foreign text without control characters, cut with an ellipsis. */
char *sites_put_name(char *text, size_t size, const char *name);

/* "HashMap$Node[]" and "java.util" of a class. */
char *sites_put_simple(char *text, size_t size, const char *name);
char *sites_put_package(char *text, size_t size, const char *name);

/* "HashMap.resize" and "HashMap.java:704" of a frame. */
char *sites_put_frame(char *text, size_t size, const struct gcs_frame *frame);
char *sites_put_place(char *text, size_t size, const struct gcs_frame *frame);
char *sites_put_time(char *text, size_t size, int64_t wall_ns);

/* How much of it the filter lets pass. */
void sites_match_words(
    const struct sites_view *view, const struct app *app, char *text, size_t size);

/* sites_side.c */
void sites_side_run(struct sites_view *view, struct app *app, struct cv_rect *column);
void sites_side_words(struct sites_view *view, struct textbuf *out);

/* sites_save.c: false with the reason. The ending of the path tells the format
 * (<gcspy/export.h>); it is the whole profile, compressed, unless it is that of another one. */
bool sites_save(
    const struct gcs_profile *profile, bool all_frames, const char *path, struct gcs_error *err);

/* A name made of the kind and the time. */
void sites_save_name(const struct gcs_profile *profile, char *path, size_t size);

/* view_sites.c: true when there are rows to show; else what stands in their place. */
bool sites_has_table(
    const struct sites_view *view, const struct app *app, struct profiles_empty *empty);

/* sites_commands.c: what several parts do, and the commands by their numbers. */
bool sites_run_command(
    struct sites_view *view, struct app *app, enum command_id id, const char *argument);

/* sites_keep.c: what is kept, as struct view has it. */
void sites_state(void *self, struct app *app, enum state_scope scope, struct textbuf *out);

/* True for commands that have a meaning only among tiles. */
bool sites_is_for_tiles(enum command_id id);

/* The number of the selected site (gcspy/sites.h) and a name for people; false without one. */
bool sites_selected_number(struct sites_view *view, uint64_t *number, char *name, size_t size);

/* The row that is looked at, under the pointer or selected: its key, 0 without; the same of its
 * site as sites_selected_number. */
uint64_t sites_look(const struct sites_view *view, bool selected);
bool sites_looked_number(
    struct sites_view *view, bool selected, uint64_t *number, char *name, size_t size);

#endif
