/*
 * The nodes of a treemap and their rectangles: groups, spaces and categories of tiles with their
 * weights. Spaces with byte sizes are weighted by bytes, others by tiles in a part of their own.
 */
#ifndef GCSPY_CLIENT_CHARTS_TREEMAP_H
#define GCSPY_CLIENT_CHARTS_TREEMAP_H

#include "charts.h"

/* Fills c->treemap for the room; without memory it is incomplete. */
void treemap_build(struct charts *c, struct app *app, struct cv_rect room);

/* Height of a name line in pixels. */
int treemap_head(const struct ui *ui);

/* The stream that colours the node's space; NULL for a group, or without one. */
const struct gcs_stream *treemap_stream(
    const struct charts *c, const struct app *app, const struct treemap_node *n);

#endif
