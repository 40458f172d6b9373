/*
 * What a tile map shows beside one stream (V9, V2, V6): tiles in another order, several streams in
 * a tile, fading, marks, and the row of neighbours. Painting in part always gives the same pixels
 * as painting all.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "heap_magnify.h"
#include "heap_stats.h"
#include "kit.h"
#include "tileage.h"
#include "tilemap.h"
#include "ui_world.h"

enum { REGIONS = 192, COLUMNS = 19, W = 420, H = 320 };

static struct tilecode rule_of(const struct gcs_snapshot *s, uint32_t stream)
{
	struct tilecode rule;
	cr_assert(tilecode_init(&rule, s, WORLD_REGIONS, stream));
	return rule;
}

static void check_order(const struct tileorder *o, const struct tilecode *rule, int sign)
{
	bool seen[REGIONS] = {false};
	for (uint32_t i = 0; i < REGIONS; i++) {
		cr_assert_lt(o->tile[i], (uint32_t)REGIONS);
		cr_assert_not(seen[o->tile[i]], "tile %u stands twice", o->tile[i]);
		seen[o->tile[i]] = true;
		cr_assert_eq(o->place[o->tile[i]], i);
		if (i == 0)
			continue;
		const uint32_t a = o->tile[i - 1], b = o->tile[i];
		const bool used_a = tilecode_used(rule->control, a),
			   used_b = tilecode_used(rule->control, b);
		cr_assert(used_a || !used_b, "unused tiles come last");
		if (!used_a || !used_b)
			continue;
		cr_assert(sign * rule->values[a] <= sign * rule->values[b]);
		cr_assert(
		    rule->values[a] != rule->values[b] || a < b, "equal tiles keep their order");
	}
}

Test(order, sorts_and_keeps_equal_tiles_in_their_order)
{
	struct gcs_model *m = world_model();
	struct gcs_snapshot *s = world_snapshot(m, NULL, 9);
	struct tileorder o = {0};
	cr_assert_not(tileorder_on(&o));
	for (uint32_t stream = 0; stream < 5; stream++) {
		struct tilecode rule = rule_of(s, stream);
		cr_assert(tileorder_set(&o, ORDER_RISING, &rule));
		check_order(&o, &rule, 1);
		const uint64_t generation = o.generation;
		cr_assert(tileorder_set(&o, ORDER_RISING, &rule));
		cr_assert_eq(o.generation, generation, "the same order is not another one");
		cr_assert(tileorder_set(&o, ORDER_FALLING, &rule));
		cr_assert_neq(o.generation, generation);
		check_order(&o, &rule, -1);
	}
	struct tilecode rule = rule_of(s, REGION_USED);
	cr_assert(tileorder_set(&o, ORDER_ADDRESS, &rule));
	cr_assert_not(tileorder_on(&o));
	tileorder_fini(&o);
	gcs_snapshot_unref(s);
	gcs_model_unref(m);
}

Test(order, extremes_and_values_of_expressions)
{
	static const int64_t values[] = {0, INT64_MIN, -1, INT64_MAX, 1};
	static const double real[] = {0.5, -1e300, (double)NAN, 1e300, -0.25};
	static const uint32_t rising[] = {1, 2, 0, 4, 3}, real_falling[] = {3, 0, 4, 1, 2};
	struct tileorder o = {0};
	struct tilecode rule = {.values = values, .tiles = 5};
	cr_assert(tileorder_set(&o, ORDER_RISING, &rule));
	cr_assert_arr_eq(o.tile, rising, sizeof rising);
	rule.real = real;
	cr_assert(tileorder_set(&o, ORDER_FALLING, &rule));
	cr_assert_arr_eq(o.tile, real_falling, sizeof real_falling, "no value comes last");
	tileorder_fini(&o);
}

Test(marks, ranges_against_a_plain_model)
{
	enum { TILES = 300 };
	uint64_t random = kit_seed();
	struct tilemarks marks = {0};
	bool model[TILES + 200] = {false};
	uint32_t tiles = TILES;
	cr_assert(tilemarks_resize(&marks, tiles));
	for (int i = 0; i < 4000; i++) {
		const uint32_t a = kit_below(&random, tiles + 20),
			       b = kit_below(&random, tiles + 20);
		const enum marks_how how = (enum marks_how)kit_below(&random, 3);
		if (kit_below(&random, 50) == 0) {
			const uint32_t next = TILES - 100 + kit_below(&random, 300);
			for (uint32_t k = next; k < tiles; k++)
				model[k] = false;
			tiles = next;
			cr_assert(tilemarks_resize(&marks, tiles));
		}
		tilemarks_range(&marks, a, b, how);
		uint32_t count = 0;
		for (uint32_t k = 0; k < tiles; k++) {
			const bool in = k >= (a < b ? a : b) && k <= (a < b ? b : a);
			if (how == MARKS_REPLACE || in)
				model[k] = in && how != MARKS_SUBTRACT;
			cr_assert_eq(tilemarks_has(&marks, k), model[k]);
			count += model[k];
		}
		cr_assert_eq(marks.count, count);
		uint32_t n, sum = 0;
		for (uint32_t at = tilemarks_run(&marks, 0, &n); at != UINT32_MAX;
		     at = tilemarks_run(&marks, at + n, &n)) {
			cr_assert_gt(n, 0u);
			cr_assert(model[at] && (at == 0 || !model[at - 1]));
			sum += n;
		}
		cr_assert_eq(sum, count);
	}
	struct tilemarks copy = {0};
	cr_assert(tilemarks_copy(&copy, &marks));
	cr_assert_eq(copy.count, marks.count);
	tilemarks_clear(&marks);
	cr_assert_eq(marks.count, 0u);
	cr_assert_not(tilemarks_has(&marks, 9999));
	tilemarks_fini(&marks);
	tilemarks_fini(&copy);
}

Test(age, counts_pictures_since_the_last_change)
{
	struct gcs_model *m = world_model();
	struct tileage age = {0};
	struct gcs_snapshot *before = NULL;
	unsigned expected[REGIONS];
	for (unsigned step = 0; step < 90; step++) {
		struct gcs_snapshot *s = world_snapshot(m, before, step / 3);
		cr_assert(tileage_next(&age, s, before, WORLD_REGIONS));
		for (uint32_t i = 0; i < REGIONS; i++) {
			bool differs = false;
			for (uint32_t k = 0; before != NULL && k < 8; k++)
				differs =
				    differs || gcs_snapshot_values(s, WORLD_REGIONS, k)[i] !=
						   gcs_snapshot_values(before, WORLD_REGIONS, k)[i];
			expected[i] = before == NULL               ? TILEAGE_MOST
				      : differs                    ? 0
				      : expected[i] < TILEAGE_MOST ? expected[i] + 1
								   : TILEAGE_MOST;
			cr_assert_eq(age.age[i], expected[i], "step %u, tile %u", step, i);
		}
		gcs_snapshot_unref(before);
		before = s;
	}
	static const unsigned levels[][2] = {
	    {0, 0}, {1, 1}, {2, 2}, {3, 2}, {4, 3}, {63, 6}, {64, 7}};
	for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
		cr_assert_eq(tileage_level((uint8_t)levels[i][0]), levels[i][1]);
	for (unsigned level = 0; level < 8; level++) {
		cr_assert_eq(tilecode_fading(tilecode_fade(level)), level);
		cr_assert_eq(tilecode_fade(level) & ~TILE_CODE_FADE, 0u);
	}
	tileage_fini(&age);
	gcs_snapshot_unref(before);
	gcs_model_unref(m);
}

Test(split, parts_cover_a_tile_and_nothing_twice)
{
	for (int size = TILE_SPLIT_FROM; size < 64; size++) {
		for (uint32_t n = 1; n <= TILE_PARTS; n++) {
			const struct cv_rect r = rect_make(7, 9, size, size);
			int pixels = 0;
			for (uint32_t i = 0; i < n; i++) {
				const struct cv_rect part = tilesplit_part(r, i, n);
				cr_assert(part.w > 0 && part.h > 0);
				cr_assert(rect_same(rect_and(part, r), part), "inside");
				for (uint32_t k = 0; k < i; k++)
					cr_assert_not(rect_meets(part, tilesplit_part(r, k, n)));
				pixels += part.w * part.h;
			}
			if (size < 12)
				cr_assert_eq(pixels, size * size);
		}
	}
}

/* A style that changes from step to step as a user would change it. */
struct styles {
	struct tileorder order;
	struct tileage age;
	double real[REGIONS];
};

