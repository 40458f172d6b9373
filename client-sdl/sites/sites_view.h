/*
 * Shared by the files of the view of call sites: rows (sites_rows.c), text (sites_words.c) and side
 * panel (sites_side.c), put together by view_sites.c. The shown profile and the header above it are
 * those of profiles.h. Window thread only.
 */
#ifndef GCSPY_CLIENT_SITES_VIEW_H
#define GCSPY_CLIENT_SITES_VIEW_H

#include "app.h"
#include "sites_index.h"
#include "table.h"

#define SITES_FRAMES_SHOWN 256u /* shown shown of the selected stack */

/* First widget number of the table. */
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
	uint32_t version, filter_version; /* of the profiles that the rest is built from */
	enum gcs_profile_kind kind;
	struct shared_profile *shown;
	struct gcs_profile *joined; /* with what it is compared with; NULL: no comparison */
	/* Of the shown profile, or empty. */
	struct sites_index index;
	struct sites sites;
	uint64_t *numbers; /* gcs_site_number per entry, computed on demand; NULL: not yet */
	bool *marked;      /* per site: it is in the heap map's selected tile; NULL: none is */
	uint32_t *order;   /* sites in sorted order */
	struct table table;
	bool has_selected;
	uint64_t selected_key; /* of the selected site, to find it in the next profile */
	bool stale;            /* the rows must be repainted */
	bool was_old;          /* as painted */
	struct cv_rect table_at;
};

/* sites_rows.c */
extern const struct table_column sites_columns[SITES_COLUMNS];

/* Rebuilds what does not match the current profile, kind and filter. */
void sites_sync(struct sites_view *view, struct app *app);
void sites_resort(struct sites_view *view, struct app *app);

/* After a change of order: makes the selected site, or else the first ones, visible. */
void sites_sort_by(struct sites_view *view, struct app *app);
struct table_rows sites_table_rows(struct sites_view *view, const struct app *app);
void sites_cell(void *context, uint32_t row, int column, char *text, size_t size);

/* False for totals without dead samples: their ages are those at death. */
bool sites_has_age(const struct sites_view *view, const struct site *site);

/* The selected site, or NULL. */
const struct site *sites_selected(const struct sites_view *view);

/* Remembers the table's selection for when the rows change. */
void sites_note_selection(struct sites_view *view, struct app *app);

/* sites_words.c, also used by other views: all write at most size bytes and return the text. */
char *sites_put_bytes(char *text, size_t size, double bytes);
char *sites_put_count(char *text, size_t size, double count);
char *sites_put_share(char *text, size_t size, double part, double whole);

/* The same with a sign: "+1.5 MiB", "-2 KiB" (with a dash), "0 B". */
char *sites_put_change(
    char *text, size_t size, char *(*put)(char *, size_t, double), double change);

/* The relative growth: "+12.5 %", "new", "gone". */
char *sites_put_growth(char *text, size_t size, double now, double before);

/* An untrusted text without control characters, cut with an ellipsis. */
char *sites_put_name(char *text, size_t size, const char *name);

/* "HashMap$Node[]" and "java.util" of a class. */
char *sites_put_simple(char *text, size_t size, const char *name);
char *sites_put_package(char *text, size_t size, const char *name);

/* "HashMap.resize" and "HashMap.java:704" of a frame. */
char *sites_put_frame(char *text, size_t size, const struct gcs_frame *frame);
char *sites_put_place(char *text, size_t size, const struct gcs_frame *frame);
char *sites_put_time(char *text, size_t size, int64_t wall_ns);

/* How many sites the filter matches. */
void sites_match_words(
    const struct sites_view *view, const struct app *app, char *text, size_t size);

/* sites_side.c */
void sites_side_run(struct sites_view *view, struct app *app, struct cv_rect *column);
void sites_side_words(struct sites_view *view, struct textbuf *out);

/* sites_save.c: false with the reason. The extension of the path selects the format; by default it
 * is the whole profile, compressed. */
bool sites_save(
    const struct gcs_profile *profile, bool all_frames, const char *path, struct gcs_error *err);

/* A name made of the kind and the time. */
void sites_save_name(const struct gcs_profile *profile, char *path, size_t size);

/* view_sites.c: true if there are rows to show, else the message in their place. */
bool sites_has_table(
    const struct sites_view *view, const struct app *app, struct profiles_empty *empty);

/* sites_commands.c: shared actions, and the commands by number. */
bool sites_run_command(
    struct sites_view *view, struct app *app, enum command_id id, const char *argument);

/* sites_keep.c: what is kept, as struct view has it. */
void sites_state(void *self, struct app *app, enum state_scope scope, struct textbuf *out);

/* True for commands that only apply to tiles. */
bool sites_is_for_tiles(enum command_id id);

/* The number of the selected site (gcspy/sites.h) and a display name; false without one. */
bool sites_selected_number(struct sites_view *view, uint64_t *number, char *name, size_t size);

/* Key of the row under the pointer or selected, 0 without; its site as in sites_selected_number. */
uint64_t sites_look(const struct sites_view *view, bool selected);
bool sites_looked_number(
    struct sites_view *view, bool selected, uint64_t *number, char *name, size_t size);

#endif
