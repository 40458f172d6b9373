/*
 * Tiles without a value: where objects have not been counted, every part of the visualiser shows a
 * dash instead of the 0 that is sent (H5, V1, V2).
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "expr.h"
#include "heap_stats.h"
#include "heap_view.h"
#include "kit_gc.h"
#include "tilediff.h"
#include "tileinfo.h"
#include "ui_world.h"

#define DASH "\xe2\x80\x93"

enum { USED, SAMPLED, COUNTED, OBJECTS, OBJECT_BYTES, CONTROL, START, END, STREAMS };
enum { TILES = 96, KIB = 1024 };

static struct world w;

static struct gcs_stream bytes(const char *name)
{
	struct gcs_stream s = kit_gc_bytes(name);
	s.maximum = GCS_MAX_FIXED;
	s.paint = GCS_PAINT_ZERO;
	s.max = 64 * KIB;
	return s;
}

static struct gcs_stream of_role(const char *name, enum gcs_role role)
{
	struct gcs_stream s = bytes(name);
	s.summary = GCS_SUMMARY_NONE;
	s.role = role;
	s.max = INT64_MAX;
	return s;
}

/* A space as a driver of the agent describes it: the streams from "Counted" on need a heap walk. */
static struct gcs_model *heap_model(void)
{
	static const char *const states[] = {
	    "Not counted", "Counted", "Counted in part", "Unparsable"};
	struct gcs_error err = {.text = ""};
	struct gcs_stream streams[STREAMS] = {[USED] = bytes("Used"),
	    [SAMPLED] = bytes("Sampled live bytes"),
	    [COUNTED] = bytes("Counted"),
	    [OBJECTS] = bytes("Objects"),
	    [OBJECT_BYTES] = bytes("Object bytes"),
	    [CONTROL] = of_role("Control", GCS_ROLE_CONTROL),
	    [START] = of_role("Start", GCS_ROLE_RANGE_START),
	    [END] = of_role("End", GCS_ROLE_RANGE_END)};
	streams[COUNTED].presentation = GCS_ENUM;
	streams[COUNTED].format = GCS_DECIMAL;
	streams[COUNTED].summary = GCS_SUMMARY_COUNTS;
	streams[COUNTED].max = 3;
	streams[COUNTED].enum_count = 4;
	streams[COUNTED].enum_names = states;
	streams[OBJECTS].format = GCS_DECIMAL;
	const struct gcs_space space = {.name = "Heap",
	    .description = "",
	    .tile_title = "Block",
	    .block_info = "64 KiB to a block",
	    .unused_text = "uncommitted",
	    .group = GCS_NONE,
	    .main = true,
	    .block_bytes = 64 * KIB,
	    .stream_count = STREAMS,
	    .streams = streams};
	struct gcs_model *m = gcs_model_create("counted");
	world_must(m != NULL, "model");
	world_must(gcs_model_add_space(m, &space, NULL, &err) == GCS_OK, err.text);
	return m;
}

/* All tiles are used, but for every eighth; those below `counted` have been counted. */
static struct gcs_snapshot *heap_snapshot(uint32_t counted)
{
	struct gcs_model *m = heap_model();
	struct gcs_snapshot *s = gcs_snapshot_begin(m, NULL);
	int64_t *v[STREAMS];
	gcs_model_unref(m);
	world_must(s != NULL && gcs_snapshot_resize(s, 0, TILES), "snapshot");
	for (uint32_t i = 0; i < STREAMS; i++)
		world_must((v[i] = gcs_snapshot_write(s, 0, i)) != NULL, "column");
	int64_t totals[STREAMS] = {0}, states[4] = {TILES - counted, counted};
	for (uint32_t i = 0; i < TILES; i++) {
		const bool used = i % 8 != 7;
		v[USED][i] = used ? (1 + i % 64) * KIB : 0;
		v[SAMPLED][i] = counted > 0 && i == 40 ? KIB : 0;
		v[COUNTED][i] = i < counted;
		v[OBJECTS][i] = used && i < counted ? i % 5 * 10 : 0;
		v[OBJECT_BYTES][i] = used && i < counted ? v[USED][i] / 2 : 0;
		v[CONTROL][i] = used ? GCS_TILE_USED : GCS_TILE_UNUSED;
		v[START][i] = INT64_C(0x10000000) + (int64_t)i * 64 * KIB;
		v[END][i] = v[START][i] + 64 * KIB;
		for (int k = 0; k < STREAMS; k++)
			totals[k] += v[k][i];
	}
	for (uint32_t i = 0; i < CONTROL; i++)
		gcs_snapshot_set_summary(
		    s, 0, i, i == COUNTED ? 4 : 1, i == COUNTED ? states : &totals[i]);
	gcs_snapshot_set_occurrence(s, &(struct gcs_occurrence){.event = GCS_NONE});
	gcs_snapshot_set_gathered(s, 0, true);
	return s;
}

