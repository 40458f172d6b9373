/*
 * The rows of the table of tiles: its columns, which tiles pass the filter, and in which order. The
 * order is made anew when somebody asks for it, and with new values at most every second.
 */
#ifndef GCSPY_CLIENT_CHARTS_ROWS_H
#define GCSPY_CLIENT_CHARTS_ROWS_H

#include "charts.h"

/* Brings all of it up to date; true when cells or order are others. */
bool charts_rows_refresh(struct charts *c, struct app *app);

/* After another filter, and after another choice of order. */
void charts_rows_filter(struct charts *c, struct app *app);

#endif