static struct tilestyle style_at(struct styles *all, const struct gcs_snapshot *s,
    const struct gcs_snapshot *before, unsigned step, uint32_t stream)
{
	struct tilestyle style = {0};
	struct tilecode rule = rule_of(s, stream);
	if (step / 4 % 2 == 1) {
		for (uint32_t i = 0; i < REGIONS; i++)
			all->real[i] = i % 7 == 0
					   ? (double)NAN
					   : (double)gcs_snapshot_values(s, 0, REGION_USED)[i];
		style.real = (struct tilereal){all->real, 0, 1 << 20};
	}
	cr_assert(tileage_next(&all->age, s, before, WORLD_REGIONS));
	if (step / 8 % 2 == 1)
		style.age = all->age.age;
	cr_assert(tileorder_set(&all->order, (enum tileorder_kind)(step / 5 % 3), &rule));
	if (tileorder_on(&all->order))
		style.order = &all->order;
	style.parts = step / 6 % TILE_PARTS;
	for (uint32_t i = 0; i < style.parts; i++)
		style.part[i] = (stream + 1 + i) % 5;
	return style;
}

Test(layers, incremental_equals_full_at_every_size)
{
	static const int pitches[] = {2, 3, 6, 8, 10, 14, 20};
	for (size_t p = 0; p < sizeof pitches / sizeof *pitches; p++) {
		struct cv cv, full;
		struct tileset look = {0};
		struct tilemap map = {.x = 10, .y = 8, .selected = GCS_NONE, .hovered = GCS_NONE};
		struct styles all = {0};
		struct gcs_model *m = world_model();
		struct gcs_snapshot *s = NULL;
		cr_assert(cv_init(&cv, W, H) && cv_init(&full, W, H));
		cr_assert(tileset_set(&look, theme_at(0), 0, pitches[p], false, NULL, NULL));
		cr_assert(tilemap_layout(&map, REGIONS, COLUMNS));
		cv_fill(&cv, cv.clip, theme_at(0)->ground);
		for (unsigned step = 0; step < 70; step++) {
			struct gcs_snapshot *next = world_snapshot(m, s, step);
			const uint32_t stream = step / 9 % 5;
			struct tilestyle style = style_at(&all, next, s, step, stream);
			gcs_snapshot_unref(s);
			s = next;
			map.style = style;
			tilemap_paint(&map, &cv, &look, s, 0, stream, step == 0);
			tilemap_mark(&map, &cv, &look, step * 13 % REGIONS, step * 29 % REGIONS);
			struct tilemap whole = {
			    .x = 10, .y = 8, .selected = map.selected, .hovered = map.hovered};
			cr_assert(tilemap_layout(&whole, REGIONS, COLUMNS));
			cv_fill(&full, full.clip, theme_at(0)->ground);
			whole.style = style;
			tilemap_paint(&whole, &full, &look, s, 0, stream, true);
			for (int i = 0; i < W * H; i++)
				cr_assert_eq(full.px[i], cv.px[i],
				    "pitch %d, step %u, pixel %d, %d", pitches[p], step, i % W,
				    i / W);
			tilemap_fini(&whole);
		}
		for (uint32_t i = 0; i < REGIONS;
		     i++) { /* Positions are others, tiles are found. */
			struct cv_rect r = tilemap_rect(&map, &look, i);
			cr_assert_eq(tilemap_at(&map, &look, r.x, r.y), i);
			cr_assert_eq(tilemap_tile(&map, tilemap_place(&map, i)), i);
		}
		gcs_snapshot_unref(s);
		gcs_model_unref(m);
		tileorder_fini(&all.order);
		tileage_fini(&all.age);
		tilemap_fini(&map);
		tileset_fini(&look);
		cv_fini(&cv);
		cv_fini(&full);
	}
}

