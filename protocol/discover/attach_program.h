/*
 * Attaching by the program `gcspy` as a child process: for programs that go on whatever happens, as a JVM that
 * does not answer keeps whoever attaches waiting.
 */
#ifndef GCSPY_DISCOVER_ATTACH_PROGRAM_H
#define GCSPY_DISCOVER_ATTACH_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Runs `gcspy attach PID OPTIONS --timeout SECONDS`, and kills it three seconds after that time. `library` is
 * the agent's, or NULL for the one beside the program. False with the reason in `why`: one line, which the
 * child has written and which may have any bytes. Waits; any thread.
 */
bool attach_by_program(const char *gcspy, long pid, const char *options, const char *library,
    unsigned seconds, char *why, size_t size);

#endif
