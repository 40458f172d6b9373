/*
 * Turns a tile's code into pixels; private to the tile map. In a header for inlining, because a
 * hundred thousand tiles are painted one by one.
 */
#ifndef GCSPY_CLIENT_TILEPAINT_H
#define GCSPY_CLIENT_TILEPAINT_H

#include "tilemap.h"

#define TILE_IN_GAP (TILE_CODE_SEPARATOR | TILE_CODE_LINKED) /* drawn in the gap */

/* True if the map shows its tiles in another order than the server's. */
static inline bool tilemap_has_order(const struct tilemap *map)
{
	return tileorder_on(map->style.order) && map->style.order->tiles == map->tiles;
}

/* The codes of n places of the map, in its order and with its fading. */
void tilemap_fill(const struct tilemap *map, const struct tilecode *tc, uint32_t first, uint32_t n,
    uint16_t *code);

/* Paints the tile at a place, and the gap on its left. */
void tilemap_paint_cell(
    const struct tilemap *map, struct cv *cv, const struct tileset *set, uint32_t place);

/* The pixels of a place without its gaps. */
struct cv_rect tilemap_cell(const struct tilemap *map, const struct tileset *set, uint32_t place);

/* The places of the rows that meet the clip. */
void tilemap_visible(const struct tilemap *map, const struct cv *cv, const struct tileset *set,
    uint32_t *first, uint32_t *end);

/* Collects what an update paints, from top to bottom, into at most TILE_BANDS rectangles. */
#define TILE_BANDS 8
struct tile_bands {
	struct tile_band {
		int bottom;
		int x0, y0, x1, y1; /* x0 < x1 unless empty */
	} band[TILE_BANDS], *current;
};

void tile_bands_begin(struct tile_bands *bands, const struct tilemap *map,
    const struct tileset *set, uint32_t first, uint32_t end);
void tile_bands_add(struct tile_bands *bands, struct cv_rect tile, int gap);
void tile_bands_touch(const struct tile_bands *bands, struct cv *cv);

/* Selection and pointer, over the tiles. */
void tilemap_paint_marks(struct tilemap *map, struct cv *cv, const struct tileset *set);

/* The parts of a tile that shows several streams (tilesplit.c). */
void tilesplit_cell(const struct tilemap *map, struct cv *cv, const struct tileset *set,
    struct cv_rect r, uint32_t place);

/* Takes the codes of all parts and paints the differences, or everything; returns tiles painted. */
uint32_t tilesplit_paint(struct tilemap *map, struct cv *cv, const struct tileset *set,
    const struct tilecode codes[TILE_PARTS], uint32_t first, uint32_t end, bool all);

/* Alpha of the background over a faded tile. */
static inline int tile_faded(unsigned code)
{
	return (int)tilecode_fading(code) * 27;
}

static inline uint32_t *tile_pixel(const struct cv *cv, int x, int y)
{
	return cv->px + (size_t)y * (size_t)cv->w + (size_t)x;
}

/*
 * Separator and link are drawn in the gap on the left of the tile; the link extends into the tile
 * so that it is visible with a gap of one pixel. Called after the tile is painted.
 */
static inline void tile_paint_gap(
    struct cv *cv, const struct tileset *set, struct cv_rect r, unsigned code)
{
	struct cv_rect gap = rect_make(r.x - set->gap, r.y, set->gap, r.h);
	cv_fill(cv, gap, set->ground);
	if (code & TILE_CODE_LINKED) {
		int h = r.h / 3 > 0 ? r.h / 3 : 1;
		struct cv_rect bar = rect_make(gap.x, r.y + (r.h - h) / 2, gap.w + r.w / 4, h);
		if (h >= 3) /* A background edge contrasts with a tile of any colour. */
			cv_fill(cv, rect_make(bar.x, bar.y - 1, bar.w + 1, h + 2), set->ground);
		cv_fill(cv, bar, set->link);
	}
	if (code & TILE_CODE_SEPARATOR)
		cv_fill(cv, gap, set->separator);
}

static inline void tile_paint_sprite(struct cv *cv, const struct tileset *set, struct cv_rect r,
    struct cv_rect v, unsigned look_code)
{
	unsigned i = look_code - LOOK_ZERO;
	if (look_code >= LOOK_ENUM)
		i = LOOK_ENUM - LOOK_ZERO + (look_code - LOOK_ENUM) % 28u;
	const uint32_t *sprite = set->sprite + (size_t)i * (size_t)(set->tile * set->tile);
	for (int y = v.y; y < v.y + v.h; y++) {
		const uint32_t *from = sprite + (y - r.y) * set->tile + (v.x - r.x);
		uint32_t *to = tile_pixel(cv, v.x, y);
		for (int x = 0; x < v.w; x++)
			to[x] = from[x];
	}
}

static inline bool tile_inside(struct cv_rect r, struct cv_rect clip)
{
	return r.x >= clip.x && r.y >= clip.y && r.x + r.w <= clip.x + clip.w &&
	       r.y + r.h <= clip.y + clip.h;
}

static inline void tile_paint_shade(struct cv *cv, struct cv_rect v, uint32_t colour)
{
	uint32_t *p = tile_pixel(cv, v.x, v.y);
	if (v.w == 3 && v.h == 3) { /* the size at which a hundred thousand tiles fit */
		uint32_t *q = p + cv->w, *o = q + cv->w;
		p[0] = p[1] = p[2] = colour;
		q[0] = q[1] = q[2] = colour;
		o[0] = o[1] = o[2] = colour;
		return;
	}
	for (int y = 0; y < v.h; y++, p += cv->w) {
		for (int x = 0; x < v.w; x++)
			p[x] = colour;
	}
}

static inline void tile_paint(
    struct cv *cv, const struct tileset *set, struct cv_rect r, unsigned code)
{
	struct cv_rect v = tile_inside(r, cv->clip) ? r : rect_and(r, cv->clip);
	unsigned look_code = code & LOOK_MASK;
	if (look_code < PALETTE_SHADES) {
		uint32_t colour = set->shade[look_code];
		if (code & TILE_CODE_FADE)
			colour = cv_mix(colour, set->ground, tile_faded(code));
		if (v.w > 0 && v.h > 0)
			tile_paint_shade(cv, v, colour);
	} else if (look_code >= LOOK_UNCERTAIN) {
		tileset_uncertain(cv, r,
		    cv_mix(set->shade[look_code - LOOK_UNCERTAIN], set->ground, tile_faded(code)),
		    set->ground);
	} else {
		tile_paint_sprite(cv, set, r, v, look_code);
		if (code & TILE_CODE_FADE)
			cv_blend(cv, r, set->ground, tile_faded(code));
	}
	if (code & TILE_CODE_STALE)
		cv_blend(cv, r, set->ground, 110);
}

#endif
