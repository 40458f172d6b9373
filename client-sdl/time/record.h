/*
 * Recording what is shown to a trace file (F21): a live program as it runs, a recording as it is
 * played forwards. The recorder has a thread and a bounded queue; the window never waits for the
 * disk. Belongs to the window's thread.
 */
#ifndef GCSPY_CLIENT_RECORD_H
#define GCSPY_CLIENT_RECORD_H

#include <gcspy/profile.h>
#include <gcspy/recorder.h>

/* Time between two profiles of a kind that were not requested: an eighth of the recording's age,
 * but … */
#define RECORD_PROFILE_LEAST_MS 8000
#define RECORD_PROFILE_MOST_MS  60000
#define RECORD_PROFILE_BYTES    (8u << 20) /* maximum size of one held back for the end of the file */

struct app;
struct event_history_times;

struct record_end; /* a file being finished */

struct record {
	struct gcs_recorder *recorder; /* NULL: not recording */
	struct gcs_recorder_stats stats;
	uint64_t number; /* of recordings started */
	uint64_t begin_ms;
	uint64_t connection;   /* that is recorded */
	uint64_t put;          /* snapshots written */
	uint64_t last_time_ns; /* of the newest of them */
	uint64_t overrun;      /* of the source, at the last snapshot */
	struct {
		bool any;
		uint64_t put_ms;
		void *bytes; /* the newest one since then, for the end of the file; NULL: none */
		size_t length;
	} profile[GCS_PROFILE_KIND_COUNT];
	struct record_end *end; /* NULL: none */
};

/* Starts (path NULL: a name made of the time), or stops. Without a connection, writes what is kept of
 * the program that was shown. */
bool record_toggle(struct app *app, const char *path);

/* True if there is no connection any more, but a history of it. */
bool record_can_save(const struct app *app);

/* A snapshot has arrived; a profile has arrived, perhaps not requested by the user: the history
 * gets all, the file the first, the last, and some between. */
void record_snapshot(struct app *app, const struct gcs_snapshot *snapshot);
void record_profile(struct app *app, const struct event_history_times *times, const void *bytes,
    size_t length, bool unasked);

/* Checks for errors and the end of the connection. */
void record_poll(struct app *app);

/* Finishes the file, waiting some seconds for the disk. */
void record_fini(struct app *app);

/* "Recording 12 events, 34 KiB"; "" when not recording. */
void record_text(const struct app *app, char *text, size_t size);

#endif
