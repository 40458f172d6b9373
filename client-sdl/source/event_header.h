/*
 * The header of an event in a recording, without its snapshot: for the timeline, which shows all
 * events.
 */
#ifndef GCSPY_CLIENT_EVENT_HEADER_H
#define GCSPY_CLIENT_EVENT_HEADER_H

#include <gcspy/snapshot.h>
#include <stdbool.h>

#define EVENT_HEADER_TEXT  240 /* bytes of the attributes as text */
#define EVENT_HEADER_FIRED 64  /* of the names of the triggers that have fired */

struct event_header {
	uint64_t sequence;
	uint64_t time_ns;
	uint64_t elapsed_ns; /* since the previous event */
	uint64_t place;      /* index among the known events, from 0; set by the caller */
	uint64_t number; /* for people: a recording's, from 1; the server's; set by the caller */
	uint32_t event;
	int64_t pause_ns;        /* -1: unknown */
	int64_t used_bytes;      /* of the heap; -1: unknown */
	int64_t before_bytes;    /* of the heap before the event; -1: unknown */
	int64_t committed_bytes; /* of the heap; -1: unknown */
	int64_t wall_ns;         /* since 1970; 0: unknown */
	uint64_t own_ns;         /* the server's own part of elapsed_ns */
	bool after_gap;          /* nothing is known of the time before it; set by the caller */
	char fired[EVENT_HEADER_FIRED]; /* names of triggers, '\n' between; "": none */
	char text[EVENT_HEADER_TEXT];   /* the attributes, or ""; only of event_header_with_text */
};

/* Whether an event of that kind tells its pause or the memory in use. */
bool event_header_tells(const struct gcs_event *event);

struct event_header event_header_of(const struct gcs_snapshot *snapshot);

/* With text: "cause G1 Evacuation Pause · pause 2.35 ms", after "fired NAMES · " where triggers have. Attributes that do not fit are left
 * out whole, with an ellipsis. */
struct event_header event_header_with_text(const struct gcs_snapshot *snapshot);

/* "long pause, full": the triggers, for people. */
void event_header_put_fired(const struct event_header *m, char *text, size_t size);

/* The bytes at the start of the text that are about triggers. */
size_t event_header_fired_length(const struct event_header *m);

#endif
