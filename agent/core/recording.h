/*
 * The agent's own recorder (F21, option `record`): where its file is, and what is said of it. The
 * server owns the recorder itself.
 */
#ifndef GCSPY_AGENT_RECORDING_H
#define GCSPY_AGENT_RECORDING_H

#include <gcspy/server.h>

#include "options.h"

/*
 * The path with %p replaced by the process, %t by the local time as 2026-11-21_03-26-07, and %% by
 * %; as in the names of HotSpot's -Xlog. False if it does not fit or has another %.
 */
bool recording_path(char *path, size_t size, const char *pattern, long process, int64_t wall_ns);

/*
 * Creates the file and puts the recorder into the server's audience; OK, too, where nothing is to
 * be recorded. `say` gets a line when recording ends: with the JVM, or because it cannot go on.
 */
enum gcs_status recording_open(const struct agent_options *options, struct gcs_server *server,
    void (*say)(const char *line), struct gcs_error *err);

/* Forgets the recording; after the server, which owns the recorder, has been destroyed. */
void recording_close(void);

/* "recording to PATH", or "" where nothing is recorded. */
const char *recording_line(void);

#endif
