/* Size and geometry of a tile map. Declared in tilemap.h. */
#include <stdlib.h>
#include <string.h>

#include "tilemap.h"
#include "tilepaint.h"

void tilemap_fini(struct tilemap *map)
{
	gcs_snapshot_unref(map->snapshot);
	free(map->code);
	free(map->extra);
	memset(map, 0, sizeof *map);
}

bool tilemap_layout(struct tilemap *map, uint32_t tiles, uint32_t columns)
{
	if (tiles > map->capacity) {
		uint16_t *code = realloc(map->code, tiles * sizeof *code);
		if (code == NULL)
			return false;
		map->code = code;
		map->capacity = tiles;
	}
	if (tiles > 0)
		memset(map->code, 0xff, tiles * sizeof *map->code);
	map->tiles = tiles;
	map->columns = columns > 0 ? columns : 1;
	map->parts = 0;
	return true;
}

int tilemap_height(const struct tileset *set, uint32_t tiles, uint32_t columns)
{
	if (columns == 0)
		columns = 1;
	return (int)((tiles + columns - 1) / columns) * set->pitch + set->gap;
}

uint32_t tilemap_place(const struct tilemap *map, uint32_t tile)
{
	return tilemap_has_order(map) && tile < map->tiles ? map->style.order->place[tile] : tile;
}

uint32_t tilemap_tile(const struct tilemap *map, uint32_t place)
{
	return tilemap_has_order(map) && place < map->tiles ? map->style.order->tile[place] : place;
}

struct cv_rect tilemap_rect(const struct tilemap *map, const struct tileset *set, uint32_t tile)
{
	return tilemap_cell(map, set, tilemap_place(map, tile));
}

uint32_t tilemap_at(const struct tilemap *map, const struct tileset *set, int x, int y)
{
	if (x < map->x || y < map->y || set->pitch == 0)
		return GCS_NONE;
	const bool label = map->columns == 1 && x < map->x + map->label;
	uint32_t column = label ? 0 : (uint32_t)(x - map->x) / (uint32_t)set->pitch;
	uint64_t row = (uint32_t)(y - map->y) / (uint32_t)set->pitch;
	uint64_t place = row * map->columns + column;
	return column < map->columns && place < map->tiles ? tilemap_tile(map, (uint32_t)place)
							   : GCS_NONE;
}
