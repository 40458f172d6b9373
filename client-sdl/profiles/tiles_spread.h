/*
 * Distributes the bytes of a call site from the tiles of an answer to those of the snapshot, which
 * may differ (S8).
 */
#ifndef GCSPY_CLIENT_TILES_SPREAD_H
#define GCSPY_CLIENT_TILES_SPREAD_H

#include <gcspy/snapshot.h>

#include "site_tiles.h"

/* The addresses of a space's tiles; false if it has none or does not exist. */
bool tiles_ranges(
    const struct gcs_snapshot *s, uint32_t space, const int64_t **starts, const int64_t **ends);

/* Adds to values, one per tile of the space. Does nothing without addresses. */
void tiles_spread(const struct gcs_site_tiles *from, const struct gcs_snapshot *s, uint32_t space,
    int64_t *values);

#endif