Test(layers, an_expression_repaints_what_looks_different)
{
	struct cv cv;
	struct tileset look = {0};
	struct tilemap map = {.selected = GCS_NONE, .hovered = GCS_NONE};
	static double real[1000];
	struct gcs_snapshot *s = world_plain(1000);
	struct tilestyle style = {.real = {real, 0, 100}};
	cr_assert(cv_init(&cv, W, H) && tileset_set(&look, theme_at(0), 0, 10, false, NULL, NULL));
	cr_assert(tilemap_layout(&map, 1000, 40));
	map.style = style;
	cr_assert_eq(tilemap_paint(&map, &cv, &look, s, 0, 0, true), 1000u);
	real[5] = 50;
	real[77] = (double)NAN;
	real[800] = 0.0001; /* not nothing, so no empty frame */
	cr_assert_eq(tilemap_paint(&map, &cv, &look, s, 0, 0, false), 3u);
	cr_assert_eq(map.code[77] & LOOK_MASK, LOOK_UNUSED);
	cr_assert_eq(map.code[800] & LOOK_MASK, 0u);
	cr_assert_eq(map.code[801] & LOOK_MASK, LOOK_ZERO);
	tilemap_fini(&map);
	tileset_fini(&look);
	cv_fini(&cv);
	gcs_snapshot_unref(s);
}

