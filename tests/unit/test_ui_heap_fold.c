/*
 * What is not the heap's own is one line until it is opened: by pointer, by keys, by a selection; the
 * choice outlives the window.
 */
#include <criterion/criterion.h>
#include <gcspy/format.h>
#include <stdio.h>
#include <string.h>

#include "heap_view.h"
#include "layout.h"
#include "ui_world.h"

static struct world w;

static void close_world(void)
{
	world_close(&w);
}

static void open_map(void)
{
	world_open(&w, 900, 600);
	world_live(&w, 3);
}

static struct heap *heap(void)
{
	app_frame(&w.app);
	return w.app.views[VIEW_HEAP];
}

static const struct heap_item *item_of(uint32_t space)
{
	const struct heap_item *item = heap_find(heap(), space);
	cr_assert_not_null(item);
	return item;
}

static struct cv_rect title_of(uint32_t space)
{
	return heap_title_rect(heap(), &w.app, item_of(space));
}

Test(heap_fold, only_what_is_not_the_heap_is_folded, .fini = close_world)
{
	open_map();
	cr_assert_not(item_of(WORLD_REGIONS)->folded);
	cr_assert_not(item_of(WORLD_CARDS)->folded, "a table of the same group is the heap's own");
	cr_assert(item_of(WORLD_THREADS)->folded);
	cr_assert_leq(item_of(WORLD_THREADS)->h, ui_px(&w.app.ui, HEAP_TITLE));
	const struct heap *map = heap();
	for (uint32_t i = 0; i < map->count; i++)
		cr_assert(map->item[i].kind != HEAP_GROUP || map->item[i].id == 0,
		    "a group of one folded space has no line of its own");
	cr_assert(window_says(&w.app, "space\tThreads\tfolded\tAllocated: "));
}

Test(heap_fold, the_line_opens_and_the_mark_folds_by_pointer, .fini = close_world)
{
	open_map();
	const int pitch = heap()->fitted;
	struct cv_rect r = title_of(WORLD_THREADS);
	world_click(&w, r.x + r.w / 3, r.y + r.h / 2, 1);
	cr_assert_not(item_of(WORLD_THREADS)->folded);
	cr_assert_eq(w.app.active_space, (uint32_t)WORLD_THREADS);
	cr_assert(window_says(&w.app, "space (active)\tThreads\t6 tiles"));
	cr_assert_leq(heap()->fitted, pitch, "folded, it leaves its room to the heap");
	/* The rest of an open title only activates. */
	r = title_of(WORLD_REGIONS);
	world_click(&w, r.x + r.w / 3, r.y + r.h / 2, 1);
	cr_assert_not(item_of(WORLD_REGIONS)->folded);
	r = title_of(WORLD_THREADS);
	world_click(&w, r.x + ui_px(&w.app.ui, 4), r.y + r.h / 2, 1);
	cr_assert(item_of(WORLD_THREADS)->folded);
	cr_assert_eq(heap()->fitted, pitch);
}

Test(heap_fold, by_keys, .fini = close_world)
{
	open_map();
	cr_assert(world_run(&w, "space Threads\nkey Shift+G\n"));
	cr_assert_not(item_of(WORLD_THREADS)->folded);
	world_key(&w, "Shift+G");
	cr_assert(item_of(WORLD_THREADS)->folded);
	/* The mark of the last space is the last of the map's widgets. */
	uint32_t mark = 0;
	for (int i = 0; i < 60 && mark == 0; i++) {
		world_key(&w, "Tab");
		if (w.app.ui.focus == UI_ID(PANEL_VIEW, 2000 + WORLD_THREADS))
			mark = w.app.ui.focus;
	}
	cr_assert_neq(mark, 0u, "Tab reaches it");
	world_key(&w, "Left");
	cr_assert(item_of(WORLD_THREADS)->folded, "it is folded already");
	world_key(&w, "Right");
	cr_assert_not(item_of(WORLD_THREADS)->folded);
	world_key(&w, "Left");
	cr_assert(item_of(WORLD_THREADS)->folded);
	world_key(&w, "Enter");
	cr_assert_not(item_of(WORLD_THREADS)->folded);
	cr_assert_eq(w.app.selected.space, GCS_NONE, "no tile was meant");
}

