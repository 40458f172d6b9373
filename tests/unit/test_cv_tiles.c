/* Colours and tile maps: what a tile looks like, and that painting costs what changed (V4, V5, V11,
 * F5). */
#include <criterion/criterion.h>
#include <string.h>

#include "kit.h"
#include "pair.h"
#include "snapshot_internal.h"
#include "tilemap.h"
#include "ui_world.h"

static struct gcs_snapshot *next_plain(const struct gcs_snapshot *before, int64_t **values)
{
	struct gcs_model *m = gcs_model_ref((struct gcs_model *)gcs_snapshot_model(before));
	struct gcs_snapshot *s = gcs_snapshot_begin(m, before);
	gcs_model_unref(m);
	*values = gcs_snapshot_write(s, 0, 0);
	cr_assert_not_null(*values);
	return s;
}

Test(palette, ramps_change_in_one_direction_and_stay_off_the_ground)
{
	for (int ramp = 0; ramp < PALETTE_RAMPS; ramp++) {
		for (int dark = 0; dark < 2; dark++) {
			uint32_t shade[PALETTE_SHADES];
			palette_ramp(ramp, dark, shade);
			double first = palette_lightness(shade[0]);
			double last = palette_lightness(shade[PALETTE_SHADES - 1]);
			for (int i = 0; i < PALETTE_SHADES; i++) {
				double l = palette_lightness(shade[i]);
				cr_assert(dark ? l >= 24.9 : l <= 80.1, "%s %d: L* %.1f",
				    palette_name(ramp), i, l);
				/* Neighbours may round to one colour; three steps on is another. */
				if (i >= 3)
					cr_assert(first < last
						      ? l > palette_lightness(shade[i - 3])
						      : l < palette_lightness(shade[i - 3]),
					    "%s turns at %d", palette_name(ramp), i);
			}
		}
	}
}

Test(palette, enumeration_values_differ_in_colour_and_pattern_from_their_neighbours)
{
	for (uint32_t a = 0; a < 28; a++) {
		for (uint32_t b = 0; b < a; b++)
			cr_assert(palette_enum_colour(a) != palette_enum_colour(b) ||
				  palette_enum_pattern(a) != palette_enum_pattern(b));
		cr_assert_neq(palette_enum_colour(a), palette_enum_colour(a + 1));
		cr_assert_neq(palette_enum_pattern(a), palette_enum_pattern(a + 1));
	}
	cr_assert_eq(palette_find("cividis"), 1);
	cr_assert_eq(palette_find("mauve"), -1);
}

Test(theme, texts_can_be_read)
{
	for (int i = 0; i < THEMES; i++) {
		const struct theme *t = theme_at(i);
		cr_assert_geq(theme_contrast(t->text, t->panel), 7.0, "%s text", t->name);
		cr_assert_geq(
		    theme_contrast(t->text, t->raised), 7.0, "%s text on raised", t->name);
		cr_assert_geq(theme_contrast(t->weak, t->panel), 4.5, "%s weak", t->name);
		cr_assert_geq(
		    theme_contrast(t->weak, t->raised), 4.5, "%s weak on raised", t->name);
		cr_assert_geq(theme_contrast(t->on_accent, t->accent), 4.5, "%s accent", t->name);
		cr_assert_geq(theme_contrast(t->accent, t->ground), 3.0, "%s focus", t->name);
		cr_assert_geq(theme_contrast(t->bad, t->panel), 3.0, "%s bad", t->name);
		cr_assert_eq(theme_find(t->name), i);
	}
}

