/* Several streams in one tile: halves, bands or quarters. Declared in tilepaint.h and tilemap.h. */
#include <limits.h>
#include <string.h>

#include "tilepaint.h"

#define TILE_BATCH 64u
#define GAP_FROM   12 /* pixels of a tile from which on its parts stand apart */

/* From one edge to the other in steps that differ by a pixel at most. */
static int edge(int size, uint32_t i, uint32_t n)
{
	return size * (int)i / (int)n;
}

struct cv_rect tilesplit_part(struct cv_rect r, uint32_t part, uint32_t count)
{
	const uint32_t columns = count == 4 ? 2 : count, rows = count == 4 ? 2 : 1;
	const uint32_t x = part % columns, y = part / columns;
	const int gap = r.w >= GAP_FROM ? 1 : 0;
	const int left = edge(r.w + gap, x, columns), top = edge(r.h + gap, y, rows);
	return rect_make(r.x + left, r.y + top, edge(r.w + gap, x + 1, columns) - left - gap,
	    edge(r.h + gap, y + 1, rows) - top - gap);
}

static uint16_t *codes_of(const struct tilemap *map, uint32_t part)
{
	return part == 0 ? map->code : map->extra + (size_t)(part - 1) * map->extra_capacity;
}

static void paint_part(struct cv *cv, const struct tilelook *look, struct cv_rect r, unsigned code)
{
	const unsigned plain = code & LOOK_MASK;
	if (plain < PALETTE_SHADES) {
		cv_fill(cv, r, cv_mix(look->shade[plain], look->ground, tile_faded(code)));
	} else {
		tilelook_sample(cv, look, look->theme, r, plain);
		if (look->dim && plain != LOOK_BACKGROUND)
			cv_blend(cv, r, look->ground, 140);
		cv_blend(cv, r, look->ground, tile_faded(code));
	}
	if (code & TILE_CODE_STALE)
		cv_blend(cv, r, look->ground, 110);
}

void tilesplit_cell(const struct tilemap *map, struct cv *cv, const struct tilelook *look,
    struct cv_rect r, uint32_t place)
{
	if (r.w >= GAP_FROM)
		cv_fill(cv, r, look->ground);
	for (uint32_t i = 0; i <= map->parts; i++)
		paint_part(cv, look, tilesplit_part(r, i, map->parts + 1), codes_of(map, i)[place]);
}

/* What was painted in the rows, a rectangle for each. */
struct trail {
	struct cv *cv;
	int y, h, x0, x1;
};

static void touch_row(struct trail *t)
{
	if (t->x0 < t->x1)
		cv_touch(t->cv, rect_make(t->x0, t->y, t->x1 - t->x0, t->h));
	t->x0 = INT_MAX;
	t->x1 = INT_MIN;
}

static void add_to_trail(struct trail *t, struct cv_rect r, int gap)
{
	if (r.y != t->y) {
		touch_row(t);
		t->y = r.y;
		t->h = r.h;
	}
	t->x0 = r.x - gap < t->x0 ? r.x - gap : t->x0;
	t->x1 = r.x + r.w > t->x1 ? r.x + r.w : t->x1;
}

static bool take_over(
    struct tilemap *map, uint32_t place, uint16_t fresh[TILE_PARTS][TILE_BATCH], uint32_t i)
{
	bool differs = false;
	for (uint32_t part = 0; part <= map->parts; part++) {
		uint16_t *code = &codes_of(map, part)[place];
		differs = differs || *code != fresh[part][i];
		*code = fresh[part][i];
	}
	return differs;
}

uint32_t tilesplit_paint(struct tilemap *map, struct cv *cv, const struct tilelook *look,
    const struct tilecode codes[TILE_PARTS], uint32_t first, uint32_t end, bool all)
{
	uint16_t fresh[TILE_PARTS][TILE_BATCH];
	uint32_t painted = 0;
	struct trail trail = {.cv = cv, .x0 = INT_MAX, .x1 = INT_MIN};
	for (uint32_t at = first; at < end; at += TILE_BATCH) {
		const uint32_t n = end - at < TILE_BATCH ? end - at : TILE_BATCH;
		for (uint32_t part = 0; part <= map->parts; part++)
			tilemap_fill(map, &codes[part], at, n, fresh[part]);
		for (uint32_t i = 0; i < n; i++) {
			const unsigned before = map->code[at + i];
			if (!take_over(map, at + i, fresh, i) && !all)
				continue;
			struct cv_rect r = tilemap_cell(map, look, at + i);
			tilesplit_cell(map, cv, look, r, at + i);
			if ((before | fresh[0][i]) & TILE_IN_GAP)
				tile_paint_gap(cv, look, r, fresh[0][i]);
			add_to_trail(&trail, r, look->gap);
			painted++;
		}
	}
	touch_row(&trail);
	return painted;
}