static void open_counted(uint32_t counted, const char *script)
{
	struct gcs_snapshot *s = heap_snapshot(counted);
	world_open(&w, 960, 600);
	world_live(&w, 1);
	app_show(&w.app, s);
	gcs_snapshot_unref(s);
	cr_assert(world_run(&w, script), "%s", w.app.toast);
}

static void close_world(void)
{
	world_close(&w);
}

static const char *row(const struct gcs_snapshot *s, uint32_t tile, const char *label)
{
	static struct info_row rows[TILEINFO_ROWS];
	const uint32_t n = tileinfo_rows(s, 0, tile, rows);
	for (uint32_t i = 0; i < n; i++)
		if (strcmp(rows[i].label, label) == 0)
			return rows[i].value;
	return "(none)";
}

Test(tile_values, a_tile_that_is_not_counted_has_dashes)
{
	struct gcs_snapshot *s = heap_snapshot(48);
	cr_assert_str_eq(row(s, 50, "Objects"), DASH);
	cr_assert_str_eq(row(s, 50, "Object bytes"), DASH);
	cr_assert_str_eq(row(s, 50, "Counted"), "Not counted");
	cr_assert_str_eq(row(s, 50, "Used"), "51 KiB");
	cr_assert_str_eq(row(s, 50, "Sampled live bytes"), "0 B", "not a stream of the heap walk");
	cr_assert_str_eq(row(s, 40, "Objects"), "0", "counted, and there are none");
	cr_assert_str_eq(row(s, 41, "Objects"), "10");
	gcs_snapshot_unref(s);
}

/* A tile in use may be a free region: its values say what it is, and no word contradicts them. */
Test(tile_values, a_state_is_only_what_values_do_not_say)
{
	struct gcs_snapshot *s = heap_snapshot(48);
	uint32_t used = 0, unused = 0;
	for (uint32_t i = 0; i < gcs_snapshot_tiles(s, 0); i++) {
		const char *state = row(s, i, "State");
		cr_assert_null(strstr(state, "used"), "tile %u: %s", i, state);
		unused += strncmp(state, "uncommitted", 11) == 0;
		used += strcmp(state, "(none)") == 0;
	}
	cr_assert(used > 0 && unused > 0, "%u, %u", used, unused);
	gcs_snapshot_unref(s);
}

Test(tile_values, a_summary_of_nothing_counted_is_a_dash)
{
	char text[200];
	struct gcs_snapshot *none = heap_snapshot(0), *some = heap_snapshot(1);
	cr_assert_str_eq(tilecode_summary(text, sizeof text, none, 0, OBJECT_BYTES), DASH);
	cr_assert_str_eq(tilecode_summary(text, sizeof text, some, 0, OBJECT_BYTES), "512 B");
	cr_assert_str_eq(tilecode_summary(text, sizeof text, none, 0, SAMPLED), DASH);
	cr_assert_str_eq(tilecode_summary(text, sizeof text, some, 0, SAMPLED), "1 KiB");
	cr_assert_str_eq(row(none, 40, "Sampled live bytes"), DASH, "sampling is off");
	cr_assert_str_eq(tilecode_summary(text, sizeof text, none, 0, COUNTED), "Not counted 96");
	gcs_snapshot_unref(none);
	gcs_snapshot_unref(some);
}

