#include "region_grid.h"

#include <ctype.h>
#include <stdio.h>

#include <gcspy/format.h>

struct region_grid region_grid_of(const struct vm_region_layout *layout, uint32_t max_tiles)
{
	struct region_grid g = {.layout = *layout};
	const size_t regions = layout->regions;
	g.per_tile = (uint32_t)((regions + max_tiles - 1) / max_tiles);
	g.per_tile = g.per_tile == 0 ? 1 : g.per_tile;
	g.tiles = (uint32_t)((regions + g.per_tile - 1) / g.per_tile);
	return g;
}

struct area region_grid_area(const struct region_grid *g)
{
	return (struct area){g->layout.heap, g->layout.region_bytes * g->per_tile, g->tiles};
}

uint64_t region_grid_end(const struct region_grid *g)
{
	return g->layout.heap + g->layout.region_bytes * g->layout.regions;
}

void region_grid_describe(const struct region_grid *g, const char *unit, const char *shown,
    struct region_info *info, struct gcs_space *space)
{
	const char small = (char)tolower((unsigned char)unit[0]);
	char bytes[32];
	gcs_format_number(bytes, sizeof bytes, (int64_t)g->layout.region_bytes, GCS_BYTES);
	snprintf(info->title, sizeof info->title, "%s%s", unit, g->per_tile == 1 ? "" : "s");
	if (g->per_tile == 1)
		snprintf(
		    info->text, sizeof info->text, "1 %c%s of %s per tile", small, unit + 1, bytes);
	else
		snprintf(info->text, sizeof info->text,
		    "%u %c%ss of %s per tile; the commonest %s is shown", g->per_tile, small,
		    unit + 1, bytes, shown);
	space->tile_title = info->title;
	space->block_info = info->text;
	space->kind = GCS_SPACE_ADDRESSES;
	space->main = true;
	space->block_bytes = g->layout.region_bytes * g->per_tile;
}

bool region_grid_locate(const struct region_grid *g, uint64_t count, uint64_t address,
    uint64_t *unit, struct heap_location *location)
{
	const struct area area = region_grid_area(g);
	*unit = (address - g->layout.heap) / g->layout.region_bytes;
	*location = (struct heap_location){0};
	if (address < g->layout.heap || *unit >= count)
		return false;
	area_tile_of(&area, region_grid_end(g), address, &location->low, &location->high);
	return true;
}

struct heap_walk_size region_grid_walk_size(const struct region_grid *g)
{
	enum { MAX_RANGES = 65536 };
	const uint32_t count = g->layout.regions > MAX_RANGES ? 0 : (uint32_t)g->layout.regions;
	return (struct heap_walk_size){.ranges = count, .cells = count};
}
