/* Moves the selection by keys. Declared in heap_view.h. */
#include "heap_view.h"

/* The space before (dir -1) or after it in the list, with at least one tile, folded or not;
 * GCS_NONE if none. */
static uint32_t neighbour(const struct heap *heap, uint32_t space, int dir, bool folded)
{
	int64_t at = -1;
	for (uint32_t i = 0; i < heap->count; i++) {
		if (heap->item[i].kind == HEAP_SPACE && heap->item[i].id == space)
			at = i;
	}
	for (at += dir; at >= 0 && at < heap->count; at += dir) {
		if (heap->item[at].kind == HEAP_SPACE && heap->item[at].map.tiles > 0 &&
		    (folded || !heap->item[at].folded))
			return heap->item[at].id;
	}
	return GCS_NONE;
}

/* From the first row up into the last row of the space above, or from the last row down. */
static void cross(
    struct heap *heap, const struct tilemap *map, int dir, uint32_t *space, uint32_t *tile)
{
	uint32_t other = neighbour(heap, *space, dir, false);
	if (other == GCS_NONE)
		return;
	const struct tilemap *to = &heap_find(heap, other)->map;
	uint32_t column = *tile % map->columns; /* *tile is a place */
	uint32_t first = dir > 0 ? 0 : (to->tiles - 1) / to->columns * to->columns;
	uint32_t last =
	    to->tiles - 1 - first < to->columns - 1 ? to->tiles - 1 : first + to->columns - 1;
	*space = other;
	*tile = first + column < last ? first + column : last;
}

static void step(struct heap *heap, const struct tilemap *map, enum command_id id, uint32_t *space,
    uint32_t *tile)
{
	switch (id) {
	case COMMAND_tile_left:
		*tile -= *tile > 0;
		break;
	case COMMAND_tile_right:
		*tile += *tile + 1 < map->tiles;
		break;
	case COMMAND_tile_up:
		if (*tile >= map->columns)
			*tile -= map->columns;
		else
			cross(heap, map, -1, space, tile);
		break;
	case COMMAND_tile_down:
		if (map->tiles - *tile > map->columns)
			*tile += map->columns;
		else if (*tile / map->columns < (map->tiles - 1) / map->columns)
			*tile = map->tiles - 1;
		else
			cross(heap, map, 1, space, tile);
		break;
	case COMMAND_tile_first:
		*tile = 0;
		break;
	default:
		*tile = map->tiles - 1;
		break;
	}
}

static bool walk_spaces(struct heap *heap, struct app *app, int dir)
{
	uint32_t space = neighbour(heap, app->active_space, dir, true);
	if (space == GCS_NONE)
		space = neighbour(heap, GCS_NONE, 1, true);
	if (space == GCS_NONE)
		return true;
	app_activate(app, space);
	heap_reveal(heap, app, space, 0);
	return true;
}

bool heap_walk(struct heap *heap, struct app *app, enum command_id id)
{
	if (id == COMMAND_space_next || id == COMMAND_space_prev)
		return walk_spaces(heap, app, id == COMMAND_space_next ? 1 : -1);
	if (id < COMMAND_tile_left || id > COMMAND_tile_last)
		return false;
	uint32_t space = app->active_space;
	struct heap_item *item = heap_find(heap, space);
	if (item == NULL || item->map.tiles == 0)
		return true;
	uint32_t tile = app->selected.tile;
	/* The first key only makes the selection visible. */
	bool fresh = app->selected.space != space || tile >= item->map.tiles;
	if (fresh)
		tile = 0;
	if (!fresh || id == COMMAND_tile_last) {
		tile = tilemap_place(&item->map, tile);
		step(heap, &item->map, id, &space, &tile);
		tile = tilemap_tile(&heap_find(heap, space)->map, tile);
	}
	app_select(app, space, tile);
	heap_reveal(heap, app, space, tile);
	return true;
}
