/*
 * A trace written for other programs (rows F23, E2): tables of tab-separated values for
 * spreadsheets and scripts, and the Trace Event Format of chrome://tracing and ui.perfetto.dev.
 *
 * Each function reads the trace once or twice in order and gives its bytes to the sink as they are
 * made, so that memory does not grow with the trace. Events that damage made unreadable are left
 * out and counted. Names come from a program that is not trusted: no format shows a control
 * character, markup or formula of theirs. docs/export.md describes the formats.
 */
#ifndef GCSPY_ANALYSIS_TRACE_EXPORT_H
#define GCSPY_ANALYSIS_TRACE_EXPORT_H

#include <gcspy/trace.h>

#include "export.h"

GCS_BEGIN_DECLS

/* The events to write; `written` and `unreadable` are results. */
struct gcs_trace_range {
	uint64_t first; /* place of the first event … */
	uint64_t last;  /* … and of the last one; UINT64_MAX: to the end */
	/* filled in: events of the range that were written, and that could not be read */
	uint64_t written;
	uint64_t unreadable;
};

/*
 * A line for each event with the values of one stream, a column for each tile: empty where the
 * event has no such tile or the tile is not in use. ARGUMENT when no event of the range has that
 * space and stream; IO when the sink refuses, NOMEM, and as gcs_trace_at.
 */
GCS_API enum gcs_status gcs_trace_export_stream(struct gcs_trace *trace, const char *space,
    const char *stream, struct gcs_trace_range *range, const struct gcs_sink *sink,
    struct gcs_error *err);

/* A line for each event with its attributes and all summaries. Failures as above. */
GCS_API enum gcs_status gcs_trace_export_summary(struct gcs_trace *trace,
    struct gcs_trace_range *range, const struct gcs_sink *sink, struct gcs_error *err);

/*
 * Trace Event Format, one JSON document: pauses as slices, a track for each kind; other events as
 * instants; counters of used and committed bytes. Times are microseconds of the server's clock.
 */
GCS_API enum gcs_status gcs_trace_export_events(struct gcs_trace *trace,
    struct gcs_trace_range *range, const struct gcs_sink *sink, struct gcs_error *err);

GCS_END_DECLS

#endif
