/*
 * The heap map as a user works with it (V1, V2, V4 to V6, V9): zoom and pan, pinned and hidden
 * spaces, layouts, marks, finding.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "heap_view.h"
#include "ui_world.h"

static struct world w;

static void close_world(void)
{
	world_close(&w);
}

static void open_map(int width, int height, unsigned events)
{
	world_open(&w, width, height);
	world_live(&w, events);
}

static struct heap *heap(void)
{
	return w.app.views[VIEW_HEAP];
}

static struct heap_prefs *prefs(uint32_t space)
{
	return heap_prefs_of(heap(), &w.app, space);
}

static struct cv_rect tile_at(uint32_t space, uint32_t tile)
{
	struct cv_rect r;
	cr_assert(w.app.view->place(w.app.view_self, &w.app, space, tile, &r));
	return r;
}

#define SAYS(what)     cr_assert(window_says(&w.app, what))
#define SAYS_NOT(what) cr_assert_null(strstr(window_text(&w.app), what))
#define RUN(script)    cr_assert(world_run(&w, script), "%s", w.app.toast)
#define FAILS(script)  cr_assert_not(world_run(&w, script))

static void drag(int button, unsigned mods, struct cv_rect from, struct cv_rect to)
{
	struct ui_event ev = {.kind = EV_MOVE, .x = from.x + 1, .y = from.y + 1, .mods = mods};
	app_event(&w.app, &ev);
	ev.kind = EV_DOWN;
	ev.button = button;
	app_event(&w.app, &ev);
	ev.kind = EV_MOVE;
	ev.x = to.x + 1;
	ev.y = to.y + 1;
	app_event(&w.app, &ev);
	app_frame(&w.app);
	ev.kind = EV_UP;
	app_event(&w.app, &ev);
	app_frame(&w.app);
}

static int shown_pitch(uint32_t tiles)
{
	struct gcs_snapshot *plain = world_plain(tiles);
	app_show(&w.app, plain);
	gcs_snapshot_unref(plain);
	app_frame(&w.app);
	return heap()->fitted;
}

/* Tiles become smaller where they no longer fit, and larger only when that is asked for. */
Test(heap_map, tiles_keep_their_size, .fini = close_world)
{
	open_map(900, 600, 1);
	const int before = shown_pitch(2000);
	cr_assert_eq(shown_pitch(300), before);
	cr_assert_eq(shown_pitch(1500), before);
	cr_assert_lt(shown_pitch(30000), before);
	cr_assert_lt(shown_pitch(300), before);
	world_key(&w, "0");
	cr_assert_gt(heap()->fitted, before, "as large as fits");
	const int large = heap()->fitted;
	cr_assert_eq(shown_pitch(200), large);
	app_resize(&w.app, 500, 400);
	app_frame(&w.app);
	app_resize(&w.app, 900, 600);
	app_frame(&w.app);
	cr_assert_geq(heap()->fitted, large, "another size of the window fits anew");
}

Test(heap_map, pinned_spaces_stand_on_top, .fini = close_world)
{
	open_map(900, 600, 3);
	RUN("space Threads\nkey J\n");
	cr_assert_eq(heap()->item[0].id, (uint32_t)WORLD_THREADS);
	cr_assert_eq(heap()->item[0].kind, HEAP_SPACE);
	SAYS("Threads\tpinned \xc2\xb7 6 tiles");
	world_event(&w);
	cr_assert_eq(heap()->item[0].id, (uint32_t)WORLD_THREADS, "with the next event too");
	RUN("toggle_group Threads\n");
	cr_assert_not_null(heap_find(heap(), WORLD_THREADS), "whatever its group does");
	RUN("toggle_group Threads\npin\n");
	cr_assert_eq(heap()->item[0].kind, HEAP_GROUP);
}

