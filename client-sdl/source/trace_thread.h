/*
 * A trace file being played: what the threads behind source_trace.c share with it. gcs_player
 * shows; a thread of our own opens the file, answers questions and reads what happened, so that the
 * window's thread never waits for a disk.
 */
#ifndef GCSPY_CLIENT_TRACE_THREAD_H
#define GCSPY_CLIENT_TRACE_THREAD_H

#include <pthread.h>

#include "player.h"
#include "source.h"

enum { TRACE_THREAD_QUEUE = 8, TRACE_THREAD_HEADERS = 4096 };

struct trace_thread_question {
	uint32_t id;
	bool paths; /* reference chains; else a profile: */
	enum gcs_profile_kind kind;
};

struct trace_thread {
	struct source_options options;
	char *path;
	const char *name; /* without folders */
	pthread_t thread;

	pthread_mutex_t lock; /* all below */
	pthread_cond_t changed;
	bool ending;
	enum source_state state;
	struct gcs_error why;
	struct gcs_player *player; /* from LIVE on */
	struct gcs_trace_info info;
	bool held;
	double speed;

	struct gcs_snapshot *queue[TRACE_THREAD_QUEUE];
	uint32_t first, count;
	uint32_t given; /* since the window's thread last found the queue empty */

	struct trace_thread_question questions[GCS_MAX_QUERIES];
	struct gcs_answer *answers[GCS_MAX_QUERIES];
	uint32_t question_count, answer_count, last_id;

	struct event_header headers[TRACE_THREAD_HEADERS];
	uint32_t header_first, header_count;
	uint64_t next_place; /* to be read */
	struct fired_list fired;
	struct recorded_profile *profiles; /* of live objects; written once */
	uint32_t profile_count;
	bool profiles_known;

	bool find; /* seek to a time */
	uint64_t find_ns;

	struct gcs_trace *probe; /* the file again, to look for damage; the thread's own */
	uint64_t probed;         /* places; all of them if it is not scanned */
	uint64_t unreadable;     /* events */
	char damage[320];        /* the first, as text */
	uint32_t notice;
};

/* The thread's function; its argument is the trace thread. */
void *trace_thread_run(void *context);

/* An answer of our own making; takes the bytes over. NULL without memory. */
struct gcs_answer *trace_thread_make_answer(
    uint32_t id, enum gcs_status status, const char *message, void *bytes, size_t length);

/* Tells the window that there is something new. */
void trace_thread_wake(struct trace_thread *r);

#endif
