/*
 * Time before now: going to an earlier moment, the files from which what happened can be read
 * again, and the selected time range (rows F22, V8). The same for a recording and for a live
 * program. Times are those of the server's clock. Belongs to the window's thread.
 * Of a live program, the newest snapshots are kept by reference, and as many as a part of the disk
 * holds by event_history_store.h. While the user looks back the program runs on: its events are
 * counted, recorded and put on the timeline, and only app->snapshot stays.
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

#define EVENT_HISTORY_FILES 8 /* maximum number of files that hold the history of one connection */
#define EVENT_HISTORY_PATH  1024 /* bytes of a path */

#define EVENT_HISTORY_RECENT       256 /* snapshots kept by reference … */
#define EVENT_HISTORY_RECENT_LEAST 4   /* … at least this many … */
#define EVENT_HISTORY_RECENT_BYTES                                                                 \
	(UINT64_C(8) << 20) /* … the others as long as they take no more memory */

struct app;
struct event_history_store;
struct textbuf;

/* A time range, both ends included. */
struct event_history_range {
	bool on;
	uint64_t from_ns, to_ns;
};

/* A trace file that covers a time range. It may still grow, and may be gone. */
struct event_history_file {
	char path[EVENT_HISTORY_PATH];
	uint64_t from_ns, to_ns; /* 0, UINT64_MAX: unknown */
	uint32_t stride;         /* it has one of this many events */
	uint64_t
	    profiles; /* written to it, of a live program; a reader may not find all of them yet */
};

struct event_history {
	/* Of a live program. */
	uint64_t history_bytes; /* of disk space, an option; 0: only what is kept by reference */
	struct event_history_store *history,
	    *ending;                      /* ending: the previous one, until it has ended */
	bool told;                        /* reported that nothing (more) is written */
	uint64_t connection;              /* of the last event */
	char address[EVENT_HISTORY_PATH]; /* of it */
	uint64_t events, fed;             /* received; passed to the store */
	uint64_t first_ns;
	struct overview overview;
	struct gcs_snapshot *recent[EVENT_HISTORY_RECENT]; /* ring */
	uint32_t recent_first, recent_count;
	uint64_t recent_bytes;
	struct gcs_snapshot *newest;

	bool back;      /* app->snapshot is of an earlier moment, or will be */
	bool waiting;   /* for the disk */
	bool exact;     /* the requested event is to be shown, not the newest one during play */
	uint64_t at_ns; /* the requested time */

	bool plays;
	double speed; /* kept while paused */
	uint64_t play_ms, play_ns;

	uint32_t question; /* the newest one that the store answers */
	uint32_t lost;     /* the newest one that went to the store of an earlier program */
	struct {
		uint64_t time_ns; /* of the event that it belongs to; never before the previous */
		uint8_t kind;
	} profile[1024]; /* a ring of the profiles written */
	uint64_t profiles;
	int64_t judged_ns[GCS_PROFILE_KIND_COUNT]; /* of the last one of each kind; 0: none */
	struct {
		struct gcs_snapshot *of; /* the event that it belongs to */
		void *bytes;
		size_t length;
	} early
	    [GCS_PROFILE_KIND_COUNT]; /* last profile of each kind that waits for the store's files, in order of arrival */
	uint32_t early_count;

	/* Of a recording and of a live program. */
	uint64_t
	    of; /* the connection of the recording whose bookmarks these are; 0: a live program */
	struct marks marks;
	bool begun, ended; /* one end of a range is set, the other is not yet */
	uint64_t begin_ns, end_ns;
};

/* Requests the last event that is not later; false, with a toast, if there is no history. */
bool event_history_go_to(struct app *app, uint64_t time_ns);

/* The files with the history, oldest first, for a thread to read (trace.h); at most `most`. The
 * newest events may be missing. Of a live program each time range appears once, with the file
 * that has the most events in it; that file may also have others. */
uint32_t event_history_files(
    const struct app *app, struct event_history_file *files, uint32_t most);

/* The same for profiles of call sites. */
uint32_t event_history_profile_files(
    const struct app *app, struct event_history_file *files, uint32_t most);

/* Selects a time range, which all views then describe; the ends in any order. */
void event_history_choose(struct app *app, uint64_t from_ns, uint64_t to_ns);
void event_history_choose_all(struct app *app);

/* Back to the newest moment, which is followed again. */
void event_history_live(struct app *app);

