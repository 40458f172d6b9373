/*
 * All of a trace as text, for files that are kept: a line for each event, every 16th event and all
 * profiles in full; tests/wire/test_trace.py writes the same.
 */
#ifndef GCSPY_TESTS_TRACE_TEXT_H
#define GCSPY_TESTS_TRACE_TEXT_H

#include <stdio.h>

#include <gcspy/trace.h>

void trace_print(FILE *file, struct gcs_trace *trace);

#endif
