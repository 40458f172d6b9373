/*
 * Where snapshots come from. The application knows only this table: a connection (source_client.c)
 * and a trace file (source_trace.c) have the same functions; tests bring their own.
 */
#ifndef GCSPY_CLIENT_SOURCE_H
#define GCSPY_CLIENT_SOURCE_H

#include <gcspy/client.h>

#include "event_header.h"
#include "fired_list.h"

/* A profile of live objects in a recording: events from number `place` on show it. */
struct recorded_profile {
	uint64_t place, time_ns;
	bool empty; /* nothing in it has survived a collection */
};

enum source_state { SOURCE_NONE, SOURCE_CONNECTING, SOURCE_LIVE, SOURCE_LOST };

struct source_ops {
	/* A new connection never starts with SOURCE_LOST: each failed attempt is a change of
	 * state. */
	enum source_state (*state)(void *self, struct gcs_error *why);
	/* The oldest snapshot not yet returned, with a reference for the caller, or NULL. Never
	 * waits. */
	struct gcs_snapshot *(*next)(void *self);
	enum gcs_run_state (*run_state)(void *self, bool *own, uint32_t *others);
	enum gcs_status (*pause)(void *self);
	enum gcs_status (*resume)(void *self);
	enum gcs_status (*step)(void *self);
	void (*collapse)(void *self, uint32_t group, bool collapsed);
	/* What the server does at an event for us (F9); NULL if all events are shown. */
	enum gcs_status (*set_filter)(void *self, uint32_t event, const struct gcs_filter *filter);
	/* At most one snapshot in `ms` (F12), or with 0 each event; NULL if not supported. */
	enum gcs_status (*set_interval)(void *self, uint32_t ms);
	/* The server's newest message to the user and its number, or 0. */
	uint32_t (*notice)(void *self, char *text, size_t size);
	uint64_t (*received)(void *self); /* bytes */
	uint64_t (*overrun)(
	    void *self); /* snapshots dropped because they were not fetched in time */
	/* Queries, as in <gcspy/client.h>; answer never waits. All three are NULL for a source
	 * without queries. */
	enum gcs_status (*query)(void *self, const char *topic, uint32_t count,
	    const struct gcs_info *parameters, uint32_t *id);
	enum gcs_status (*set)(void *self, const char *key, const char *value, uint32_t *id);
	struct gcs_answer *(*answer)(void *self, uint32_t id);
	/* Sets and removes triggers, answered likewise. NULL if not supported. */
	enum gcs_status (*set_trigger)(void *self, const struct gcs_trigger *trigger, uint32_t *id);
	enum gcs_status (*remove_trigger)(void *self, const char *name, uint32_t *id);
	/* Describes a part of a space in finer blocks, as a space of its own, and ends that
	 * (F16); answered likewise. NULL if not supported. */
	enum gcs_status (*zoom)(
	    void *self, uint32_t space, uint64_t start, uint64_t end, uint64_t block, uint32_t *id);
	enum gcs_status (*unzoom)(void *self, uint32_t space, uint32_t *id);
	/* Of a recording (F22): its position, false if live; and what to do next. Neither waits;
	 * both are NULL for what cannot be a recording. */
	bool (*position)(void *self, struct gcs_position *position);
	enum gcs_status (*seek)(void *self, const struct gcs_seek *request);
	/* The event headers of a recording in order, continued from the last call; `all`: there
	 * are no more. Never waits. NULL if only shown events are known. */
	uint32_t (*headers)(void *self, struct event_header *headers, uint32_t most, bool *all);
	/* The triggers of the headers so far. NULL if only shown events are known. */
	void (*fired)(void *self, struct fired_list *list);
	/* Its profiles of live objects, in order, known once headers says `all`; they stay until
	 * close. NULL if not known. */
	const struct recorded_profile *(*live_profiles)(void *self, uint32_t *count);
	/* What cannot be read of it, as text, or "". NULL if never damaged. */
	void (*flaws)(void *self, bool brief, char *text, size_t size);
	bool file; /* no retry after a failure */
	void (*close)(void *self);
};

struct source {
	const struct source_ops *ops; /* NULL: no source */
	void *self;
	long process; /* that a number as its address was found to be; 0: none */
};

/* How the application opens a source; wake is called on another thread when something changes. */
struct source_opener {
	bool (*open)(void *context, const char *address, bool pause_at_start, struct source *source,
	    struct gcs_error *err);
	void *context;
};

/* For all kinds of sources. token may be NULL. */
struct source_options {
	const char *token;
	bool play; /* a file plays from its start; else it opens at its end, paused */
	void (*wake)(void *context);
	void *context;
};

/* For struct source_opener, whose context is a struct source_options that outlives the source: a
 * connection through the client library; a trace file; whichever of them the address names. */
bool source_client_open(void *context, const char *address, bool pause_at_start,
    struct source *source, struct gcs_error *err);
bool source_trace_open(void *context, const char *path, bool pause_at_start, struct source *source,
    struct gcs_error *err);
bool source_open(void *context, const char *address, bool pause_at_start, struct source *source,
    struct gcs_error *err);

/* True if an address means a file: a trace of that name exists, or it looks like a path. */
bool source_is_file(const char *address);

#endif
