/*
 * HotSpot's attach protocol, the requesting side, as JDK 11 to 25 speak it (version 1; JDK 25 has a
 * second one beside it). The JVM looks for a file .attach_pidPID when it gets SIGQUIT, and then
 * listens on /tmp/.java_pidPID; a request is five texts, each ended by a NUL byte: "1", "load", the
 * library, "true" for a path that is absolute, and the agent's options. The answer is text to the
 * end of the connection: a status line, then what the command printed.
 *
 * SIGQUIT ends a process that does not handle it, and prints a thread dump in a JVM that does not
 * look for the file: it is sent only after both have been ruled out, at most twice.
 */
#ifndef GCSPY_DISCOVER_ATTACH_H
#define GCSPY_DISCOVER_ATTACH_H

#include <stddef.h>
#include <stdint.h>

#include "jvm.h"

/* A JVM reads at most 1024 bytes of each text. */
enum { ATTACH_TEXT = 1000, ATTACH_ANSWER = 4096 };

/*
 * Has the JVM load a library by its absolute path; the wait ends at `deadline_ms`, milliseconds of
 * CLOCK_MONOTONIC. True when Agent_OnAttach was called, with what it returned in `*result`; else
 * false, with one line that says why in `why`. Blocks SIGINT, SIGTERM and SIGHUP while a file of
 * ours is in the JVM's folder: call it from a thread that takes signals.
 */
bool attach_load(const struct jvm *jvm, const char *library, const char *options,
    uint64_t deadline_ms, int *result, char *why, size_t size);

/*
 * Reads an answer: true, with what Agent_OnAttach returned, if it was called; else false, with why
 * it was not, on one line, in `why`.
 */
bool attach_parse_answer(const char *answer, int *result, char *why, size_t size);

#endif
