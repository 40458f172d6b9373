/*
 * Figures of the events up to a moment, or in a time range, from the known events (overview.h): for
 * recordings, and while the user looks back at a live program. Belongs to the window's thread.
 */
#ifndef GCSPY_CLIENT_EVENTS_SUMMARY_H
#define GCSPY_CLIENT_EVENTS_SUMMARY_H

#include "events_log.h"
#include "overview.h"

struct events_summary {
	/* What the figures were computed from. */
	const struct overview *of;
	uint32_t of_count;
	uint64_t of_changes, from_ns, to_ns;
	bool range;

	struct events_figures figures[GCS_MAX_EVENTS];
	uint64_t count[GCS_MAX_EVENTS];
	double rate[GCS_MAX_EVENTS]; /* per second; negative: unknown */
	uint64_t known, all;         /* events; all: by their places */
};

/* Computes the figures from from_ns to to_ns, both included, unless they are up to date. range:
 * rates are means over the range; otherwise those at its end. */
void events_summary_count(struct events_summary *p, const struct overview *o, uint64_t from_ns,
    uint64_t to_ns, bool range);

#endif