Test(tilecode, looks_of_every_presentation)
{
	struct gcs_model *m = world_model();
	struct gcs_snapshot *s = world_snapshot(m, NULL, 5);
	struct tilecode tc;
	uint16_t code[192];
	cr_assert(tilecode_init(&tc, s, WORLD_REGIONS, REGION_TYPE));
	tilecode_fill(&tc, 0, 192, code);
	cr_assert_eq(code[0] & LOOK_MASK, LOOK_ENUM + 5, "archive");
	cr_assert_eq(code[90] & LOOK_MASK, LOOK_ZERO, "free is the zero value");
	cr_assert_eq(code[170] & LOOK_MASK, LOOK_UNUSED);
	cr_assert(code[96] & TILE_CODE_SEPARATOR);
	cr_assert_not(code[96] & TILE_CODE_LINKED);
	cr_assert(code[97] & TILE_CODE_LINKED, "a link shows in the tile after it");
	cr_assert(code[103] & TILE_CODE_LINKED);
	cr_assert_not(code[104] & TILE_CODE_LINKED);
	cr_assert(code[100] & TILE_CODE_STALE);
	cr_assert(tilecode_init(&tc, s, WORLD_REGIONS, REGION_USED));
	tilecode_fill(&tc, 96, 1, code);
	cr_assert_eq(code[0] & LOOK_MASK, PALETTE_SHADES - 1, "a full humongous region");
	const int64_t *cards = gcs_snapshot_values(s, WORLD_REGIONS, REGION_CARDS);
	cr_assert(tilecode_init(&tc, s, WORLD_REGIONS, REGION_CARDS));
	tilecode_fill(&tc, 0, 30, code);
	for (int i = 0; i < 30; i++) {
		if (cards[i] >= 64)
			cr_assert_eq(code[i] & LOOK_MASK, LOOK_OVER);
		else if (cards[i] > 0)
			cr_assert_lt(code[i] & LOOK_MASK, PALETTE_SHADES);
	}
	cr_assert_not(tilecode_init(&tc, s, 99, 0));
	cr_assert_not(tilecode_init(&tc, s, 0, 99));
	gcs_snapshot_unref(s);
	gcs_model_unref(m);
}

struct map_world {
	struct cv cv;
	struct tileset look;
	struct tilemap map;
};

static void open_map(struct map_world *w, uint32_t tiles, uint32_t columns, int pitch)
{
	memset(w, 0, sizeof *w);
	cr_assert(cv_init(&w->cv, 420, 320));
	cr_assert(tileset_set(&w->look, theme_at(0), 0, pitch, false, NULL, NULL));
	cr_assert(tilemap_layout(&w->map, tiles, columns));
	w->map.selected = w->map.hovered = GCS_NONE;
	w->map.x = 10;
	w->map.y = 8;
	cv_fill(&w->cv, w->cv.clip, theme_at(0)->ground);
}

static void close_map(struct map_world *w)
{
	tilemap_fini(&w->map);
	tileset_fini(&w->look);
	cv_fini(&w->cv);
}

Test(tilemap, hit_test_is_the_inverse_of_the_geometry)
{
	struct map_world w;
	open_map(&w, 1003, 40, 10);
	for (uint32_t i = 0; i < 1003; i++) {
		struct cv_rect r = tilemap_rect(&w.map, &w.look, i);
		cr_assert_eq(tilemap_at(&w.map, &w.look, r.x, r.y), i);
		cr_assert_eq(tilemap_at(&w.map, &w.look, r.x + r.w - 1, r.y + r.h - 1), i);
	}
	cr_assert_eq(tilemap_at(&w.map, &w.look, 9, 20), GCS_NONE);
	cr_assert_eq(tilemap_at(&w.map, &w.look, 10 + 400, 20), GCS_NONE);
	struct cv_rect last = tilemap_rect(&w.map, &w.look, 1002);
	cr_assert_eq(
	    tilemap_at(&w.map, &w.look, last.x + 10, last.y), GCS_NONE, "after the last tile");
	cr_assert_eq(tilemap_height(&w.look, 1003, 40), 26 * 10 + 1);
	close_map(&w);
}

Test(tilemap, repaints_what_changed_and_nothing_else)
{
	struct map_world w;
	struct gcs_snapshot *a = world_plain(1000);
	open_map(&w, 1000, 40, 10);
	cr_assert_eq(tilemap_paint(&w.map, &w.cv, &w.look, a, 0, 0, true), 1000u);
	cr_assert_eq(tilemap_paint(&w.map, &w.cv, &w.look, a, 0, 0, false), 0u);
	int64_t *values;
	struct gcs_snapshot *b = next_plain(a, &values);
	values[5] = 700;
	values[6] = 0;   /* the same value: not repainted */
	values[999] = 1; /* differs from zero in its look */
	values[500] = 350;
	damage_clear(&w.cv.damage);
	cr_assert_eq(tilemap_paint(&w.map, &w.cv, &w.look, b, 0, 0, false), 3u);
	long pixels = 0;
	for (int i = 0; i < w.cv.damage.count; i++)
		pixels += (long)w.cv.damage.rect[i].w * w.cv.damage.rect[i].h;
	cr_assert_leq(pixels, 3 * 10 * 10, "the damage is that of three tiles");
	struct cv_rect middle = tilemap_rect(&w.map, &w.look, 500);
	bool hit = false;
	for (int i = 0; i < w.cv.damage.count; i++)
		hit = hit || rect_same(rect_and(w.cv.damage.rect[i], middle), middle);
	cr_assert(hit, "and covers each of them");
	struct cv full;
	cr_assert(cv_init(&full, 420, 320));
	cv_fill(&full, full.clip, theme_at(0)->ground);
	tilemap_paint(&w.map, &full, &w.look, b, 0, 0, true);
	cr_assert_arr_eq(full.px, w.cv.px, 420 * 320 * sizeof *full.px,
	    "a repaint in part gives the same picture as a full one");
	cv_fini(&full);
	gcs_snapshot_unref(a);
	gcs_snapshot_unref(b);
	close_map(&w);
}

