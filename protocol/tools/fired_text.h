/* A trigger that has fired, with the answer of its plugin, as `gcspy trigger` and `gcspy ask` write it. */
#ifndef GCSPY_TOOLS_FIRED_TEXT_H
#define GCSPY_TOOLS_FIRED_TEXT_H

#include <gcspy/snapshot.h>
#include <gcspy/trigger.h>

#include "out.h"

/* A line for the event, and the lines of the answer. */
void fired_write_text(
    struct out *out, const struct gcs_snapshot *snapshot, const struct gcs_fired *fired);

/* A document on one line. */
void fired_write_json(
    struct out *out, const struct gcs_snapshot *snapshot, const struct gcs_fired *fired);

#endif
