/*
 * A connection requested while another program or a recording is shown. It replaces what is shown
 * when its first snapshot arrives, so that the window never mixes two programs; until then all stays
 * as it is. Retried until it succeeds or is given up. The window's thread only; never waits.
 */
#ifndef GCSPY_CLIENT_PENDING_CONNECTION_H
#define GCSPY_CLIENT_PENDING_CONNECTION_H

#include "source.h"

struct app;

struct pending_connection {
	struct source source;       /* ops NULL: none, or to be retried later */
	char address[1024];         /* "": none */
	char why[256];              /* why the last attempt failed, or "" */
	uint64_t retry_at_ms;       /* 0: no attempt is due */
	struct gcs_snapshot *first; /* its first snapshot, once it has replaced what was shown */
};

/* True if a new source has to wait for its first snapshot. */
bool pending_connection_waits(
    const struct app *app, const struct source *source, const char *address);

/* Takes ownership of the source. */
void pending_connection_begin(struct app *app, const struct source *source, const char *address);

/* Gives up the connection; false if there is none. */
bool pending_connection_end(struct app *app);

/* Checks whether it is up, and retries when that is due. */
void pending_connection_poll(struct app *app);
void pending_connection_tick(struct app *app);

/* "No connection to X: refused, retrying"; "" without one. */
void pending_connection_text(const struct app *app, char *text, size_t size);

#endif
