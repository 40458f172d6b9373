/*
 * A table with many rows: columns with alignment, sorted by a click on a title, a selected row, a
 * scroll bar. Only visible rows are requested and painted, and of these only those that have
 * changed.
 * The table holds no data. Its owner provides the text of cells and the order of rows, and keeps
 * struct table, the state that the user changes, between passes. A widget like those of ui.h: one
 * thread, two passes.
 */
#ifndef GCSPY_CLIENT_TABLE_H
#define GCSPY_CLIENT_TABLE_H

#include "ui.h"

#define TABLE_COLUMNS 32 /* maximum number of columns */
#define TABLE_IDS     40 /* widget numbers that a table takes, starting with its own */
#define TABLE_HIDDEN  99
#define TABLE_NONE    UINT32_MAX
#define TABLE_CELL    512 /* bytes of a cell's text */

struct table_column {
	const char *name; /* for commands and scripts: one word */
	const char *title;
	enum text_align align;
	int width;   /* pixels at scale 1; the minimum of a stretching column */
	int stretch; /* share of the remaining width; 0: none */
	/* In a narrow table the columns of the highest rank are hidden first; 0: never; TABLE_HIDDEN:
	 * always. */
	int rank;
	bool rising; /* ascending at the first click */
};

/* The meaning of a number: none, growth, shrinking, less than its error. */
enum table_tone { TABLE_PLAIN, TABLE_MORE, TABLE_LESS, TABLE_UNCERTAIN };

/* A row's place in a tree. */
struct table_branch {
	uint32_t depth;
	enum { BRANCH_LEAF, BRANCH_CLOSED, BRANCH_OPEN } state;
};

struct table_rows {
	const struct table_column *column;
	int columns;
	uint32_t count;
	/* The text of a cell; what follows a tab is painted weaker. */
	void (*cell)(void *context, uint32_t row, int column, char *text, size_t size);
	/* The fraction 0..1 of the cell that a bar fills; negative: none. May be NULL. */
	double (*bar)(void *context, uint32_t row, int column);
	int bar_text; /* unscaled pixels beside a bar, for its text; 0: as for a share */
	enum table_tone (*tone)(void *context, uint32_t row, int column); /* may be NULL */
	/* Rows of a tree: one column is indented and has a mark that opens the row. May be NULL. */
	void (*branch)(void *context, uint32_t row, struct table_branch *branch);
	int branch_column;
	/* Rows with a bar at their left edge. May be NULL. */
	bool (*marked)(void *context, uint32_t row);
	void *context;
	bool old; /* painted weaker: data of an old snapshot */
};

struct table {
	uint32_t selected; /* TABLE_NONE: no row */
	int scroll;        /* pixels above the first row in sight */
	int sort;          /* column */
	bool falling;      /* from the largest to the smallest */
	uint32_t hovered;
	int tree_scroll; /* pixels by which a tree's column is scrolled to the left */
	/* As last painted. */
	struct {
		struct cv_rect r;
		uint32_t selected, hovered, count;
		int scroll, tree_scroll;
		bool focused;
	} shown;
};

/* Toggled: the mark of the selected row was clicked. */
enum table_change { TABLE_SAME, TABLE_SELECTED, TABLE_SORTED, TABLE_TOGGLED };

void table_init(struct table *table, int sort, bool falling);

/* The widget. In the paint pass, `all` says that the content of cells has changed. */
enum table_change ui_table(struct ui *ui, uint32_t id, struct cv_rect r, struct table *table,
    const struct table_rows *rows, bool all);

/* Moves the selection by a number of rows, within the table, and scrolls to it. r: the whole
 * table. True if the selection changed. */
bool table_move(
    const struct ui *ui, struct cv_rect r, struct table *table, uint32_t count, int64_t by);

/* Scrolls a tree's column so that the name of the selected row has room. */
void table_reveal_branch(
    const struct ui *ui, struct cv_rect r, struct table *table, const struct table_rows *rows);

/* Number of visible rows, at least 1. */
int table_page(const struct ui *ui, struct cv_rect r);

/* Scrolls the selected row into sight. */
void table_reveal(const struct ui *ui, struct cv_rect r, struct table *table, uint32_t count);

/* Height of a row in pixels. */
int table_row_height(const struct ui *ui);

/* The place of a cell, in a table at r; false if its row is not fully visible or its column is
 * hidden. What an owner paints there comes after ui_table. */
bool table_cell_rect(const struct ui *ui, struct cv_rect r, const struct table *table,
    const struct table_rows *rows, uint32_t row, int column, struct cv_rect *cell);

/* The row and the column at a point; false if there is none. */
bool table_cell_at(const struct ui *ui, struct cv_rect r, const struct table *table,
    const struct table_rows *rows, int x, int y, uint32_t *row, int *column);

/* Places of the columns at a table's width: x from the left edge, w 0 for hidden ones. */
void table_layout(const struct ui *ui, const struct table_rows *rows, int width, int *x, int *w);

#endif
