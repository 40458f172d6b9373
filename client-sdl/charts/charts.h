/*
 * Shared by the files of the charts view. A chart is a table of functions in a file of its own
 * (charts_bars.c …); view_charts.c adds tabs and text to the current one. All show the active
 * space, coloured by its stream, with the selected tile. Window thread only.
 */
#ifndef GCSPY_CLIENT_CHARTS_H
#define GCSPY_CLIENT_CHARTS_H

#include "app.h"
#include "charts_bins.h"
#include "free_runs.h"
#include "charts_pen.h"
#include "charts_squarify.h"
#include "table.h"
#include "tilecode.h"

enum chart_kind {
	CHART_BARS,
	CHART_HISTOGRAM,
	CHART_LINE,
	CHART_SCATTER,
	CHART_TREEMAP,
	CHART_TABLE,
	CHART_FRAGMENTATION,
	CHART_COUNT
};

/* The widgets of the view; the table takes its numbers from CHARTS_TABLE on. */
enum charts_widget {
	CHARTS_TAB = 1, /* and one for each chart */
	CHARTS_FILTER = CHARTS_TAB + CHART_COUNT,
	CHARTS_TABLE = 100
};

#define CHART_COLUMNS   12       /* of the table */
#define CHART_LINES     4        /* streams in one line chart */
#define CHART_ROWS      10000u   /* maximum rows copied as text */
#define CHART_COURSE    4096u    /* points of the fragmentation line */
#define CHART_RESORT_MS 1000     /* between two automatic sorts */
#define CHART_MANY      1000000u /* tiles from which on sorting is on request only */

struct charts;

/* The title above a chart, and a description in smaller letters. */
struct chart_heading {
	char title[400], text[1600];
};

struct chart {
	const char *name, *title;
	bool needs_values; /* of the current stream, in used tiles */
	/* Says what else is missing; NULL: never anything. */
	bool (*lacks)(struct charts *c, struct app *app, char *text, size_t size);
	void (*heading)(struct charts *c, struct app *app, struct chart_heading *head);
	void (*paint)(struct charts *c, struct app *app, const struct pen *pen, struct cv_rect r);
	/* Instead of paint: widgets, in both passes; not available as SVG. */
	void (*run)(struct charts *c, struct app *app, struct cv_rect r, bool all);
	/* Pointer motion (highlight and tooltip); a press of the left button. */
	void (*point)(struct charts *c, struct app *app, int x, int y);
	void (*press)(struct charts *c, struct app *app, int x, int y);
	bool (*command)(
	    struct charts *c, struct app *app, enum command_id id, const char *argument);
	/* Where a tile of the active space is. */
	bool (*place)(struct charts *c, struct app *app, uint32_t tile, struct cv_rect *r);
	void (*text)(struct charts *c, struct app *app, struct textbuf *out);
};

extern const struct chart chart_bars, chart_histogram, chart_line, chart_scatter, chart_treemap,
    chart_table, chart_fragmentation;

/* Columns of tiles in tile order, for one stream and width. */
struct chart_columns {
	struct chart_column *column;
	uint32_t count, capacity;
	uint64_t version;
};

struct chart_histogram_state {
	struct bins bins;
	struct chart_ranks ranks;
	bool has_ranks;
	uint64_t version;
	int wanted;
	bool chosen; /* a bin is selected: the one that contains `value` */
	double value;
	uint32_t pressed; /* the last clicked bin plus 1, and when */
	uint64_t pressed_ms;
};

struct chart_line_state {
	uint32_t space;                  /* of the added streams */
	uint32_t added[CHART_LINES - 1]; /* streams */
	uint32_t count;
	struct chart_columns columns[CHART_LINES];
};

struct scatter_cell {
	uint32_t tiles, first;
};

struct chart_scatter_state {
	uint32_t space, y; /* the other stream; GCS_NONE: the next one */
	struct scatter_cell *cell;
	uint32_t wide, high, capacity, most;
	int size;            /* pixels of a cell */
	double per_x, per_y; /* cells for a unit of the axes */
	double r;
	bool has_r;
	uint32_t n;
	struct chart_data data; /* of the other stream */
	bool has_data;
	uint64_t version;
};

enum treemap_kind { TREEMAP_GROUP, TREEMAP_SPACE, TREEMAP_LEAF };

struct treemap_node {
	enum treemap_kind kind;
	uint32_t id;    /* of the group or space */
	uint32_t value; /* of a leaf: index of the category, or TREEMAP_… */
	double weight;
	uint64_t tiles;
	double mean; /* of the stream, 0 to 1; negative: it has none */
	bool bytes;  /* the weight is in bytes, else in tiles */
	struct cv_rect r;
};

#define TREEMAP_USED   1000u /* leaves that are no category */
#define TREEMAP_UNUSED 1001u
#define TREEMAP_NODES  16384u

