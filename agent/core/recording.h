/* The agent's own recorder (F21, option `record`): its file, and messages about it. The server owns
 * the recorder itself. */
#ifndef GCSPY_AGENT_RECORDING_H
#define GCSPY_AGENT_RECORDING_H

#include <gcspy/server.h>

#include "options.h"

/* Creates the file and adds the recorder to the server's audience; OK also when recording is off.
 * `log` gets a line when recording ends: with the JVM, or after an error. */
enum gcs_status recording_open(const struct agent_options *options, struct gcs_server *server,
    void (*log)(const char *line), struct gcs_error *err);

/* Resets the state; after the server, which owns the recorder, has been destroyed. */
void recording_close(void);

/* "recording to PATH", or "" when recording is off. */
const char *recording_line(void);

#endif
