/*
 * The agent's events as clients see them (H2): their descriptions, and the attributes that each
 * occurrence carries. On the worker thread.
 */
#ifndef GCSPY_AGENT_GC_ATTRIBUTES_H
#define GCSPY_AGENT_GC_ATTRIBUTES_H

#include "capture.h"
#include "heap.h"

/* The ids of the events in the server. */
enum { GC_EVENT_START, GC_EVENT_FINISH, GC_EVENT_CLOCK, GC_EVENT_COUNT };

extern const struct gcs_event gc_event_descriptions[GC_EVENT_COUNT];

/* The heap's size at an event. */
struct gc_sizes {
	const struct heap_totals *before; /* at the collection's start; NULL: unknown */
	const struct heap_totals *now;    /* NULL: unknown */
};

/* Sets the attributes of the capture's event, without unknown ones. `kind` is that of a finish. */
void gc_attributes_set(struct gcs_snapshot *snapshot, const struct capture *capture,
    enum gc_kind kind, const struct gc_sizes *sizes);

#endif
