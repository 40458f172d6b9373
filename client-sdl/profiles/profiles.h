/*
 * The source's profiles, shared by the views of call sites (S3, S4, S6): what was fetched, which
 * kind is shown, runtime frames, ages, filter, and what it is compared with. One per application.
 * The source is queried while one of these views is shown; profiles_watch.h queries in the
 * background. Window thread only; never waits for an answer or a file.
 *
 * Code that derives data from the shown profile stores `version` (or `filter_version`) with it, and
 * rebuilds the data when the number differs.
 */
#ifndef GCSPY_CLIENT_PROFILES_H
#define GCSPY_CLIENT_PROFILES_H

#include <gcspy/client.h>
#include <gcspy/profile.h>

#include "site_locations.h"
#include "event_history.h"
#include "profiles_watch.h"
#include "sampling_setting.h"
#include "sampling_setting.h"
#include "sites_filter.h"
#include "textfield.h"
#include "worker.h"

#define PROFILES_REFRESH_MS   3000        /* between an answer and the next query */
#define PROFILES_MOST_BYTES   (32u << 20) /* maximum answer: about 500,000 samples */
#define PROFILES_INTERVAL     "512k"      /* when sampling is turned on */
#define PROFILES_OF_RECORDING "A recording contains its call sites; there is nothing to refresh"
#define PROFILES_KEPT         8  /* maximum sites whose tiles are shown together */
#define PROFILES_WHERE        80 /* of a requested place */

/* A reference-counted profile, read by several modules and threads. */
struct shared_profile;

/* Takes ownership of the profile; returns NULL, and frees it, without memory or for NULL. */
struct shared_profile *shared_profile_new(struct gcs_profile *profile);
struct shared_profile *shared_profile_ref(struct shared_profile *shared);
void shared_profile_unref(struct shared_profile *shared);

/* NULL for NULL. */
const struct gcs_profile *shared_profile_get(const struct shared_profile *shared);

/* The state of one kind of profile. */
struct profiles_data {
	struct shared_profile *profile; /* the newest, NULL before the first */
	uint64_t profile_of;            /* the connection that delivered it */
	uint64_t connection;            /* last queried */
	bool answered;                  /* by that connection, with any status */
	uint64_t moment;                /* of the answer, see app_profile_moment */
	enum gcs_status status;         /* of the newest answer */
	char message[256];              /* from the server, or why decoding failed */
};

enum profiles_question { PROFILES_NOTHING, PROFILES_PROFILE, PROFILES_WATCHED };

/* At most one query is pending. */
struct profiles_fetch {
	enum profiles_question waiting;
	uint32_t id;
	uint64_t connection;
	enum gcs_profile_kind kind;
	uint64_t due_ms;            /* when the next automatic query is due */
	bool wanted;                /* as soon as possible */
	uint64_t moment;            /* in the query */
	char where[PROFILES_WHERE]; /* the place in the query */
};

/* The profile that the shown one is compared with. */
struct profiles_base {
	struct shared_profile *profile; /* NULL: no comparison */
	char name[200];                 /* "the mark of 12:03:44" */
	char path[EVENT_HISTORY_PATH];  /* of the file that has one of each kind; "": none */
	enum gcs_profile_kind asked;    /* of that file */
};

/* The profiles at both ends of the selected time range. */
struct profiles_ends {
	struct event_history_range asked; /* the requested range, with the next three */
	enum gcs_profile_kind kind;
	uint64_t connection;
	uint64_t moment; /* the newest profile at that time, see event_history_profile_at */
	bool reading;
	struct shared_profile *from, *to; /* NULL: there are none */
	char message[256];                /* a description, or why there are none */
};

/* Classes that are not the program's own, beside those of the JDK: beginnings of their names. */
#define PROFILES_LIBRARIES 32
struct profiles_libraries {
	char text[1024];                            /* separated by spaces */
	const char *prefix[PROFILES_LIBRARIES + 1]; /* then NULL; in `split` */
	char split[1024];
};

/* What the shown profile says about live objects, and the comparison (live_profile.h). */
struct profiles_live {
	char judged[300], cover[400], new_bytes[40]; /* "" where they do not apply */
	char unknown[200]; /* why the comparison says nothing; "" if it does */
	double minutes;    /* that growth is divided by; 0: not at all */
};

