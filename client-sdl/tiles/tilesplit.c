/* Several streams in one tile: halves, thirds or quarters. Declared in tilepaint.h and tilemap.h. */
#include "tilepaint.h"

#define TILE_BATCH 64u
#define GAP_FROM   12 /* minimum tile size in pixels for gaps between parts */

/* Divides `size` into n steps that differ by at most a pixel. */
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

static void paint_part(struct cv *cv, const struct tileset *set, struct cv_rect r, unsigned code)
{
	const unsigned plain = code & LOOK_MASK;
	if (plain < PALETTE_SHADES) {
		cv_fill(cv, r, cv_mix(set->shade[plain], set->ground, tile_faded(code)));
	} else {
		tileset_sample(cv, set, set->theme, r, plain);
		if (set->dim && plain != LOOK_BACKGROUND && plain < LOOK_UNCERTAIN)
			cv_blend(cv, r, set->ground, 140);
		cv_blend(cv, r, set->ground, tile_faded(code));
	}
	if (code & TILE_CODE_STALE)
		cv_blend(cv, r, set->ground, 110);
}

void tilesplit_cell(const struct tilemap *map, struct cv *cv, const struct tileset *set,
    struct cv_rect r, uint32_t place)
{
	if (r.w >= GAP_FROM)
		cv_fill(cv, r, set->ground);
	for (uint32_t i = 0; i <= map->parts; i++)
		paint_part(cv, set, tilesplit_part(r, i, map->parts + 1), codes_of(map, i)[place]);
}

static bool store_codes(
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

uint32_t tilesplit_paint(struct tilemap *map, struct cv *cv, const struct tileset *set,
    const struct tilecode codes[TILE_PARTS], uint32_t first, uint32_t end, bool all)
{
	uint16_t fresh[TILE_PARTS][TILE_BATCH];
	uint32_t painted = 0;
	struct tile_bands bands;
	tile_bands_begin(&bands, map, set, first, end);
	for (uint32_t at = first; at < end; at += TILE_BATCH) {
		const uint32_t n = end - at < TILE_BATCH ? end - at : TILE_BATCH;
		for (uint32_t part = 0; part <= map->parts; part++)
			tilemap_fill(map, &codes[part], at, n, fresh[part]);
		for (uint32_t i = 0; i < n; i++) {
			const unsigned before = map->code[at + i];
			if (!store_codes(map, at + i, fresh, i) && !all)
				continue;
			struct cv_rect r = tilemap_cell(map, set, at + i);
			tilesplit_cell(map, cv, set, r, at + i);
			if ((before | fresh[0][i]) & TILE_IN_GAP)
				tile_paint_gap(cv, set, r, fresh[0][i]);
			tile_bands_add(&bands, r, set->gap);
			painted++;
		}
	}
	tile_bands_touch(&bands, cv);
	return painted;
}
