/*
 * The time before now: going to an earlier moment, the files in which what happened can be read
 * again, and the part of it that is chosen (rows F22, V8). The same for a recording and for a
 * program that is watched live. Times are those of the server's clock. Belongs to the window's
 * thread.
 *
 * Of a live program the newest states are kept by reference, and all that fit a part of the disk by
 * history.h. While one looks back the program runs on: its events are counted, recorded and put on
 * the strip, and only the picture (app->snapshot) stays.
 */
#ifndef GCSPY_CLIENT_EVENT_HISTORY_H
#define GCSPY_CLIENT_EVENT_HISTORY_H

#include <gcspy/client.h>
#include <gcspy/profile.h>
#include <stdbool.h>
#include <stdint.h>

#include "commands.h"
#include "marks.h"
#include "overview.h"

#define EVENT_HISTORY_FILES 8    /* most files that hold the past of one connection */
#define EVENT_HISTORY_PATH  1024 /* bytes of a path */

#define EVENT_HISTORY_RECENT       256 /* states kept by reference … */
#define EVENT_HISTORY_RECENT_LEAST 4   /* … of which so many whatever they take … */
#define EVENT_HISTORY_RECENT_BYTES (UINT64_C(32) << 20) /* … and the rest with no more than this */

struct app;
struct event_history_store;
struct textbuf;

/* A part of time, both ends included. */
struct event_history_range {
	bool on;
	uint64_t from_ns, to_ns;
};

/* A trace file with what happened in a part of time. It may go on growing, and may be gone. */
struct event_history_file {
	char path[EVENT_HISTORY_PATH];
	uint64_t from_ns, to_ns; /* 0, UINT64_MAX: not known */
	uint32_t stride;         /* of so many events it has one */
	uint64_t
	    profiles; /* that were put into it, of a live program; a reader may find fewer yet */
};

struct event_history {
	/* Of a live program. */
	uint64_t history_bytes; /* of the disk, an option; 0: only what is kept by reference */
	struct event_history_store *history, *ending; /* the one before, while it ends */
	bool told;                                    /* that the disk keeps nothing (more) */
	uint64_t connection;                          /* that the events came by last */
	char address[EVENT_HISTORY_PATH];             /* of it */
	uint64_t events, fed;                         /* so many came; of them the history has */
	uint64_t first_ns;
	struct overview overview;
	struct gcs_snapshot *recent[EVENT_HISTORY_RECENT]; /* ring */
	uint32_t recent_first, recent_count;
	uint64_t recent_bytes;
	struct gcs_snapshot *newest;

	bool back;      /* app->snapshot is of an earlier moment, or will be */
	bool waiting;   /* for the disk */
	bool exact;     /* what comes is where we stand: not while it plays */
	uint64_t at_ns; /* where we stand */

	bool plays;
	double speed; /* also while it does not */
	uint64_t play_ms, play_ns;

	uint32_t question; /* the newest of those that the history answers */
	struct {
		uint64_t time_ns;
		uint8_t kind;
	} profile[1024]; /* that were kept, a ring */
	uint64_t profiles;
	struct {
		struct gcs_snapshot *newest; /* when it came */
		void *bytes;
		size_t length;
	} early
	    [GCS_PROFILE_KIND_COUNT]; /* that wait for the history's files: the last of each kind,
					  * in the order in which they came */
	uint32_t early_count;

	/* Of a recording and of a live program. */
	uint64_t of; /* the recording (its connection) that the marks are of, 0: a live program */
	struct marks marks;
	bool begun, ended; /* an end of a range is set, the other not yet */
	uint64_t begin_ns, end_ns;
};

/* Goes to the last event not later than that, without waiting for it; false when there is no past
 * to go to (a toast says so). */
bool event_history_go_to(struct app *app, uint64_t time_ns);

/* The files that hold the past, oldest first, so that a thread may read them (trace.h); at most
 * `most`. What has just happened may be missing. Of a live program each part of time is told once,
 * with the file that has the most events of it; the file may have others besides. */
