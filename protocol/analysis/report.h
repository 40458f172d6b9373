/*
 * One page about a trace (row F23): what it was, key figures, suspects with their evidence, charts,
 * pictures of the heap, its history and where it was filled. The page is one document of HTML that
 * is also XML, needs no other file, no network and no script, and shows no markup of the names in
 * it. docs/report.md says what stands in it and how it is computed.
 */
#ifndef GCSPY_ANALYSIS_REPORT_H
#define GCSPY_ANALYSIS_REPORT_H

#include <gcspy/trace.h>

#include "export.h"

GCS_BEGIN_DECLS

struct gcs_report_options {
	const char *name; /* of the file, for the page's foot; NULL: none */
	uint64_t first;   /* place of the first event … */
	uint64_t last;    /* … and of the last one; UINT64_MAX: to the end */
};

/*
 * Reads the events once in order, a few of them again for their pictures, and writes the page.
 * `unreadable`, if not NULL, receives how many events could not be read. IO when the sink refuses,
 * NOMEM, ARGUMENT for places that are not there, and as gcs_trace_at. Memory: some 10 MiB beside
 * the trace's and the profiles'; the page has at most some 5 MiB whatever the trace's length.
 */
GCS_API enum gcs_status gcs_report_write(struct gcs_trace *trace,
    const struct gcs_report_options *options, const struct gcs_sink *sink, uint64_t *unreadable,
    struct gcs_error *err);

GCS_END_DECLS

#endif