/* Tiles are compared eight at a time; the last ones are fewer. */
Test(tilemap, each_of_the_last_tiles_is_repainted)
{
	for (uint32_t tiles = 1000; tiles < 1008; tiles++) {
		struct map_world w;
		struct gcs_snapshot *last = world_plain(tiles);
		open_map(&w, tiles, 40, 10);
		tilemap_paint(&w.map, &w.cv, &w.look, last, 0, 0, true);
		for (uint32_t tile = tiles - 8; tile < tiles; tile++) {
			int64_t *values;
			struct gcs_snapshot *next = next_plain(last, &values);
			values[tile] = 700 - values[tile];
			cr_assert_eq(tilemap_paint(&w.map, &w.cv, &w.look, next, 0, 0, false), 1u,
			    "tile %u of %u", tile, tiles);
			gcs_snapshot_unref(last);
			last = next;
		}
		gcs_snapshot_unref(last);
		close_map(&w);
	}
}

/* The same over many steps of a heap with links, borders, marks and stale tiles, at every tile
 * size. */
Test(tilemap, incremental_equals_full_at_every_size)
{
	static const int pitches[] = {2, 3, 4, 6, 10, 14, 20};
	for (size_t p = 0; p < sizeof pitches / sizeof *pitches; p++) {
		struct map_world w;
		open_map(&w, 192, 19, pitches[p]);
		struct gcs_model *m = world_model();
		struct gcs_snapshot *s = NULL;
		for (unsigned step = 0; step < 12; step++) {
			struct gcs_snapshot *n = world_snapshot(m, s, step);
			gcs_snapshot_unref(s);
			s = n;
			uint32_t stream = step / 3 % 5;
			tilemap_paint(&w.map, &w.cv, &w.look, s, 0, stream, step == 0);
			tilemap_mark(&w.map, &w.cv, &w.look, step * 13 % 192, step * 29 % 192);
			struct cv full;
			cr_assert(cv_init(&full, 420, 320));
			cv_fill(&full, full.clip, theme_at(0)->ground);
			struct tilemap whole = {
			    .x = 10, .y = 8, .selected = w.map.selected, .hovered = w.map.hovered};
			cr_assert(tilemap_layout(&whole, 192, 19));
			tilemap_paint(&whole, &full, &w.look, s, 0, stream, true);
			cr_assert_arr_eq(full.px, w.cv.px, 420 * 320 * sizeof *full.px,
			    "pitch %d, step %u", pitches[p], step);
			tilemap_fini(&whole);
			cv_fini(&full);
		}
		gcs_snapshot_unref(s);
		gcs_model_unref(m);
		close_map(&w);
	}
}

/* The server's next state: some values, control bits and limits are others, at random places. */
static struct gcs_snapshot *next_mixed(
    struct gcs_model *m, const struct gcs_snapshot *before, uint64_t *random)
{
	static const uint32_t streams[] = {
	    REGION_TYPE, REGION_USED, REGION_LIVE, REGION_CARDS, REGION_CONTROL};
	struct gcs_snapshot *s = gcs_snapshot_begin(m, before);
	uint32_t tiles = gcs_snapshot_tiles(s, WORLD_REGIONS);
	for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
		int64_t most = m->spaces[WORLD_REGIONS].streams[streams[i]].max;
		uint32_t count = kit_below(random, kit_below(random, 8) == 0 ? 4000 : 20);
		for (uint32_t n = 0; n < count; n++) {
			int64_t *values = gcs_snapshot_write(s, WORLD_REGIONS, streams[i]);
			/* A link from 511 shows in 512, which another word of the map tells of. */
			uint32_t tile = kit_below(random, 8) == 0 ? 511 : kit_below(random, tiles);
			values[tile] = most * kit_below(random, 64) / 63;
		}
	}
	snapshot_settle(s, before);
	return s;
}

/* As a client receives them, with what changed told by the protocol or, where it skipped some, by
 * comparing; whole and scrolled, so that what is in sight begins anywhere in a block. */