struct profiles {
	struct profiles_fetch fetch;
	struct profiles_watch watch;
	struct sampling sampling;
	struct site_locations site_locations;
	struct profiles_data data[GCS_PROFILE_KIND_COUNT];
	enum gcs_profile_kind kind; /* shown */
	bool automatic, runtime_frame;
	bool with_new; /* with a column of what no collection has judged */
	struct profiles_live live;
	struct profiles_libraries libraries;
	uint32_t min_age, below_age; /* collections; 0, 0: any */
	char where[PROFILES_WHERE];  /* only live objects at that place; "": all */
	struct textfield field;
	struct sites_filter filter;
	struct profiles_base base;
	struct profiles_ends ends;
	struct worker reader;  /* of both ends */
	struct worker decoder; /* of large answers */
	struct worker loader;  /* for a file to compare with */
	bool reading;          /* such a file */
	struct shared_profile
	    *tile;   /* profile of the heap map's selected tile, whose sites are marked */
	bool kept;   /* something was selected since the heap map was last shown … */
	int kept_by; /* … in this view */
	uint32_t version, filter_version;
};

struct app;
struct textbuf;

void profiles_init(struct app *app);
void profiles_fini(struct app *app);

/* True while a view that needs them is shown. */
bool profiles_are_shown(const struct app *app);

/* The shown profile, and the one it is compared with; NULL: none. */
struct shared_profile *profiles_shown(const struct app *app);
struct shared_profile *profiles_before(const struct app *app);

/* The shown profile, or NULL. */
const struct gcs_profile *profiles_profile(const struct app *app);

/* The shown ages; 0, 0 for kinds without ages. */
void profiles_ages(const struct app *app, uint32_t *min_age, uint32_t *below_age);

/* Marks the shown profile, or the filter, as changed. */
void profiles_changed(struct app *app);
void profiles_filtered(struct app *app);

/* True where a comparison shows growth per minute. */
bool profiles_are_rates(const struct app *app);

/* Something was selected in the current view: the heap map will show its location. */
void profiles_keep(struct app *app);

/* Sets the profile of the heap map's tile; takes a reference; NULL: none. */
void profiles_set_tile(struct app *app, struct shared_profile *tile);

/* profiles_fetch.c: another program is shown; drops the profiles of the one before. */
void profiles_forget(struct app *app);

/* As in struct view. */
void profiles_tick(struct app *app);
void profiles_poll(struct app *app);
uint64_t profiles_due_ms(const struct app *app);
bool profiles_settled(struct app *app);

/* The same for the views that show profiles; they have a side panel while there is one. */
bool profiles_have_side(void *self, struct app *app);
void profiles_view_tick(void *self, struct app *app);
uint64_t profiles_view_due_ms(void *self, const struct app *app);

/* True while a query is pending. */
bool profiles_are_awaited(const struct app *app);

/* True if no query is pending, including those of the heap map, so that a busy program is not
 * flooded. */
bool profiles_may_ask(const struct app *app);

/* True if the shown data is not from a live connection. */
bool profiles_are_old(const struct app *app);

/* Queries the source, or the history, for the views. */
enum gcs_status profiles_ask(
    struct app *app, enum gcs_profile_kind kind, const char *where, uint32_t *id);

/* profiles_place.c. True if answers are profiles of the whole heap, whatever place was queried. */
bool profiles_are_whole(const struct app *app);

/* The live objects of a place (docs/protocol.md, section 10) in such a profile, which it frees; NULL
 * with the reason, a sentence, for example if the profile is of another collection than the shown
 * snapshot, so that objects have moved. */
struct gcs_profile *profiles_of_place(
    const struct app *app, struct gcs_profile *profile, const char *where, struct gcs_error *err);

/* profiles_past.c: profiles read from files, on a thread. */
void profiles_compare_file(struct app *app, const char *path);
void profiles_base_tick(struct app *app); /* reads the shown kind of that file */
void profiles_ends_tick(struct app *app);
bool profiles_ends_are_asked(const struct app *app); /* for the currently selected range */
void profiles_read_poll(struct app *app);

/* profiles_commands.c: shared actions, and the commands by number. */
bool profiles_run_command(struct app *app, int command, const char *argument);
void profiles_choose_kind(struct app *app, enum gcs_profile_kind kind);
void profiles_turn_kind(struct app *app, int by);
void profiles_set_filter(struct app *app, const char *text);

/* profiles_menu.c: context menus (menu.h). What concerns a site with that number (0: not known) or
 * a node of a tree, the selected one; the other views. */
struct calltree_place;
struct gcs_site;
struct gcs_sites;
void profiles_menu_site(
    struct app *app, const struct gcs_sites *sites, const struct gcs_site *site, uint64_t number);
void profiles_menu_node(struct app *app, struct calltree_place place);
void profiles_menu_views(struct app *app);
void profiles_set_ages(struct app *app, uint32_t min_age, uint32_t below_age);