Test(heap_fold, what_is_selected_is_in_sight, .fini = close_world)
{
	open_map();
	/* Keys of tiles stay in open spaces. */
	cr_assert(world_run(&w, "select Card table 399\nkey Down\n"));
	cr_assert(w.app.selected.space == WORLD_CARDS && item_of(WORLD_THREADS)->folded);
	cr_assert(world_run(&w, "select Threads 2\n"));
	cr_assert_not(item_of(WORLD_THREADS)->folded);
	world_event(&w);
	cr_assert(world_run(&w, "fold on\n"));
	cr_assert(item_of(WORLD_THREADS)->folded);
	cr_assert_eq(w.app.selected.space, GCS_NONE);
	cr_assert(world_run(&w, "mark 1 3\n"));
	cr_assert_not(item_of(WORLD_THREADS)->folded, "marks are in sight, too");
	/* Pinning is asking for it. */
	cr_assert(world_run(&w, "fold on\n"));
	cr_assert(item_of(WORLD_THREADS)->folded);
	world_close(&w);
	open_map();
	cr_assert(world_run(&w, "space Threads\npin\n"));
	cr_assert_not(item_of(WORLD_THREADS)->folded);
}

Test(heap_fold, the_figure_says_when_it_is_old, .fini = close_world)
{
	open_map();
	/* Card tables have categories, which have no sum; the third event has not gathered them. */
	cr_assert(world_run(&w, "space Card table\nfold\n"));
	cr_assert(window_says(&w.app,
	    "space (active)\tCard table\tfolded\t400 tiles \xc2\xb7 as of an earlier event\n"));
	world_event(&w);
	cr_assert(window_says(&w.app, "space (active)\tCard table\tfolded\t400 tiles\n"));
}

/* A list with a few named tiles has a row for each, with what the tile is worth. */
Test(heap_fold, few_named_tiles_are_rows_with_name_and_value, .fini = close_world)
{
	char row[120], value[64];
	open_map();
	cr_assert(world_run(&w, "space Threads\nfold off\n"));
	cr_assert(item_of(WORLD_THREADS)->rows);
	cr_assert_not(item_of(WORLD_CARDS)->rows, "tiles without names");
	for (uint32_t i = 0; i < 6; i++) {
		gcs_format_tile(value, sizeof value, w.app.snapshot, WORLD_THREADS, 0, i);
		snprintf(row, sizeof row, "row\t%s\t%s\n",
		    gcs_snapshot_name(w.app.snapshot, WORLD_THREADS, i), value);
		cr_assert(window_says(&w.app, row));
	}
	cr_assert(world_run(&w, "click \"worker-2\"\n"), "the name belongs to its tile");
	cr_assert_eq(w.app.selected.space, (uint32_t)WORLD_THREADS);
	cr_assert_eq(w.app.selected.tile, 2u);
	cr_assert(world_run(&w, "order falling\n"));
	cr_assert(window_is_whole(&w.app));
	world_event(&w);
	cr_assert(window_is_whole(&w.app), "values of the next event");
	cr_assert(world_run(&w, "stream Allocated\nexpression Allocated / 2\n"));
	cr_assert(window_is_whole(&w.app));
	cr_assert(world_run(&w, "columns 3\n"));
	cr_assert_not(item_of(WORLD_THREADS)->rows, "as the user wants it");
	cr_assert(world_run(&w, "columns 0\nlayout proportional\n"));
	cr_assert_not(item_of(WORLD_THREADS)->rows);
}

/* With too many they are tiles. */
Test(heap_fold, many_named_tiles_are_tiles, .fini = close_world)
{
	open_map();
	cr_assert(world_run(&w, "space Threads\nfold off\n"));
	for (uint32_t tiles = 24; tiles <= 25; tiles++) {
		struct gcs_snapshot *s = world_snapshot(w.model, w.last, ++w.step);
		cr_assert_not_null(s);
		struct gcs_snapshot *more = gcs_snapshot_begin(w.model, s);
		cr_assert(gcs_snapshot_resize(more, WORLD_THREADS, tiles));
		for (uint32_t i = 0; i < tiles; i++) {
			char name[16];
			snprintf(name, sizeof name, "t%u", i);
			gcs_snapshot_set_name(more, WORLD_THREADS, i, name);
		}
		gcs_snapshot_set_gathered(more, WORLD_THREADS, true);
		world_put(&w, more);
		cr_assert_eq(item_of(WORLD_THREADS)->rows, tiles == 24, "%u tiles", tiles);
		gcs_snapshot_unref(more);
		gcs_snapshot_unref(s);
	}
}