uint32_t event_history_files(
    const struct app *app, struct event_history_file *files, uint32_t most);

/* The same for profiles of call sites. */
uint32_t event_history_profile_files(
    const struct app *app, struct event_history_file *files, uint32_t most);

/* Chooses a part of time, of which every view tells; the ends in any order. */
void event_history_choose(struct app *app, uint64_t from_ns, uint64_t to_ns);
void event_history_choose_all(struct app *app);

/* Back to the newest moment, which is followed again. */
void event_history_live(struct app *app);

/* What is known of the whole time: its events (never NULL); its ends, false while there is none;
 * the time of the picture. */
const struct overview *event_history_overview(const struct app *app);
bool event_history_span(const struct app *app, uint64_t *first_ns, uint64_t *last_ns);
uint64_t event_history_shown_ns(const struct app *app);

/* The same, or that of the event that was gone to and is not shown yet. */
uint64_t event_history_here_ns(const struct app *app);

/* The picture whose counters are the newest, or NULL. */
const struct gcs_snapshot *event_history_newest(const struct app *app);

/* From app.c: an event has come; the newest picture, to be shown unless one looks back; what is to
 * be done by the clock. */
void event_history_note(struct app *app, const struct gcs_snapshot *snapshot);
void event_history_picture(struct app *app, struct gcs_snapshot *newest);
void event_history_poll(struct app *app);
void event_history_tick(struct app *app);
uint64_t event_history_due_ms(const struct app *app);
void event_history_fini(struct app *app);

/* A profile of call sites has come from the program; it waits until the history's files are made. */
void event_history_profile(struct app *app, const void *bytes, size_t length);
void event_history_feed_profiles(struct event_history *p);
void event_history_drop_profiles(struct event_history *p);

/* event_history_commands.c: true if the command is about the past; done: it could be done, or a
 * toast says why not. */
bool event_history_command(struct app *app, enum command_id id, const char *argument, bool *done);

/* A time since the beginning, or an event's number from 1; false if it is neither. */
bool event_history_place(const struct app *app, const char *text, uint64_t *time_ns);

/* The same, for seek: a place that is not there is refused, and the toast has the ends. */
bool event_history_seek_place(struct app *app, const char *text, uint64_t *time_ns);

/* One step back from a range, then from an earlier moment; false if there is neither. */
bool event_history_leave(struct app *app);

/* event_history_words.c: "Looking back · event 12 of 340 · 0:12.3 before the newest · the program
 * runs" */
void event_history_words(const struct app *app, char *text, size_t size);

/* The number of the picture's event among all, from 1; as near as it is known. */
uint64_t event_history_number(const struct app *app);

/* "0:12.345 before the newest", "" unless one looks back. */
void event_history_ago_words(const struct app *app, char *text, size_t size);

/* What is kept of the time before: files and states; for copying. */
void event_history_text(const struct app *app, struct textbuf *out);

/* From where on every event can be gone to, and of how many one can before that; 0: everywhere. */
uint32_t event_history_thinned(const struct app *app, uint64_t *until_ns);

/* event_history_ask.c. Questions beside the snapshots, to the source or - while one looks back -
 * to what was kept; as the functions of source.h. A view whose answer is of another moment asks
 * again. */
bool app_can_ask(const struct app *app);
enum gcs_status app_ask(struct app *app, const char *topic, uint32_t count,
    const struct gcs_info *parameters, uint32_t *id);
struct gcs_answer *app_answer(struct app *app, uint32_t id);

/* True for what was asked of the past: it is no news to be recorded. */
bool app_asked_past(uint32_t id);

/* Changes whenever another answer to a question of "sites" is to be expected because of the moment;
 * 0 for the present. */
uint64_t app_profile_moment(const struct app *app, int kind);

/* The same for any moment of a live program; 0 for a recording, which has all its profiles. */
uint64_t event_history_profile_at(const struct app *app, int kind, uint64_t time_ns);

#endif