Test(heap_map, hidden_spaces_are_listed_and_come_back, .fini = close_world)
{
	open_map(900, 600, 3);
	RUN("select Card table 5\nkey Shift+J\n");
	cr_assert_null(heap_find(heap(), WORLD_CARDS));
	cr_assert_eq(w.app.selected.space, GCS_NONE, "nothing unseen is selected");
	cr_assert_neq(w.app.active_space, (uint32_t)WORLD_CARDS);
	SAYS("1 hidden: Card table");
	RUN("space Threads\nhide\n");
	SAYS("2 hidden: Card table, Threads");
	world_event(&w);
	SAYS("2 hidden: Card table, Threads");
	const struct heap_item *last = &heap()->item[heap()->count - 1];
	cr_assert_eq(last->kind, HEAP_HIDDEN);
	FAILS("show_hidden Nonsense\n");
	RUN("show_hidden Threads\n");
	SAYS("1 hidden: Card table");
	app_frame(&w.app);
	struct cv_rect r = heap_item_rect(heap(), &w.app, &heap()->item[heap()->count - 1]);
	world_click(&w, r.x + 20, r.y + r.h / 2, 1);
	cr_assert_not_null(heap_find(heap(), WORLD_CARDS));
	FAILS("show_hidden\n");
}

Test(heap_map, tools_appear_in_the_title_and_work, .fini = close_world)
{
	open_map(900, 600, 3);
	struct heap_item *item = heap_find(heap(), WORLD_CARDS);
	struct cv_rect title = heap_title_rect(heap(), &w.app, item);
	world_move(&w, title.x + 60, title.y + 5);
	cr_assert_eq(heap()->bar, (uint32_t)WORLD_CARDS);
	/* Four tools of 22 pixels: pin, hide, streams, summary. */
	int x = title.x + title.w - 4 * 22 + 11, y = title.y + title.h / 2;
	world_click(&w, x, y, 1);
	cr_assert(prefs(WORLD_CARDS)->pinned);
	cr_assert_eq(w.app.active_space, (uint32_t)WORLD_CARDS);
	title = heap_title_rect(heap(), &w.app, heap_find(heap(), WORLD_CARDS));
	y = title.y + title.h / 2;
	world_click(&w, x + 44, y, 1);
	cr_assert_eq(w.app.modal, MODAL_STREAMS);
	world_key(&w, "Escape");
	world_click(&w, x + 66, y, 1);
	cr_assert_eq(w.app.modal, MODAL_SUMMARY);
	world_key(&w, "Shift+Y");
	cr_assert_eq(w.app.modal, MODAL_NONE, "the key that opened it closes it");
	RUN("mark 3 9\n");
	world_move(&w, x, y);
	world_click(&w, title.x + title.w - 11, y, 1);
	cr_assert_eq(prefs(WORLD_CARDS)->marks.count, 0u, "a fifth tool clears marks");
	cr_assert(window_is_whole(&w.app));
}

Test(heap_map, menu_of_streams, .fini = close_world)
{
	open_map(900, 600, 3);
	RUN("expression Used * 2\nstream Used\nstream\n");
	cr_assert_eq(w.app.modal, MODAL_STREAMS);
	cr_assert_eq(w.app.modal_row, 1, "it begins at what is shown");
	world_key(&w, "Down");
	world_key(&w, "Enter");
	cr_assert_eq(w.app.stream_of[WORLD_REGIONS], REGION_LIVE);
	cr_assert_eq(w.app.modal, MODAL_NONE);
	RUN("stream\nkey End\nkey Enter\n");
	cr_assert(
	    heap_by_text(prefs(WORLD_REGIONS), &w.app, WORLD_REGIONS), "the expression is last");
	RUN("stream\n");
	struct cv_rect box = w.app.modal_box;
	world_click(&w, box.x + 60, box.y + 16 + 13, 1);
	cr_assert_eq(w.app.stream_of[WORLD_REGIONS], REGION_TYPE);
	cr_assert_not(heap_by_text(prefs(WORLD_REGIONS), &w.app, WORLD_REGIONS));
}

Test(heap_map, summary_says_everything, .fini = close_world)
{
	open_map(900, 600, 4);
	RUN("summary\n");
	world_key(&w, "Ctrl+C");
	cr_assert_not_null(strstr(w.clipboard, "Event\tGC end #2"));
	cr_assert_not_null(strstr(w.clipboard, "Tiles\t160 used of 192"));
	cr_assert_not_null(strstr(w.clipboard, "Space\t32 of 192 regions uncommitted"));
	cr_assert_not_null(strstr(w.clipboard, "Type\tFree "));
	cr_assert_not_null(strstr(w.clipboard, "Used\t"));
	cr_assert_not_null(strstr(w.clipboard, "of 160 MiB"));
	cr_assert_not_null(strstr(w.clipboard, "\t0 B\t"), "%s", w.clipboard);
	cr_assert_not_null(strstr(w.clipboard, "\t1 MiB\n"));
}

