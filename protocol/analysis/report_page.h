/*
 * The page about a trace: what its parts have in common, and one function for each part. What is
 * known is gathered in one pass (report_gather.c); the parts only write.
 */
#ifndef GCSPY_ANALYSIS_REPORT_PAGE_H
#define GCSPY_ANALYSIS_REPORT_PAGE_H

#include "report.h"
#include "report_history.h"
#include "report_series.h"
#include "stats.h"
#include "text.h"

struct report {
	struct gcs_trace *trace;
	const struct gcs_report_options *options;
	struct text *text;
	struct gcs_trace_info info;
	struct gcs_model *model; /* at the first readable event */
	struct gcs_stats *stats;
	struct series series;
	struct history history;
	uint64_t unreadable;
	uint64_t highest_place; /* of the largest use of the heap, or GCS_NO_PLACE */
};

/* OK, or a failure; what was gathered is to be given back in any case. */
enum gcs_status report_gather(struct report *r, struct gcs_error *err);
void report_drop(struct report *r);

/* Parts of the page, in its order. Those that can fail for want of memory say so. */
void report_head(struct report *r);
void report_suspects(struct report *r);
void report_figures(struct report *r);
void report_charts(struct report *r);
enum gcs_status report_pictures(struct report *r, struct gcs_error *err);
enum gcs_status report_history(struct report *r, struct gcs_error *err);
enum gcs_status report_sites(struct report *r, struct gcs_error *err);
void report_missing(struct report *r);
void report_notes(struct report *r);

extern const char page_report_css[], page_report_js[];

/* "2.50 s" from the beginning of the trace; "12:03 min" of a long one. */
char *report_moment(char *buffer, size_t size, const struct report *r, uint64_t time_ns);

/* Seconds as people say them: "350 ms", "12.5 s", "3 min 20 s", "5 h 12 min". */
char *report_duration(char *buffer, size_t size, double seconds);

#endif
