/*
 * Shared by the files of the view of call sites: rows (sites_rows.c), text (sites_text.c) and side
 * panel (sites_side.c), put together by view_sites.c. The shown profile and the header above it are
 * those of profiles.h. Window thread only.
 */
#ifndef GCSPY_CLIENT_SITES_VIEW_H
#define GCSPY_CLIENT_SITES_VIEW_H

#include "app.h"
#include "sites.h"
#include "table.h"
#include "worker.h"

#define SITES_FRAMES_SHOWN 256u /* of the selected stack */

/* Widget numbers: the grouping's first, the table's first. */
enum { SITES_GROUP = PROFILES_WIDGETS, SITES_TABLE = 100 };

enum sites_column {
	SITES_BYTES, /* the first ones are as enum figure */
	SITES_ERROR,
	SITES_SHARE,
	SITES_OBJECTS,
	SITES_SAMPLES,
	SITES_AGE,
	SITES_CLASS_NAME, /* by thread or package the name of that */
	SITES_TOP,
	SITES_OWN, /* the first frame outside the JDK and libraries */
	SITES_NEW, /* off by default */
	SITES_COLUMNS
};

/* The call sites of a profile. */
struct sites_side {
	struct shared_profile *profile; /* NULL: none */
	struct sites_found found;       /* by the filter */
	struct gcs_sites *all, *shown;  /* whatever the filter is; those that it matches */
	uint64_t *numbers;              /* of `shown`, on demand; NULL: not yet */
	struct gcs_sites *parts; /* by class, frame or package: its call sites; NULL otherwise */
};

/* A row: in a comparison with what it was before, otherwise `before` is NULL. */
struct sites_row {
	struct gcs_change change;
	bool marked; /* in the heap map's selected tile */
	/* Sort key. */
	double number;
	const char *text, *more;
	uint32_t at;
};

struct sites_view {
	uint32_t version, filter_version; /* of the profiles that the rest is built from */
	enum gcs_profile_kind kind;
	enum gcs_sites_by wanted, asked_by; /* what a row is to be */
	/* What the rows are made of; on `worker` if it is large. */
	struct worker worker;
	uint32_t asked; /* the number of the newest request */
	bool waiting, large, failed, reveals;
	enum gcs_sites_by by;
	bool runtime_frame, with_new;
	struct profiles_live live;            /* of the comparison */
	struct profiles_libraries *libraries; /* NULL without rows */
	struct sites_side now, before;
	struct gcs_comparison *comparison; /* NULL: none */
	struct sites_row *row;             /* NULL without memory */
	uint32_t rows;
	uint64_t *numbers; /* of the entries' sites, computed on demand; NULL: not yet */
	struct table table;
	uint64_t selected; /* key of the selected row, to find it in the next profile; 0: none */
	bool stale;        /* the rows must be repainted */
	bool was_old;      /* as painted */
	struct cv_rect table_at;
};

/* sites_cells.c. The columns that are shown are the first ones. */
extern const struct table_column sites_columns[SITES_COLUMNS];
int sites_column_count(const struct sites_view *view);
const struct table_column *sites_shown_columns(const struct sites_view *view);
struct table_rows sites_table_rows(struct sites_view *view, const struct app *app);
void sites_cell(void *context, uint32_t row, int column, char *text, size_t size);

/* The number by which a column of numbers is sorted. The youngest shown frame, or NULL. */
double sites_value(const struct sites_view *view, uint32_t row, int column);
const struct gcs_frame *sites_top(const struct gcs_sites *sites, const struct gcs_site *site);

/* sites_rows.c. Has made anew what does not match the current profile, kind, grouping and filter. */
void sites_sync(struct sites_view *view, struct app *app);

/* After a change of order: makes the selected site, or else the first ones, visible. */
void sites_sort_by(struct sites_view *view, struct app *app);

void sites_view_fini(struct sites_view *view);

/* The site of a row, and the sites that it belongs to. */
const struct gcs_site *sites_of_row(
    const struct sites_view *view, uint32_t row, const struct gcs_sites **sites);

/* The number of that site (sites.h); 0 without one, by class and the like, or without memory. */
uint64_t sites_number_of_row(struct sites_view *view, uint32_t row);

/* That number, or by class and the like a key of what the row's sites have in common. */
uint64_t sites_key_of_row(struct sites_view *view, uint32_t row);

/* The selected row, or NULL. */
const struct sites_row *sites_selected(const struct sites_view *view);

/* The numbers of all entries' sites (sites.h), to be freed; NULL without memory. */
uint64_t *sites_numbers_of(const struct gcs_profile *profile, bool runtime_frame);

