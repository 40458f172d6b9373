/*
 * A zoom for `gcspy dump` (F16): a part of a space in finer blocks, which the server keeps while the
 * command runs.
 */
#ifndef GCSPY_TOOLS_ZOOM_REQUEST_H
#define GCSPY_TOOLS_ZOOM_REQUEST_H

#include "contact.h"

/* Reads "0xSTART-0xEND"; false unless the end is after the start. */
bool zoom_parse_range(const char *text, uint64_t *start, uint64_t *end);

/*
 * Requests the zoom in the space that `arguments` name or, without a name, in the first that shows
 * the range. Waits for the first snapshot and the answer; `space` receives the zoom's id. CLI_DONE,
 * or an exit code after a message.
 */
int zoom_open(struct contact *contact, const struct cli_arguments *arguments, struct out *out,
    uint32_t *space);

/* True if the snapshot has that zoom: its id may have been another's, or withdrawn, before. */
bool zoom_is_in(
    const struct gcs_snapshot *snapshot, uint32_t space, const struct cli_arguments *arguments);

#endif