Test(tile_values, statistics_are_of_counted_tiles)
{
	char text[200];
	struct heap_stats stats;
	struct gcs_snapshot *s = heap_snapshot(6), *none = heap_snapshot(0);
	heap_stats_of(&stats, s, 0, OBJECTS, NULL);
	cr_assert_eq(stats.tiles, 6u);
	cr_assert_eq(stats.uncounted, 78u);
	cr_assert_eq(stats.sum, 100);
	cr_assert_eq(stats.min, 0);
	heap_stats_of(&stats, none, 0, OBJECTS, NULL);
	cr_assert_str_eq(heap_stats_text(text, sizeof text, &stats,
			     &gcs_snapshot_model(none)->spaces[0].streams[OBJECTS]),
	    "not counted");
	gcs_snapshot_unref(s);
	gcs_snapshot_unref(none);
}

Test(tile_values, colours_orders_and_expressions_have_no_value)
{
	struct tilecode tc;
	struct tileorder order = {0};
	struct gcs_error err = {.text = ""};
	struct expr expr;
	double value[TILES];
	uint16_t code[TILES];
	struct gcs_snapshot *s = heap_snapshot(10);
	cr_assert(tilecode_init(&tc, s, 0, OBJECTS));
	tilecode_fill(&tc, 0, TILES, code);
	cr_assert_eq(code[0], LOOK_ZERO, "counted, and there are none");
	cr_assert_lt(code[1], LOOK_ZERO);
	cr_assert_eq(code[12], LOOK_UNUSED);
	cr_assert(tileorder_set(&order, ORDER_RISING, &tc));
	cr_assert_eq(order.tile[0], 0u);
	for (uint32_t i = 9; i < TILES; i++)
		cr_assert(order.tile[i] >= 10 || order.tile[i] == 7, "after those with a value");
	cr_assert(expr_compile(&expr, "Objects + 1", &gcs_snapshot_model(s)->spaces[0], &err));
	expr_evaluate(&expr, s, NULL, 0, value);
	cr_assert_eq(value[1], 11);
	cr_assert(isnan(value[12]));
	tileorder_fini(&order);
	gcs_snapshot_unref(s);
}

/* A count that begins is not a change from 0. */
Test(tile_values, a_tile_counted_for_the_first_time_is_new)
{
	struct gcs_snapshot *a = heap_snapshot(0), *b = heap_snapshot(4);
	struct tilediff d = {0};
	cr_assert(tilediff_match(&d, a, 0, b, 0));
	tilediff_stream(&d, a, 0, OBJECTS, b, 0, OBJECTS);
	cr_assert(d.fresh == 4 && d.more == 0 && d.less == 0 && d.same == 0);
	cr_assert(isnan(d.real[12]));
	tilediff_fini(&d);
	gcs_snapshot_unref(a);
	gcs_snapshot_unref(b);
}

Test(tile_values, the_window_shows_dashes, .fini = close_world)
{
	open_counted(0, "stream Objects\nselect Heap 12\n");
	const char *text = window_text(&w.app);
	cr_assert_not_null(strstr(text, "stream shown\tObjects\t" DASH "\n"), "%s", text);
	cr_assert_not_null(strstr(text, "Object bytes\t" DASH "\n"), "%s", text);
	cr_assert_not_null(strstr(text, "\tObjects: " DASH), "%s", text);
	cr_assert_null(strstr(text, "Objects\t0"), "%s", text);
}

/* An update repaints a tile whose count begins, although its value stays 0. */
Test(tile_values, a_first_count_is_painted, .fini = close_world)
{
	open_counted(0, "stream Objects\n");
	struct gcs_snapshot *s = heap_snapshot(1);
	app_show(&w.app, s);
	gcs_snapshot_unref(s);
	app_frame(&w.app);
	const struct heap *heap = w.app.views[VIEW_HEAP];
	cr_assert_eq(heap_find(w.app.views[VIEW_HEAP], 0)->map.code[0], LOOK_ZERO);
	cr_assert_eq(heap->count, 1u);
}

Test(tile_values, counted_in_part, .fini = close_world)
{
	open_counted(40, "stream Objects\nselect Heap 52\n");
	w.app.toast[0] = 0;
	app_dirty(&w.app, PANEL_MODAL);
	cr_assert(world_golden(&w, "heap-counted"));
}

Test(tile_values, summary_of_nothing_counted, .fini = close_world)
{
	open_counted(0, "theme light\nstream Objects\nsummary\n");
	cr_assert(world_golden(&w, "heap-summary-uncounted"));
}
