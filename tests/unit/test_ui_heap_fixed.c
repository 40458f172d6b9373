/* Tiles of a space fit the window or keep their size: then more of them scroll. test_ui_view_state has
 * what is remembered. */
#include <criterion/criterion.h>

#include "heap_view.h"
#include "ui_world.h"

static struct world w;

static void close_world(void)
{
	world_close(&w);
}

static struct heap *heap(void)
{
	app_frame(&w.app);
	return w.app.views[VIEW_HEAP];
}

static int pitch_of_space(uint32_t space)
{
	const struct heap_item *item = heap_find(heap(), space);
	cr_assert_not_null(item);
	return heap_tileset(heap(), item)->pitch;
}

/* As many cards as that. */
static void put_cards(uint32_t tiles)
{
	struct gcs_snapshot *s = gcs_snapshot_begin(w.model, w.last);
	cr_assert(gcs_snapshot_resize(s, WORLD_CARDS, tiles));
	gcs_snapshot_set_gathered(s, WORLD_CARDS, true);
	world_put(&w, s);
	gcs_snapshot_unref(s);
}

Test(heap_fixed, more_tiles_scroll_instead_of_shrinking, .fini = close_world)
{
	world_open(&w, 900, 600);
	world_live(&w, 3);
	const int fit = pitch_of_space(WORLD_CARDS);
	put_cards(4000);
	cr_assert_lt(pitch_of_space(WORLD_CARDS), fit, "they fit");
	put_cards(400);
	cr_assert(world_run(&w, "zoom_fit\nspace Card table\ntile_size\n"));
	const int kept = pitch_of_space(WORLD_CARDS), content = heap()->content;
	cr_assert_eq(kept, fit);
	put_cards(4000);
	cr_assert_eq(pitch_of_space(WORLD_CARDS), kept);
	cr_assert_gt(heap()->content, content);
	cr_assert_gt(heap()->content, heap()->area.h, "there is more to scroll to");
	cr_assert(window_is_whole(&w.app));
	cr_assert(world_run(&w, "tile_size\n"), "without a word it is the other way round");
	cr_assert_lt(pitch_of_space(WORLD_CARDS), kept);
}

Test(heap_fixed, each_space_has_its_own_size, .fini = close_world)
{
	world_open(&w, 900, 600);
	world_live(&w, 3);
	cr_assert(world_run(&w, "space Card table\ntile_size 24\n"));
	cr_assert_eq(pitch_of_space(WORLD_CARDS), 24);
	const int others = pitch_of_space(WORLD_REGIONS);
	cr_assert_neq(others, 24);
	/* What zooms it zooms no other. */
	const struct heap_item *item = heap_find(heap(), WORLD_CARDS);
	const struct cv_rect r = tilemap_rect(&item->map, heap_tileset(heap(), item), 5);
	world_move(&w, r.x + 2, r.y + 2);
	app_event(&w.app,
	    &(struct ui_event){
		.kind = EV_WHEEL, .wheel = 1, .x = r.x + 2, .y = r.y + 2, .mods = MOD_CTRL});
	cr_assert_eq(pitch_of_space(WORLD_CARDS), 28);
	cr_assert_leq(pitch_of_space(WORLD_REGIONS), others);
	cr_assert_eq(heap()->pitch, 0, "the others fit");
	/* It grows with text and controls, and is shown in each way of colouring. */
	cr_assert(world_run(&w, "scale_reset 200\n"));
	cr_assert_eq(pitch_of_space(WORLD_CARDS), 56);
	cr_assert(world_run(&w, "space_colours selection=red\n"));
	cr_assert_eq(pitch_of_space(WORLD_CARDS), 56);
	cr_assert(world_run(&w, "compare\n"));
	world_event(&w);
	cr_assert_eq(pitch_of_space(WORLD_CARDS), 56);
	cr_assert(window_is_whole(&w.app));
	cr_assert_not(world_run(&w, "tile_size huge\n"));
	cr_assert_str_eq(w.app.toast, "tile_size huge: expected fit, fixed or 2 to 64 pixels");
}
