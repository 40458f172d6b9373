/*
 * The parts of the view of call sites that its files share: what was fetched (sites_fetch.c), the
 * rows (sites_rows.c), the words (sites_words.c), what is painted above and instead of the table
 * (sites_head.c, sites_empty.c) and in the side panel (sites_side.c). view_sites.c puts them
 * together. The window's thread only; it never waits for an answer.
 */
#ifndef GCSPY_CLIENT_SITES_VIEW_H
#define GCSPY_CLIENT_SITES_VIEW_H

#include "app.h"
#include "sites.h"
#include "table.h"

#define SITES_REFRESH_MS   3000        /* between an answer and the next question */
#define SITES_MOST_BYTES   (32u << 20) /* of an answer that is shown: some 500,000 samples */
#define SITES_INTERVAL     "512k"      /* at which sampling is turned on */
#define SITES_WHERE        80          /* of a place, as asked for */
#define SITES_FRAMES_SHOWN 256u        /* of the selected stack */

/* The widgets of the view; the table takes its numbers from SITES_TABLE on. */
enum sites_widget {
	SITES_TAB = 1, /* and one for each kind */
	SITES_REFRESH = SITES_TAB + GCS_PROFILE_KIND_COUNT,
	SITES_AUTO,
	SITES_FILTER,
	SITES_PLUMBING,
	SITES_OFFER,
	SITES_TABLE = 100
};

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

/* What is known of one kind of profile. */
struct sites_data {
	struct gcs_profile *profile; /* the newest, NULL before the first */
	uint64_t profile_of;         /* the connection that it came by */
	uint64_t connection;         /* that was asked last */
	bool answered;               /* by that connection, with whatever status */
	uint64_t moment;             /* that the answer is of, see app_profile_moment */
	enum gcs_status status;      /* of the newest answer */
	char words[256];             /* the server's, or why it could not be read */
};

enum sites_question { SITES_NOTHING, SITES_PROFILE, SITES_SETTING };

/* At most one question is unanswered at any time. */
struct sites_fetch {
	enum sites_question waiting;
	uint32_t id;
	uint64_t connection;
	enum gcs_profile_kind kind;
	uint64_t due_ms;         /* when the next question is due by itself */
	bool wanted;             /* as soon as possible */
	uint64_t moment;         /* in the question */
	char interval[32];       /* to be set as soon as possible, "" for none */
	char where[SITES_WHERE]; /* the place in the question */
};

struct sites_view {
	struct sites_fetch fetch;
	struct sites_data data[GCS_PROFILE_KIND_COUNT];
	enum gcs_profile_kind kind; /* shown */
	bool automatic, plumbing;
	char where[SITES_WHERE]; /* only live objects that lie there; "": all */
	struct textfield field;
	struct sites_filter filter;
	/* Of data[kind].profile, or empty. */
	struct sites_index index;
	struct sites sites;
	uint32_t *order; /* sites as they are sorted */
	struct table table;
	bool has_selected;
	uint64_t selected_key; /* of the selected site, found again in the next profile */
	bool stale;            /* the rows have to be painted anew */
	bool was_old;          /* as painted */
	struct cv_rect table_at;
};

/* sites_fetch.c */
void sites_fetch_tick(struct sites_view *view, struct app *app);
void sites_fetch_poll(struct sites_view *view, struct app *app);
uint64_t sites_fetch_due_ms(const struct sites_view *view, const struct app *app);
bool sites_is_waiting(const struct sites_view *view, const struct app *app);

/* True when what is shown is not of a live connection. */
bool sites_is_old(const struct sites_view *view, const struct app *app);

/* sites_rows.c */
extern const struct table_column sites_columns[SITES_COLUMNS];

/* Everything anew from the profile; from the filter on; from the order on. */
void sites_rebuild(struct sites_view *view, struct app *app);
void sites_regroup(struct sites_view *view, struct app *app);
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

/* sites_words.c: all write at most size bytes and return the text. */
char *sites_put_bytes(char *text, size_t size, double bytes);
char *sites_put_count(char *text, size_t size, double count);
char *sites_put_share(char *text, size_t size, double part, double whole);

/* A foreign text without control characters, cut with an ellipsis. */
char *sites_put_name(char *text, size_t size, const char *name);

/* "HashMap$Node[]" and "java.util" of a class. */
char *sites_put_simple(char *text, size_t size, const char *name);
char *sites_put_package(char *text, size_t size, const char *name);

/* "HashMap.resize" and "HashMap.java:704" of a frame. */
char *sites_put_frame(char *text, size_t size, const struct gcs_frame *frame);
char *sites_put_place(char *text, size_t size, const struct gcs_frame *frame);
char *sites_put_time(char *text, size_t size, int64_t wall_ns);

/* What the profile is: as of when, interval, samples; and what is missing in it, "" if nothing
 * is. */
void sites_head_words(
    const struct sites_view *view, const struct app *app, char *text, size_t size);
void sites_loss_words(const struct sites_view *view, char *text, size_t size);

/* The place in words, "" when nothing is left out: "in 0x70000000–0x70100000". */
void sites_where_words(const struct sites_view *view, char *text, size_t size);

/* How much of it the filter lets pass. */
void sites_match_words(const struct sites_view *view, char *text, size_t size);

/* sites_head.c: runs and cuts off what is above the table. */
void sites_head_run(struct sites_view *view, struct app *app, struct cv_rect *r);

/* sites_empty.c: what stands in place of the table. False: there is a table. */
bool sites_empty_words(const struct sites_view *view, const struct app *app, char *title,
    size_t title_size, char *text, size_t size, bool *offer);
void sites_empty_run(struct sites_view *view, struct app *app, struct cv_rect r);

/* sites_side.c */
void sites_side_run(struct sites_view *view, struct app *app, struct cv_rect *column);
void sites_side_words(struct sites_view *view, struct textbuf *out);

/* sites_save.c: false with the reason. The ending of the path tells the format
 * (<gcspy/export.h>); it is the whole profile, compressed, unless it is that of another one. */
bool sites_save(
    const struct gcs_profile *profile, bool all_frames, const char *path, struct gcs_error *err);

/* A name made of the kind and the time. */
void sites_save_name(const struct gcs_profile *profile, char *path, size_t size);

/* view_sites.c: true when there are rows to show. */
bool sites_has_table(const struct sites_view *view, const struct app *app);

/* sites_commands.c: what several parts do, and the commands by their numbers. */
bool sites_run_command(
    struct sites_view *view, struct app *app, enum command_id id, const char *argument);
void sites_choose_kind(struct sites_view *view, struct app *app, enum gcs_profile_kind kind);

/* Shows the live objects of a place (docs/protocol.md, section 10); "": of all. */
void sites_show_place(struct sites_view *view, struct app *app, const char *where);

/* The number of the selected site (gcspy/sites.h) and a name for people; false without one. */
bool sites_selected_number(
    const struct sites_view *view, uint64_t *number, char *name, size_t size);
void sites_sample(struct sites_view *view, struct app *app, const char *interval);

#endif
