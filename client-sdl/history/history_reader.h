/*
 * Rows of a history graph from trace files: a thread reads what event_history.h names, oldest
 * first, reduces it and hands the rows over in order. The window's thread never waits for it but at
 * the end of the program; another job takes the place of the one before at once.
 */
#ifndef GCSPY_CLIENT_HISTORY_READER_H
#define GCSPY_CLIENT_HISTORY_READER_H

#include "history_rows.h"
#include "event_history.h"

struct hist_job {
	struct event_history_file file[EVENT_HISTORY_FILES];
	uint32_t files;
	struct hist_lane lane[HIST_LANES];
	uint32_t lanes;
	uint32_t limit;    /* rows */
	bool newest;       /* only the newest that fit, each event its row */
	uint64_t until_ns; /* what is newer is known already; UINT64_MAX: nothing is */
};

struct hist_progress {
	bool running;
	double part;         /* of the events, 0 to 1 */
	uint64_t unreadable; /* events that damage took */
	uint64_t left_out;   /* older events, because only the newest were wanted */
	char why[320];       /* a file could not be read; "": none */
};

struct hist_reader;

/* wake is called on the reader's thread when there is something new. NULL without memory. */
struct hist_reader *hist_reader_create(void (*wake)(void *context), void *context);

/* Waits for the thread, which looks up between two events. NULL is fine. */
void hist_reader_destroy(struct hist_reader *reader);

/* Begins a job (copied); rows of an earlier one do not come any more. False without a thread. */
bool hist_reader_start(struct hist_reader *reader, const struct hist_job *job);
void hist_reader_stop(struct hist_reader *reader);

/* The next row, which is the caller's, and the description that it is of (a reference, or NULL if
 * it is that of the row before). False when there is none now. */
bool hist_reader_next(struct hist_reader *reader, struct hist_row *row, struct gcs_model **model);

/* After the last row of the job: not running. */
void hist_reader_progress(struct hist_reader *reader, struct hist_progress *progress);

#endif
