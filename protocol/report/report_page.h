/*
 * The page about a trace: what its parts share, and a function for each part. One pass over the
 * trace gathers everything (report_gather.c); the parts only write.
 */
#ifndef GCSPY_REPORT_REPORT_PAGE_H
#define GCSPY_REPORT_REPORT_PAGE_H

#include "history_rows.h"
#include "page.h"
#include "report.h"
#include "report_series.h"
#include "stats.h"

/* Limits of the history's picture. */
enum { HISTORY_ROWS = 900, HISTORY_COLUMNS = 1024 };

/* What the history says of a row besides what its graph has. */
struct history_row {
	uint64_t place; /* of its first event */
	double total;   /* largest total of the summed stream; negative: none */
	bool full;      /* there was a full collection */
};

enum { WORDS = 16, WORD = 200 };

struct report {
	struct gcs_trace *trace;
	const struct gcs_report_options *options;
	struct text *text;
	struct gcs_trace_info info;
	struct gcs_stats *stats;
	struct series series;
	struct hist_graph history; /* of the main space; no model: there is none */
	struct history_row *rows;
	uint64_t per_row; /* events */
	uint64_t unreadable;
	char words[WORDS][WORD]; /* a ring of texts, for the functions below */
	unsigned next;
	bool missing; /* the last section has an item */
};

/* OK, or a failure; what was gathered must be released in any case. */
enum gcs_status report_gather(struct report *r, struct gcs_error *err);
void report_drop(struct report *r);

/* Parts of the page, in its order. */
void report_suspects(struct report *r);
void report_figures(struct report *r);
void report_charts(struct report *r);
enum gcs_status report_pictures(struct report *r, struct gcs_error *err);
enum gcs_status report_history(struct report *r, struct gcs_error *err);
enum gcs_status report_sites(struct report *r, struct gcs_error *err);
void report_missing(struct report *r);

extern const char page_report_css[], page_report_js[];

/* Markup of our own, and markup with foreign texts for each {}. */
#define PUT(r, markup)       text_raw((r)->text, markup)
#define FILL(r, markup, ...) page_put((r)->text, markup, __VA_ARGS__)

/* Texts that last until WORDS more have been made. Moments are counted from the first event. */
const char *say(struct report *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *say_figure(struct report *r, double value, enum gcs_unit unit);
const char *say_count(struct report *r, double count);
const char *say_duration(struct report *r, double seconds);
const char *say_moment(struct report *r, uint64_t time_ns);

/* The stream of a space whose totals are shown, or GCS_NONE. */
uint32_t report_summed(const struct gcs_space *space);

/* The lane of a space by its default stream; what a cell of several tiles shows, and that in words.
 */
struct hist_lane report_lane(const struct gcs_space *space);
enum hist_reduce report_reduce(const struct gcs_space *space);
const char *report_reduce_words(const struct gcs_space *space);

/* The space of the history as its first event described it, or NULL. */
const struct gcs_space *report_history_space(const struct report *r);

/* The legend of the history's space. */
enum gcs_status report_legend(struct report *r, struct gcs_error *err);

#endif