Test(heap_map, marks_by_pointer, .fini = close_world)
{
	open_map(900, 600, 3);
	const struct tilemarks *marks = &prefs(WORLD_REGIONS)->marks;
	drag(1, MOD_SHIFT, tile_at(0, 10), tile_at(0, 19));
	cr_assert_eq(marks->count, 10u);
	cr_assert_eq(w.app.selected.space, GCS_NONE, "marking does not select");
	drag(1, MOD_SHIFT | MOD_CTRL, tile_at(0, 12), tile_at(0, 13));
	cr_assert_eq(marks->count, 8u);
	cr_assert_not(tilemarks_has(marks, 12));
	drag(1, MOD_SHIFT | MOD_ALT, tile_at(0, 33), tile_at(0, 30));
	cr_assert_eq(marks->count, 12u);
	world_event(&w);
	cr_assert_eq(marks->count, 12u, "marks outlive an event");
	SAYS("marked\t12");
	SAYS("marked Used\t");
	cr_assert(window_is_whole(&w.app));
	drag(1, MOD_SHIFT, tile_at(0, 5), tile_at(0, 5));
	cr_assert_eq(marks->count, 1u, "a plain one takes their place");
	world_key(&w, "Shift+Delete");
	cr_assert_eq(marks->count, 0u);
	cr_assert(window_is_whole(&w.app));
	/* In another order, what lies between in the picture. */
	RUN("stream Used\norder falling\n");
	drag(
	    1, MOD_SHIFT, tile_at(0, prefs(0)->order.tile[0]), tile_at(0, prefs(0)->order.tile[6]));
	cr_assert_eq(marks->count, 7u);
	for (int i = 0; i < 7; i++)
		cr_assert(tilemarks_has(marks, prefs(0)->order.tile[i]));
}

Test(heap_map, marks_by_keys_and_script, .fini = close_world)
{
	open_map(900, 600, 3);
	const struct tilemarks *marks = &prefs(WORLD_REGIONS)->marks;
	world_key(&w, "'");
	cr_assert_eq(marks->count, 0u, "no tile is selected");
	RUN("select G1 regions 7\nkey '\nselect G1 regions 11\nkey '\n");
	cr_assert_eq(marks->count, 5u);
	RUN("select G1 regions 9\nkey '\n");
	cr_assert_eq(marks->count, 3u, "the end moves");
	RUN("select G1 regions 50\nkey \"\nselect G1 regions 51\nkey '\n");
	cr_assert_eq(marks->count, 5u, "one range more");
	RUN("mark 0 191\nmark_remove 10 19\nmark_add 12 12\n");
	cr_assert_eq(marks->count, 183u);
	FAILS("mark 0\n");
	FAILS("mark 0 192\n");
	FAILS("mark x y\n");
	FAILS("mark -1 3\n");
	FAILS("mark 0 99999999999999999999\n");
	cr_assert_eq(marks->count, 183u);
	SAYS("marked\t183");
}

Test(heap_map, marked_tiles_have_call_sites, .fini = close_world)
{
	open_map(900, 600, 3);
	RUN("mark 4 5\nmark_add 9 9\nkey C\n");
	cr_assert_str_eq(w.source.where, "range=0x700400000-0x700a00000");
	world_answer(&w, GCS_STATE, "sampling is off", NULL);
	RUN("heap_map\nclear_markers\nselect G1 regions 0\ntile_sites\n");
	cr_assert_str_eq(w.source.where, "range=0x700000000-0x700100000");
}

