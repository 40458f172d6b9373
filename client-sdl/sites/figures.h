/*
 * The figures that a row of the tables of call sites, callers and callees has, and their cells: of
 * one profile, or by how much they differ between two. Window thread only.
 */
#ifndef GCSPY_CLIENT_FIGURES_H
#define GCSPY_CLIENT_FIGURES_H

#include "profiles.h"
#include "table.h"

enum figure {
	FIGURE_BYTES,
	FIGURE_ERROR, /* the standard error of the bytes, or of their difference; in `now` */
	FIGURE_SHARE, /* of all bytes, or the growth */
	FIGURE_OBJECTS,
	FIGURE_SAMPLES,
	FIGURE_SELF,
	FIGURES
};

struct figures {
	double now[FIGURES], before[FIGURES];
	double all;  /* bytes of all rows, in a comparison before and now together */
	bool change; /* it is a comparison */
	const struct profiles_live *live;
};

#define FIGURES_GROWTH_TEXT 76 /* bar_text of struct table_rows in a comparison: "+1,254.9 %" */

void figures_cell(const struct figures *figures, enum figure figure, char *text, size_t size);

/* The number in a cell, by which rows are sorted; as in struct table_rows the bar of the share, and
 * the tone. */
double figures_value(const struct figures *figures, enum figure figure);
double figures_bar(const struct figures *figures);
enum table_tone figures_tone(const struct figures *figures, enum figure figure);

/* "HashMap.resize", a tab, "HashMap.java:702"; where there is little room for what matters most,
 * "HashMap.resize:702", a tab, "HashMap.java". "-" for NULL. */
void figures_put_frame(char *text, size_t size, const struct gcs_frame *frame);
void figures_put_line(char *text, size_t size, const struct gcs_frame *frame);

/* The columns with the titles that they have in a comparison, and with these libraries. Valid until
 * the next call. */
struct table_column *figures_columns(const struct table_column *columns, int count, bool change,
    const struct profiles_live *live, const struct profiles_libraries *libraries);

#endif
