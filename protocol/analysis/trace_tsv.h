/* Cells of tab-separated values: what the tables of a trace have in common. */
#ifndef GCSPY_ANALYSIS_TRACE_TSV_H
#define GCSPY_ANALYSIS_TRACE_TSV_H

#include "text.h"
#include "trace_walk.h"

/*
 * Foreign text as a cell, without the tab before it: on one line, and with an apostrophe in front
 * where a spreadsheet would take it for a formula.
 */
void tsv_text(struct text *t, const char *foreign);

/* A number as a cell, addresses in hexadecimal. */
void tsv_number(struct text *t, int64_t value, enum gcs_format format);

/* The cells that each line begins with, and their names: place, seconds, time, event. */
void tsv_moment_names(struct text *t);
void tsv_moment(
    struct text *t, uint64_t place, const struct gcs_snapshot *s, uint64_t first_time_ns);

#endif
