/*
 * Where snapshots come from. The application knows only this table: a live connection today
 * (source_client.c), a trace file by the same functions; tests bring their own.
 */
#ifndef GCSPY_CLIENT_SOURCE_H
#define GCSPY_CLIENT_SOURCE_H

#include <gcspy/client.h>

enum source_state { SOURCE_NONE, SOURCE_CONNECTING, SOURCE_LIVE, SOURCE_LOST };

struct source_ops {
	enum source_state (*state)(void *self, struct gcs_error *why);
	/* The oldest snapshot not yet returned, with a reference for the caller, or NULL. Never
	 * waits. */
	struct gcs_snapshot *(*next)(void *self);
	enum gcs_run_state (*run_state)(void *self, bool *own, uint32_t *others);
	enum gcs_status (*pause)(void *self);
	enum gcs_status (*resume)(void *self);
	enum gcs_status (*step)(void *self);
	void (*collapse)(void *self, uint32_t group, bool collapsed);
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

/* A connection through the client library. token may be NULL. */
struct source_client_options {
	const char *token;
	void (*wake)(void *context);
	void *context;
};

/* For struct source_opener; its context is a struct source_client_options that outlives the source.
 */
bool source_client_open(void *context, const char *address, bool pause_at_start,
    struct source *source, struct gcs_error *err);

#endif
