/* The command of `gcspy trigger --do command`. */
#ifndef GCSPY_TOOLS_TRIGGER_COMMAND_H
#define GCSPY_TOOLS_TRIGGER_COMMAND_H

#include <gcspy/client.h>

/*
 * Runs the command by sh and waits for its end; warns if it fails. Its environment has GCSPY_TRIGGER,
 * GCSPY_TIMES and GCSPY_EVENT, and for each attribute that is known its value in GCSPY_NAME, with its
 * name in capitals and `_` for other characters than letters and digits.
 */
void trigger_run_command(
    const char *command, const struct gcs_snapshot *snapshot, const struct gcs_fired *fired);

#endif
