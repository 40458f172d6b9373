/*
 * A connection that is asked for while a recording is shown: it takes the recording's place with
 * its first picture, and until then the recording stays what it was. Tried again like a lost
 * connection. The window's thread only; never waits.
 */
#ifndef GCSPY_CLIENT_PENDING_CONNECTION_H
#define GCSPY_CLIENT_PENDING_CONNECTION_H

#include "source.h"

struct app;

struct pending_connection {
	struct source source;       /* ops NULL: there is none, or it is tried again later */
	char address[1024];         /* "": there is none */
	char why[256];              /* it failed last, "" */
	uint64_t retry_at_ms;       /* 0: no attempt is due */
	struct gcs_snapshot *first; /* its first picture, once it has the recording's place */
};

/* True if a new source has to wait for its first picture. */
bool pending_connection_waits(const struct app *app, const struct source *source);

/* Takes the source over. */
void pending_connection_begin(struct app *app, const struct source *source, const char *address);

/* Gives it up; false if there is none. */
bool pending_connection_end(struct app *app);

/* Looks whether it has come, and tries again when that is due. */
void pending_connection_poll(struct app *app);
void pending_connection_tick(struct app *app);

/* "No connection to X: refused, retrying", "" without one. */
void pending_connection_words(const struct app *app, char *text, size_t size);

#endif