Test(heap_map, zoom_pan_and_fit, .fini = close_world)
{
	open_map(900, 600, 3);
	RUN("columns 96\n");
	world_key(&w, "A");
	for (int i = 0; i < 8; i++)
		world_key(&w, "W");
	cr_assert_gt(heap()->wide, heap()->area.w);
	heap()->scroll_x = 0;
	world_key(&w, "D");
	cr_assert_gt(heap()->scroll_x, 0);
	world_key(&w, "A");
	cr_assert_eq(heap()->scroll_x, 0);
	struct cv_rect from = rect_make(400, 300, 1, 1), to = rect_make(250, 260, 1, 1);
	drag(2, 0, from, to);
	cr_assert_eq(heap()->scroll_x, 150, "the picture follows the pointer");
	cr_assert(window_is_whole(&w.app));
	struct ui_event ev = {.kind = EV_WHEEL, .x = 300, .y = 300, .wheel = -1, .mods = MOD_ALT};
	app_event(&w.app, &ev);
	cr_assert_eq(heap()->scroll_x, 150 + 48);
	RUN("select G1 regions 60\nkey F\n");
	struct cv_rect a = heap()->area, r = tilemap_rect(&heap_find(heap(), 0)->map,
					     heap_tileset(heap(), heap_find(heap(), 0)), 60);
	cr_assert(r.x <= a.x + a.w / 2 && r.x + r.w >= a.x + a.w / 2 - 2, "in the middle: %d", r.x);
	RUN("mark 50 69\nkey Left\nselect G1 regions 60\nkey F\nkey F\n");
	r = tilemap_rect(
	    &heap_find(heap(), 0)->map, heap_tileset(heap(), heap_find(heap(), 0)), 50);
	cr_assert(r.x >= a.x && 20 * r.w > a.w / 2, "the marked range fills the window");
	world_key(&w, "0");
	cr_assert_eq(heap()->scroll_x, 0);
	cr_assert_eq(heap()->pitch, 0);
	cr_assert(window_is_whole(&w.app));
}

Test(heap_map, columns_make_a_matrix, .fini = close_world)
{
	open_map(900, 600, 3);
	RUN("columns 16\n");
	cr_assert_eq(heap_find(heap(), 0)->map.columns, 16u);
	cr_assert_neq(heap_find(heap(), WORLD_CARDS)->map.columns, 16u);
	struct cv_rect a = tile_at(0, 0), b = tile_at(0, 16);
	cr_assert_eq(a.x, b.x);
	RUN("columns 0\n");
	cr_assert_neq(heap_find(heap(), 0)->map.columns, 16u);
	FAILS("columns 4097\n");
	FAILS("columns -1\n");
	FAILS("columns many\n");
}

Test(heap_map, proportional_bands, .fini = close_world)
{
	open_map(900, 600, 3);
	world_key(&w, "Shift+M");
	app_frame(&w.app);
	const struct heap_item *regions = heap_find(heap(), WORLD_REGIONS);
	const struct heap_item *cards = heap_find(heap(), WORLD_CARDS);
	const struct heap_item *threads = heap_find(heap(), WORLD_THREADS);
	cr_assert_eq(regions->share, 1000, "the only one with bytes");
	cr_assert_eq(cards->share, 1000, "the one with most tiles of those without");
	cr_assert_eq(threads->share, 20, "not less than can be seen");
	cr_assert_lt(threads->map.columns, cards->map.columns);
	const uint32_t columns = cards->map.columns;
	RUN("select Card table 9\n");
	for (int i = 0; i < 4; i++)
		world_key(&w, "+");
	cr_assert_eq(
	    heap_find(heap(), WORLD_CARDS)->map.columns, columns, "a zoom keeps the shape");
	world_event(&w);
	cr_assert(window_is_whole(&w.app));
	RUN("layout wrapped\n");
	FAILS("layout round\n");
	cr_assert_eq(w.app.selected.tile, 9u);
}

Test(heap_map, finds_addresses_and_names, .fini = close_world)
{
	open_map(900, 600, 3);
	RUN("find 0x700500010\n");
	cr_assert(w.app.selected.space == WORLD_REGIONS && w.app.selected.tile == 5);
	FAILS("find 0x10\n");
	FAILS("find 0x12345678901234567\n");
	RUN("find card\n");
	cr_assert_eq(w.app.active_space, (uint32_t)WORLD_CARDS);
	RUN("find Remembered\n");
	cr_assert_eq(w.app.active_space, (uint32_t)WORLD_REGIONS);
	cr_assert_eq(w.app.stream_of[WORLD_REGIONS], REGION_CARDS);
	RUN("hide\nfind g1 REGIONS\n");
	cr_assert_not(prefs(WORLD_REGIONS)->hidden, "what was hidden is found");
	RUN("toggle_group Threads\nfind Allocated\n");
	cr_assert(app_group_open(&w.app, 1));
	FAILS("find nothing at all\n");
	world_key(&w, "Ctrl+F");
	cr_assert_eq(heap()->field_open, FIELD_FIND);
	world_type(&w, "0x700000000");
	world_key(&w, "Enter");
	cr_assert_eq(w.app.selected.tile, 0u);
	cr_assert_eq(heap()->field_open, FIELD_NONE);
	RUN("call_sites\n");
	world_wait(&w, 0);
	cr_assert_not(world_run(&w, "find\n"), "another view has its own meaning for it");
}

