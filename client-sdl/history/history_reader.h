/*
 * Rows of a history graph from trace files: a thread reads the files that event_history.h names,
 * oldest first, reduces them and hands the rows over in order. The window's thread waits for it
 * only at the end of the program; a new job replaces the previous one at once.
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
	bool newest;       /* only the newest that fit, one event per row */
	bool recording;    /* its events are numbered from 1, not as by the server */
	uint64_t until_ns; /* newer events are known already; UINT64_MAX: none are */
};

struct hist_progress {
	bool running;
	double part;         /* progress, 0 to 1 */
	uint64_t unreadable; /* events lost to damage */
	uint64_t left_out;   /* older events, if only the newest were requested */
	char why[320];       /* why a file could not be read, or "" */
};

struct hist_reader;

/* wake is called on the reader's thread when there is something new. NULL without memory. */
struct hist_reader *hist_reader_create(void (*wake)(void *context), void *context);

/* Waits for the thread, which checks between events. NULL is fine. */
void hist_reader_destroy(struct hist_reader *reader);

/* Starts a job (copied); no more rows of earlier ones are returned. False without a thread. */
bool hist_reader_start(struct hist_reader *reader, const struct hist_job *job);
void hist_reader_stop(struct hist_reader *reader);

/* The next row, the caller's, and its model (a reference, or NULL if it is that of the row
 * before). False if there is none at present. */
bool hist_reader_next(struct hist_reader *reader, struct hist_row *row, struct gcs_model **model);

/* After the last row of the job: not running. */
void hist_reader_progress(struct hist_reader *reader, struct hist_progress *progress);

#endif
