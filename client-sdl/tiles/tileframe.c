/* What is drawn around tiles: selection, pointer, marks, relations. Declared in tilemap.h. */
#include "tilepaint.h"

/* Frames are drawn outward over the gaps and the edges of the neighbours. */
void tilemap_paint_marks(struct tilemap *map, struct cv *cv, const struct tilelook *look)
{
	if (map->hovered < map->tiles && map->hovered != map->selected) {
		struct cv_rect r = tilemap_rect(map, look, map->hovered);
		cv_frame(cv, rect_inset(r, -1), 1, look->hover);
	}
	if (map->selected < map->tiles) {
		struct cv_rect r = tilemap_rect(map, look, map->selected);
		cv_frame(cv, rect_inset(r, -1), 1, look->select_in);
		cv_frame(cv, rect_inset(r, -3), 2, look->selection);
		cv_touch(cv, rect_inset(r, -3));
	}
}

static void repaint_around(
    struct tilemap *map, struct cv *cv, const struct tilelook *look, uint32_t tile)
{
	if (tile >= map->tiles)
		return;
	struct cv_rect area = rect_inset(tilemap_rect(map, look, tile), -3);
	cv_push_clip(cv, area);
	cv_fill(cv, area, look->ground);
	cv_touch(cv, area);
	int reach = 3 / look->pitch + 1;
	uint32_t place = tilemap_place(map, tile);
	int column = (int)(place % map->columns);
	for (int dy = -reach; dy <= reach; dy++) {
		for (int dx = -reach; dx <= reach; dx++) {
			int64_t other = (int64_t)place + (int64_t)dy * map->columns + dx;
			if (column + dx >= 0 && column + dx < (int)map->columns && other >= 0 &&
			    other < map->tiles && map->code[other] != TILE_CODE_NONE)
				tilemap_paint_cell(map, cv, look, (uint32_t)other);
		}
	}
	cv_pop_clip(cv);
}

void tilemap_mark(struct tilemap *map, struct cv *cv, const struct tilelook *look,
    uint32_t selected, uint32_t hovered)
{
	uint32_t old[2] = {map->selected, map->hovered};
	if (old[0] == selected && old[1] == hovered)
		return;
	map->selected = selected;
	map->hovered = hovered;
	repaint_around(map, cv, look, old[0]);
	repaint_around(map, cv, look, old[1]);
	if (hovered < map->tiles)
		cv_touch(cv, rect_inset(tilemap_rect(map, look, hovered), -1));
	tilemap_paint_marks(map, cv, look);
}

void tilemap_frame(const struct tilemap *map, struct cv *cv, const struct tilelook *look,
    uint32_t first, uint32_t count)
{
	int thick = look->gap >= 2 ? 2 : 1;
	if (tileorder_on(map->style.order)) { /* Neighbours in memory stand anywhere. */
		for (uint32_t i = first; i < first + count && i < map->tiles; i++)
			cv_frame(cv, rect_inset(tilemap_rect(map, look, i), -thick), thick,
			    look->related);
		return;
	}
	for (uint32_t i = first; i < first + count && i < map->tiles;) {
		uint32_t row_end = (i / map->columns + 1) * map->columns;
		uint32_t end = row_end < first + count ? row_end : first + count;
		end = end < map->tiles ? end : map->tiles;
		struct cv_rect r = tilemap_rect(map, look, i);
		r.w = tilemap_rect(map, look, end - 1).x + look->tile - r.x;
		cv_frame(cv, rect_inset(r, -thick), thick, look->related);
		i = end;
	}
}

#define EDGE_FROM 6 /* pixels of a tile that has room for a second line */

/* The outline's share of one tile: the edges behind which no tile of the set stands. A line in the
 * colour of the ground sets it off from a tile of any colour. */
static void outline_cell(struct cv *cv, const struct tilelook *look, struct cv_rect r,
    const bool beside[4], uint32_t colour)
{
	int thick = look->gap >= 2 ? 2 : 1;
	if (r.w >= EDGE_FROM) {
		const struct cv_rect edge[4] = {rect_make(r.x, r.y, 1, r.h),
		    rect_make(r.x + r.w - 1, r.y, 1, r.h), rect_make(r.x, r.y, r.w, 1),
		    rect_make(r.x, r.y + r.h - 1, r.w, 1)};
		for (int i = 0; i < 4; i++)
			if (!beside[i])
				cv_fill(cv, edge[i], look->ground);
	}
	struct cv_rect out = rect_inset(r, -thick);
	if (!beside[0])
		cv_fill(cv, rect_make(out.x, out.y, thick, out.h), colour);
	if (!beside[1])
		cv_fill(cv, rect_make(r.x + r.w, out.y, thick, out.h), colour);
	if (!beside[2])
		cv_fill(cv, rect_make(out.x, out.y, out.w, thick), colour);
	if (!beside[3])
		cv_fill(cv, rect_make(out.x, r.y + r.h, out.w, thick), colour);
}

static bool has(const struct tilemap *map, const struct tilemarks *marks, int64_t place)
{
	return place >= 0 && place < map->tiles &&
	       tilemarks_has(marks, tilemap_tile(map, (uint32_t)place));
}

void tilemap_outline(const struct tilemap *map, struct cv *cv, const struct tilelook *look,
    const struct tilemarks *marks, uint32_t colour)
{
	uint32_t first, end;
	if (marks->count == 0)
		return;
	tilemap_visible(map, cv, look, &first, &end);
	for (uint32_t i = first; i < end; i++) {
		if (!has(map, marks, i))
			continue;
		uint32_t column = i % map->columns;
		const bool beside[4] = {column > 0 && has(map, marks, (int64_t)i - 1),
		    column + 1 < map->columns && has(map, marks, (int64_t)i + 1),
		    has(map, marks, (int64_t)i - map->columns),
		    has(map, marks, (int64_t)i + map->columns)};
		outline_cell(cv, look, tilemap_cell(map, look, i), beside, colour);
	}
}