Test(heap_map, magnifier_is_clicked, .fini = close_world)
{
	open_map(900, 900, 3);
	RUN("space Threads\nkey Home\nkey Right\nkey Right\n");
	cr_assert_eq(w.app.selected.tile, 2u);
	app_frame(&w.app);
	/* Down the panel's middle come the small strip, three of whose cells are 24 pixels, and the
	 * large one, whose cells are as far apart. */
	struct cv_rect side = w.app.rect[PANEL_SIDE];
	int middle = side.x + 16 + (side.w - 30) / 2;
	unsigned small = 0, large = 0;
	for (int y = side.y + 40; y < side.y + side.h; y += 4) {
		world_click(&w, middle + 24, y, 1);
		small += w.app.selected.tile == 5;
		large += w.app.selected.tile == 3;
		RUN("select Threads 2\n");
		app_frame(&w.app);
	}
	cr_assert(small > 0 && large > small, "%u and %u", small, large);
}

/* The choices are those of a name, whatever number the space has. */
Test(heap_map, choices_follow_names_into_another_description, .fini = close_world)
{
	open_map(900, 600, 3);
	RUN("space Card table\npin\nselect G1 regions 9\nexpression Live\nmark 3 5\nsplit\n");
	struct gcs_model *next = gcs_model_copy(w.model);
	struct gcs_space gone = next->spaces[WORLD_THREADS];
	struct gcs_error err;
	gone.name = "Other threads";
	cr_assert_eq(gcs_model_set_space(next, WORLD_THREADS, &gone, &err), GCS_OK);
	struct gcs_snapshot *s = world_snapshot(next, w.app.snapshot, 20);
	app_show(&w.app, s);
	app_frame(&w.app);
	cr_assert(prefs(WORLD_CARDS)->pinned);
	cr_assert_eq(prefs(WORLD_REGIONS)->marks.count, 3u);
	cr_assert(heap_by_text(prefs(WORLD_REGIONS), &w.app, WORLD_REGIONS));
	cr_assert_str_eq(prefs(WORLD_THREADS)->name, "Other threads");
	gcs_snapshot_unref(s);
	gcs_model_unref(next);
}

/* Any order of commands and events leaves the pixels that painting anew gives. */
Test(heap_map, random_commands_leave_a_whole_picture, .fini = close_world)
{
	static const char *const steps[] = {"key Y", "key V", "key Shift+V", "key Shift+S", "key J",
	    "key Shift+M", "key W", "key S", "key 0", "key A", "key D", "key F", "key '", "key \"",
	    "key ]", "key [", "key N", "key Right", "key Down", "key Shift+J", "show_hidden",
	    "columns 30", "columns 0", "expression Used / [Remembered cards]", "expression off",
	    "mark 3 70", "mark_remove 10 12", "clear_markers", "key G", "key Escape",
	    "find 0x700a00000", "key Ctrl+D", "key Ctrl+D", "key PageDown", "key PageUp",
	    "hover G1 regions 20", "summary", "stream"};
	static unsigned seed = 12345;
	open_map(800, 560, 3);
	for (int i = 0; i < 400; i++) {
		seed = seed * 1664525u + 1013904223u;
		char step[80];
		snprintf(
		    step, sizeof step, "%s\n", steps[(seed >> 8) % (sizeof steps / sizeof *steps)]);
		world_run(&w, step);
		if (seed >> 29 == 0)
			world_event(&w);
		if (i % 4 == 3) {
			w.app.toast[0] = 0;
			app_dirty(&w.app, PANEL_MODAL);
			cr_assert(window_is_whole(&w.app));
		}
	}
}
