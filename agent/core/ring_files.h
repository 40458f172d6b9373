/* The agent's flight ring (F21, option `record-ring`): its files, and messages about them. The server
 * owns the ring itself. */
#ifndef GCSPY_AGENT_RING_FILES_H
#define GCSPY_AGENT_RING_FILES_H

#include <gcspy/flight_ring.h>

#include "options.h"
#include "queries.h"

/* Adds a ring to the server; OK also when the option is off. `log` gets a line for each recording, on
 * the ring's thread. */
enum gcs_status ring_files_open(const struct agent_options *options, struct gcs_server *server,
    void (*log)(const char *line), struct gcs_error *err);

/* What is asked for profiles when a recording begins; before the server starts. */
void ring_files_set_queries(struct queries *queries);

/* Resets the state; after the server has been destroyed. */
void ring_files_close(void);

/* "keeping the last 30 s …", or "" when the option is off. */
const char *ring_files_line(void);

#endif
