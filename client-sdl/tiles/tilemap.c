#include "tilemap.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tileage.h"
#include "tilepaint.h"

/* Tiles compared and recomputed at a time; columns_differ is written for 8. */
#define CHUNK       GCS_CHANGED_TILES
#define BATCH       512u /* tiles gathered before they are painted */
#define FETCH_UP_TO 4    /* pixels of a tile; larger ones are bound by painting, not by memory */
#define MANY        128u /* tiles recomputed at a time if changes are not known */

struct cv_rect tilemap_cell(const struct tilemap *map, const struct tileset *set, uint32_t place)
{
	int column = (int)(place % map->columns);
	int row = (int)(place / map->columns);
	return rect_make(map->x + column * set->pitch + set->gap,
	    map->y + row * set->pitch + set->gap, set->tile, set->tile);
}

void tilemap_paint_cell(
    const struct tilemap *map, struct cv *cv, const struct tileset *set, uint32_t place)
{
	struct cv_rect r = tilemap_cell(map, set, place);
	if (map->parts > 0)
		tilesplit_cell(map, cv, set, r, place);
	else
		tile_paint(cv, set, r, map->code[place]);
	tile_paint_gap(cv, set, r, map->code[place]);
}

/* Many codes are computed in memory order, then permuted. */
static void fill_ordered(const struct tilemap *map, const struct tilecode *tc, uint32_t first,
    uint32_t n, uint16_t *code)
{
	const uint32_t *tile = map->style.order->tile + first;
	uint16_t *all = n >= map->tiles / 4 ? malloc(map->tiles * sizeof *all) : NULL;
	if (all != NULL)
		tilecode_fill(tc, 0, map->tiles, all);
	for (uint32_t i = 0; i < n; i++) {
		if (all != NULL)
			code[i] = all[tile[i]];
		else
			tilecode_fill(tc, tile[i], 1, &code[i]);
		code[i] &= (uint16_t)~TILE_IN_GAP; /* The neighbour is not the previous tile. */
	}
	free(all);
}

void tilemap_fill(const struct tilemap *map, const struct tilecode *tc, uint32_t first, uint32_t n,
    uint16_t *code)
{
	const uint8_t *age = map->style.age;
	const bool order = tilemap_has_order(map);
	if (order)
		fill_ordered(map, tc, first, n, code);
	else
		tilecode_fill(tc, first, n, code);
	if (age == NULL)
		return;
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t tile = order ? map->style.order->tile[first + i] : first + i;
		code[i] |= (uint16_t)tilecode_fade(tileage_level(age[tile]));
	}
}

/* True if any of n values differs; without branches, because this reads every tile at every
 * event. */
static bool columns_differ(const int64_t *a, const int64_t *b, uint32_t first, uint32_t n)
{
	if (a == b)
		return false;
	a += first;
	b += first;
	if (n != CHUNK)
		return memcmp(a, b, n * sizeof *a) != 0;
	int64_t d = (a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2]) | (a[3] ^ b[3]);
	int64_t e = (a[4] ^ b[4]) | (a[5] ^ b[5]) | (a[6] ^ b[6]) | (a[7] ^ b[7]);
	return (d | e) != 0;
}

/* True if a chunk's codes may differ from those of the last update. */
static bool chunk_differs(
    const struct tilecode *a, const struct tilecode *b, uint32_t first, uint32_t n)
{
	if (columns_differ(a->values, b->values, first, n) ||
	    (a->limits != NULL && columns_differ(a->limits, b->limits, first, n)) ||
	    (a->counted != NULL && columns_differ(a->counted, b->counted, first, n)) ||
	    (a->errors != NULL && columns_differ(a->errors, b->errors, first, n)) ||
	    (a->control != NULL && columns_differ(a->control, b->control, first, n)))
		return true;
	/* A link is part of the code of the next tile. */
	return a->control != NULL && first > 0 && a->control[first - 1] != b->control[first - 1];
}

/* Where the columns differ from those of the last update (gcs_snapshot_changed); NULL: nowhere. */
struct changes {
	const uint64_t *values, *limits, *counted, *errors, *control;
};

/* The changes of a column, in *map; false if they are not known. */
static bool column_changes(const uint64_t **map, const struct gcs_snapshot *now,
    const struct gcs_snapshot *before, uint32_t space, uint32_t stream, const int64_t *new,
    const int64_t *old)
{
	if (new == old)
		return true;
	if (gcs_snapshot_values(before, space, stream) == old)
		*map = gcs_snapshot_changed(now, before, space, stream);
	return *map != NULL;
}