Test(layers, outlines_surround_a_set)
{
	struct cv cv;
	struct tileset look = {0};
	struct tilemap map = {.x = 10, .y = 10, .selected = GCS_NONE, .hovered = GCS_NONE};
	struct tilemarks marks = {0};
	cr_assert(cv_init(&cv, W, H) && tileset_set(&look, theme_at(0), 0, 10, false, NULL, NULL));
	cr_assert(tilemap_layout(&map, 100, 10) && tilemarks_resize(&marks, 100));
	tilemarks_range(&marks, 33, 34, MARKS_ADD);
	tilemarks_range(&marks, 43, 44, MARKS_ADD);
	const uint32_t red = 0xffff0000;
	tilemap_outline(&map, &cv, &look, &marks, EDGE_LINE, red);
	struct cv_rect a = tilemap_rect(&map, &look, 33), d = tilemap_rect(&map, &look, 44);
	struct cv_rect box = rect_inset(rect_or(a, d), -1);
	for (int y = 0; y < H; y++) {
		for (int x = 0; x < W; x++) {
			const bool edge =
			    rect_has(box, x, y) && !rect_has(rect_inset(box, 1), x, y);
			cr_assert_eq(cv.px[y * W + x] == red, edge, "%d, %d", x, y);
		}
	}
	tilemarks_fini(&marks);
	tilemap_fini(&map);
	tileset_fini(&look);
	cv_fini(&cv);
}

/* Pixels of the colour around tile 33 alone, and inside of it. */
static uint32_t edge_pixels(enum tile_edge edge, int pitch, uint32_t *inside)
{
	struct cv cv;
	struct tileset look = {0};
	struct tilemap map = {.x = 10, .y = 10, .selected = GCS_NONE, .hovered = GCS_NONE};
	struct tilemarks marks = {0};
	cr_assert(
	    cv_init(&cv, W, H) && tileset_set(&look, theme_at(0), 0, pitch, false, NULL, NULL));
	cr_assert(tilemap_layout(&map, 100, 10) && tilemarks_resize(&marks, 100));
	tilemarks_range(&marks, 33, 33, MARKS_ADD);
	const uint32_t red = 0xffff0000;
	tilemap_outline(&map, &cv, &look, &marks, edge, red);
	const struct cv_rect r = tilemap_rect(&map, &look, 33);
	uint32_t count = 0;
	*inside = 0;
	for (int i = 0; i < W * H; i++) {
		if (cv.px[i] != red)
			continue;
		cr_assert(rect_has(rect_inset(r, -1), i % W, i / W));
		if (rect_has(r, i % W, i / W))
			++*inside;
		else
			count++;
	}
	tilemarks_fini(&marks);
	tilemap_fini(&map);
	tileset_fini(&look);
	cv_fini(&cv);
	return count;
}

