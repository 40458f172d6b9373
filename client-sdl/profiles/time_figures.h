/*
 * The figures of the time that is shown - all of it, or the selected range - which a thread computes
 * from the history (analysis/stats.h): pauses, rates, and what survives collections. Shared by the
 * views that show them; one per application. Window thread only; never waits for the thread.
 */
#ifndef GCSPY_CLIENT_TIME_FIGURES_H
#define GCSPY_CLIENT_TIME_FIGURES_H

#include <stdatomic.h>

#include "profiles.h"
#include "stats.h"

#define TIME_FIGURES_REFRESH_MS 2000 /* at least, between two computations for a live program … */
#define TIME_FIGURES_SHARE      20   /* … and this many times what the last one took */
#define TIME_FIGURES_WHOLE      4000 /* events that are read with their spaces; else without */

struct figures_job;

/* What figures are of. */
struct figures_subject {
	uint64_t program, connection, events, profiles;
	struct event_history_range range;
	enum gcs_sites_by by;
	uint32_t libraries; /* a hash of their names */
};

struct time_figures {
	struct worker worker;
	atomic_uint newest;       /* number of the newest job: older ones end early */
	struct figures_job *done; /* what is shown; NULL before the first */
	struct figures_subject asked;
	bool reading;
	uint64_t due_ms;      /* of the next computation for a live program */
	enum gcs_sites_by by; /* how survivors are joined */
	uint32_t version;     /* of what is shown */
};

void time_figures_init(struct app *app);
void time_figures_fini(struct app *app);

/* The figures, or NULL with the reason; valid until the next time_figures_poll. They may be of a
 * moment ago: of as many events as time_figures_events says. */
const struct gcs_stats *time_figures(const struct app *app, const char **why);

/* Why there is no event yet: none at all, or none since the window connected; NULL if there are. */
const char *time_figures_no_event(const struct app *app);

/* A remark about them, "" without: that they are of a part of the time. */
const char *time_figures_remark(const struct app *app);

/* Why promotion and the like are unknown, beside the reason in the figures; "" if spaces were
 * read. */
const char *time_figures_spaceless(const struct app *app);

/* Joins survivors otherwise. */
void time_figures_join(struct app *app, enum gcs_sites_by by);

/* As in struct view, for the views that show figures. */
void time_figures_tick(void *self, struct app *app);
uint64_t time_figures_due_ms(void *self, const struct app *app);
bool time_figures_settled(void *self, struct app *app);

/* Called by app.c: takes what the thread has computed, and repaints the views that show it. */
void time_figures_poll(struct app *app);

/* A reason of the figures without the command of `gcspy` that helps: here a button does. Returns
 * text. */
char *time_figures_reason(char *text, size_t size, const char *reason);

#endif
