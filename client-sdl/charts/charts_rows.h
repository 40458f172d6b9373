/*
 * The rows of the table of tiles: columns, filtered tiles and their order. Sorted on request, and
 * with new values at most once per second.
 */
#ifndef GCSPY_CLIENT_CHARTS_ROWS_H
#define GCSPY_CLIENT_CHARTS_ROWS_H

#include "charts.h"

/* Updates all of it; true if cells or order changed. */
bool charts_rows_refresh(struct charts *c, struct app *app);

/* Call after a change of filter or order. */
void charts_rows_filter(struct charts *c, struct app *app);

#endif
