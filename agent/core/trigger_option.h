/* Triggers from the agent's start (F17, option `trigger`). */
#ifndef GCSPY_AGENT_TRIGGER_OPTION_H
#define GCSPY_AGENT_TRIGGER_OPTION_H

#include <gcspy/server.h>

#include "options.h"

/* Sets them; after the events have been added. They save the ring, if there is one. */
enum gcs_status trigger_option_set(
    const struct agent_options *options, struct gcs_server *server, struct gcs_error *err);

#endif
