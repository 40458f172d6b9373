/*
 * The history of the main space: a row for each event, a column for each tile (OOPSLA 2002, section
 * 6.3). A long trace or a large space puts several events into a row and several tiles into a
 * column: numbers show their largest, names the one that most of them have.
 */
#ifndef GCSPY_ANALYSIS_REPORT_HISTORY_H
#define GCSPY_ANALYSIS_REPORT_HISTORY_H

#include <gcspy/snapshot.h>

enum { HISTORY_ROWS = 900, HISTORY_COLUMNS = 900, HISTORY_SEEN = 18 };

struct history_row {
	uint64_t place, time_ns; /* of its first event */
	int64_t most;            /* largest total of the stream's summary, and … */
	bool has_most;
	double pause_ns; /* … longest pause */
	bool full;       /* a full collection is in it */
	uint32_t tiles;  /* most of its events */
};

struct history {
	char *space;             /* name of the space; NULL: there is none */
	struct gcs_model *model; /* that describes it, for legend and labels, with a reference */
	uint32_t space_id, stream_id;
	bool names;          /* the stream is an enumeration */
	uint64_t per_row;    /* events to a row */
	uint32_t per_column; /* tiles to a column */
	uint32_t columns;    /* that were ever filled */
	uint32_t most_tiles; /* of an event */
	uint32_t rows;
	struct history_row *row;
	uint8_t *pixels; /* HISTORY_ROWS times HISTORY_COLUMNS looks */
	uint64_t in_row; /* events in the last row so far */
	/* how often each look was seen in the columns of the last row */
	uint32_t (*seen)[HISTORY_SEEN];
	uint8_t *largest;
};

/* For so many events, and spaces of so many tiles; false without memory. */
bool history_init(struct history *h, uint64_t events, uint32_t tiles);

/* Adds an event; false without memory. */
bool history_add(struct history *h, const struct gcs_snapshot *snapshot, uint64_t place);

/* Settles the last row. */
void history_end(struct history *h);

void history_fini(struct history *h);

#endif
