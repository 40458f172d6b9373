/*
 * Signals that ask a command to end: SIGINT, SIGTERM and SIGHUP. They are noted and wake the poll on
 * the command's pipe. Those that come within a second are one. Main thread.
 */
#ifndef GCSPY_TOOLS_SIGNALS_H
#define GCSPY_TOOLS_SIGNALS_H

#include <stdbool.h>

/* From now on such a signal writes a byte to `pipe_end`; -1: no more. */
void signals_catch(int pipe_end);

/* Signals do from now on what they did before the first signals_catch. */
void signals_release(void);

/* Forgets those that have come. */
void signals_forget(void);

/* True once one has come. */
bool signals_seen(void);

#endif
