/*
 * What a history graph is made of (rows V8, V9; OOPSLA 2002, section 6.2): reduced rows, one for each
 * event or for several, with one cell for each tile or for several. A cell keeps the largest and the
 * sum, so that both ways of reducing are exact, however often cells were joined. A graph has lanes
 * side by side, each a space by a stream, over one axis of time.
 *
 * Memory is bounded: HIST_CELLS cells and HIST_ROWS rows to a graph. A graph belongs to one thread;
 * rows are handed over.
 */
#ifndef GCSPY_CLIENT_HISTORY_ROWS_H
#define GCSPY_CLIENT_HISTORY_ROWS_H

#include <gcspy/snapshot.h>

enum {
	HIST_LANES = 8,
	HIST_CHOICES = 4, /* spaces, and streams, that can be named */
	HIST_ROWS = 10000,
	HIST_COLUMNS = 2048,
	HIST_CELLS = 1 << 21
};

#define HIST_USED 170u /* the shade of a used tile where no stream is chosen */

/* What tiles, or cells, have in common. Looks are those of tilecode.h. */
struct hist_cell {
	int64_t most;    /* largest value of used tiles */
	double sum;      /* of their values */
	uint32_t count;  /* of used tiles */
	float mean;      /* of their shades; of an enumeration: how many have the commonest name */
	uint16_t code;   /* the highest look */
	uint16_t common; /* of an enumeration: the commonest; else LOOK_ZERO if all are zero */
};

enum hist_reduce { HIST_LARGEST, HIST_MEAN };

void hist_cell_clear(struct hist_cell *cell);
void hist_cell_join(struct hist_cell *cell, const struct hist_cell *more);

/* The look that stands for the cell, and its value. */
uint16_t hist_cell_look(const struct hist_cell *cell, enum hist_reduce by);
int64_t hist_cell_value(const struct hist_cell *cell, enum hist_reduce by);

/* A space by a stream; "" for the stream: which tiles are used, and no values. */
struct hist_lane {
	char space[GCS_MAX_NAME + 1], stream[GCS_MAX_NAME + 1];
	bool bare;      /* no stream */
	uint32_t shift; /* 1 << shift tiles to a cell */
	uint32_t tiles; /* most of any row */
	int64_t most;   /* largest total of any row, -1: none has one */
	/* Of the newest row that has them; 0 bytes: not known. */
	uint64_t block_bytes;
	uint64_t base; /* first address; 0 likewise */
};

/* A lane's part of a row. */
struct hist_strip {
	uint32_t tiles;
	uint32_t columns, first; /* cells, and where they begin */
	uint32_t shift;
	bool has_total;
	int64_t total;              /* of the stream's summary; the largest */
	uint64_t base, block_bytes; /* first address, bytes to a tile; 0: not known */
};

struct hist_row {
	uint64_t sequence;         /* of the last event in it */
	uint64_t time_ns, last_ns; /* of the first and the last one */
	uint64_t events;           /* how many; 0: a free place */
	uint32_t stride;           /* its file has one of so many events; 1: all */
	uint32_t event;            /* the last one */
	uint64_t kinds;            /* bit n: event n happened in it */
	int64_t pause_ns, used;    /* the largest; -1: not told */
	uint32_t counters;         /* of events, at the last one */
	uint32_t *counter;
	struct hist_strip strip[HIST_LANES];
	struct hist_cell *cell; /* all lanes; owns `counter` too */
};

void hist_row_free(struct hist_row *row);

/* Makes rows of snapshots. */
struct hist_maker {
	struct hist_lane lane[HIST_LANES];
	uint32_t lanes;
	uint32_t columns;        /* most to a lane */
	struct gcs_model *model; /* that the ids are of; a reference */
	uint32_t space[HIST_LANES], stream[HIST_LANES];
};

void hist_maker_init(
    struct hist_maker *maker, const struct hist_lane *lanes, uint32_t count, uint32_t columns);
void hist_maker_fini(struct hist_maker *maker);

/* False without memory. A space that is not there (any more) has no tiles. */
bool hist_make(struct hist_maker *maker, const struct gcs_snapshot *snapshot, uint32_t stride,
    struct hist_row *row);

struct hist_graph {
	struct hist_lane lane[HIST_LANES];
	uint32_t lanes;
	struct hist_row *row; /* ring */
	uint32_t first, count, limit;
	bool newest;     /* when full the oldest row goes; else two neighbours become one */
	uint64_t stride; /* events that a row is filled with */
	uint64_t events; /* in all rows */
	uint64_t given_up;
	uint64_t gone;    /* rows that went at the beginning */
	uint64_t epoch;   /* another number: rows that were there are others */
	uint64_t changed; /* rows from this one on (counted with `gone`) are new or others */
	uint64_t base_ns; /* of the first event ever */
	int64_t most_pause, most_used; /* -1: none */
	struct gcs_model *model;       /* of the newest row; a reference */
};

/* Empties it for other lanes; keeps limit and newest. */
void hist_graph_clear(struct hist_graph *g, const struct hist_lane *lanes, uint32_t count);
void hist_graph_fini(struct hist_graph *g);

/* Most rows, at once; false without memory. */
bool hist_graph_limit(struct hist_graph *g, uint32_t limit, bool newest);

/* Most cells of a lane for so many rows and lanes. */
uint32_t hist_columns(uint32_t limit, uint32_t lanes);

/* Takes a row over, which is not older than the last one. */
void hist_graph_push(struct hist_graph *g, struct hist_row *row);

/* Remembers whose names are shown. */
void hist_graph_describe(struct hist_graph *g, const struct gcs_model *model);

/* The i-th row, 0 the oldest. */
const struct hist_row *hist_row_at(const struct hist_graph *g, uint32_t i);

/* The last row that begins not later; 0 before the first one. */
uint32_t hist_row_find(const struct hist_graph *g, uint64_t time_ns);

/* The cells first .. first + count - 1 of a lane in rows from .. to - 1, joined. */
struct hist_cell hist_gather(const struct hist_graph *g, uint32_t lane, uint32_t from, uint32_t to,
    uint32_t first, uint32_t count);

#endif
