/*
 * One page about a trace (row F23): head, suspects with their evidence, key figures, charts over
 * time, pictures of the heap, its history, call sites, and what is missing. The page is one HTML
 * document that is also XML. It needs no other file, no network and no script; names from the trace
 * are escaped. docs/report.md describes the parts and how they are computed.
 */
#ifndef GCSPY_REPORT_REPORT_H
#define GCSPY_REPORT_REPORT_H

#include <gcspy/trace.h>

#include "sink.h"

struct gcs_report_options {
	const char *name;             /* of the file, for the foot of the page; NULL: none */
	const char *const *libraries; /* as in struct gcs_site_filter */
	uint64_t first;               /* place of the first event … */
	uint64_t last;                /* … and of the last one; UINT64_MAX: to the end */
};

/*
 * Reads the events once in order, some again for their pictures, and writes the page.
 * `unreadable`, if not NULL, receives the number of events that could not be read. IO when the sink
 * refuses bytes, NOMEM, ARGUMENT for places beyond the trace, and as gcs_trace_at. Memory: at most
 * 50 MiB besides the trace's and the profiles'; the page has at most 5 MiB or so.
 */
enum gcs_status gcs_report_write(struct gcs_trace *trace, const struct gcs_report_options *options,
    const struct gcs_sink *sink, uint64_t *unreadable, struct gcs_error *err);

#endif
