/*
 * From the tiles of an answer to those of the picture, which may be cut otherwise, or be others by
 * now (S8): what of a call site's bytes begins in each.
 */
#ifndef GCSPY_CLIENT_TILES_SPREAD_H
#define GCSPY_CLIENT_TILES_SPREAD_H

#include <gcspy/snapshot.h>

#include "tiles.h"

/* The addresses of a space's tiles; false if it has none, or is none. */
bool tiles_ranges(
    const struct gcs_snapshot *s, uint32_t space, const int64_t **starts, const int64_t **ends);

/* Adds to values, of which there is one for each tile of the space. Nothing without addresses. */
void tiles_spread(
    const struct gcs_tiles *from, const struct gcs_snapshot *s, uint32_t space, int64_t *values);

#endif
