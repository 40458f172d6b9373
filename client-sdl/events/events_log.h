/*
 * What is remembered of the events that came: when each was last, its pauses, how often it comes,
 * and the last ones as a list. Bounded; belongs to the window's thread.
 */
#ifndef GCSPY_CLIENT_EVENTS_LOG_H
#define GCSPY_CLIENT_EVENTS_LOG_H

#include <gcspy/snapshot.h>

#define EVENTS_LAST    500u /* of the list */
#define EVENTS_WORDS   240  /* bytes of an entry's attributes */
#define EVENTS_SAMPLES 24u  /* of the counters, for rates */

struct events_entry {
	uint64_t sequence, time_ns;
	int64_t wall_ns;
	uint32_t event;
	char name[80];
	char words[EVENTS_WORDS]; /* the attributes, "" for none */
};

struct events_figures {
	bool seen;
	uint64_t last_ns;
	int64_t last_wall_ns;
	uint64_t pauses, pause_ns, longest_ns; /* pauses 0: the event tells none */
};

struct events_sample {
	uint64_t time_ns;
	uint64_t counter[GCS_MAX_EVENTS];
};

struct events_log {
	struct events_entry *entry; /* a ring of EVENTS_LAST, NULL before the first event */
	uint32_t first, count;
	uint64_t forgotten; /* entries that were pushed out */
	struct events_figures figures[GCS_MAX_EVENTS];
	struct events_sample sample[EVENTS_SAMPLES];
	uint32_t sample_first, sample_count;
	uint64_t newest_ns, newest_sequence, arrived_ms;
};

void events_log_clear(struct events_log *log);
void events_log_fini(struct events_log *log);

/* Takes a snapshot of an event in. One that is earlier than the newest (a recording went back) takes
 * away what was after it. True if the list has a new entry. */
bool events_log_add(struct events_log *log, const struct gcs_snapshot *snapshot, uint64_t now_ms);

/* The i-th of the list, from the newest. */
const struct events_entry *events_log_at(const struct events_log *log, uint32_t i);

/* Occurrences a second lately, by the server's counters; idle_ms of the window's time have passed
 * since the newest snapshot. Negative: not known yet. */
double events_log_rate(const struct events_log *log, const struct gcs_snapshot *snapshot,
    uint32_t event, uint64_t idle_ms);

#endif
