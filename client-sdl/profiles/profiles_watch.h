/*
 * Profiles of a live program that nobody looks at, asked for so that an earlier moment, a part of time
 * and a recording have them too (S8, F22, V8): all kinds in turn, while the program samples and the
 * past is kept, or recorded. Part of the profiles' one question at a time (profiles.h). What it costs
 * the program, the network and the disk is bounded; without a new event nothing is asked.
 */
#ifndef GCSPY_CLIENT_PROFILES_WATCH_H
#define GCSPY_CLIENT_PROFILES_WATCH_H

#include <gcspy/client.h>
#include <gcspy/profile.h>

#define WATCH_GAP_MS   3000         /* between an answer and the next question, at least … */
#define WATCH_BYTES    (256u << 10) /* … of so many bytes a second on average … */
#define WATCH_EFFORT   100          /* … and so many times what the answer took to come … */
#define WATCH_MOST_MS  300000       /* … but no longer than this */
#define WATCH_AGAIN_MS 9000         /* between two of the same kind */
#define WATCH_OFF_MS   60000        /* between two questions while the program does not sample */

struct app;

struct profiles_watch {
	uint64_t connection; /* that all this is about */
	uint64_t recording;  /* and the number of the recording */
	bool none;           /* the server has no profiles: it is asked no more */
	bool off;            /* it did not sample when it was asked last */
	uint64_t due_ms;     /* the next question is not put before */
	uint64_t asked_ms;   /* the one that is unanswered */
	struct {
		bool asked;      /* by whomever, since this connection or recording began … */
		uint64_t ms;     /* … last at this time … */
		uint64_t events; /* … when so many events had come */
	} kind[GCS_PROFILE_KIND_COUNT];
};

/* As in struct view, whatever view is shown. */
void profiles_watch_tick(struct app *app);
uint64_t profiles_watch_due_ms(const struct app *app);

/* The answer to the question that profiles_watch_tick has put. */
void profiles_watch_take(struct app *app, const struct gcs_answer *answer);

/* A profile of the whole program is asked for by a view; sampling may have been turned on. */
void profiles_watch_asked(struct app *app, enum gcs_profile_kind kind);
void profiles_watch_again(struct app *app);

#endif
