/* What `sites` and `export --what sites` write of a profile. Main thread. */
#ifndef GCSPY_TOOLS_SITES_WRITE_H
#define GCSPY_TOOLS_SITES_WRITE_H

#include "tool.h"

/* Settles the format and what follows from it. CLI_DONE, or an exit code after a message. */
int sites_settle(struct cli_arguments *arguments);

/* Reports a bad pattern before a server is asked. */
int sites_check_patterns(const struct cli_arguments *arguments);

/* Writes the profile's sites, or with a base what changed; an exit code. */
int sites_write(
    const struct cli_arguments *arguments, const struct gcs_profile *profile, struct out *out);

#endif
