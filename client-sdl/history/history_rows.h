/*
 * Rows of a history graph (rows V8, V9; OOPSLA 2002, section 6.2): reduced snapshots, one row for
 * one or several events, one cell for one or several tiles. A cell keeps the largest value and the
 * sum, so that both ways of reducing are exact however often cells were joined. A graph has lanes
 * side by side, each a space by a stream, over one time axis.
 * Memory is bounded: HIST_CELLS cells and HIST_ROWS rows per graph. A graph belongs to one thread;
 * rows are handed over.
 */
#ifndef GCSPY_CLIENT_HISTORY_ROWS_H
#define GCSPY_CLIENT_HISTORY_ROWS_H

#include <gcspy/snapshot.h>

enum {
	HIST_LANES = 8,
	HIST_CHOICES = 4, /* spaces, and streams, that can be selected */
	HIST_ROWS = 10000,
	HIST_COLUMNS = 2048,
	HIST_CELLS = 1 << 21
};

#define HIST_NONE INT64_MIN /* no total */

#define HIST_USED 170u /* the shade of a used tile if no stream is selected */

/* A cell, in 24 bytes, because there are two million. Codes are those of tilecode.h. */
struct hist_cell {
	int64_t most;   /* largest value of used tiles */
	double sum;     /* of their values; of an enumeration: how many have the most common name */
	uint32_t count; /* of used tiles */
	uint32_t code : 10;    /* the highest code */
	uint32_t typical : 22; /* mean of their shades, HIST_SHADE each; of an enumeration: the most
				* common code */
};

#define HIST_SHADE   16384u
#define HIST_TYPICAL 0x3fffffu /* all bits of it */

enum hist_reduce { HIST_LARGEST, HIST_MEAN };

void hist_cell_clear(struct hist_cell *cell);
void hist_cell_join(struct hist_cell *cell, const struct hist_cell *more);

/* The code that represents the cell, and its value. */
uint16_t hist_cell_code(const struct hist_cell *cell, enum hist_reduce by);
int64_t hist_cell_value(const struct hist_cell *cell, enum hist_reduce by);

/* A space by a stream; stream "": only which tiles are used. */
struct hist_lane {
	char space[GCS_MAX_NAME + 1], stream[GCS_MAX_NAME + 1];
	bool bare;      /* no stream */
	uint32_t shift; /* 1 << shift tiles per cell */
	uint32_t tiles; /* maximum of any row */
	int64_t most;   /* largest total of any row; HIST_NONE: none has one */
	/* Of the newest row that has them; 0 bytes: unknown. */
	uint64_t block_bytes;
	uint64_t base; /* first address; 0: unknown */
};

/* A lane's part of a row. */
struct hist_row_lane {
	uint32_t tiles;
	uint32_t columns, first; /* cells, and the index of the first */
	uint32_t shift;
	bool has_total;
	int64_t total;              /* largest of the stream's summaries */
	uint64_t base, block_bytes; /* first address, bytes per tile; 0: unknown */
};

struct hist_row {
	uint64_t number;           /* for people, of its last event: event_header.h */
	uint64_t time_ns, last_ns; /* of its first and its last event */
	uint64_t events;           /* number; 0: a free slot */
	uint32_t stride;           /* its file has one of this many events; 1: all */
	uint32_t event;            /* the last one */
	uint64_t kinds;            /* bit n: it contains event n */
	int64_t pause_ns, used;    /* the largest; -1: unknown */
	uint32_t counters;         /* of events, at the last one */
	uint32_t *counter;
	struct hist_row_lane lane[HIST_LANES];
	struct hist_cell *cell; /* of all lanes; owns `counter` too */
};

void hist_row_free(struct hist_row *row);

/* Turns snapshots into rows. */
struct hist_maker {
	struct hist_lane lane[HIST_LANES];
	uint32_t lanes;
	uint32_t columns;        /* maximum per lane */
	struct gcs_model *model; /* to which the ids refer; a reference */
	uint32_t space[HIST_LANES], stream[HIST_LANES];
};

void hist_maker_init(
    struct hist_maker *maker, const struct hist_lane *lanes, uint32_t count, uint32_t columns);
void hist_maker_fini(struct hist_maker *maker);

/* False without memory. A space that does not exist (any more) has no tiles. */
bool hist_make(struct hist_maker *maker, const struct gcs_snapshot *snapshot, uint32_t stride,
    struct hist_row *row);

struct hist_graph {
	struct hist_lane lane[HIST_LANES];
	uint32_t lanes;
	struct hist_row *row; /* ring */
	uint32_t first, count, limit;
	bool newest;     /* drop the oldest row when full, rather than join neighbours */
	uint64_t stride; /* events per full row */
	uint64_t events; /* in all rows */
	uint64_t given_up;
	uint64_t gone;    /* rows dropped at the start */
	uint64_t epoch;   /* changes when existing rows have changed */
	uint64_t changed; /* the first row (counted with `gone`) that is new or has changed */
	uint64_t base_ns; /* of the first event ever */
	int64_t most_pause, most_used; /* -1: none */
	struct gcs_model *model;       /* of the newest row; a reference */
};

/* Empties it for other lanes; keeps limit and newest. */
void hist_graph_clear(struct hist_graph *g, const struct hist_lane *lanes, uint32_t count);
void hist_graph_fini(struct hist_graph *g);

/* Sets the maximum number of rows; false without memory. */
bool hist_graph_limit(struct hist_graph *g, uint32_t limit, bool newest);

/* Maximum number of cells of a lane, given the numbers of rows and lanes. */
uint32_t hist_columns(uint32_t limit, uint32_t lanes);

/* Takes ownership of a row that is not older than the last one. */
void hist_graph_push(struct hist_graph *g, struct hist_row *row);

/* Sets the model whose names are shown. */
void hist_graph_describe(struct hist_graph *g, const struct gcs_model *model);

/* Row i, 0 the oldest. */
const struct hist_row *hist_row_at(const struct hist_graph *g, uint32_t i);

/* The last row that does not begin later; 0 before the first one. */
uint32_t hist_row_find(const struct hist_graph *g, uint64_t time_ns);

/* Joins cells first .. first + count - 1 of a lane in rows from .. to - 1. */
struct hist_cell hist_gather(const struct hist_graph *g, uint32_t lane, uint32_t from, uint32_t to,
    uint32_t first, uint32_t count);

#endif
