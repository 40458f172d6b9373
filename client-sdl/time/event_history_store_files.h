/*
 * Shared by the files of event_history_store.h: event_history_store.c is called by the window,
 * event_history_store_thread.c writes the rings, event_history_store_read.c reads them.
 */
#ifndef GCSPY_CLIENT_EVENT_HISTORY_STORE_FILES_H
#define GCSPY_CLIENT_EVENT_HISTORY_STORE_FILES_H

#include <pthread.h>

#include <gcspy/trace.h>

#include "event_history_store.h"

enum {
	HISTORY_PROFILES = EVENT_HISTORY_STORE_TIERS, /* the ring of all profiles … */
	HISTORY_FEWER_PROFILES,                       /* … and that of every 8th of each kind */
	HISTORY_RINGS,
	HISTORY_OPEN = 2,      /* files kept open for reading, each with a heap or two */
	HISTORY_QUESTIONS = 8, /* pending queries, and answers that were not taken */
	HISTORY_TIDY = 256,    /* events after which free memory is given back */
};

/* A file of a ring. */
struct spool {
	uint64_t number;               /* 0: none; never reused */
	struct gcs_recorder *recorder; /* NULL: finished, or about to be */
	int fd;                        /* for reading; the file may be unlinked */
	char path[EVENT_HISTORY_PATH];
	bool named;              /* not unlinked; to be removed with it */
	uint64_t from_ns, to_ns; /* of what was written; from 0: nothing */
	uint64_t profiles;       /* written */
};

/* The current file and the previous one. */
struct ring {
	struct spool now, before;
	uint64_t count; /* all events written */
};

struct event_history_store_question {
	uint32_t id;
	enum gcs_profile_kind kind;
	uint64_t time_ns;
};

/* A file open for reading; the thread's own. */
struct reading {
	uint64_t number;
	struct gcs_trace *trace;
	struct gcs_trace_info info;
	uint64_t used; /* when; the least recently used one is closed */
};

struct event_history_store {
	struct event_history_store_options options;
	uint64_t file_bytes;
	pthread_t thread;
	struct reading reading[HISTORY_OPEN];
	uint64_t reads;

	pthread_mutex_t lock; /* all below */
	pthread_cond_t changed;
	bool ending, check; /* check: a recorder has reported something */
	bool resting;       /* close the files open for reading */
	uint32_t untidy;    /* events since free memory was checked */
	bool made;          /* all rings have a file */
	bool failed;
	struct gcs_error error;
	struct ring ring[HISTORY_RINGS];
	uint64_t numbers;
	uint64_t profiles[GCS_PROFILE_KIND_COUNT]; /* written, by kind */

	bool wanted, found;
	uint64_t want_ns;
	enum event_history_store_way way;
	struct gcs_snapshot *result;

	struct event_history_store_question questions[HISTORY_QUESTIONS];
	struct gcs_answer *answers[HISTORY_QUESTIONS];
	uint32_t question_count, answer_count;
};

/* The thread (event_history_store_thread.c); its argument is the store. */
void *event_history_store_run(void *context);

/* On the thread, without the lock. `rings` is a copy; its files may disappear meanwhile.
 * partial: the file does not have everything that was put yet, and the rest may be what is
 * requested. */
struct gcs_snapshot *event_history_store_read(struct event_history_store *h,
    const struct ring *rings, uint64_t time_ns, enum event_history_store_way way, bool *partial);
struct gcs_answer *event_history_store_read_profile(struct event_history_store *h,
    const struct ring *rings, const struct event_history_store_question *question, bool *partial);
void event_history_store_close_files(struct event_history_store *h);

#endif
