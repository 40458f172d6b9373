/*
 * The heap map under the pointer (V2): the wheel zooms where it is, drags pan, hidden
 * spaces come back as they were left, headers of groups are worked by keys, the box about a tile
 * leaves its neighbours in sight.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
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

static struct cv_rect tile_at(uint32_t space, uint32_t tile)
{
	struct cv_rect r;
	cr_assert(w.app.view->place(w.app.view_self, &w.app, space, tile, &r));
	return r;
}

static void wheel(int x, int y, int notches, unsigned mods)
{
	struct ui_event ev = {.kind = EV_WHEEL, .x = x, .y = y, .wheel = notches, .mods = mods};
	app_event(&w.app, &ev);
	app_frame(&w.app);
}

static void drag(int button, int x, int y, int by_x, int by_y)
{
	struct ui_event ev = {.kind = EV_DOWN, .x = x, .y = y, .button = button};
	app_event(&w.app, &ev);
	ev.kind = EV_MOVE;
	ev.x += by_x;
	ev.y += by_y;
	app_event(&w.app, &ev);
	app_frame(&w.app);
	ev.kind = EV_UP;
	app_event(&w.app, &ev);
	app_frame(&w.app);
}

static uint32_t tile_under(uint32_t space, int x, int y)
{
	const struct heap_item *item = heap_find(heap(), space);
	heap_place(heap(), &w.app);
	return tilemap_at(&item->map, heap_tileset(heap(), item), x, y);
}

Test(heap_pointer, the_wheel_zooms_where_it_is, .fini = close_world)
{
	open_map(900, 600, 3);
	static const struct {
		uint32_t space, tile;
	} at[] = {{0, 100}, {0, 191}, {0, 0}, {WORLD_CARDS, 37}, {WORLD_CARDS, 300}};
	for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
		cr_assert(world_run(&w, "zoom_fit\n"));
		app_frame(&w.app);
		struct cv_rect r = tile_at(at[i].space, at[i].tile);
		const int x = r.x + r.w / 2, y = r.y + r.h / 2, before = r.w;
		for (int n = 0; n < 30; n++) {
			wheel(x, y, 1, n % 2 == 0 ? 0 : MOD_CTRL);
			cr_assert_eq(
			    tile_under(at[i].space, x, y), at[i].tile, "%zu: notch %d", i, n);
		}
		cr_assert_gt(tile_at(at[i].space, at[i].tile).w, 2 * before, "case %zu", i);
		for (int n = 0; n < 30 && heap()->fitted > heap()->rows_of; n++)
			wheel(x, y, -1, 0);
		cr_assert_eq(tile_under(at[i].space, x, y), at[i].tile, "%zu: and back", i);
	}
}

/* Below the first size rows wrap anew; the tile is still found in its row. */
Test(heap_pointer, the_wheel_keeps_the_row_when_rows_wrap, .fini = close_world)
{
	open_map(700, 400, 3);
	for (int i = 0; i < 4; i++)
		world_key(&w, "W");
	struct cv_rect r = tile_at(0, 100);
	const int x = r.x + 1, y = r.y + 1;
	wheel(x, y, -1, 0);
	wheel(x, y, -1, 0);
	wheel(x, y, -1, 0);
	heap_place(heap(), &w.app);
	const struct heap_item *item = heap_find(heap(), 0);
	r = tilemap_rect(&item->map, heap_tileset(heap(), item), 100);
	const bool top = heap()->scroll == 0;
	cr_assert(top || abs(r.y - y) <= r.h, "row at %d, pointer at %d", r.y, y);
}

Test(heap_pointer, the_wheel_scrolls_elsewhere, .fini = close_world)
{
	open_map(700, 400, 3);
	for (int i = 0; i < 6; i++)
		world_key(&w, "W");
	const int pitch = heap()->fitted;
	struct cv_rect r = tile_at(0, 5);
	heap_scroll_by(heap(), &w.app, 0, -100000);
	wheel(r.x + 1, heap()->area.y + heap()->area.h / 2, -1, MOD_SHIFT);
	cr_assert_gt(heap()->scroll, 0, "Shift scrolls");
	cr_assert_eq(heap()->fitted, pitch);
	const int scrolled = heap()->scroll;
	wheel(heap()->area.x + heap()->area.w + 4, heap()->area.y + 50, -1, 0);
	cr_assert_gt(heap()->scroll, scrolled, "so does the wheel over the scroll bar");
	heap_scroll_by(heap(), &w.app, 0, -100000);
	app_frame(&w.app);
	struct cv_rect title = heap_title_rect(heap(), &w.app, heap_find(heap(), 0));
	wheel(title.x + 40, title.y + title.h / 2, -1, 0);
	cr_assert_gt(heap()->scroll, 0, "and over a header");
	cr_assert_eq(heap()->fitted, pitch);
}

