/*
 * The profiles of the source, which the views of call sites share (S3, S4, S6): what was fetched,
 * which kind of it is shown, with or without runtime frames, of which ages, through which filter,
 * and what it is compared with. One for each application; they ask the source while one of these
 * views is shown, and profiles_watch.h for what is kept besides. The window's thread only; it never
 * waits for an answer, nor for a file.
 *
 * Whoever makes something of what is shown keeps `version` (or `filter_version`) beside it: another
 * number means that it has to be made anew.
 */
#ifndef GCSPY_CLIENT_PROFILES_H
#define GCSPY_CLIENT_PROFILES_H

#include <gcspy/client.h>
#include <gcspy/profile.h>

#include "site_locations.h"
#include "event_history.h"
#include "profiles_watch.h"
#include "sites_filter.h"
#include "textfield.h"
#include "worker.h"

#define PROFILES_REFRESH_MS   3000        /* between an answer and the next question */
#define PROFILES_MOST_BYTES   (32u << 20) /* of an answer that is shown: some 500,000 samples */
#define PROFILES_INTERVAL     "512k"      /* at which sampling is turned on */
#define PROFILES_OF_RECORDING "A recording contains its call sites; there is nothing to refresh"
#define PROFILES_KEPT         8  /* sites whose tiles are shown together, at most */
#define PROFILES_WHERE        80 /* of a place, as asked for */

/* A profile that is read by several parts and threads; freed with its last holder. */
struct shared_profile;

/* Takes the profile over; NULL, with it freed, without memory or without a profile. */
struct shared_profile *shared_profile_new(struct gcs_profile *profile);
struct shared_profile *shared_profile_ref(struct shared_profile *shared);
void shared_profile_unref(struct shared_profile *shared);

/* NULL for NULL. */
const struct gcs_profile *shared_profile_get(const struct shared_profile *shared);

/* What is known of one kind of profile. */
struct profiles_data {
	struct shared_profile *profile; /* the newest, NULL before the first */
	uint64_t profile_of;            /* the connection that it came by */
	uint64_t connection;            /* that was asked last */
	bool answered;                  /* by that connection, with whatever status */
	uint64_t moment;                /* that the answer is of, see app_profile_moment */
	enum gcs_status status;         /* of the newest answer */
	char words[256];                /* the server's, or why it could not be read */
};

enum profiles_question { PROFILES_NOTHING, PROFILES_PROFILE, PROFILES_SETTING, PROFILES_WATCHED };

/* At most one question is unanswered at any time. */
struct profiles_fetch {
	enum profiles_question waiting;
	uint32_t id;
	uint64_t connection;
	enum gcs_profile_kind kind;
	uint64_t due_ms;            /* when the next question is due by itself */
	bool wanted;                /* as soon as possible */
	uint64_t moment;            /* in the question */
	char interval[32];          /* to be set as soon as possible, "" for none */
	char where[PROFILES_WHERE]; /* the place in the question */
};

/* What is shown is a difference to this. */
struct profiles_base {
	struct shared_profile *profile; /* NULL: nothing is compared */
	char words[200];                /* "the mark of 12:03:44" */
};

/* The profiles at both ends of the part of time that is chosen. */
struct profiles_ends {
	struct event_history_range asked; /* for which they were asked, with the next three */
	enum gcs_profile_kind kind;
	uint64_t connection;
	uint64_t moment; /* the newest profile that there was, see event_history_profile_at */
	bool reading;
	struct shared_profile *from, *to; /* NULL: there are none */
	char words[256];                  /* what they are, or why there are none */
};

struct profiles {
	struct profiles_fetch fetch;
	struct profiles_watch watch;
	struct site_locations site_locations;
	struct profiles_data data[GCS_PROFILE_KIND_COUNT];
	enum gcs_profile_kind kind; /* shown */
	bool automatic, runtime_frame;
	uint32_t min_age, below_age; /* collections; 0, 0: any */
	char where[PROFILES_WHERE];  /* only live objects that lie there; "": all */
	struct textfield field;
	struct sites_filter filter;
	struct profiles_base base;
	struct profiles_ends ends;
	struct worker reader;        /* of both ends */
	struct worker loader;        /* of a file to compare with */
	bool reading;                /* such a file */
	struct shared_profile *tile; /* of the heap map's selected tile: its sites are marked */
	bool kept;                   /* something was selected since the heap map was shown … */
	int kept_by;                 /* … in this view */
	uint32_t version, filter_version;
};

struct app;

void profiles_init(struct app *app);
void profiles_fini(struct app *app);

/* True while a view is shown that needs them. */
bool profiles_are_shown(const struct app *app);

/* What is shown, and what it is compared with; NULL: nothing. */
struct shared_profile *profiles_shown(const struct app *app);
struct shared_profile *profiles_before(const struct app *app);

/* What is shown, ready to be read, or NULL. */
const struct gcs_profile *profiles_profile(const struct app *app);

/* The ages that are shown; 0, 0 for kinds that have none. */
void profiles_ages(const struct app *app, uint32_t *min_age, uint32_t *below_age);

/* Says that what is shown, or the filter, is another one. */
void profiles_changed(struct app *app);
void profiles_filtered(struct app *app);

