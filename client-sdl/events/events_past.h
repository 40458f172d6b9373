/*
 * What is told of events up to a moment, or in a part of time, from the events that are known of it
 * (overview.h): of recordings, and while one looks back at a live program. Belongs to the window's
 * thread.
 */
#ifndef GCSPY_CLIENT_EVENTS_PAST_H
#define GCSPY_CLIENT_EVENTS_PAST_H

#include "events_log.h"
#include "overview.h"

struct events_past {
	/* What it was counted of. */
	const struct overview *of;
	uint32_t of_count;
	uint64_t of_changes, from_ns, to_ns;
	bool range;

	struct events_figures figures[GCS_MAX_EVENTS];
	uint64_t count[GCS_MAX_EVENTS];
	double rate[GCS_MAX_EVENTS]; /* a second; negative: not known */
	uint64_t known, all;         /* events; all: as their places tell */
};

/* Counts what happened from from_ns to to_ns, both included, unless it has just done that. range:
 * rates are those of the whole part; else those at its end. */
void events_past_count(
    struct events_past *p, const struct overview *o, uint64_t from_ns, uint64_t to_ns, bool range);

#endif