Test(heap_pointer, left_drags_pan_and_clicks_select, .fini = close_world)
{
	open_map(700, 400, 3);
	for (int i = 0; i < 6; i++)
		world_key(&w, "W");
	cr_assert(world_run(&w, "select G1 regions 0\n"));
	struct cv_rect r = tile_at(0, 20);
	const int before = heap()->scroll;
	drag(1, r.x + 2, r.y + 2, 0, -60);
	cr_assert_eq(heap()->scroll, before + 60, "on tiles");
	cr_assert_eq(w.app.selected.tile, 20u, "the press has selected");
	struct cv_rect title = heap_title_rect(heap(), &w.app, heap_find(heap(), 0));
	const int now = heap()->scroll;
	drag(1, heap()->area.x + 1, heap()->area.y + 200, 0, 30);
	cr_assert_eq(heap()->scroll, now - 30, "beside the spaces");
	(void)title;
	drag(1, r.x + 2, r.y + 32, 3, 2);
	cr_assert_eq(heap()->scroll, now - 30, "a click that trembles is a click");
	drag(2, r.x + 2, r.y + 32, 0, -20);
	cr_assert_eq(heap()->scroll, now - 10, "the middle button as before");
}

Test(heap_pointer, hidden_spaces_come_back_as_they_were_left, .fini = close_world)
{
	open_map(900, 600, 3);
	cr_assert(world_run(&w, "select Card table 30\nhide\n"));
	cr_assert_eq(w.app.selected.space, GCS_NONE);
	world_event(&w);
	cr_assert(world_run(&w, "show_hidden\n"));
	cr_assert(w.app.selected.space == WORLD_CARDS && w.app.selected.tile == 30);
	cr_assert_eq(w.app.active_space, (uint32_t)WORLD_CARDS);
	/* What was chosen since stays. */
	cr_assert(world_run(&w, "hide\nselect Threads 2\nshow_hidden\n"));
	cr_assert(w.app.selected.space == WORLD_THREADS && w.app.selected.tile == 2);
	cr_assert_eq(w.app.active_space, (uint32_t)WORLD_THREADS);
	/* Several: the first one left is active, the last selection is back. */
	cr_assert(world_run(&w, "select G1 regions 7\nhide\nhide\nshow_hidden\n"));
	cr_assert(w.app.selected.space == WORLD_REGIONS && w.app.selected.tile == 7);
	cr_assert_eq(w.app.active_space, (uint32_t)WORLD_REGIONS);
}

Test(heap_pointer, group_headers_by_keys, .fini = close_world)
{
	open_map(900, 600, 3);
	const struct heap_item *group = NULL;
	for (uint32_t i = 0; i < heap()->count && group == NULL; i++)
		if (heap()->item[i].kind == HEAP_GROUP)
			group = &heap()->item[i];
	cr_assert_not_null(group);
	const uint32_t id = group->id;
	for (int i = 0; i < 60 && w.app.ui.focus != UI_ID(PANEL_VIEW, 100 + id); i++)
		world_key(&w, "Tab");
	cr_assert_eq(w.app.ui.focus, UI_ID(PANEL_VIEW, 100 + id), "Tab reaches it");
	world_key(&w, "Right");
	cr_assert(app_group_open(&w.app, id), "it is open already");
	world_key(&w, "Left");
	cr_assert_not(app_group_open(&w.app, id));
	world_key(&w, "Left");
	cr_assert_not(app_group_open(&w.app, id));
	cr_assert_eq(w.app.selected.space, GCS_NONE, "no tile was meant");
	world_key(&w, "Right");
	cr_assert(app_group_open(&w.app, id));
	world_key(&w, "Enter");
	cr_assert_not(app_group_open(&w.app, id));
	world_key(&w, "Escape");
	cr_assert(world_run(&w, "toggle_group Threads\n"));
	world_key(&w, "*");
	for (uint32_t i = 0; i < w.app.group_count; i++)
		cr_assert(app_group_open(&w.app, i), "group %u", i);
}

Test(heap_pointer, equal_values_need_a_tile, .fini = close_world)
{
	open_map(900, 600, 3);
	cr_assert_not(world_run(&w, "equal\n"));
	cr_assert_not_null(strstr(w.app.toast, "Select a tile first"), "%s", w.app.toast);
	cr_assert_not(heap()->equal);
}

Test(heap_pointer, the_box_leaves_the_neighbours_in_sight, .fini = close_world)
{
	open_map(900, 600, 3);
	const struct cv_rect r = tile_at(0, 20), next = tile_at(0, 21);
	const uint32_t below = heap_find(heap(), 0)->map.columns + 20;
	const struct cv_rect under = below < 192 ? tile_at(0, below) : r;
	world_move(&w, r.x + r.w / 2, r.y + r.h / 2);
	cr_assert(w.app.ui.tip[0] != 0);
	cr_assert(w.app.tip_shown);
	/* The box is right of and below what it is about. */
	const struct cv_rect about = w.app.ui.tip_at;
	cr_assert_geq(about.x + about.w, next.x + next.w / 2);
	cr_assert_geq(about.y + about.h, under.y + under.h / 2);
}
