/*
 * The agent's events as clients see them (H2): their descriptions, and the attributes that each
 * occurrence carries.
 */
#ifndef GCSPY_AGENT_GC_ATTRIBUTES_H
#define GCSPY_AGENT_GC_ATTRIBUTES_H

#include "capture.h"
#include "heap.h"

/* The ids of the events in the server. */
/* That of the native heap comes after them. */
enum { GC_EVENT_START, GC_EVENT_FINISH, GC_EVENT_CLOCK, GC_EVENT_ALLOCATION, GC_EVENT_COUNT };

extern const struct gcs_event gc_event_descriptions[GC_EVENT_COUNT];

/* The heap's size at an event. */
struct gc_sizes {
	const struct heap_totals *before; /* at the collection's start; NULL: unknown */
	const struct heap_totals *now;    /* NULL: unknown */
};

/* Their values at an occurrence; `texts` are the capture's. */
enum { GC_ATTRIBUTES = 10 };
struct gc_values {
	uint64_t known; /* a bit for each */
	int64_t numbers[GC_ATTRIBUTES];
	const char *texts[GC_ATTRIBUTES];
};

/* The attributes of a capture of a collection or of the clock; `kind` is that of a finish. No lock, no
 * allocation; any thread. */
void gc_attributes_of(struct gc_values *values, const struct capture *capture, enum gc_kind kind,
    const struct gc_sizes *sizes);

/* Sets the attributes of the capture's event, without unknown ones. On the worker. */
void gc_attributes_set(struct gcs_snapshot *snapshot, const struct capture *capture,
    enum gc_kind kind, const struct gc_sizes *sizes);

#endif
