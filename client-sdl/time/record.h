/*
 * Recording what is shown into a trace file (F21): live as it comes, of a recording what is played
 * forwards. The recorder has a thread and a bounded queue; the window waits for no disk, also not
 * at the end. Belongs to the window's thread.
 */
#ifndef GCSPY_CLIENT_RECORD_H
#define GCSPY_CLIENT_RECORD_H

#include <gcspy/recorder.h>
#include <pthread.h>

#include "export_text.h"

#define RECORD_PROFILE_MS 60000 /* between two profiles of a program that samples */

struct app;

struct record_end; /* a file that is being finished */

struct record {
	struct gcs_recorder *recorder; /* NULL: nothing is recorded */
	struct gcs_recorder_stats stats;
	uint64_t connection;   /* that is recorded */
	uint64_t put;          /* snapshots */
	uint64_t last_time_ns; /* of the newest of them */
	uint64_t overrun;      /* of the source, when last asked */
	uint64_t profile_due_ms;
	bool asked; /* for a profile */
	uint32_t question;
	struct record_end *end; /* NULL: none */
};

/* Starts (path NULL: a name made of the time), or stops what is under way. */
bool record_toggle(struct app *app, const char *path);

/* A snapshot has come; a profile has been told. */
void record_snapshot(struct app *app, const struct gcs_snapshot *snapshot);
void record_profile(struct app *app, const void *bytes, size_t length);

/* Looks after errors, the end of the connection, the profile that is due. */
void record_poll(struct app *app);
uint64_t record_due_ms(const struct app *app);

/* Finishes the file, waiting for the disk some seconds. */
void record_fini(struct app *app);

/* "Recording 12 events, 34 KiB", "" when nothing is recorded. */
void record_words(const struct app *app, char *text, size_t size);

#endif