static bool find_changes(struct changes *c, const struct tilemap *map,
    const struct gcs_snapshot *snapshot, const struct tilecode *now)
{
	const struct tilecode *old = &map->shown;
	const struct gcs_space *s = &gcs_snapshot_model(snapshot)->spaces[map->space];
	return column_changes(&c->values, snapshot, map->snapshot, map->space, map->stream,
		   now->values, old->values) &&
	       column_changes(&c->limits, snapshot, map->snapshot, map->space,
		   s->streams[map->stream].max_stream, now->limits, old->limits) &&
	       column_changes(&c->counted, snapshot, map->snapshot, map->space,
		   tilecode_counted_by(s, map->stream), now->counted, old->counted) &&
	       column_changes(&c->errors, snapshot, map->snapshot, map->space,
		   s->streams[map->stream].error_stream, now->errors, old->errors) &&
	       column_changes(&c->control, snapshot, map->snapshot, map->space,
		   gcs_space_role(s, GCS_ROLE_CONTROL), now->control, old->control);
}

/* The chunks 64 * word and following whose codes may differ. */
static uint64_t changed_chunks(const struct changes *c, uint32_t word)
{
	uint64_t bits = 0;
	if (c->values != NULL)
		bits |= c->values[word];
	if (c->limits != NULL)
		bits |= c->limits[word];
	if (c->counted != NULL)
		bits |= c->counted[word];
	if (c->errors != NULL)
		bits |= c->errors[word];
	if (c->control != NULL) { /* A link is drawn in the next tile. */
		bits |= c->control[word] | c->control[word] << 1;
		if (word > 0)
			bits |= c->control[word - 1] >> 63;
	}
	return bits;
}

void tilemap_visible(const struct tilemap *map, const struct cv *cv, const struct tileset *set,
    uint32_t *first, uint32_t *end)
{
	int top = (cv->clip.y - map->y) / set->pitch - 1;
	int bottom = (cv->clip.y + cv->clip.h - map->y) / set->pitch + 1;
	uint64_t from = (uint64_t)(top > 0 ? top : 0) * map->columns;
	uint64_t to = (uint64_t)(bottom > 0 ? bottom : 0) * map->columns;
	*first = from < map->tiles ? (uint32_t)from : map->tiles;
	*end = to < map->tiles ? (uint32_t)to : map->tiles;
}

/*
 * Tiles are first gathered and then painted, so that the processor works on many at a time: most
 * are far from each other in memory.
 */
struct pass {
	struct tilemap *map;
	struct cv *cv;
	const struct tileset *set;
	uint32_t painted;
	uint32_t count;       /* tiles gathered */
	uint32_t tile[BATCH]; /* their places in ascending order */
	uint16_t code[BATCH]; /* their new codes */
	struct tile_bands bands;
};

void tile_bands_begin(struct tile_bands *bands, const struct tilemap *map,
    const struct tileset *set, uint32_t first, uint32_t end)
{
	int top = tilemap_cell(map, set, first).y;
	int height = (tilemap_cell(map, set, end - 1).y - top) / TILE_BANDS + 1;
	for (int i = 0; i < TILE_BANDS; i++)
		bands->band[i] =
		    (struct tile_band){.bottom = top + (i + 1) * height, .x0 = INT_MAX};
	bands->current = bands->band;
}

void tile_bands_add(struct tile_bands *bands, struct cv_rect r, int gap)
{
	while (r.y >= bands->current->bottom)
		bands->current++;
	struct tile_band *b = bands->current;
	if (b->x0 >= b->x1)
		b->y0 = r.y;
	b->y1 = r.y + r.h;
	b->x0 = r.x - gap < b->x0 ? r.x - gap : b->x0;
	b->x1 = r.x + r.w > b->x1 ? r.x + r.w : b->x1;
}

void tile_bands_touch(const struct tile_bands *bands, struct cv *cv)
{
	for (const struct tile_band *b = bands->band; b < bands->band + TILE_BANDS; b++)
		if (b->x0 < b->x1)
			cv_touch(cv, rect_make(b->x0, b->y0, b->x1 - b->x0, b->y1 - b->y0));
}

