/*
 * Where a command's profile comes from: a server, a profile's file, or a trace, which has many. On
 * failure each returns NULL, with the exit code, after a message. Main thread.
 */
#ifndef GCSPY_TOOLS_PROFILE_SOURCE_H
#define GCSPY_TOOLS_PROFILE_SOURCE_H

#include <gcspy/trace.h>

#include "tool.h"

/* The profile of the chosen kind from the operand. Where the source has not applied --where, it is
 * in `arguments->filter`. */
struct gcs_profile *profile_open(struct cli_arguments *arguments, int *code);

/* The one that `profile` is compared with, of the same kind. */
struct gcs_profile *profile_load_base(
    const struct cli_arguments *arguments, const struct gcs_profile *profile, int *code);

/* A profile of a trace; `place` is the number of events before it. */
struct profile_in_trace {
	struct gcs_trace *trace;
	struct gcs_profile *profile;
	uint64_t place;
};

/* The last profile of that kind up to --at; false with the exit code after a message. */
bool profile_of_trace(const struct cli_arguments *arguments, enum gcs_profile_kind kind,
    struct profile_in_trace *source, int *code);
void profile_of_trace_close(struct profile_in_trace *source);

/* The plugin's last answer in a trace up to --at, or its first one; NULL with the exit code after a
 * message. gcs_plugin_free. */
struct gcs_trace_answer *answer_of_trace(
    const char *path, const char *plugin, const char *at, bool first, int *code);

/* A trace, or NULL after a message. */
struct gcs_trace *trace_source_open(const char *path, int *code);

#endif
