/* `gcspy run --leaks`: the program is a child, and what it has not freed at its end is listed. */
#ifndef GCSPY_TOOLS_RUN_LEAKS_H
#define GCSPY_TOOLS_RUN_LEAKS_H

#include "tool.h"

enum { RUN_LEAKS_PATH = 256 };

/* Makes the file that the program's library writes; CLI_DONE, or an exit code after a message. */
int run_leaks_prepare(char path[RUN_LEAKS_PATH]);

/*
 * Returns false in a child, which is to become the program. In the parent waits for its end, passes on the
 * signals that ask it to end, lists on standard error what it has left, and ends as it has: by a signal, or
 * true with its exit status.
 */
bool run_leaks_wait(const struct cli_arguments *arguments, const char *path, int *status);

#endif
