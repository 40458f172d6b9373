/*
 * Where a command's profile comes from: a server, a profile's file, or a trace, which has many. On
 * failure each returns NULL, with the exit code, after a message. Main thread.
 */
#ifndef GCSPY_TOOLS_PROFILE_SOURCE_H
#define GCSPY_TOOLS_PROFILE_SOURCE_H

#include <gcspy/trace.h>

#include "tool.h"

/* The profile of the chosen kind from the operand. */
struct gcs_profile *profile_open(const struct cli_arguments *arguments, int *code);

/* The one that `profile` is compared with, of the same kind. */
struct gcs_profile *profile_load_base(
    const struct cli_arguments *arguments, const struct gcs_profile *profile, int *code);

/* A trace, or NULL after a message. */
struct gcs_trace *trace_source_open(const char *path, int *code);

#endif
