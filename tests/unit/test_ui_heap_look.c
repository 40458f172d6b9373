/*
 * What the tiles of the heap map show and in which order (V1, V4): orders, split tiles,
 * expressions, equal values, fading.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "heap_view.h"
#include "ui_world.h"

static struct world w;

static void close_world(void)
{
	world_close(&w);
}

static void open_map(unsigned events)
{
	world_open(&w, 900, 600);
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

Test(heap_look, an_order_moves_tiles_and_nothing_else, .fini = close_world)
{
	open_map(3);
	RUN("stream Used\nselect G1 regions 97\n");
	const struct cv_rect before = tile_at(0, 97);
	world_key(&w, "Y");
	SAYS("descending \xc2\xb7 Used");
	cr_assert_eq(w.app.selected.tile, 97u);
	const struct cv_rect after = tile_at(0, 97);
	cr_assert_not(rect_same(before, after));
	world_move(&w, after.x + 1, after.y + 1);
	cr_assert_eq(w.app.hovered.tile, 97u, "what is pointed at is what stands there");
	world_key(&w, "Right");
	cr_assert_eq(w.app.selected.tile, prefs(0)->order.tile[prefs(0)->order.place[97] + 1],
	    "keys go by what is seen");
	world_event(&w);
	cr_assert(window_is_whole(&w.app));
	world_key(&w, "Y");
	SAYS("ascending \xc2\xb7 Used");
	world_key(&w, "]");
	app_frame(&w.app);
	for (uint32_t i = 1; i < 160; i++)
		cr_assert_leq(gcs_snapshot_values(
				  w.app.snapshot, 0, REGION_LIVE)[prefs(0)->order.tile[i - 1]],
		    gcs_snapshot_values(w.app.snapshot, 0, REGION_LIVE)[prefs(0)->order.tile[i]],
		    "the order follows the stream");
	cr_assert(window_is_whole(&w.app));
	world_key(&w, "Y");
	SAYS_NOT("falling");
	SAYS_NOT("rising");
	cr_assert(rect_same(tile_at(0, 97), before));
	FAILS("order sideways\n");
}

Test(heap_look, split_goes_through_the_streams, .fini = close_world)
{
	open_map(3);
	const struct heap_prefs *p = prefs(0);
	world_key(&w, "Shift+S");
	cr_assert_eq(p->parts, 1u);
	cr_assert_str_eq(p->part[0], "Used");
	SAYS("part 2 of each tile\tUsed");
	FAILS("split Used\n");
	FAILS("split Nonsense\n");
	RUN("split Age\nkey Shift+S\n");
	cr_assert_eq(p->parts, 3u);
	cr_assert_str_eq(p->part[2], "Live", "Type is shown, and so is Used");
	FAILS("split Remembered cards\n");
	for (int i = 0; i < 4; i++)
		world_event(&w);
	cr_assert(window_is_whole(&w.app));
	world_key(&w, "Shift+S");
	cr_assert_eq(p->parts, 0u, "after four there is one again");
	cr_assert(window_is_whole(&w.app));
	RUN("split Live\nsplit off\n");
	cr_assert_eq(p->parts, 0u);
	RUN("space Threads\n");
	FAILS("split\n");
}

Test(heap_look, expressions_colour_the_space, .fini = close_world)
{
	open_map(4);
	const struct heap_prefs *p = prefs(0);
	RUN("expression Live / Used * 100 %\nselect G1 regions 6\n");
	SAYS("expression shown\tLive / Used * 100 %");
	SAYS("value\t");
	cr_assert_eq(p->range.high, 100);
	const double live = (double)gcs_snapshot_values(w.app.snapshot, 0, REGION_LIVE)[6];
	const double used = (double)gcs_snapshot_values(w.app.snapshot, 0, REGION_USED)[6];
	cr_assert_float_eq(p->real[6], live / used * 100, 1e-9);
	world_key(&w, "Y");
	cr_assert(tileorder_on(&p->order), "tiles are ordered by it");
	world_event(&w);
	cr_assert(window_is_whole(&w.app));
	RUN("order address\n");
	world_key(&w, "[");
	cr_assert_not(heap_by_text(p, &w.app, 0));
	cr_assert_eq(w.app.stream_of[0], REGION_AGE, "the stream before the expression");
	world_key(&w, "]");
	cr_assert(heap_by_text(p, &w.app, 0), "it is the entry after the last stream");
	world_key(&w, "]");
	cr_assert_eq(w.app.stream_of[0], REGION_TYPE);
	cr_assert_not(heap_by_text(p, &w.app, 0));
	FAILS("expression Liv / Used\n");
	cr_assert_str_eq(p->text, "Live / Used * 100 %", "what was there stays");
	app_set_stream(&w.app, 0, REGION_USED);
	RUN("expression Used - prev(Used)\n");
	world_event(&w);
	app_frame(&w.app);
	cr_assert_eq(p->with_value, 160u);
	RUN("expression off\n");
	world_wait(&w, TOAST_MS + 1); /* the message about the mistake has gone */
	SAYS_NOT("expression");
	cr_assert(window_is_whole(&w.app));
}

Test(heap_look, field_of_an_expression, .fini = close_world)
{
	open_map(4);
	RUN("side_panel\n");
	world_key(&w, "X");
	cr_assert(w.app.side_shown, "the field is in the side panel");
	world_type(&w, "Used / ");
	world_key(&w, "Enter");
	cr_assert_eq(heap()->field_open, FIELD_EXPRESSION, "invalid input stays");
	world_type(&w, "2");
	world_key(&w, "Enter");
	cr_assert_eq(heap()->field_open, FIELD_NONE);
	cr_assert_str_eq(prefs(0)->text, "Used / 2");
	world_key(&w, "X");
	cr_assert_str_eq(heap()->field.text, "Used / 2", "to go on with");
	world_key(&w, "Escape");
	cr_assert_eq(heap()->field_open, FIELD_NONE);
	cr_assert_eq(w.app.ui.focus, 0u);
}

Test(heap_look, equal_values_are_framed_everywhere, .fini = close_world)
{
	open_map(4);
	RUN("stream Type\nselect G1 regions 97\nkey V\n");
	app_frame(&w.app);
	cr_assert_eq(prefs(0)->equal.count, 8u, "eight humongous regions");
	SAYS("equal\t8 with the same value in 1 space");
	world_event(&w);
	cr_assert(window_is_whole(&w.app));
	RUN("select G1 regions 0\n");
	app_frame(&w.app);
	cr_assert_eq(prefs(0)->equal.count, 4u, "another tile, others that equal it");
	cr_assert(window_is_whole(&w.app));
	world_key(&w, "V");
	SAYS_NOT("equal");
	cr_assert(window_is_whole(&w.app));
}

Test(heap_look, tiles_fade, .fini = close_world)
{
	open_map(4);
	world_key(&w, "Shift+V");
	for (int i = 0; i < 6; i++) {
		world_event(&w);
		cr_assert(window_is_whole(&w.app));
	}
	cr_assert_eq(prefs(0)->age.tiles, 192u);
	cr_assert_gt(prefs(0)->age.age[97], 5);
	SAYS("fading\t");
	world_key(&w, "Shift+V");
	cr_assert(window_is_whole(&w.app));
}
