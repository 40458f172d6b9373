/*
 * Estimates below their error (V1, V2, V4): drawn half filled, said in words, and explained; the
 * stream of the errors is not one to choose.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "heap_stats.h"
#include "heap_view.h"
#include "tileinfo.h"
#include "ui_world.h"

enum { USED, LIVE, ERROR, CONTROL, STREAMS };
enum { TILES = 96, KIB = 1024 };

static struct world w;
static struct gcs_model *model;

static void close_world(void)
{
	world_close(&w);
	gcs_model_unref(model);
}

static struct gcs_stream bytes(const char *name)
{
	return (struct gcs_stream){.name = name,
	    .type = GCS_TYPE_I64,
	    .format = GCS_BYTES,
	    .paint = GCS_PAINT_ZERO,
	    .summary = GCS_SUMMARY_TOTAL,
	    .maximum = GCS_MAX_OF_EVENT,
	    .max = INT64_MAX};
}

static void make_model(void)
{
	struct gcs_error err = {.text = ""};
	struct gcs_stream streams[STREAMS] = {[USED] = bytes("Used"),
	    [LIVE] = bytes("Sampled live bytes"),
	    [ERROR] = bytes("Sampled live error"),
	    [CONTROL] = {
		.name = "Control", .role = GCS_ROLE_CONTROL, .type = GCS_TYPE_I8, .max = 63}};
	streams[LIVE].error_stream = ERROR;
	const struct gcs_space space = {.name = "Heap",
	    .tile_title = "Block",
	    .group = GCS_NONE,
	    .main = true,
	    .block_bytes = 64 * KIB,
	    .stream_count = STREAMS,
	    .streams = streams,
	    .default_stream = LIVE};
	model = gcs_model_create("estimates");
	world_must(gcs_model_add_space(model, &space, NULL, &err) == GCS_OK, err.text);
}

/* Values that grow from tile to tile, every eighth 0, the last row unused. From `sure` on their
 * errors are a quarter of them, before it half as much again as they are. */
static struct gcs_snapshot *next(const struct gcs_snapshot *before, uint32_t sure)
{
	struct gcs_snapshot *s = gcs_snapshot_begin(model, before);
	int64_t *v[STREAMS], totals[STREAMS] = {0};
	world_must(s != NULL && gcs_snapshot_resize(s, 0, TILES), "snapshot");
	for (uint32_t i = 0; i < STREAMS; i++)
		world_must((v[i] = gcs_snapshot_write(s, 0, i)) != NULL, "column");
	for (uint32_t i = 0; i < TILES; i++) {
		const bool used = i < TILES - 8;
		v[USED][i] = used ? 64 * KIB : 0;
		v[LIVE][i] = used && i % 8 != 7 ? (4 + i % 48) * KIB : 0;
		v[ERROR][i] = i < sure ? v[LIVE][i] * 3 / 2 : v[LIVE][i] / 4;
		v[CONTROL][i] = used ? GCS_TILE_USED : GCS_TILE_UNUSED;
		totals[LIVE] += v[LIVE][i];
	}
	totals[ERROR] = 150 * KIB;
	for (uint32_t i = 0; i < CONTROL; i++)
		gcs_snapshot_set_summary(s, 0, i, 1, &totals[i]);
	gcs_snapshot_set_occurrence(s, &(struct gcs_occurrence){.event = GCS_NONE});
	gcs_snapshot_set_gathered(s, 0, true);
	return s;
}

static void open_map(int width, int height, uint32_t sure, const char *script)
{
	make_model();
	struct gcs_snapshot *s = next(NULL, sure);
	world_open(&w, width, height);
	app_show(&w.app, s);
	gcs_snapshot_unref(s);
	app_frame(&w.app);
	cr_assert(world_run(&w, script), "%s", w.app.toast);
	w.app.toast[0] = 0;
	app_dirty(&w.app, PANEL_MODAL);
}

Test(uncertain, dark, .fini = close_world)
{
	open_map(900, 760, 40, "select Heap 21\nzoom_in\nzoom_in\n");
	cr_assert(world_golden(&w, "heap-uncertain"));
}

Test(uncertain, light, .fini = close_world)
{
	open_map(720, 480, 40, "theme light\n");
	cr_assert(world_golden(&w, "heap-uncertain-light"));
}

Test(uncertain, contrast, .fini = close_world)
{
	open_map(720, 480, 40, "theme contrast\n");
	cr_assert(world_golden(&w, "heap-uncertain-contrast"));
}

Test(uncertain, small_and_split, .fini = close_world)
{
	open_map(400, 300, 40, "zoom_out\nzoom_out\nzoom_out\nzoom_out\nzoom_out\nzoom_out\n");
	cr_assert(world_golden(&w, "heap-uncertain-small"));
	cr_assert(world_run(&w, "zoom_in\nzoom_in\nzoom_in\nzoom_in\nzoom_in\nsplit Used\n"));
	cr_assert(world_golden(&w, "heap-uncertain-split"));
}