/* Without colours, what is marked, equal and related still differs. */
Test(layers, outlines_differ_by_their_shape)
{
	uint32_t inside[3];
	uint32_t line = edge_pixels(EDGE_LINE, 14, &inside[0]);
	uint32_t dashes = edge_pixels(EDGE_DASHES, 14, &inside[1]);
	cr_assert_eq(line, 4u * 14u, "13 pixels and the corners");
	cr_assert(dashes < line * 3 / 4 && dashes > line / 4, "%u of %u", dashes, line);
	cr_assert_eq(edge_pixels(EDGE_DOUBLE, 14, &inside[2]), line);
	cr_assert(inside[0] == 0 && inside[1] == 0);
	cr_assert_eq(inside[2], 4u * 10u, "a line of 11 pixels, one pixel inside");
	/* In small tiles there is no room for it. */
	cr_assert(edge_pixels(EDGE_DOUBLE, 6, &inside[2]) > 0 && inside[2] == 0);
}

Test(magnifier, hits_what_it_shows)
{
	for (int width = 1; width < 300; width += 7) {
		for (uint32_t tile = 0; tile < 30; tile += 3) {
			const struct magnifier m =
			    magnifier_make(rect_make(13, 5, width, 10), 6, 10, 2, tile, 30);
			cr_assert_eq(m.cells % 2, 1u, "one tile is in the middle");
			cr_assert_eq(magnifier_tile(&m, m.cells / 2), tile);
			for (uint32_t i = 0; i < m.cells; i++) {
				const struct cv_rect r = magnifier_cell(&m, i);
				const int64_t wanted = (int64_t)tile + i - m.cells / 2;
				const uint32_t there = magnifier_tile(&m, i);
				cr_assert_eq(there,
				    wanted < 0 || wanted >= 30 ? UINT32_MAX : (uint32_t)wanted);
				cr_assert_eq(magnifier_at(&m, r.x, r.y), there);
				cr_assert_eq(magnifier_at(&m, r.x + r.w - 1, r.y + r.h - 1), there);
				cr_assert(m.cells == 1 || r.x + r.w <= 13 + width);
			}
			cr_assert_eq(magnifier_at(&m, 12 - 8, 7), UINT32_MAX);
			cr_assert_eq(magnifier_at(&m, m.r.x, 15), UINT32_MAX);
		}
	}
}

Test(stats, sums_over_used_and_marked_tiles)
{
	struct gcs_model *m = world_model();
	struct gcs_snapshot *s = world_snapshot(m, NULL, 9);
	struct tilemarks marks = {0};
	struct heap_stats st;
	const int64_t *used = gcs_snapshot_values(s, WORLD_REGIONS, REGION_USED);
	cr_assert(tilemarks_resize(&marks, REGIONS));
	tilemarks_range(&marks, 150, 180, MARKS_ADD); /* of which 160 and above are unused */
	tilemarks_range(&marks, 4, 6, MARKS_ADD);
	heap_stats_of(&st, s, WORLD_REGIONS, REGION_USED, &marks);
	int64_t sum = used[4] + used[5] + used[6];
	for (int i = 150; i < 160; i++)
		sum += used[i];
	cr_assert_eq(st.tiles, 13u);
	cr_assert_eq(st.sum, sum);
	cr_assert_eq(st.min, 0);
	cr_assert_geq(st.max, used[5]);
	cr_assert_leq(llabs(st.mean - sum / 13), 1);
	heap_stats_of(&st, s, WORLD_REGIONS, REGION_TYPE, NULL);
	cr_assert_eq(st.tiles, 160u);
	cr_assert_eq(st.names[5], 4u, "four archive regions");
	char text[400];
	heap_stats_text(text, sizeof text, &st, &m->spaces[0].streams[REGION_TYPE]);
	cr_assert_not_null(strstr(text, "Archive 4"));
	/* Values at the ends of the range do not wrap. */
	struct gcs_snapshot *big = gcs_snapshot_begin(m, s);
	for (uint32_t i = 0; i < 160; i++)
		gcs_snapshot_write(big, WORLD_REGIONS, 6)[i] = INT64_MAX;
	heap_stats_of(&st, big, WORLD_REGIONS, 6, NULL);
	cr_assert_eq(st.sum, INT64_MAX);
	cr_assert_eq(st.mean, INT64_MAX);
	heap_stats_of(&st, big, WORLD_REGIONS, REGION_USED, &(struct tilemarks){0});
	cr_assert_eq(st.tiles, 0u);
	tilemarks_fini(&marks);
	gcs_snapshot_unref(big);
	gcs_snapshot_unref(s);
	gcs_model_unref(m);
}