/* Prefetches the pixels of the gathered tiles. */
static void fetch_gathered(const struct pass *p)
{
	for (uint32_t i = 0; i < p->count; i++) {
		const struct cv_rect r = tilemap_cell(p->map, p->set, p->tile[i]);
		for (int y = r.y; y < r.y + r.h && tile_inside(r, p->cv->clip); y++)
			__builtin_prefetch(tile_pixel(p->cv, r.x, y), 1);
	}
}

static void paint_gathered(struct pass *p)
{
	if (p->set->tile <= FETCH_UP_TO)
		fetch_gathered(p);
	for (uint32_t i = 0; i < p->count; i++) {
		uint16_t *code = &p->map->code[p->tile[i]];
		struct cv_rect r = tilemap_cell(p->map, p->set, p->tile[i]);
		tile_paint(p->cv, p->set, r, p->code[i]);
		if ((*code | p->code[i]) & TILE_IN_GAP)
			tile_paint_gap(p->cv, p->set, r, p->code[i]);
		*code = p->code[i];
		tile_bands_add(&p->bands, r, p->set->gap);
	}
	p->painted += p->count;
	p->count = 0;
}

/* Gathers those of n tiles, at most MANY, whose code differs. */
static void gather(struct pass *p, const struct tilecode *now, uint32_t first, uint32_t n)
{
	uint16_t code[MANY];
	const uint16_t *old = p->map->code + first;
	if (p->count + n > BATCH)
		paint_gathered(p);
	tilemap_fill(p->map, now, first, n, code);
	uint32_t count = p->count;
	for (uint32_t i = 0; i < n; i++) { /* No branch depends on the tile. */
		p->tile[count] = first + i;
		p->code[count] = code[i];
		count += old[i] != code[i];
	}
	p->count = count;
}

static void paint_all(struct pass *p, const struct tilecode *now, uint32_t first, uint32_t end)
{
	struct tilemap *map = p->map;
	uint32_t column = first % map->columns;
	struct cv_rect r = tilemap_cell(map, p->set, first);
	tilemap_fill(map, now, first, end - first, map->code + first);
	for (uint32_t tile = first; tile < end; tile++) {
		unsigned code = map->code[tile];
		if (code < PALETTE_SHADES && tile_inside(r, p->cv->clip)) { /* most, by far */
			tile_paint_shade(p->cv, r, p->set->shade[code]);
		} else {
			tile_paint(p->cv, p->set, r, code);
		}
		if (code & TILE_IN_GAP)
			tile_paint_gap(p->cv, p->set, r, code);
		r.x += p->set->pitch;
		if (++column == map->columns) {
			column = 0;
			r.x = map->x + p->set->gap;
			r.y += p->set->pitch;
		}
	}
	p->painted = end - first;
}

static void paint_compared(
    struct pass *p, const struct tilecode *now, bool compare, uint32_t first, uint32_t end)
{
	const uint32_t step = compare ? CHUNK : MANY;
	for (uint32_t at = first; at < end; at += step) {
		uint32_t n = end - at < step ? end - at : step;
		if (!compare || chunk_differs(now, &p->map->shown, at, n))
			gather(p, now, at, n);
	}
	paint_gathered(p);
}

static void paint_changes(struct pass *p, const struct tilecode *now, const struct changes *changes,
    uint32_t first, uint32_t end)
{
	for (uint32_t word = first / CHUNK / 64; word <= (end - 1) / CHUNK / 64; word++) {
		uint64_t bits = changed_chunks(changes, word);
		for (uint32_t at = word * 64 * CHUNK; bits != 0 && at < end; bits >>= 1) {
			const uint32_t from = at > first ? at : first;
			at += CHUNK;
			const uint32_t to = at < end ? at : end;
			if (bits & 1 && from < to)
				gather(p, now, from, to - from);
		}
	}
	paint_gathered(p);
}

static struct cv_rect map_rect(const struct tilemap *map, const struct tileset *set)
{
	const uint32_t row = map->columns < map->tiles ? map->columns : map->tiles;
	return rect_make(map->x, map->y, (int)row * set->pitch + set->gap,
	    tilemap_height(set, map->tiles, map->columns));
}

static bool init_rule(
    struct tilecode *tc, const struct gcs_snapshot *snapshot, uint32_t space, uint32_t stream)
{
	if (!tilecode_init(tc, snapshot, space, stream))
		return false;
	tilecode_set_errors(tc, snapshot, space, stream);
	return true;
}

