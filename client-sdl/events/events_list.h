/*
 * The rows of the list of events: the known events (overview.h) in the selected time range that
 * match the search, in order of time. Updated incrementally. Belongs to the window's thread.
 */
#ifndef GCSPY_CLIENT_EVENTS_LIST_H
#define GCSPY_CLIENT_EVENTS_LIST_H

#include <gcspy/model.h>

#include "overview.h"

#define EVENTS_FIND 128 /* maximum length of a search text */

/* Of the snapshot that a recording or a connection starts with. */
#define EVENTS_NO_EVENT "Snapshot"

struct events_list {
	uint32_t *row; /* indices into the overview, ascending */
	uint32_t count, capacity;
	/* What the rows were computed from. */
	const struct overview *of;
	const struct gcs_model *model; /* only compared */
	uint64_t changes, from_ns, to_ns;
	uint32_t looked;
	uint64_t last_ns, last_sequence;
	char wanted[EVENTS_FIND];
};

void events_list_fini(struct events_list *list);

/* Updates the rows. wanted: words that must all be in an event's name or attributes, or its
 * number; "" for all. True if rows changed other than by new ones at the end. */
bool events_list_take(struct events_list *list, const struct overview *o,
    const struct gcs_model *model, uint64_t from_ns, uint64_t to_ns, const char *wanted);

/* Event i of the list, in order of time. */
const struct event_header *events_list_at(const struct events_list *list, uint32_t i);

/* The first of the list at or after a time, or count. */
uint32_t events_list_find(const struct events_list *list, uint64_t time_ns);

/* True if an event matches the search. */
bool events_list_fits(
    const struct event_header *m, const struct gcs_model *model, const char *wanted);

#endif
