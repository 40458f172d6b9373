/*
 * The file in which HotSpot keeps its counters (/tmp/hsperfdata_USER/PID, "PerfData"): texts are
 * found by name. The layout is that of jdk.internal.perf: a prologue of 32 bytes, version 2, then
 * entries, each with a header of 20 bytes, a name and a vector of values, in the byte order of the
 * machine that wrote it. Only little-endian files are read.
 *
 * The file is another program's and may hold anything; nothing outside the bytes is read.
 */
#ifndef GCSPY_DISCOVER_PERFDATA_H
#define GCSPY_DISCOVER_PERFDATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True once the JVM has started: it says so in the prologue. */
bool perfdata_is_live(const uint8_t *bytes, size_t length);

/* Copies the text of that name, cut to `size`; false and "" if there is none. */
bool perfdata_text(const uint8_t *bytes, size_t length, const char *name, char *text, size_t size);

/* Reads the number of that name; false if there is none. */
bool perfdata_number(const uint8_t *bytes, size_t length, const char *name, int64_t *number);

#endif
