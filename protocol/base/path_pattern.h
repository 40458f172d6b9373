/* Paths of files with the process and the time in them. */
#ifndef GCSPY_BASE_PATH_PATTERN_H
#define GCSPY_BASE_PATH_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The path with %p replaced by the process, %t by the local time as 2026-11-21_03-26-07, and %% by
 * %, like HotSpot's -Xlog. False if it does not fit or has another %. */
bool path_from_pattern(char *path, size_t size, const char *pattern, long process, int64_t wall_ns);

/* The pattern for people: "gcspy-4711-%t.gcspy (%t: the time)", with the process in it; cut at size. */
void path_pattern_text(char *text, size_t size, const char *pattern, long process);

#endif
