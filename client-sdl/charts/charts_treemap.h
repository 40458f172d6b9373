/*
 * What is in a treemap and where: groups, spaces and kinds of tiles with their weights. Spaces whose
 * tiles stand for bytes are weighed by them, the others by their tiles, in a part of their own.
 */
#ifndef GCSPY_CLIENT_CHARTS_TREEMAP_H
#define GCSPY_CLIENT_CHARTS_TREEMAP_H

#include "charts.h"

/* Fills c->treemap for the room; without memory there is less in it. */
void treemap_build(struct charts *c, struct app *app, struct cv_rect room);

/* Pixels of the line with a name. */
int treemap_head(const struct ui *ui);

/* The stream that colours the node's space; NULL for a group, or where there is none. */
const struct gcs_stream *treemap_stream(
    const struct charts *c, const struct app *app, const struct treemap_node *n);

#endif
