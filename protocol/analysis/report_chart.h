/*
 * The frame of a chart over time: axes with round numbers, and places for values. One pixel of the
 * picture's own coordinates is a column of the series.
 */
#ifndef GCSPY_ANALYSIS_REPORT_CHART_H
#define GCSPY_ANALYSIS_REPORT_CHART_H

#include "report_page.h"

enum { CHART_LEFT = 88, CHART_TOP = 12, CHART_HEIGHT = 210, CHART_WIDTH = SERIES_COLUMNS };

struct chart {
	struct text *text;
	double seconds; /* that the axis of time is long */
	double most;    /* that the other axis reaches; not 0 */
};

/* How the values of the upright axis are written. */
typedef char *chart_words(char *buffer, size_t size, double value);

/* Opens the picture, with what it shows in words for those who do not see it. */
void chart_open(struct chart *c, const struct report *r, const char *label, double most,
    bool powers_of_two, chart_words *words);
void chart_close(struct chart *c);

double chart_x(const struct chart *c, double seconds);
double chart_y(const struct chart *c, double value);

/* The colour of the i-th kind is the class "k0" to "k11". A sample of a class, and its name. */
void chart_key(struct text *t, const char *class_name, const char *name);

char *chart_bytes(char *buffer, size_t size, double value);
char *chart_rate(char *buffer, size_t size, double value);
char *chart_time(char *buffer, size_t size, double value);

#endif
