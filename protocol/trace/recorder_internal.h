/*
 * What the files of the recorder share: recorder.c creates and ends it, recorder_queue.c takes what is
 * recorded, recorder_thread.c writes it.
 *
 * The lock guards the queue and the counts; the writer belongs to the thread. The clock is the only
 * system call made with the lock held.
 */
#ifndef GCSPY_TRACE_RECORDER_INTERNAL_H
#define GCSPY_TRACE_RECORDER_INTERNAL_H

#include <gcspy/recorder.h>

#include <pthread.h>
#include <stdatomic.h>

#include "late_profiles.h"

/* A snapshot, a profile's bytes, or an answer. */
struct item {
	const struct gcs_snapshot *snapshot;
	void *bytes; /* of a profile */
	struct gcs_trace_answer *answer;
	size_t length;
	size_t cost;
	uint64_t missed; /* as reported when it was put in */
};

struct gcs_recorder {
	pthread_t thread;
	struct gcs_trace_writer *writer; /* the thread's; NULL when finished */
	atomic_int fd;                   /* of its file, for recorder_forget; -1: none */
	char *path;
	struct late_profiles late; /* the thread's */
	uint64_t flush_ns;
	uint64_t due_ns;     /* the thread's: when to flush the writer; 0: it is empty */
	uint64_t checked_ns; /* the thread's: when the file was last checked */
	uint32_t finish_ms;
	uint32_t queue_limit;
	size_t queue_bytes_limit;
	void (*changed)(void *context);
	void (*finished)(void *context, const struct gcs_recorder_stats *stats);
	void *context;

	pthread_mutex_t lock;  /* the rest */
	pthread_cond_t wake;   /* for the thread: work, or `stopping` */
	pthread_cond_t rested; /* for gcs_recorder_finish: `done` or `calling` has changed */
	struct item *queue;
	uint32_t first, count;
	size_t bytes;
	uint64_t last_serial; /* of the snapshot queued last */
	uint64_t missed;      /* snapshots reported as missed */
	struct gcs_recorder_stats stats;
	bool stopping, done, calling;
	bool abandoned; /* the thread is on its own and frees everything */
};

/* Lock held. */
struct item recorder_take_first(struct gcs_recorder *r);
void recorder_free_item(const struct item *item);
void recorder_forget_all(struct gcs_recorder *r);
static inline bool recorder_ended(const struct gcs_recorder *r)
{
	return r->stats.error.status != GCS_OK;
}

/* Copies the writer's counts; true if the file has grown. Lock held. */
bool recorder_note(struct gcs_recorder *r);

/* The thread; its argument is the recorder. */
void *recorder_run(void *context);

/* Finishes the file; on the thread, or without one. */
void recorder_close(struct gcs_recorder *r, struct gcs_error *err);

/* After the thread's end, or on it. */
void recorder_destroy(struct gcs_recorder *r);

#endif
