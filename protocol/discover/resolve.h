/*
 * Converts an address as typed to one for gcs_client_open. `pid:N` is the process N; a bare number is
 * a process if that has an agent which listens, else a port; `:N` is always a port. A word without a
 * colon is the name of a JVM's program (jvm_name.h). Everything else is returned unchanged. `2002:` may precede each of them.
 *
 * Reads /proc; neither connects nor waits. Any thread.
 */
#ifndef GCSPY_DISCOVER_RESOLVE_H
#define GCSPY_DISCOVER_RESOLVE_H

#include <stdbool.h>

#include <gcspy/status.h>

/* Whether the text has the form of a target behind `gcspy serve`, which a path may have too. */
bool resolve_is_served(const char *text);

enum { RESOLVE_ADDRESS = 640 };

struct resolved {
	char address[RESOLVE_ADDRESS];
	/* For a bare number that is taken as a port: why it is not a process with an agent, to add
	 * to the error if nothing listens there; or "". */
	char hint[320];
};

/* GCS_OK, or a status with one line in `err` that names the process and why it cannot be reached. */
enum gcs_status resolve(const char *text, struct resolved *resolved, struct gcs_error *err);

#endif