Test(tilemap, received_increments_equal_full)
{
	enum { TILES = 2000, COLUMNS = 37 };
	uint64_t random = kit_seed();
	struct map_world w;
	static struct pair pair;
	unsigned told = 0;
	open_map(&w, TILES, COLUMNS, 10);
	struct gcs_model *m = world_model();
	struct gcs_snapshot *s = world_snapshot(m, NULL, 1);
	cr_assert(gcs_snapshot_resize(s, WORLD_REGIONS, TILES));
	for (uint32_t i = 0; i < TILES; i++)
		gcs_snapshot_write(s, WORLD_REGIONS, REGION_CONTROL)[i] = GCS_TILE_USED;
	pair_init(&pair, m);
	pair_greet(&pair, 0);
	for (unsigned step = 0; step < 150; step++) {
		uint32_t stream = step / 40;
		session_snapshot(&pair.session, s, 0);
		pair_flow(&pair);
		cr_assert_eq(pair.decoder.phase, DECODER_LIVE);
		struct gcs_snapshot *next = next_mixed(m, s, &random);
		gcs_snapshot_unref(s);
		s = next;
		if (step % 7 == 3)
			continue; /* a picture skipped */
		bool all = step % 20 == 0;
		if (all) {
			w.map.y = 8 - (int)(step / 20) * 33;
			cv_fill(&w.cv, w.cv.clip, theme_at(0)->ground);
		}
		if (w.map.snapshot != NULL)
			told +=
			    gcs_snapshot_changed(pair.received, w.map.snapshot, 0, stream) != NULL;
		tilemap_paint(&w.map, &w.cv, &w.look, pair.received, 0, stream, all);
		struct cv full;
		cr_assert(cv_init(&full, 420, 320));
		cv_fill(&full, full.clip, theme_at(0)->ground);
		struct tilemap whole = {
		    .x = w.map.x, .y = w.map.y, .selected = GCS_NONE, .hovered = GCS_NONE};
		cr_assert(tilemap_layout(&whole, TILES, COLUMNS));
		tilemap_paint(&whole, &full, &w.look, pair.received, 0, stream, true);
		cr_assert_arr_eq(full.px, w.cv.px, 420 * 320 * sizeof *full.px, "step %u", step);
		tilemap_fini(&whole);
		cv_fini(&full);
	}
	cr_assert_gt(told, 20, "the protocol told of %u", told);
	gcs_snapshot_unref(s);
	pair_fini(&pair);
	gcs_model_unref(m);
	close_map(&w);
}

/* A link shows in the code of the tile after it, also where comparing works in blocks of eight. */
Test(tilemap, a_link_that_comes_and_goes_is_seen_at_every_place)
{
	struct map_world w;
	open_map(&w, 192, 19, 10);
	struct gcs_model *m = world_model();
	struct gcs_snapshot *s = world_snapshot(m, NULL, 3);
	tilemap_paint(&w.map, &w.cv, &w.look, s, 0, REGION_USED, true);
	for (uint32_t i = 0; i < 40; i++) {
		struct gcs_snapshot *n = gcs_snapshot_begin(m, s);
		int64_t *control = gcs_snapshot_write(n, 0, REGION_CONTROL);
		control[i] |= GCS_TILE_LINK;
		gcs_snapshot_unref(s);
		s = n;
		uint32_t painted = tilemap_paint(&w.map, &w.cv, &w.look, s, 0, REGION_USED, false);
		cr_assert_eq(painted, 1u, "tile %u", i + 1);
		cr_assert(w.map.code[i + 1] & TILE_CODE_LINKED, "tile %u", i + 1);
	}
	struct gcs_snapshot *none = gcs_snapshot_begin(m, s);
	int64_t *control = gcs_snapshot_write(none, 0, REGION_CONTROL);
	for (uint32_t i = 0; i < 192; i++)
		control[i] &= ~(int64_t)GCS_TILE_LINK;
	tilemap_paint(&w.map, &w.cv, &w.look, none, 0, REGION_USED, false);
	for (int i = 0; i < w.cv.w * w.cv.h; i++)
		cr_assert_neq(w.cv.px[i] & 0xffffff, theme_at(0)->link, "the marks are gone");
	gcs_snapshot_unref(none);
	gcs_snapshot_unref(s);
	gcs_model_unref(m);
	close_map(&w);
}

Test(tilemap, only_what_is_in_sight_is_painted)
{
	struct map_world w;
	struct gcs_snapshot *a = world_plain(100000);
	open_map(&w, 100000, 40, 10);
	uint32_t painted = tilemap_paint(&w.map, &w.cv, &w.look, a, 0, 0, true);
	cr_assert_leq(painted, 40u * 34u);
	cr_assert_geq(painted, 40u * 31u);
	gcs_snapshot_unref(a);
	close_map(&w);
}
