/*
 * Recording what is shown into a trace file (F21): live as it comes, of a recording what is played
 * forwards. The recorder has a thread and a bounded queue; the window waits for no disk, also not
 * at the end. Belongs to the window's thread.
 */
#ifndef GCSPY_CLIENT_RECORD_H
#define GCSPY_CLIENT_RECORD_H

#include <gcspy/profile.h>
#include <gcspy/recorder.h>
#include <pthread.h>

#include "export_text.h"

/* Between two profiles of a kind that nobody asked for: an eighth of the recording's age, but … */
#define RECORD_PROFILE_LEAST_MS 8000
#define RECORD_PROFILE_MOST_MS  60000
#define RECORD_PROFILE_BYTES    (8u << 20) /* of one that is kept for the end of the file */

struct app;

struct record_end; /* a file that is being finished */

struct record {
	struct gcs_recorder *recorder; /* NULL: nothing is recorded */
	struct gcs_recorder_stats stats;
	uint64_t number; /* of recordings that were begun */
	uint64_t begin_ms;
	uint64_t connection;   /* that is recorded */
	uint64_t put;          /* snapshots */
	uint64_t last_time_ns; /* of the newest of them */
	uint64_t overrun;      /* of the source, when last asked */
	struct {
		bool any;
		uint64_t put_ms;
		void *bytes; /* the newest since then, for the end of the file; NULL: none */
		size_t length;
	} profile[GCS_PROFILE_KIND_COUNT];
	struct record_end *end; /* NULL: none */
};

/* Starts (path NULL: a name made of the time), or stops what is under way. */
bool record_toggle(struct app *app, const char *path);

/* A snapshot has come; a profile has been told, perhaps without that a user asked for it: the past
 * gets all, the file the first, the last, and some between. */
void record_snapshot(struct app *app, const struct gcs_snapshot *snapshot);
void record_profile(struct app *app, const void *bytes, size_t length, bool unasked);

/* Looks after errors and the end of the connection. */
void record_poll(struct app *app);

/* Finishes the file, waiting for the disk some seconds. */
void record_fini(struct app *app);

/* "Recording 12 events, 34 KiB", "" when nothing is recorded. */
void record_words(const struct app *app, char *text, size_t size);

#endif
