/* Frames around tiles: selection, pointer, marks, relations. Declared in tilemap.h. */
#include "tilepaint.h"

/* Frames are drawn outward over the gaps and the edges of the neighbours. */
void tilemap_paint_marks(struct tilemap *map, struct cv *cv, const struct tileset *set)
{
	if (map->hovered < map->tiles && map->hovered != map->selected) {
		struct cv_rect r = tilemap_rect(map, set, map->hovered);
		cv_frame(cv, rect_inset(r, -1), 1, set->hover);
	}
	if (map->selected < map->tiles) {
		struct cv_rect r = tilemap_rect(map, set, map->selected);
		cv_frame(cv, rect_inset(r, -1), 1, set->select_in);
		cv_frame(cv, rect_inset(r, -3), 2, set->selection);
		cv_touch(cv, rect_inset(r, -3));
	}
}

static void repaint_around(
    struct tilemap *map, struct cv *cv, const struct tileset *set, uint32_t tile)
{
	if (tile >= map->tiles)
		return;
	struct cv_rect area = rect_inset(tilemap_rect(map, set, tile), -3);
	cv_push_clip(cv, area);
	cv_fill(cv, area, set->ground);
	cv_touch(cv, area);
	int reach = 3 / set->pitch + 1;
	uint32_t place = tilemap_place(map, tile);
	int column = (int)(place % map->columns);
	for (int dy = -reach; dy <= reach; dy++) {
		for (int dx = -reach; dx <= reach; dx++) {
			int64_t other = (int64_t)place + (int64_t)dy * map->columns + dx;
			if (column + dx >= 0 && column + dx < (int)map->columns && other >= 0 &&
			    other < map->tiles && map->code[other] != TILE_CODE_NONE)
				tilemap_paint_cell(map, cv, set, (uint32_t)other);
		}
	}
	cv_pop_clip(cv);
}

void tilemap_mark(struct tilemap *map, struct cv *cv, const struct tileset *set, uint32_t selected,
    uint32_t hovered)
{
	uint32_t old[2] = {map->selected, map->hovered};
	if (old[0] == selected && old[1] == hovered)
		return;
	map->selected = selected;
	map->hovered = hovered;
	repaint_around(map, cv, set, old[0]);
	repaint_around(map, cv, set, old[1]);
	if (hovered < map->tiles)
		cv_touch(cv, rect_inset(tilemap_rect(map, set, hovered), -1));
	tilemap_paint_marks(map, cv, set);
}

void tilemap_frame(const struct tilemap *map, struct cv *cv, const struct tileset *set,
    uint32_t first, uint32_t count)
{
	int thick = set->gap >= 2 ? 2 : 1;
	if (tileorder_on(map->style.order)) { /* Neighbours in memory can be anywhere. */
		for (uint32_t i = first; i < first + count && i < map->tiles; i++)
			cv_frame(
			    cv, rect_inset(tilemap_rect(map, set, i), -thick), thick, set->related);
		return;
	}
	for (uint32_t i = first; i < first + count && i < map->tiles;) {
		uint32_t row_end = (i / map->columns + 1) * map->columns;
		uint32_t end = row_end < first + count ? row_end : first + count;
		end = end < map->tiles ? end : map->tiles;
		struct cv_rect r = tilemap_rect(map, set, i);
		r.w = tilemap_rect(map, set, end - 1).x + set->tile - r.x;
		cv_frame(cv, rect_inset(r, -thick), thick, set->related);
		i = end;
	}
}

#define EDGE_FROM   6 /* minimum tile size in pixels for a second line */
#define DOUBLE_FROM 9 /* and for a third */

/* One side of a frame. Dashes are aligned to the window, so that those of neighbours meet. */
static void paint_side(
    struct cv *cv, struct cv_rect r, int thick, enum tile_edge edge, uint32_t colour)
{
	const int dash = 3 * thick;
	if (edge != EDGE_DASHES) {
		cv_fill(cv, r, colour);
		return;
	}
	for (int x = r.x, w; x < r.x + r.w; x += w) {
		w = r.w > r.h ? dash - x % dash : r.w;
		w = w < r.x + r.w - x ? w : r.x + r.w - x;
		for (int y = r.y, h; y < r.y + r.h; y += h) {
			h = r.w > r.h ? r.h : dash - y % dash;
			h = h < r.y + r.h - y ? h : r.y + r.h - y;
			if ((r.w > r.h ? x : y) / dash % 2 == 0)
				cv_fill(cv, rect_make(x, y, w, h), colour);
		}
	}
}

