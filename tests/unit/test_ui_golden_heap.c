/*
 * Pictures of the heap map's states (V1, V2, V4 to V6, V9), pixel by pixel, with the built-in font.
 * A changed picture is looked at before GCSPY_UPDATE_GOLDEN=1 makes it the golden.
 */
#include <criterion/criterion.h>
#include <stdio.h>

#include "heap_view.h"
#include "ui_world.h"

static struct world w;

static void close_world(void)
{
	world_close(&w);
}

static void open_map(int width, int height, const char *script)
{
	world_open(&w, width, height);
	world_live(&w, 12);
	cr_assert(world_run(&w, script), "%s", w.app.toast);
	w.app.toast[0] = 0; /* Messages go away by themselves. */
	app_dirty(&w.app, PANEL_MODAL);
}

Test(golden_heap, split_tiles, .fini = close_world)
{
	open_map(900, 600, "split\nsplit\nsplit\nzoom_in\nside_down\n");
	cr_assert(world_golden(&w, "heap-split"));
}

Test(golden_heap, split_in_two_small, .fini = close_world)
{
	open_map(720, 480, "stream Used\nsplit Type\nzoom_out\nzoom_out\nside_down\n");
	cr_assert(world_golden(&w, "heap-split-small"));
}

Test(golden_heap, expression, .fini = close_world)
{
	open_map(900, 640, "expression Live / Used * 100 %\nselect G1 regions 8\n");
	cr_assert(world_golden(&w, "heap-expression"));
}

Test(golden_heap, field_says_what_is_wrong, .fini = close_world)
{
	open_map(720, 480, "key X\ntype Used / Capacity\n");
	cr_assert(world_golden(&w, "heap-field"));
}

Test(golden_heap, find_field_light, .fini = close_world)
{
	open_map(720, 480, "theme light\nkey Ctrl+F\ntype 0x7003\n");
	cr_assert(world_golden(&w, "heap-find"));
}

Test(golden_heap, ordered, .fini = close_world)
{
	open_map(720, 480, "stream Used\norder falling\nselect G1 regions 97\n");
	cr_assert(world_golden(&w, "heap-ordered"));
}

Test(golden_heap, proportional, .fini = close_world)
{
	open_map(640, 640, "layout proportional\n");
	cr_assert(world_golden(&w, "heap-proportional"));
}

Test(golden_heap, marks, .fini = close_world)
{
	open_map(
	    900, 640, "stream Used\nmark 20 70\nmark_remove 40 44\nmark_add 110 113\nside_down\n");
	cr_assert(world_golden(&w, "heap-marks"));
}

Test(golden_heap, summary, .fini = close_world)
{
	open_map(900, 640, "summary\n");
	cr_assert(world_golden(&w, "heap-summary"));
}

Test(golden_heap, summary_in_a_small_window, .fini = close_world)
{
	open_map(400, 300, "summary\nkey PageDown\n");
	cr_assert(world_golden(&w, "heap-summary-small"));
}

Test(golden_heap, recency, .fini = close_world)
{
	open_map(720, 480, "stream Used\nrecency\n");
	for (int i = 0; i < 5; i++)
		world_event(&w);
	cr_assert(world_golden(&w, "heap-recency"));
}

Test(golden_heap, magnifier_and_equal_tiles, .fini = close_world)
{
	open_map(900, 820, "select G1 regions 97\nequal\nside_down\n");
	cr_assert(world_golden(&w, "heap-magnifier"));
}

Test(golden_heap, pinned_hidden_and_tools, .fini = close_world)
{
	open_map(720, 480, "space Threads\npin\nspace Card table\nhide\n");
	struct heap *heap = w.app.views[VIEW_HEAP];
	struct cv_rect r = heap_title_rect(heap, &w.app, heap_find(heap, WORLD_THREADS));
	world_move(&w, r.x + 300, r.y + 8);
	cr_assert(world_golden(&w, "heap-pinned"));
}

Test(golden_heap, menu_below_its_tool, .fini = close_world)
{
	open_map(720, 480, "expression Used / 1K\nmark 4 6\n");
	struct heap *heap = w.app.views[VIEW_HEAP];
	struct cv_rect r = heap_title_rect(heap, &w.app, heap_find(heap, WORLD_REGIONS));
	world_move(&w, r.x + r.w - 3 * 22 + 11, r.y + 12);
	world_click(&w, r.x + r.w - 3 * 22 + 11, r.y + 12, 1);
	cr_assert(world_golden(&w, "heap-menu"));
}

Test(golden_heap, matrix_wider_than_the_window, .fini = close_world)
{
	open_map(720, 480, "columns 64\nselect G1 regions 30\nzoom_in\nzoom_in\nzoom_in\nreveal\n");
	cr_assert(world_golden(&w, "heap-wide"));
}

