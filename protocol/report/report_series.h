/*
 * What happened over time, in as many columns as a chart has: each keeps the least, the largest and
 * the mean of its values, so that nothing that stands out is lost in a long trace.
 */
#ifndef GCSPY_REPORT_REPORT_SERIES_H
#define GCSPY_REPORT_REPORT_SERIES_H

#include <gcspy/snapshot.h>

enum { SERIES_COLUMNS = 1000, SERIES_KINDS = 12, SERIES_KIND_NAME = 64 };

struct series_value {
	uint32_t count;
	double min, max, sum;
	double time_sum; /* ns since the beginning */
};

enum series_line { LINE_BEFORE, LINE_AFTER, LINE_COMMITTED, LINE_COUNT };

/* The pauses of a column and kind; the rest is of the longest. */
struct series_pause {
	struct series_value all;
	uint64_t place;
	uint64_t time_ns;
	char cause[48];
};

/* A kind of pause, by name; the last one stands for all further ones. */
struct series_kind {
	char name[SERIES_KIND_NAME];
	struct series_pause columns[SERIES_COLUMNS];
};

/* Bytes allocated between two moments at which the heap's size is known. */
struct series_rate {
	uint32_t count;
	double bytes, seconds;
	double max; /* bytes per second */
};

struct series {
	uint64_t first_ns, last_ns; /* the server's clock */
	struct series_value lines[LINE_COUNT][SERIES_COLUMNS];
	uint64_t line_count[LINE_COUNT];
	struct series_kind *kinds[SERIES_KINDS]; /* NULL after the last */
	uint32_t kind_count;
	uint64_t pause_count;
	struct series_rate rate[SERIES_COLUMNS];
	uint64_t rate_count;
	double most_used;    /* of the heap, at … */
	uint64_t most_place; /* … this event; UINT64_MAX: not known */
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