/* The left, right, top and bottom of r, except where the neighbour is in the set. */
static void paint_sides(struct cv *cv, struct cv_rect r, int thick, const bool beside[4],
    enum tile_edge edge, uint32_t colour)
{
	const struct cv_rect out = rect_inset(r, -thick);
	const struct cv_rect side[4] = {rect_make(out.x, out.y, thick, out.h),
	    rect_make(r.x + r.w, out.y, thick, out.h), rect_make(out.x, out.y, out.w, thick),
	    rect_make(out.x, r.y + r.h, out.w, thick)};
	for (int i = 0; i < 4; i++)
		if (!beside[i])
			paint_side(cv, side[i], thick, edge, colour);
}

/* The inner line of a double frame; it continues over the gap to the next tile of the set. */
static void paint_inner(
    struct cv *cv, struct cv_rect r, int thick, int gap, const bool beside[4], uint32_t colour)
{
	int left = r.x + (beside[0] ? -gap : 1 + thick);
	int right = r.x + r.w - (beside[1] ? -gap : 1 + thick);
	int top = r.y + (beside[2] ? -gap : 1 + thick);
	int bottom = r.y + r.h - (beside[3] ? -gap : 1 + thick);
	paint_sides(
	    cv, rect_make(left, top, right - left, bottom - top), thick, beside, EDGE_LINE, colour);
}

void tile_edge_sample(
    struct cv *cv, struct cv_rect r, int thick, enum tile_edge edge, uint32_t colour)
{
	static const bool beside[4];
	paint_sides(cv, r, thick, beside, edge, colour);
	if (edge == EDGE_DOUBLE)
		paint_inner(cv, r, 1, 0, beside, colour);
}

/* Outlines one tile, except towards neighbours in the set. An inner line in the background colour
 * contrasts with a tile of any colour. */
static void outline_cell(struct cv *cv, const struct tileset *set, struct cv_rect r,
    const bool beside[4], enum tile_edge edge, uint32_t colour)
{
	if (r.w >= EDGE_FROM) {
		const struct cv_rect inner[4] = {rect_make(r.x, r.y, 1, r.h),
		    rect_make(r.x + r.w - 1, r.y, 1, r.h), rect_make(r.x, r.y, r.w, 1),
		    rect_make(r.x, r.y + r.h - 1, r.w, 1)};
		for (int i = 0; i < 4; i++)
			if (!beside[i])
				cv_fill(cv, inner[i], set->ground);
	}
	if (edge == EDGE_DOUBLE && r.w >= DOUBLE_FROM)
		paint_inner(cv, r, 1, set->gap, beside, colour);
	paint_sides(cv, r, set->gap >= 2 ? 2 : 1, beside, edge, colour);
}

static bool has(const struct tilemap *map, const struct tilemarks *marks, int64_t place)
{
	return place >= 0 && place < map->tiles &&
	       tilemarks_has(marks, tilemap_tile(map, (uint32_t)place));
}

void tilemap_outline(const struct tilemap *map, struct cv *cv, const struct tileset *set,
    const struct tilemarks *marks, enum tile_edge edge, uint32_t colour)
{
	uint32_t first, end;
	if (marks->count == 0)
		return;
	tilemap_visible(map, cv, set, &first, &end);
	for (uint32_t i = first; i < end; i++) {
		if (!has(map, marks, i))
			continue;
		uint32_t column = i % map->columns;
		const bool beside[4] = {column > 0 && has(map, marks, (int64_t)i - 1),
		    column + 1 < map->columns && has(map, marks, (int64_t)i + 1),
		    has(map, marks, (int64_t)i - map->columns),
		    has(map, marks, (int64_t)i + map->columns)};
		outline_cell(cv, set, tilemap_cell(map, set, i), beside, edge, colour);
	}
}