/* Remembers the table's selection for when the rows change. */
void sites_note_selection(struct sites_view *view, struct app *app);

/* sites_text.c, also used by other views: all write at most size bytes and return the text. */
char *sites_put_bytes(char *text, size_t size, double bytes);
char *sites_put_count(char *text, size_t size, double count);
char *sites_put_share(char *text, size_t size, double part, double whole);

/* The same with a sign: "+1.5 MiB", "-2 KiB" (with a dash), "0 B". */
char *sites_put_change(
    char *text, size_t size, char *(*put)(char *, size_t, double), double change);

/* The relative growth: "+12.5 %", "new", "gone". */
char *sites_put_growth(char *text, size_t size, double now, double before);

/* The value, or in a comparison by how much it has changed. */
char *sites_put_value(char *text, size_t size, bool change, char *(*put)(char *, size_t, double),
    double value, double before);

/* The title of the first frame outside the JDK and libraries. */
const char *sites_own_title(const struct profiles_libraries *libraries);

/* "byte[] from Arrays.copyOf" */
void sites_put_title(char *text, size_t size, const struct gcs_sites *sites,
    const struct gcs_site *site, const char *between);

/* "Sessions.open  Sessions.java:57", the first frame outside the JDK and libraries; "" if
 * there is none. */
char *sites_put_own(
    char *text, size_t size, const struct gcs_sites *sites, const struct gcs_site *site);

/* An untrusted text without control characters, cut with an ellipsis. */
char *sites_put_name(char *text, size_t size, const char *name);

/* "HashMap$Node[]" and "java.util" of a class. */
char *sites_put_simple(char *text, size_t size, const char *name);
char *sites_put_package(char *text, size_t size, const char *name);

/* "HashMap.resize" and "HashMap.java:704" of a frame. */
char *sites_put_frame(char *text, size_t size, const struct gcs_frame *frame);
char *sites_put_place(char *text, size_t size, const struct gcs_frame *frame);
char *sites_put_time(char *text, size_t size, int64_t wall_ns);

/* sites_groups.c. What a row of the table is - a site, a class, a frame, a thread, a package - or
 * the tree that the sites are joined to: the buttons above the table, cut off r, and the command. */
void sites_groups_run(struct app *app, const bool *collapse, struct cv_rect *r);
bool sites_group_command(struct app *app, const char *argument);
const char *sites_group_name(enum gcs_sites_by by);

/* The name of the group of a row and a title for it; the method that the selected row's objects come
 * from, or nothing; shows the sites of the selected row. */
const char *sites_group_title(enum gcs_sites_by by);
char *sites_put_group(char *text, size_t size, const struct sites_view *view, uint32_t row);
char *sites_put_method(char *text, size_t size, const struct sites_view *view);
bool sites_open_group(struct sites_view *view, struct app *app);

/* How many sites the filter matches. */
void sites_match_text(
    const struct sites_view *view, const struct app *app, char *text, size_t size);

/* sites_side.c */
void sites_side_run(struct sites_view *view, struct app *app, struct cv_rect *column);
void sites_stack_text(struct sites_view *view, const struct app *app, struct textbuf *out);

/* sites_save.c: false with the reason. The extension of the path selects the format; by default it
 * is the whole profile, compressed. */
bool sites_save(
    const struct gcs_profile *profile, bool all_frames, const char *path, struct gcs_error *err);

/* A name made of the kind and the time. */
void sites_save_name(const struct gcs_profile *profile, char *path, size_t size);

/* profiles_menu.c: as in struct view. */
void sites_menu(void *self, struct app *app, bool pointed);

/* view_sites.c: true if there are rows to show, else the message in their place. */
bool sites_has_table(
    const struct sites_view *view, const struct app *app, struct profiles_empty *empty);

/* sites_commands.c: shared actions, and the commands by number. */
bool sites_run_command(
    struct sites_view *view, struct app *app, enum command_id id, const char *argument);

/* The saved state, as in struct view. */
void sites_state(void *self, struct app *app, enum state_scope scope, struct textbuf *out);

/* True for commands that only apply to tiles. */
bool sites_is_for_tiles(enum command_id id);

/* Key of the row under the pointer or selected, 0 without. */
uint64_t sites_look(struct sites_view *view, bool selected);

/* How many call sites the row has: one, or those of its class, frame or package; none by thread. The
 * numbers (sites.h) of the largest, at most PROFILES_KEPT, and a display name. */
uint32_t sites_looked_numbers(
    struct sites_view *view, bool selected, uint64_t *numbers, char *name, size_t size);

#endif
