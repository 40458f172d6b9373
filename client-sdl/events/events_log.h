/*
 * Figures of a live program's events as they arrive: the last of each kind, its pauses, its rate.
 * For earlier moments and recordings see events_summary.h. Bounded; belongs to the window's thread.
 */
#ifndef GCSPY_CLIENT_EVENTS_LOG_H
#define GCSPY_CLIENT_EVENTS_LOG_H

#include "event_header.h"

#define EVENTS_SPAN_NS UINT64_C(5000000000) /* span of a rate */
#define EVENTS_SAMPLES 24u                  /* of the counters, for rates */

struct events_figures {
	bool seen;
	uint64_t last_ns;
	int64_t last_wall_ns;
	uint64_t pauses, pause_ns, longest_ns; /* pauses 0: the event has none */
};

/* Adds an occurrence. */
void events_figures_add(struct events_figures *f, const struct event_header *m);

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

/* Adds the event of a snapshot. One that is earlier than the newest removes those after it. */
void events_log_add(struct events_log *log, const struct gcs_snapshot *snapshot, uint64_t now_ms);

/* Recent occurrences per second, by the server's counters; idle_ms: time of the window since the
 * newest snapshot. Negative: unknown. */
double events_log_rate(const struct events_log *log, const struct gcs_snapshot *snapshot,
    uint32_t event, uint64_t idle_ms);

#endif