static const uint16_t *codes(void)
{
	app_frame(&w.app);
	return heap_find(w.app.views[VIEW_HEAP], 0)->map.code;
}

Test(uncertain, looks_follow_values_and_errors, .fini = close_world)
{
	open_map(720, 480, 40, "");
	const uint16_t *code = codes();
	cr_assert_eq(code[38] & LOOK_MASK,
	    LOOK_UNCERTAIN + (unsigned)(42.0 / 50 * (PALETTE_SHADES - 1) + 0.5));
	cr_assert_eq(code[7] & LOOK_MASK, LOOK_ZERO, "nothing is nothing");
	cr_assert_lt(code[40] & LOOK_MASK, PALETTE_SHADES);
	cr_assert_eq(code[90] & LOOK_MASK, LOOK_UNUSED);
}

/* Only the errors change: the map is painted where they do, as if all of it were. */
Test(uncertain, a_new_error_repaints, .fini = close_world)
{
	open_map(720, 480, 40, "");
	struct gcs_snapshot *s = next(w.app.snapshot, 64);
	cr_assert_lt(codes()[50] & LOOK_MASK, PALETTE_SHADES);
	app_show(&w.app, s);
	const uint16_t *code = codes();
	cr_assert_geq(code[50] & LOOK_MASK, LOOK_UNCERTAIN);
	cr_assert_geq(code[62] & LOOK_MASK, LOOK_UNCERTAIN);
	cr_assert_lt(code[64] & LOOK_MASK, PALETTE_SHADES);
	const struct cv *cv = &w.app.cv;
	const size_t size = (size_t)cv->w * (size_t)cv->h * sizeof *cv->px;
	uint32_t *part = malloc(size);
	memcpy(part, cv->px, size);
	app_dirty_all(&w.app);
	app_frame(&w.app);
	cr_assert_eq(memcmp(part, cv->px, size), 0, "as painted whole");
	free(part);
	gcs_snapshot_unref(s);
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

Test(uncertain, words, .fini = close_world)
{
	open_map(720, 480, 40, "mark 0 39\n");
	const struct gcs_snapshot *s = w.app.snapshot;
	cr_assert_str_eq(
	    row(s, 20, "Sampled live bytes"), "24 KiB \xc2\xb1 36 KiB (95 %): uncertain");
	cr_assert_str_eq(row(s, 60, "Sampled live bytes"), "16 KiB \xc2\xb1 4 KiB (95 %)");
	cr_assert_str_eq(row(s, 7, "Sampled live bytes"), "0 B");
	cr_assert_str_eq(row(s, 20, "Sampled live error"), "(none)", "it is after the value");
	const char *all = window_text(&w.app);
	cr_assert_not_null(
	    strstr(all, "stream shown\tSampled live bytes\t1.89 MiB \xc2\xb1 150 KiB (95 %)\n"),
	    "%s", all);
	cr_assert_null(strstr(all, "Sampled live error"));
	cr_assert_not_null(strstr(all, "  |???????.?????|\n  |??.?"), "%s", all);
}

/* Errors of tiles are of independent samples: 3 and 4 make 5. */
Test(uncertain, sums_of_tiles_have_errors, .fini = close_world)
{
	char text[100];
	struct heap_stats stats;
	struct tilemarks marks = {0};
	open_map(720, 480, 40, "");
	struct gcs_snapshot *s = gcs_snapshot_begin(model, w.app.snapshot);
	gcs_snapshot_write(s, 0, ERROR)[3] = 3 * KIB;
	gcs_snapshot_write(s, 0, ERROR)[4] = 4 * KIB;
	cr_assert(tilemarks_resize(&marks, TILES));
	tilemarks_put(&marks, 3);
	tilemarks_put(&marks, 4);
	heap_stats_of(&stats, s, 0, LIVE, &marks);
	cr_assert_eq(stats.error, 5 * KIB);
	const struct gcs_stream *live = &model->spaces[0].streams[LIVE];
	cr_assert_str_eq(
	    heap_stats_sum(text, sizeof text, &stats, live), "15 KiB \xc2\xb1 5 KiB (95 %)");
	heap_stats_of(&stats, s, 0, USED, &marks);
	cr_assert_str_eq(heap_stats_sum(text, sizeof text, &stats, live), "128 KiB");
	tilemarks_fini(&marks);
	gcs_snapshot_unref(s);
}

/* The stream of the errors is passed over. */
Test(uncertain, errors_are_no_view, .fini = close_world)
{
	open_map(720, 480, 40, "stream_next\n");
	cr_assert_eq(w.app.stream_of[0], (uint32_t)USED);
	cr_assert(world_run(&w, "stream_prev\n"));
	cr_assert_eq(w.app.stream_of[0], (uint32_t)LIVE);
	cr_assert(world_run(&w, "stream Sampled live error\n"), "but it can be asked for");
	cr_assert_eq(w.app.stream_of[0], (uint32_t)ERROR);
	cr_assert_lt(codes()[20] & LOOK_MASK, PALETTE_SHADES, "an error has no error");
}