struct chart_treemap_state {
	struct treemap_node *node;
	uint32_t count, capacity, left_out;
	uint32_t hovered; /* node, GCS_NONE: none */
	double whole[2];  /* weight of all: tiles, bytes */
	uint64_t version; /* of the built tree, for `room` */
	struct cv_rect room;
	struct cv_rect view; /* the panel that the text was made for */
};

struct chart_table_state {
	struct table table;
	struct table_column column[CHART_COLUMNS];
	uint32_t stream[CHART_COLUMNS]; /* of a column; GCS_NONE: the tile */
	int columns;
	uint32_t more; /* streams without a column */
	struct chart_data data[CHART_COLUMNS];
	uint32_t sort; /* stream */
	uint32_t *order, count, capacity;
	bool sorted;                   /* the order matches the shown values */
	uint64_t sorted_of, sorted_ms; /* its event and time */
	uint64_t version;
	uint32_t space, tiles; /* that the order belongs to */
	struct textfield field;
	bool was_old;
	struct cv_rect at;
};

struct course_entry {
	uint64_t sequence, time_ns;
	uint64_t number; /* for people (event_history_shown_number) */
	double share;
};

struct chart_fragmentation_state {
	struct free_rule rule;
	struct free_runs runs;
	bool known;
	uint64_t version;
	uint32_t space;
	struct course_entry course[CHART_COURSE];
	uint32_t count;
	uint64_t seen; /* events; beyond the capacity only every `stride`-th is kept */
	uint64_t stride;
	uint64_t last, connection; /* of the last event */
	struct plot bins, line;    /* as painted */
	uint32_t first_bin, bin_count;
};

struct charts {
	enum chart_kind kind;
	/* The shown data, updated by charts_refresh. */
	const struct gcs_snapshot *snapshot; /* a reference */
	struct chart_data data;
	bool has_data;    /* the stream has values */
	uint64_t version; /* increases when the data changes */
	struct plot plot; /* as last painted */
	struct chart_columns columns;
	struct chart_histogram_state histogram;
	struct chart_line_state line;
	struct chart_scatter_state scatter;
	struct chart_treemap_state treemap;
	struct chart_table_state table;
	struct chart_fragmentation_state fragmentation;
};

const struct chart *charts_at(enum chart_kind kind);

/* view_charts.c: updates the data to the snapshot, the active space and its stream. */
void charts_refresh(struct charts *c, struct app *app);

/* The selected tile if it is in the active space, else GCS_NONE. */
uint32_t charts_selected(const struct charts *c, const struct app *app);

/* Selects by arrow keys in the order of tiles; `page` for up and down. */
bool charts_walk(struct charts *c, struct app *app, enum command_id id, uint32_t page);

/* The tile under the pointer, with its tooltip about `at`; GCS_NONE: none. */
void charts_hover(struct charts *c, struct app *app, uint32_t tile, struct cv_rect at);

/* Sets a custom tooltip. */
void charts_tip(struct app *app, struct cv_rect at, const char *text);

/* charts_head.c: the tabs, cut off r; the heading of the chart; the message in its place. */
void charts_tabs_run(struct charts *c, struct app *app, struct cv_rect *r);
void charts_heading_paint(
    struct charts *c, struct app *app, const struct pen *pen, struct cv_rect *r);
bool charts_empty_heading(struct charts *c, struct app *app, struct chart_heading *head);
void charts_empty_paint(
    struct app *app, const struct pen *pen, struct cv_rect r, const struct chart_heading *head);

/* A line of text for each tile with its values in n streams of one space, or only for used tiles. */
void charts_put_tiles(
    struct textbuf *out, const struct chart_data *data, uint32_t n, bool used_only);

/* "192 tiles, 160 used, 32 uncommitted". */
char *charts_tiles_text(char *text, size_t size, const struct chart_data *data);

/* charts_bars.c: columns for a width; false without memory. A column's rectangle in a plot of
 * tiles. */
bool charts_columns(struct chart_columns *columns, const struct chart_data *data, bool share,
    uint32_t width, uint64_t version);
struct cv_rect charts_column_rect(const struct plot *plot, uint32_t count, uint32_t column);

/* The column at a pixel; GCS_NONE: none. */
uint32_t charts_column_at(const struct plot *plot, uint32_t count, int x, int y);

/* The colour of a tile of the heap map. */
uint32_t charts_colour(
    const struct app *app, const uint32_t *shade, const struct tilecode *code, uint32_t tile);

/* charts_scatter.c, charts_line.c: chart_y, chart_add. */
bool charts_choose_y(struct charts *c, struct app *app, const char *name);
bool charts_add_line(struct charts *c, struct app *app, const char *name);

/* charts_fragmentation.c: notes the event for the line. */
void charts_fragmentation_note(struct charts *c, struct app *app);

/* charts_sort.c: sorts tiles by value, tiles without a value last, equal ones in tile order; false
 * without memory. */
bool charts_sort(const struct chart_data *data, uint32_t *order, uint32_t count, bool falling);

#endif