/* Of the whole time: its events (never NULL); its ends, false while there are none; the time of
 * the present snapshot. */
const struct overview *event_history_overview(const struct app *app);
bool event_history_span(const struct app *app, uint64_t *first_ns, uint64_t *last_ns);
uint64_t event_history_shown_ns(const struct app *app);

/* The same, or the time of the requested event while that is not shown yet. */
uint64_t event_history_here_ns(const struct app *app);

/* The snapshot with the newest counters, or NULL. */
const struct gcs_snapshot *event_history_newest(const struct app *app);

/* Called by app.c: the first snapshot of a connection has arrived. True if it is not of the program
 * that the history is about, which is then forgotten. */
bool event_history_meet(struct app *app, const struct gcs_snapshot *first);

/* Called by app.c: an event has arrived; shows the newest snapshot unless the user looks back;
 * does what is due by the clock. */
void event_history_note(struct app *app, const struct gcs_snapshot *snapshot);
void event_history_picture(struct app *app, struct gcs_snapshot *newest);
void event_history_poll(struct app *app);
void event_history_tick(struct app *app);
uint64_t event_history_due_ms(const struct app *app);
void event_history_fini(struct app *app);

/* The event that a profile with that time (trace_profile_ns) belongs to: the last one up to its
 * collection, or the oldest in memory. Borrowed; NULL before the first event. */
struct gcs_snapshot *event_history_judge(const struct event_history *p, int64_t wall_ns);

/* The times of an encoded profile (trace_profile_ns). Reads it whole, on any thread. */
struct event_history_times {
	int64_t wall_ns, judged_ns;
};
struct event_history_times event_history_times_of(const void *bytes, size_t length);

/* A profile of call sites has arrived from the program, perhaps long after its collection; waits
 * until the store's files exist. */
void event_history_profile(
    struct app *app, const struct event_history_times *times, const void *bytes, size_t length);
void event_history_feed_profiles(struct event_history *p);
void event_history_drop_profiles(struct event_history *p);

/* event_history_commands.c: true if the command concerns the history; done: false, with a toast,
 * if it failed. */
bool event_history_command(struct app *app, enum command_id id, const char *argument, bool *done);

/* Parses a time since the start, or an event's number (event_header.h); false if it is neither. */
bool event_history_place(const struct app *app, const char *text, uint64_t *time_ns);

/* The same for seek: a place that does not exist is rejected with a toast that names the ends. */
bool event_history_seek_place(struct app *app, const char *text, uint64_t *time_ns);

/* Leaves a range, else an earlier moment; false if there is neither. */
bool event_history_leave(struct app *app);

/* event_history_summary.c: "Looking back · event 12 of 340 · 0:12.3 before the newest · the program
 * runs" */
void event_history_summary(const struct app *app, char *text, size_t size);

/* The number of the shown event among all, from 1, as far as it is known. */
uint64_t event_history_number(const struct app *app);

/* The shown event's number for people: a recording's, from 1, which `gcspy stats` prints and seek takes;
 * of a live program the server's. */
uint64_t event_history_shown_number(const struct app *app);

/* "0:12.345 before the newest", or "" unless the user looks back. */
void event_history_ago_text(const struct app *app, char *text, size_t size);

/* The extent of the history, files and snapshots, for copying. */
void event_history_text(const struct app *app, struct textbuf *out);

/* Start of full history; before it, only one of *of events is kept. 0: all are kept. */
uint32_t event_history_thinned(const struct app *app, uint64_t *until_ns);

/* event_history_ask.c. Queries, as those of source.h: to the source or, while the user looks
 * back or the program is gone, to the store. A view whose answer is of another moment queries
 * again. */
bool app_asks_history(const struct app *app);
bool app_can_ask(const struct app *app);
enum gcs_status app_ask(struct app *app, const char *topic, uint32_t count,
    const struct gcs_info *parameters, uint32_t *id);
struct gcs_answer *app_answer(struct app *app, uint32_t id);

/* True for answers from the store, which are not to be recorded again. */
bool app_asked_history(uint32_t id);

/* Changes whenever the answer to a "sites" query may differ because of the moment shown; 0 for
 * the present. */
uint64_t app_profile_moment(const struct app *app, int kind);

/* The same for any moment of a live program; 0 for a recording, which has all its profiles. */
uint64_t event_history_profile_at(const struct app *app, int kind, uint64_t time_ns);

#endif
