/*
 * The events of a recording in order of time, at most OVERVIEW_LIMIT: beyond that, of each pair the
 * one at which no trigger fired, or with the shorter pause, is dropped. Belongs to the window's thread.
 */
#ifndef GCSPY_CLIENT_OVERVIEW_H
#define GCSPY_CLIENT_OVERVIEW_H

#include "event_header.h"

#define OVERVIEW_LIMIT 32768u /* a power of two */

/* What graphs of all events read, close together: a header is five times as large. */
struct event_brief {
	uint64_t time_ns;
	int64_t pause_ns, used_bytes, before_bytes, committed_bytes; /* as in event_header */
	uint32_t event;
	bool after_gap, fired;
};

struct overview {
	struct event_header *at;
	struct event_brief *brief; /* of each of them */
	uint32_t count, capacity;
	uint64_t stride; /* one of this many events is kept; 0: none yet */
	uint64_t seen;
	uint64_t changes;  /* of existing entries: dropped, or inserted between */
	bool newest_whole; /* only the older half is thinned, and stride stays 1 */
	uint64_t whole_ns; /* all events from here on are kept; 0: all are */
	int64_t most_pause, most_used, most_committed; /* of all events; 0: unknown */
	bool has_gaps;
};

void overview_fini(struct overview *o);

/* Inserts an event in order, unless it is there. Dropped without memory. */
void overview_add(struct overview *o, const struct event_header *m);

/* The index of the first event at or after a time, or count. */
uint32_t overview_find(const struct overview *o, uint64_t time_ns);

#endif
