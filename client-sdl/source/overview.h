/*
 * The events of a recording in the order of time, at most OVERVIEW_LIMIT of them: of more, each
 * second one goes, the one with the shorter pause. Belongs to the window's thread.
 */
#ifndef GCSPY_CLIENT_OVERVIEW_H
#define GCSPY_CLIENT_OVERVIEW_H

#include "moment.h"

#define OVERVIEW_LIMIT 32768u /* a power of two */

struct overview {
	struct moment *at;
	uint32_t count, capacity;
	uint64_t stride; /* of so many events one is kept; 0: none came yet */
	uint64_t seen;
	uint64_t changes;              /* of what was there: thinned, or put between */
	bool newest_whole;             /* only the older half is thinned, and stride stays 1 */
	uint64_t whole_ns;             /* all events from here on are kept; 0: all are */
	int64_t most_pause, most_used; /* of all events; 0: none tells */
};

void overview_fini(struct overview *o);

/* Puts a moment where it belongs, unless it is there. Without memory it is left out. */
void overview_add(struct overview *o, const struct moment *m);

/* The index of the first moment at or after a time; count if there is none. */
uint32_t overview_find(const struct overview *o, uint64_t time_ns);

#endif
