/*
 * What happened over time, in at most as many columns as a chart has pixels: each keeps the least,
 * the largest and the mean of what fell into it, so that nothing that stands out is lost however
 * long the trace is.
 */
#ifndef GCSPY_ANALYSIS_REPORT_SERIES_H
#define GCSPY_ANALYSIS_REPORT_SERIES_H

#include <gcspy/snapshot.h>

enum { SERIES_COLUMNS = 1000, SERIES_KINDS = 12, SERIES_KIND_NAME = 64 };

struct series_value {
	uint32_t count;
	double min, max, sum;
	double time_sum; /* ns since the beginning */
};

enum series_line { LINE_BEFORE, LINE_AFTER, LINE_COMMITTED, LINE_COUNT };

/* The longest pause of a column and kind, for the words of its bar. */
struct series_pause {
	struct series_value all;
	uint64_t place; /* of the longest */
	uint64_t time_ns;
	char cause[48];
};

/* A kind of pause, by its name; the last one stands for all that have no place of their own. */
struct series_kind {
	char name[SERIES_KIND_NAME];
	uint64_t count;
	struct series_pause columns[SERIES_COLUMNS];
};

/* Bytes allocated between two moments whose heap is known. */
struct series_rate {
	uint32_t count;
	double bytes, seconds;
	double max; /* bytes a second of the fastest */
};

struct series {
	uint64_t first_ns, last_ns; /* the server's clock */
	struct series_value lines[LINE_COUNT][SERIES_COLUMNS];
	uint64_t line_count[LINE_COUNT];
	struct series_kind *kinds[SERIES_KINDS]; /* NULL behind the last */
	uint32_t kind_count;
	uint64_t pause_count;
	struct series_rate rate[SERIES_COLUMNS];
	uint64_t rate_count;
	double most_used; /* and where that was */
	uint64_t most_place;
	/* private: the heap's size known last */
	bool known;
	double used;
	uint64_t used_ns;
};

void report_series_init(struct series *s, uint64_t first_ns, uint64_t last_ns);

/* Adds an event; false without memory. */
bool report_series_add(struct series *s, const struct gcs_snapshot *snapshot, uint64_t place);

void report_series_fini(struct series *s);

#endif