/* The prefixes in `text`, which must not be part of it; false, and none, if there are too many. */
bool profiles_set_libraries(struct profiles_libraries *libraries, const char *text);

/* "collections 1 to 3", "" for any. */
char *profiles_put_ages(const struct app *app, char *text, size_t size);

/* Selects the next age band. */
bool profiles_next_ages(struct app *app);
bool profiles_mark(struct app *app);
void profiles_end_comparison(struct app *app);

/* Sorts a table of call sites or callers by the named column; NULL: by the next one, skipping
 * shares, which order like bytes. False, with a message, if there is no such column. */
struct table;
struct table_column;
bool profiles_sort(struct app *app, struct table *table, const struct table_column *columns,
    int count, int share, const char *name);

/* Sorts it "rising" or "falling"; NULL: reverses the order. */
bool profiles_reverse(struct app *app, struct table *table, const char *order);

/* The two commands that sort a table as this one (view_state.h). */
void profiles_sort_state(
    const struct table *table, const struct table_column *columns, struct textbuf *out);

/* Shows the live objects of a place (docs/protocol.md, section 10); "": all. */
void profiles_show_place(struct app *app, const char *where);

/* profiles_fetch.c: sets the interval of samples, whichever view is shown. */
bool profiles_sample(struct app *app, const char *interval);

/* Back one step: clears the filter, the place or the comparison; false if there is none. */
bool profiles_go_back(struct app *app);

/* The command `back` in a table of call sites: one step back, finally to the heap map; false if it
 * is not for the table. */
bool profiles_leave(struct app *app);

/* profiles_text.c. The first line of the header: which data is shown, and what it is compared
 * with. *warn: it is not what one would expect. */
void profiles_head_text(const struct app *app, char *text, size_t size, bool *warn);

/* The second line: how much of the heap and of the program the samples cover. */
void profiles_cover_text(const struct app *app, char *text, size_t size);

/* How many samples are missing, "" if none. */
void profiles_loss_text(const struct app *app, char *text, size_t size);

/* All facts about the shown profile, a line each: name, tab, value. */
void profiles_facts(const struct app *app, struct textbuf *out);

/* Describes the comparison; "" if there is none. */
void profiles_change_text(const struct app *app, char *text, size_t size);

/* The place that the shown profile is limited to; "": none. */
const char *profiles_where(const struct app *app);

/* Describes it: "in 0x70000000-0x70100000". */
void profiles_where_text(const struct app *app, char *text, size_t size);

/* All facts and the filter, for copying. */
void profiles_copy_text(const struct app *app, const char *match, struct textbuf *out);

/* profiles_head.c: runs the header above the data (kinds, filter, description) and cuts it off r.
 * `match` describes what the filter matches. */
void profiles_head_run(struct app *app, const char *match, struct cv_rect *r);

/* A row of small buttons. Returns the one that was pressed. */
struct profiles_button {
	const char *label, *tip;
	bool on;
	bool off; /* without effect */
};
int profiles_buttons_run(struct app *app, const struct profiles_button *buttons, int count,
    uint32_t first_id, struct cv_rect *row);

/* In the side panel: an untrusted name, or for NULL the hint, and then false; figures, a line each:
 * name, tab, value. */
bool profiles_side_title(
    struct app *app, struct cv_rect *column, const char *name, const char *hint);
void profiles_side_rows(struct app *app, struct cv_rect *column, const char *figures);

/* profiles_empty.c: the message in place of the data. False if there is data. */
enum profiles_offer {
	PROFILES_OFFER_NOTHING,
	PROFILES_OFFER_SAMPLES, /* turns sampling on */
	PROFILES_OFFER_LAST,    /* goes to the last event */
	PROFILES_OFFER_COLLECTION
};

struct profiles_empty {
	char title[1100], text[1300];
	enum profiles_offer offer; /* a button */
};
bool profiles_explain_empty(const struct app *app, struct profiles_empty *empty);
/* The profile has entries, but none that the view shows. */
void profiles_explain_none(const struct app *app, struct profiles_empty *empty);
void profiles_empty_run(struct app *app, const struct profiles_empty *empty, struct cv_rect r);

/* Widget numbers of these; a view's own follow. */
enum profiles_widget {
	PROFILES_TAB = 1, /* and one for each kind */
	PROFILES_REFRESH = PROFILES_TAB + GCS_PROFILE_KIND_COUNT,
	PROFILES_COLLECT,
	PROFILES_AUTO,
	PROFILES_FILTER,
	PROFILES_RUNTIME_FRAMES,
	PROFILES_OFFER,
	PROFILES_WORDS,
	PROFILES_WIDGETS
};

#endif
