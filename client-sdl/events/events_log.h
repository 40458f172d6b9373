/*
 * What is remembered of a live program's events as they came: when each was last, its pauses, how
 * often it comes. Of earlier moments and of recordings, events_past.h tells that. Bounded; belongs
 * to the window's thread.
 */
#ifndef GCSPY_CLIENT_EVENTS_LOG_H
#define GCSPY_CLIENT_EVENTS_LOG_H

#include "moment.h"

#define EVENTS_SPAN_NS UINT64_C(5000000000) /* over which a rate is taken */
#define EVENTS_SAMPLES 24u                  /* of the counters, for rates */

struct events_figures {
	bool seen;
	uint64_t last_ns;
	int64_t last_wall_ns;
	uint64_t pauses, pause_ns, longest_ns; /* pauses 0: the event tells none */
};

/* Takes one occurrence in. */
void events_figures_add(struct events_figures *f, const struct moment *m);

struct events_sample {
	uint64_t time_ns;
	uint64_t counter[GCS_MAX_EVENTS];
};

struct events_log {
	struct events_figures figures[GCS_MAX_EVENTS];
	struct events_sample sample[EVENTS_SAMPLES];
	uint32_t sample_first, sample_count;
	uint64_t newest_ns, newest_sequence, arrived_ms;
};

void events_log_clear(struct events_log *log);

/* Takes a snapshot of an event in. One that is earlier than the newest takes away what was after
 * it. */
void events_log_add(struct events_log *log, const struct gcs_snapshot *snapshot, uint64_t now_ms);

/* Occurrences a second lately, by the server's counters; idle_ms of the window's time have passed
 * since the newest snapshot. Negative: not known yet. */
double events_log_rate(const struct events_log *log, const struct gcs_snapshot *snapshot,
    uint32_t event, uint64_t idle_ms);

#endif