Test(golden_heap, high_contrast, .fini = close_world)
{
	open_map(720, 480, "theme contrast\nstream Used\nmark 5 30\nselect G1 regions 40\nequal\n");
	cr_assert(world_golden(&w, "heap-contrast"));
}

Test(golden_heap, twice_the_scale, .fini = close_world)
{
	world_open(&w, 960, 640);
	app_set_scale(&w.app, 200);
	world_live(&w, 12);
	cr_assert(world_run(&w, "mark 5 9\nsplit\nselect G1 regions 7\n"));
	w.app.toast[0] = 0;
	app_dirty(&w.app, PANEL_MODAL);
	cr_assert(world_golden(&w, "heap-scale-200"));
}

static void show_plain(uint32_t tiles, const char *script)
{
	world_open(&w, 720, 480);
	struct gcs_snapshot *s = world_plain(tiles);
	struct gcs_snapshot *next =
	    gcs_snapshot_begin((struct gcs_model *)gcs_snapshot_model(s), s);
	int64_t *values = gcs_snapshot_write(next, 0, 0);
	for (uint32_t i = 0; i < tiles; i++)
		values[i] = (int64_t)((i * 2654435761u >> 8) % 1001) * (i / 1000 % 3 != 1);
	app_show(&w.app, next);
	app_frame(&w.app);
	cr_assert(world_run(&w, script), "%s", w.app.toast);
	w.app.toast[0] = 0;
	app_dirty(&w.app, PANEL_MODAL);
	gcs_snapshot_unref(next);
	gcs_snapshot_unref(s);
}

Test(golden_heap, one_tile, .fini = close_world)
{
	show_plain(1, "select Plain 0\n");
	cr_assert(world_golden(&w, "heap-one-tile"));
}

Test(golden_heap, a_hundred_thousand_tiles_in_order, .fini = close_world)
{
	show_plain(100000, "expression Value * tile\norder falling\nmark 90000 99999\n");
	cr_assert(world_golden(&w, "heap-100000"));
}

Test(golden_heap, long_and_foreign_names, .fini = close_world)
{
	static const char *const names[WORLD_SPACES] = {
	    "A space whose name is so long that no title bar of any window has room for all of it, "
	    "and "
	    "that goes on and on",
	    "\xe5\xa0\x86\xe5\x86\x85\xe5\xad\x98\xe5\x8c\xba\xe5\x9f\x9f \xe5\x8d\xa1\xe8\xa1\xa8",
	    "\xd7\x96\xd7\x9b\xd7\xa8\xd7\x95\xd7\x9f \xd8\xb0\xd8\xa7\xd9\x83\xd8\xb1\xd8\xa9"};
	world_open(&w, 720, 480);
	struct gcs_model *m = world_model();
	for (uint32_t i = 0; i < WORLD_SPACES; i++) {
		struct gcs_space space = m->spaces[i];
		struct gcs_error err;
		space.name = names[i];
		cr_assert_eq(gcs_model_set_space(m, i, &space, &err), GCS_OK);
	}
	struct gcs_snapshot *s = world_snapshot(m, NULL, 9);
	app_show(&w.app, s);
	app_frame(&w.app);
	cr_assert(world_run(&w, "space_next\nspace_next\nhide\nmark 3 5\npin\nzoom_fit\n"));
	w.app.toast[0] = 0;
	app_dirty(&w.app, PANEL_MODAL);
	cr_assert(world_golden(&w, "heap-names"));
	gcs_snapshot_unref(s);
	gcs_model_unref(m);
}

/* The limits of 64 bits under a ramp: the ends have a line each, the middle has none. */
Test(golden_heap, limits_of_numbers, .fini = close_world)
{
	static const struct gcs_stream stream = {.name = "Any number",
	    .type = GCS_TYPE_I64,
	    .min = INT64_MIN,
	    .max = INT64_MAX,
	    .suffix = " things",
	    .max_stream = GCS_NONE};
	struct gcs_error err = {.text = ""};
	struct gcs_model *model = gcs_model_create("limits");
	gcs_model_add_space(model,
	    &(struct gcs_space){.name = "Numbers",
		.description = "",
		.tile_title = "Tile",
		.block_info = "",
		.unused_text = "",
		.group = GCS_NONE,
		.stream_count = 1,
		.streams = &stream},
	    NULL, &err);
	cr_assert_eq(model->space_count, 1u, "%s", err.text);
	struct gcs_snapshot *s = gcs_snapshot_begin(model, NULL);
	cr_assert(s != NULL && gcs_snapshot_resize(s, 0, 40));
	gcs_snapshot_set_gathered(s, 0, true);
	world_open(&w, 720, 480);
	app_show(&w.app, s);
	w.app.toast[0] = 0;
	app_frame(&w.app);
	cr_assert(world_golden(&w, "heap-limits"));
	gcs_snapshot_unref(s);
	gcs_model_unref(model);
}
