/*
 * Where snapshots come from. The application knows only this table: a connection
 * (source_client.c), a trace file (source_trace.c) by the same functions; tests bring their own.
 */
#ifndef GCSPY_CLIENT_SOURCE_H
#define GCSPY_CLIENT_SOURCE_H

#include <gcspy/client.h>

#include "moment.h"

enum source_state { SOURCE_NONE, SOURCE_CONNECTING, SOURCE_LIVE, SOURCE_LOST };

struct source_ops {
	/* Of a new connection never SOURCE_LOST at first: each attempt that fails is a change. */
	enum source_state (*state)(void *self, struct gcs_error *why);
	/* The oldest snapshot not yet returned, with a reference for the caller, or NULL. Never
	 * waits. */
	struct gcs_snapshot *(*next)(void *self);
	enum gcs_run_state (*run_state)(void *self, bool *own, uint32_t *others);
	enum gcs_status (*pause)(void *self);
	enum gcs_status (*resume)(void *self);
	enum gcs_status (*step)(void *self);
	void (*collapse)(void *self, uint32_t group, bool collapsed);
	/* What the server is to do at an event for us (F9); NULL where all events are shown. */
	enum gcs_status (*set_filter)(void *self, uint32_t event, const struct gcs_filter *filter);
	/* The server's newest message to people and its number, 0 for none. */
	uint32_t (*notice)(void *self, char *text, size_t size);
	uint64_t (*received)(void *self); /* bytes */
	uint64_t (*overrun)(void *self);  /* snapshots not fetched in time */
	/* Questions beside the snapshots, as in <gcspy/client.h>; answer never waits. All three are
	 * NULL for a source that cannot be asked. */
	enum gcs_status (*query)(void *self, const char *topic, uint32_t count,
	    const struct gcs_info *parameters, uint32_t *id);
	enum gcs_status (*set)(void *self, const char *key, const char *value, uint32_t *id);
	struct gcs_answer *(*answer)(void *self, uint32_t id);
	/* A part of a space in finer blocks, as a space of its own, and its end (F16); answered
	 * likewise. NULL for a source without. */
	enum gcs_status (*zoom)(
	    void *self, uint32_t space, uint64_t start, uint64_t end, uint64_t block, uint32_t *id);
	enum gcs_status (*unzoom)(void *self, uint32_t space, uint32_t *id);
	/* Of a recording (F22): where it stands, false for what is live; and what to do next.
	 * Neither waits; both are NULL for what cannot be a recording. */
	bool (*position)(void *self, struct gcs_position *position);
	enum gcs_status (*seek)(void *self, const struct gcs_seek *wish);
	/* What happened in it, in order, on from the last call; `all`: nothing more will come.
	 * Never waits. NULL where only what was shown is known. */
	uint32_t (*moments)(void *self, struct moment *moments, uint32_t most, bool *all);
	/* What cannot be read of it, in words; "": nothing. NULL likewise. */
	void (*flaws)(void *self, bool brief, char *text, size_t size);
	bool file; /* what has failed once is not tried again */
	void (*close)(void *self);
};

struct source {
	const struct source_ops *ops; /* NULL: no source */
	void *self;
};

/* How the application asks for a connection; wake is called on another thread when something
 * changed. */
struct source_opener {
	bool (*open)(void *context, const char *address, bool pause_at_start, struct source *source,
	    struct gcs_error *err);
	void *context;
};

/* For all kinds of sources. token may be NULL. */
struct source_options {
	const char *token;
	bool play; /* a file plays at once */
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

/* True if an address means a file: there is a trace of that name, or it looks like a path. */
bool source_is_file(const char *address);

#endif
