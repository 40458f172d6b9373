/* Size, scale, zoom, scrolling and what lies over the panels (V1, V2). */
#include <criterion/criterion.h>
#include <string.h>

#include "ui_world.h"

static struct world w;

static void close_world(void)
{
	world_close(&w);
}

static struct cv_rect tile_at(uint32_t space, uint32_t tile)
{
	struct cv_rect r;
	cr_assert(w.app.view->place(w.app.view_self, &w.app, space, tile, &r));
	return r;
}

Test(window, few_tiles_are_larger_until_a_size_is_chosen, .fini = close_world)
{
	world_open(&w, 720, 480);
	world_live(&w, 2);
	cr_assert_gt(tile_at(WORLD_THREADS, 0).w, tile_at(WORLD_REGIONS, 0).w);
	struct cv_rect r = tile_at(WORLD_THREADS, 5);
	world_move(&w, r.x + r.w - 1, r.y + r.h - 1);
	cr_assert(w.app.hovered.space == WORLD_THREADS && w.app.hovered.tile == 5);
	world_key(&w, "+");
	cr_assert_eq(tile_at(WORLD_THREADS, 0).w, tile_at(WORLD_REGIONS, 0).w);
	world_key(&w, "0");
	cr_assert_gt(tile_at(WORLD_THREADS, 0).w, tile_at(WORLD_REGIONS, 0).w);
}

Test(window, zoom_keeps_the_tile_under_the_pointer, .fini = close_world)
{
	world_open(&w, 800, 600);
	world_live(&w, 2);
	cr_assert(world_run(&w, "zoom_in\nzoom_in\nzoom_in\nzoom_in\nzoom_in\n"));
	cr_assert(world_run(&w, "reveal\nselect Card table 200\n"));
	struct cv_rect r = tile_at(WORLD_CARDS, 200);
	struct ui_event ev = {
	    .kind = EV_WHEEL, .x = r.x + 1, .y = r.y + 1, .wheel = 1, .mods = MOD_CTRL};
	app_event(&w.app, &ev);
	app_frame(&w.app);
	struct cv_rect after = tile_at(WORLD_CARDS, 200);
	cr_assert_gt(after.w, r.w);
	cr_assert(
	    after.y >= r.y - after.h && after.y <= r.y + after.h, "%d became %d", r.y, after.y);
	world_key(&w, "0");
	cr_assert(rect_meets(tile_at(WORLD_REGIONS, 0), w.app.rect[PANEL_VIEW]));
}

Test(window, scale_and_size_change_everything, .fini = close_world)
{
	world_open(&w, 800, 600);
	world_live(&w, 2);
	int footer = w.app.rect[PANEL_FOOTER].h;
	world_key(&w, "Ctrl++");
	world_key(&w, "Ctrl+=");
	cr_assert_eq(w.app.scale, 150);
	cr_assert_eq(w.app.rect[PANEL_FOOTER].h, footer * 3 / 2);
	world_key(&w, "Ctrl+0");
	cr_assert_eq(w.app.scale, 100);
	static const int sizes[][2] = {{320, 240}, {1, 1}, {2000, 100}, {90, 900}, {800, 600}};
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		app_resize(&w.app, sizes[i][0], sizes[i][1]);
		app_frame(&w.app);
		world_event(&w);
		world_key(&w, "?");
		world_key(&w, "Escape");
		world_key(&w, "Down");
		world_key(&w, "PageDown");
	}
}

Test(window, overlays_leave_no_trace, .fini = close_world)
{
	world_open(&w, 900, 700);
	world_live(&w, 4);
	static uint32_t before[900 * 700];
	memcpy(before, w.app.cv.px, sizeof before);
	struct cv_rect r = tile_at(WORLD_REGIONS, 30);
	world_move(&w, r.x + 2, r.y + 2);
	world_key(&w, "F12");
	world_key(&w, "?");
	world_key(&w, "Escape");
	world_key(&w, "F12");
	app_event(&w.app, &(struct ui_event){.kind = EV_LEAVE, .x = -1, .y = -1});
	app_frame(&w.app);
	cr_assert_arr_eq(before, w.app.cv.px, sizeof before);
}

Test(window, side_panel_by_keyboard, .fini = close_world)
{
	world_open(&w, 800, 420);
	world_live(&w, 2);
	world_key(&w, "Right");
	int width = w.app.side_width;
	world_key(&w, "Shift+Left");
	cr_assert_gt(w.app.rect[PANEL_SIDE].w, width);
	world_key(&w, "Shift+Right");
	world_key(&w, "Shift+Right");
	cr_assert_lt(w.app.rect[PANEL_SIDE].w, width);
	world_key(&w, "Shift+PageDown");
	cr_assert_gt(w.app.side_scroll, 0);
	for (int i = 0; i < 9; i++)
		world_key(&w, "Shift+PageDown");
	cr_assert_eq(w.app.side_scroll, w.app.side_content - w.app.rect[PANEL_SIDE].h);
	for (int i = 0; i < 9; i++)
		world_key(&w, "Shift+PageUp");
	cr_assert_eq(w.app.side_scroll, 0);
}

Test(window, toast_ends_by_itself, .fini = close_world)
{
	world_open(&w, 800, 600);
	app_toast(&w.app, "Hello");
	app_frame(&w.app);
	cr_assert_eq(app_wait_ms(&w.app), TOAST_MS);
	w.app.now_ms += TOAST_MS;
	app_tick(&w.app);
	cr_assert(app_frame(&w.app));
	cr_assert_eq(app_wait_ms(&w.app), -1);
}

/* Input times noted by the shell: the newest, and the worst of all. */
Test(window, input_to_pixel_is_told_by_kind, .fini = close_world)
{
	world_open(&w, 720, 480);
	struct latency *l = &w.app.latency;
	cr_assert_eq(latency_part(l, LATENCY_KEY, 50), 0);
	latency_note(l, LATENCY_DRAG, 5000000);
	for (uint32_t ms = 1; ms <= LATENCY_KEPT; ms++)
		latency_note(l, LATENCY_DRAG, ms * 1000);
	latency_note(l, LATENCY_KEY, UINT64_MAX);
	cr_assert_eq(latency_part(l, LATENCY_DRAG, 0), 1000);
	cr_assert_eq(latency_part(l, LATENCY_DRAG, 50), (LATENCY_KEPT / 2 + 1) * 1000);
	cr_assert_eq(latency_part(l, LATENCY_DRAG, 100), LATENCY_KEPT * 1000);
	cr_assert_eq(l->last_us, UINT32_MAX);
	cr_assert_not_null(strstr(window_text(&w.app),
	    "input to pixel\tdrag\t513\tmedian 257.0 ms\tp99 507.0 ms\tworst 5000.0 ms\n"));
	cr_assert_null(strstr(window_text(&w.app), "input to pixel\twheel"));
}
