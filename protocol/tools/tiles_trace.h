/* Tiles of the heap in a trace, which the samples of its profiles are in. Main thread. */
#ifndef GCSPY_TOOLS_TILES_TRACE_H
#define GCSPY_TOOLS_TILES_TRACE_H

#include "profile_source.h"
#include "site_tiles.h"

/* Writes "range=0xSTART-0xEND", the tile with the address `where` at the event before `place`, into
 * `range`. CLI_DONE, or an exit code after a message. */
int tiles_trace_range(struct gcs_trace *trace, uint64_t place, const char *path, const char *where,
    char *range, size_t size);

/* The tiles of a call site's live objects in a trace, as `gcspy tiles` of a server. `write` may
 * change their order. An exit code. */
typedef void tiles_writer(
    struct gcs_site_tiles *tiles, const struct cli_arguments *a, struct out *out);
int tiles_trace_show(
    const struct cli_arguments *arguments, uint64_t site, tiles_writer *write, struct out *out);

#endif
