/*
 * A heap of equal units - regions, granules - as a space: one tile per unit, or per group of
 * neighbouring units when there are more of them than the limit of tiles.
 */
#ifndef GCSPY_AGENT_REGION_GRID_H
#define GCSPY_AGENT_REGION_GRID_H

#include "area.h"
#include "heap.h"

struct region_grid {
	struct vm_region_layout layout;
	uint32_t per_tile, tiles;
};

struct region_grid region_grid_of(const struct vm_region_layout *layout, uint32_t max_tiles);

/* All tiles, and the end of the last unit. */
struct area region_grid_area(const struct region_grid *g);
uint64_t region_grid_end(const struct region_grid *g);

/* Sets the fields of a space that follow from the grid. `unit` is "Region"; `shown` says what a
 * tile of several shows: "type in use". `info` keeps one of its texts. */
struct region_info {
	char text[160], title[20];
};
void region_grid_describe(const struct region_grid *g, const char *unit, const char *shown,
    struct region_info *info, struct gcs_space *space);

/* Finds the unit of an address among the first `count`, and the tile's range; false if it is none
 * of them. */
bool region_grid_locate(const struct region_grid *g, uint64_t count, uint64_t address,
    uint64_t *unit, struct heap_location *location);

/* A range and a cell for each region (heap_walk_ranges.h); none for a heap of too many regions. */
struct heap_walk_size region_grid_walk_size(const struct region_grid *g);

#endif