/* The rules of the parts beside the first, and their number: 0 without memory or if tiles are too
 * small. */
static uint32_t add_parts(struct tilemap *map, const struct tileset *set,
    const struct gcs_snapshot *snapshot, uint32_t space, struct tilecode codes[TILE_PARTS])
{
	uint32_t parts = 0;
	if (map->style.parts == 0 || set->tile < TILE_SPLIT_FROM)
		return 0;
	if (map->extra_capacity < map->tiles) {
		const size_t size = (TILE_PARTS - 1) * (size_t)map->tiles * sizeof *map->extra;
		uint16_t *extra = realloc(map->extra, size);
		if (extra == NULL)
			return 0;
		map->extra = extra;
		map->extra_capacity = map->tiles;
	}
	for (uint32_t i = 0; i < map->style.parts && i < TILE_PARTS - 1; i++)
		parts += init_rule(&codes[parts + 1], snapshot, space, map->style.part[i]);
	return parts;
}

/* Paints the visible tiles by the rules of all parts. */
static uint32_t paint_range(struct tilemap *map, struct cv *cv, const struct tileset *set,
    const struct gcs_snapshot *snapshot, const struct tilecode *codes, bool compare, bool all)
{
	uint32_t first, end;
	tilemap_visible(map, cv, set, &first, &end);
	if (first >= end)
		return 0;
	if (map->parts > 0)
		return tilesplit_paint(map, cv, set, codes, first, end, all);
	struct pass pass;
	pass.map = map;
	pass.cv = cv;
	pass.set = set;
	pass.painted = pass.count = 0;
	if (all) {
		paint_all(&pass, codes, first, end);
		return pass.painted;
	}
	struct changes changes = {0};
	tile_bands_begin(&pass.bands, map, set, first, end);
	if (compare && find_changes(&changes, map, snapshot, codes))
		paint_changes(&pass, codes, &changes, first, end);
	else
		paint_compared(&pass, codes, compare, first, end);
	tile_bands_touch(&pass.bands, cv);
	return pass.painted;
}

uint32_t tilemap_paint(struct tilemap *map, struct cv *cv, const struct tileset *set,
    const struct gcs_snapshot *snapshot, uint32_t space, uint32_t stream, bool all)
{
	struct tilecode now;
	if (!init_rule(&now, snapshot, space, stream) || map->tiles == 0)
		return 0;
	const bool share = map->share.values != NULL;
	struct tilecode codes[TILE_PARTS];
	if (share)
		tilecode_set_share(&now, &map->share);
	else if (map->style.real.values != NULL)
		tilecode_set_real(&now, &map->style.real);
	const uint32_t parts = share ? 0 : add_parts(map, set, snapshot, space, codes);
	const bool styled = tilemap_has_order(map) || map->style.age != NULL || now.real != NULL;
	const uint64_t order = tilemap_has_order(map) ? map->style.order->generation : 0;
	/* The values of the previous share are no longer valid. */
	all = all || share || map->shared || order != map->order_shown || parts != map->parts;
	if (now.tiles < map->tiles)
		return 0; /* The caller has to lay out the map first. */
	/* Only what the last update painted may be compared; it covered the same rows, because the
	 * caller paints all after scrolling. */
	bool compare = !all && map->snapshot != NULL && map->shown.tiles == now.tiles && !styled &&
		       !map->styled && map->space == space && map->stream == stream &&
		       (map->shown.control == NULL) == (now.control == NULL) &&
		       tilecode_same_rule(&map->shown, &now);
	if (order != map->order_shown) /* Frames around tiles are in other places. */
		cv_fill(cv, rect_inset(map_rect(map, set), -3), set->ground);
	map->shared = share;
	map->styled = styled;
	map->order_shown = order;
	map->parts = parts;
	codes[0] = now;
	uint32_t painted = paint_range(map, cv, set, snapshot, codes, compare, all);
	map->shown = now;
	map->space = space;
	map->stream = stream;
	if (map->snapshot != snapshot) {
		gcs_snapshot_unref(map->snapshot);
		map->snapshot = gcs_snapshot_ref(snapshot);
	}
	if (all)
		cv_touch(cv, rect_make(cv->clip.x, map->y, cv->clip.w,
				 tilemap_height(set, map->tiles, map->columns)));
	if (painted > 0)
		tilemap_paint_marks(map, cv, set);
	return painted;
}
