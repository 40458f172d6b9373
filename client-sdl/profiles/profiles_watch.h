/*
 * Background queries for profiles of a live program, so that its history, time ranges and
 * recordings have them too (S8, F22, V8): all kinds in turn, while the program samples and its
 * history is kept or recorded. Uses the same single pending query as the views (profiles.h). The
 * cost to program, network and disk is bounded; without a new event there are no queries.
 */
#ifndef GCSPY_CLIENT_PROFILES_WATCH_H
#define GCSPY_CLIENT_PROFILES_WATCH_H

#include <gcspy/client.h>
#include <gcspy/profile.h>

#define WATCH_GAP_MS   3000         /* between an answer and the next query, at least … */
#define WATCH_BYTES    (256u << 10) /* … maximum average bytes per second … */
#define WATCH_EFFORT   100          /* … and multiple of the last answer's duration to wait … */
#define WATCH_MOST_MS  300000       /* … up to this limit */
#define WATCH_AGAIN_MS 9000         /* between two queries of the same kind */
#define WATCH_OFF_MS   60000        /* between two queries while the program does not sample */

struct app;
struct event_history_times;

struct profiles_watch {
	uint64_t connection; /* that this state belongs to */
	uint64_t recording;  /* and the recording's number */
	bool none;           /* the server has no profiles and is not queried again */
	bool off;            /* it did not sample at the last query */
	uint64_t due_ms;     /* no query before this time */
	uint64_t asked_ms;   /* when the pending query was sent */
	struct {
		bool asked;      /* by anyone, since this connection or recording began … */
		uint64_t ms;     /* … last at this time … */
		uint64_t events; /* … number of events received by then */
	} kind[GCS_PROFILE_KIND_COUNT];
};

/* As in struct view, for all views. */
void profiles_watch_tick(struct app *app);
uint64_t profiles_watch_due_ms(const struct app *app);

/* Takes the answer to the query of profiles_watch_tick. */
void profiles_watch_take(
    struct app *app, const struct gcs_answer *answer, const struct event_history_times *times);

/* A view has queried a profile of the whole program; sampling may have been turned on. */
void profiles_watch_asked(struct app *app, enum gcs_profile_kind kind);
void profiles_watch_again(struct app *app);

#endif
