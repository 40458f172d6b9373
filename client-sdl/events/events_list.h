/*
 * The rows of the list of events: of those that are known (overview.h) the ones in the chosen part
 * of time that fit what is looked for, in the order of time. Kept up to date without looking at
 * each event again. Belongs to the window's thread.
 */
#ifndef GCSPY_CLIENT_EVENTS_LIST_H
#define GCSPY_CLIENT_EVENTS_LIST_H

#include <gcspy/model.h>

#include "overview.h"

#define EVENTS_FIND 128 /* bytes of what is looked for */

/* Of the picture that a recording or a connection begins with. */
#define EVENTS_NO_EVENT "Snapshot"

struct events_list {
	uint32_t *row; /* indices of the overview, rising */
	uint32_t count, capacity;
	/* What was looked at. */
	const struct overview *of;
	const struct gcs_model *model; /* compared only */
	uint64_t changes, from_ns, to_ns;
	uint32_t looked;
	uint64_t last_ns, last_sequence;
	char wanted[EVENTS_FIND];
};

void events_list_fini(struct events_list *list);

/* Takes what is new. wanted: words that must all be in an event's name or attributes, or a number
 * that must be its own; "" for all. True when rows other than new ones at the end changed. */
bool events_list_take(struct events_list *list, const struct overview *o,
    const struct gcs_model *model, uint64_t from_ns, uint64_t to_ns, const char *wanted);

/* The i-th of the list, in the order of time. */
const struct moment *events_list_at(const struct events_list *list, uint32_t i);

/* The first of the list at or after a time; count if there is none. */
uint32_t events_list_find(const struct events_list *list, uint64_t time_ns);

/* True if an event fits what is looked for. */
bool events_list_fits(const struct moment *m, const struct gcs_model *model, const char *wanted);

#endif