/* Something was selected in the view that is shown: the heap map is to show where it lies. */
void profiles_keep(struct app *app);

/* The sites of the heap map's tile: takes a reference; NULL: of none. */
void profiles_set_tile(struct app *app, struct shared_profile *tile);

/* profiles_fetch.c, as in struct view. */
void profiles_tick(struct app *app);
void profiles_poll(struct app *app);
uint64_t profiles_due_ms(const struct app *app);
bool profiles_settled(struct app *app);

/* The same for the tables of the views that show profiles. */
void profiles_view_tick(void *self, struct app *app);
uint64_t profiles_view_due_ms(void *self, const struct app *app);

/* True while an answer is awaited. */
bool profiles_are_awaited(const struct app *app);

/* True when no question is unanswered, be it one of the heap map: a busy program is not flooded. */
bool profiles_may_ask(const struct app *app);

/* True when what is shown is not of a live connection. */
bool profiles_are_old(const struct app *app);

/* Asks the source, or the past, for the views. */
enum gcs_status profiles_ask(
    struct app *app, enum gcs_profile_kind kind, const char *where, uint32_t *id);

/* profiles_past.c: what is read from files, on a thread. */
void profiles_compare_file(struct app *app, const char *path);
void profiles_ends_tick(struct app *app);
bool profiles_ends_are_asked(const struct app *app); /* of the part of time that is chosen now */
void profiles_read_poll(struct app *app);

/* profiles_commands.c: what several parts do, and the commands by their numbers. */
bool profiles_run_command(struct app *app, int command, const char *argument);
void profiles_choose_kind(struct app *app, enum gcs_profile_kind kind);
void profiles_turn_kind(struct app *app, int by);
void profiles_set_filter(struct app *app, const char *text);
void profiles_set_ages(struct app *app, uint32_t min_age, uint32_t below_age);

/* "collections 1 to 3", "" for any. */
char *profiles_put_ages(const struct app *app, char *text, size_t size);

/* The next of some bands of ages. */
bool profiles_next_ages(struct app *app);
bool profiles_mark(struct app *app);
void profiles_end_comparison(struct app *app);

/* Has a table of call sites or callers sorted by the column of that name, NULL: by the next one but
 * that of shares, which are those of bytes. False, with a message, for no such column. */
struct table;
struct table_column;
bool profiles_sort(struct app *app, struct table *table, const struct table_column *columns,
    int count, int share, const char *name);

/* Sorts it "rising" or "falling", NULL: the other way round. */
bool profiles_reverse(struct app *app, struct table *table, const char *order);

/* The two commands that sort a table as this one (view_state.h). */
struct textbuf;
void profiles_sort_state(
    const struct table *table, const struct table_column *columns, struct textbuf *out);

/* Shows the live objects of a place (docs/protocol.md, section 10); "": of all. */
void profiles_show_place(struct app *app, const char *where);
void profiles_sample(struct app *app, const char *interval);

/* One step back: the filter, the place, the comparison; false when there is none. */
bool profiles_go_back(struct app *app);

/* The command `back` in a table of call sites: one step back, finally to the heap map; false if it
 * is not for the table. */
bool profiles_leave(struct app *app);

/* profiles_words.c. What is shown: as of when, interval, samples; and what is missing in it, "" if
 * nothing is. */
void profiles_head_words(const struct app *app, char *text, size_t size);
void profiles_loss_words(const struct app *app, char *text, size_t size);

/* What is compared with what; "" when nothing is. */
void profiles_change_words(const struct app *app, char *text, size_t size);

/* The place in words, "" when nothing is left out: "in 0x70000000-0x70100000". */
void profiles_where_words(const struct app *app, char *text, size_t size);

/* All of these and the filter, for copied text. */
struct textbuf;
void profiles_copy_words(const struct app *app, const char *match, struct textbuf *out);

/* profiles_head.c: runs and cuts off what is above the data: kinds, filter, what it is. `match`
 * says what the filter finds. */
void profiles_head_run(struct app *app, const char *match, struct cv_rect *r);

/* A row of small buttons: true when one was used. */
struct profiles_button {
	const char *label, *tip;
	bool on;
	bool off; /* without effect */
};
int profiles_buttons_run(struct app *app, const struct profiles_button *buttons, int count,
    uint32_t first_id, struct cv_rect *row);

/* profiles_empty.c: what stands in place of the data, and why. False: there are data. */
struct profiles_empty {
	char title[1100], text[1300];
	bool offer; /* to turn sampling on */
};
bool profiles_empty_words(const struct app *app, struct profiles_empty *empty);
void profiles_empty_run(struct app *app, const struct profiles_empty *empty, struct cv_rect r);

/* The widgets of these; a view's own come behind. */
enum profiles_widget {
	PROFILES_TAB = 1, /* and one for each kind */
	PROFILES_REFRESH = PROFILES_TAB + GCS_PROFILE_KIND_COUNT,
	PROFILES_AUTO,
	PROFILES_FILTER,
	PROFILES_RUNTIME_FRAMES,
	PROFILES_OFFER,
	PROFILES_AGES,
	PROFILES_WIDGETS
};

#endif
