/*
 * Figures of the events in the selected time range: count by kind, pauses, bytes allocated as far
 * as the events tell. They cover the events that are known, and say how many of all those are.
 */
#ifndef GCSPY_CLIENT_RANGE_H
#define GCSPY_CLIENT_RANGE_H

#include <gcspy/model.h>

#include "export_text.h"
#include "event_history.h"

struct cv_rect;

struct range_figures {
	uint64_t events[GCS_MAX_EVENTS]; /* by kind */
	uint64_t known, all; /* events; all: from the numbers of the first and last one */
	uint64_t pauses;     /* collections: events with a pause */
	int64_t pause_ns, longest_ns;
	int64_t allocated; /* bytes between these events; -1: unknown */
};

void range_count(
    const struct overview *o, uint64_t from_ns, uint64_t to_ns, struct range_figures *figures);

/* "0:01.200 – 0:03.400 · 2.2 s" */
void range_summary(const struct app *app, char *text, size_t size);

/* The section of the side panel, and the same as text. */
void range_side(struct app *app, struct cv_rect *column);
void range_text(const struct app *app, struct textbuf *out);

#endif
