/* Moving about in history graphs, by the pointer and by keys: tips, cursor, ranges, zoom, looking back (V8). */
#include <stdio.h>
#include <string.h>

#include <gcspy/format.h>

#include "history_suite.h"

static struct cv_rect cell_rect(const struct hist_view *v, uint32_t line, uint32_t column)
{
	return hist_cell_rect(&v->plan, 0, column, v->plan.top + line);
}

Test(history, tip_at_once, .fini = close_world)
{
	open_live(12);
	cr_assert(world_run(&w, "history stream=Used\n"));
	for (int i = 0; i < 11; i++)
		world_event(&w);
	struct hist_view *v = history_of(&w.app);
	struct cv_rect r = cell_rect(v, 4, 20);
	world_move(&w, r.x, r.y + 1);
	cr_assert_not_null(strstr(w.app.ui.tip, "GC end"), "%s", w.app.ui.tip);
	cr_assert_not_null(strstr(w.app.ui.tip, "Event #\t16"), "%s", w.app.ui.tip);
	cr_assert_not_null(strstr(w.app.ui.tip, "Region\t20  0x701400000"), "%s", w.app.ui.tip);
	cr_assert_not_null(strstr(w.app.ui.tip, "Used\t"), "%s", w.app.ui.tip);
	cr_assert_not_null(strstr(w.app.ui.tip, "Pause\t"), "%s", w.app.ui.tip);
	/* The axis tells the event alone. */
	world_move(&w, v->plan.axis.x + 5, r.y + 1);
	cr_assert_not_null(strstr(w.app.ui.tip, "GC end"));
	cr_assert_null(strstr(w.app.ui.tip, "Region"));
}

Test(history, several_tiles_to_a_column_are_said, .fini = close_world)
{
	open_live(1);
	for (int i = 0; i < 4; i++)
		field_event(&w, 100000, field_noise);
	struct hist_view *v = history_of(&w.app);
	uint64_t per = hist_tiles_per(&v->graph, &v->plan, 0);
	char words[100];
	snprintf(words, sizeof words, "%u tiles per column, showing the largest", (unsigned)per);
	cr_assert_gt(per, 64);
	cr_assert(history_says(&w.app, words));
	struct cv_rect r = cell_rect(v, 2, 3);
	world_move(&w, r.x, r.y);
	char first[48];
	gcs_format_number(first, sizeof first, 3 * (int64_t)per, GCS_DECIMAL);
	snprintf(words, sizeof words, "Tile\t%s \xe2\x80\x93 ", first);
	cr_assert_not_null(strstr(w.app.ui.tip, words), "%s", w.app.ui.tip);
	cr_assert_not_null(strstr(w.app.ui.tip, " things (largest)"), "%s", w.app.ui.tip);
	cr_assert(world_run(&w, "history reduce=mean\n"));
	cr_assert(history_says(&w.app, " tiles per column, showing the mean"));
}

Test(history, cursor_and_selection_by_keys, .fini = close_world)
{
	open_live(10);
	struct hist_view *v = history_of(&w.app);
	world_key(&w, "Down");
	cr_assert(v->has_cursor);
	cr_assert(history_says(&w.app, "cursor\t"));
	world_key(&w, "Up");
	world_key(&w, "Right");
	world_key(&w, "Right");
	cr_assert_eq(v->cursor_tile, 2);
	cr_assert_eq(v->cursor_ns, hist_row_at(&v->graph, 8)->time_ns);
	world_key(&w, "Home");
	cr_assert_eq(v->cursor_ns, hist_row_at(&v->graph, 0)->time_ns);
	cr_assert_not(v->set.follow);
	world_key(&w, "End");
	cr_assert_eq(v->cursor_ns, hist_row_at(&v->graph, 9)->time_ns);
	cr_assert(v->set.follow);
	world_key(&w, "Enter");
	cr_assert_eq(w.app.selected.space, WORLD_REGIONS);
	cr_assert_eq(w.app.selected.tile, 2);
	cr_assert(world_run(&w, "history_go 0.3\n"));
	cr_assert_eq(v->cursor_ns, hist_row_at(&v->graph, 3)->time_ns);
	cr_assert_eq(v->cursor_tile, 2);
	cr_assert(history_refuses(&w, "history_go soon\n", "expected seconds from"));
	/* Back, one step at a time. */
	world_key(&w, "Escape");
	cr_assert_not(v->has_cursor);
	world_key(&w, "Escape");
	cr_assert_eq(w.app.view_id, VIEW_HEAP);
}

Test(history, range_by_keys_and_by_the_pointer, .fini = close_world)
{
	open_live(20);
	struct hist_view *v = history_of(&w.app);
	world_key(&w, "Home");
	for (int i = 0; i < 3; i++)
		world_key(&w, "Shift+Down");
	cr_assert(w.app.range.on);
	cr_assert_eq(w.app.range.from_ns, hist_row_at(&v->graph, 0)->time_ns);
	cr_assert_eq(w.app.range.to_ns, hist_row_at(&v->graph, 3)->time_ns);
	world_key(&w, "Shift+Up");
	cr_assert_eq(w.app.range.to_ns, hist_row_at(&v->graph, 2)->time_ns);
	world_key(&w, "Escape");
	cr_assert(w.app.range.on);
	world_key(&w, "Escape");
	cr_assert_not(w.app.range.on);
	cr_assert_eq(w.app.view_id, VIEW_HISTORY);
	int x = v->plan.axis.x + 20, y = v->plan.raster.y, px = v->plan.row_px;
	struct ui_event ev = {.kind = EV_MOVE, .x = x, .y = y + 5 * px + 1, .button = 1};
	app_event(&w.app, &ev);
	ev.kind = EV_DOWN;
	app_event(&w.app, &ev);
	ev.kind = EV_MOVE;
	ev.y = y + 11 * px + 1;
	app_event(&w.app, &ev);
	ev.kind = EV_UP;
	app_event(&w.app, &ev);
	cr_assert(w.app.range.on);
	cr_assert_eq(w.app.range.from_ns, hist_row_at(&v->graph, 5)->time_ns);
	cr_assert_eq(w.app.range.to_ns, hist_row_at(&v->graph, 11)->time_ns);
	cr_assert(world_run(&w, "history range=0.1-0.3\n"));
	cr_assert_eq(w.app.range.from_ns, hist_row_at(&v->graph, 0)->time_ns + 100000000);
	cr_assert(world_run(&w, "history range=all\n"));
	cr_assert_not(w.app.range.on);
}

Test(history, zoom_pan_and_follow, .fini = close_world)
{
	open_live(1);
	for (int i = 0; i < 300; i++)
		field_event(&w, 30, field_noise);
	struct hist_view *v = history_of(&w.app);
	cr_assert(world_run(&w, "history fill=off\n"));
	cr_assert_eq(v->plan.row_px, 2);
	cr_assert_eq(v->plan.lines, 300);
	int x = v->plan.raster.x + 2, y = v->plan.raster.y + 100;
	uint64_t at = v->plan.top + 50;
	struct ui_event ev = {.kind = EV_WHEEL, .wheel = 1, .x = x, .y = y};
	for (int i = 0; i < 2; i++) {
		app_event(&w.app, &ev);
		app_frame(&w.app);
	}
	cr_assert_eq(v->plan.row_px, 4);
	cr_assert(v->set.follow);
	world_key(&w, "Home");
	cr_assert_eq(v->plan.top, v->plan.first);
	uint64_t line;
	app_event(&w.app, &ev);
	app_frame(&w.app);
	cr_assert_eq(v->plan.row_px, 6);
	hist_line_at(&v->plan, y, &line);
	/* What was under the pointer is there still. */
	cr_assert(line >= 24 && line <= 26, "%u of %u", (unsigned)line, (unsigned)at);
	for (int i = 0; i < 12; i++)
		world_key(&w, "-");
	cr_assert_gt(v->plan.group, 1);
	cr_assert(history_says(&w.app, "events per row, showing the largest"));
	world_key(&w, "0");
	cr_assert_eq(v->plan.top, v->plan.first);
	cr_assert_leq(v->plan.lines, v->plan.page);
	/* Fitted it stays, whatever the size of the window's letters and the number of rows. */
	for (int scale = 100; scale <= 200; scale += 50) {
		cr_assert(app_set_scale(&w.app, scale));
		app_frame(&w.app);
		cr_assert_leq(v->plan.lines, v->plan.page, "at %d %%", scale);
		cr_assert_gt(3 * v->plan.lines * (uint64_t)v->plan.row_px,
		    v->plan.page * (uint64_t)v->plan.row_px, "and no smaller than needed");
	}
	app_set_scale(&w.app, 100);
	app_frame(&w.app);
	world_key(&w, "End");
	world_run(&w, "history tile=8\n");
	uint64_t top = v->plan.top;
	field_event(&w, 30, field_noise);
	cr_assert_eq(v->plan.top, top + 1);
	/* A drag pans, and stops following. */
	ev = (struct ui_event){.kind = EV_MOVE, .x = x, .y = y, .button = 1};
	app_event(&w.app, &ev);
	ev.kind = EV_DOWN;
	app_event(&w.app, &ev);
	ev.kind = EV_MOVE;
	ev.y = y + 80;
	app_event(&w.app, &ev);
	ev.kind = EV_UP;
	app_event(&w.app, &ev);
	app_frame(&w.app);
	cr_assert_eq(v->plan.top, top + 1 - 10);
	cr_assert_not(v->set.follow);
	field_event(&w, 30, field_noise);
	cr_assert_eq(v->plan.top, top + 1 - 10);
}

/* While looking back the graph keeps the shown event visible, then the newest again. */
Test(history, looking_back_is_followed, .fini = close_world)
{
	open_live(1);
	for (int i = 0; i < 200; i++)
		field_event(&w, 30, field_noise);
	struct hist_view *v = history_of(&w.app);
	cr_assert(world_run(&w, "history tile=6\nhistory fill=off\n"));
	uint64_t line, most = hist_top_most(&v->plan);
	cr_assert_eq(v->plan.top, most);
	cr_assert_gt(most, 100);
	cr_assert(world_run(&w, "seek 3\n"));
	app_frame(&w.app);
	cr_assert(hist_looks_back(&w.app));
	cr_assert(hist_present_line(v, &w.app, &v->plan, &line));
	cr_assert(
	    line >= v->plan.top && line < v->plan.top + v->plan.page, "%u", (unsigned)v->plan.top);
	cr_assert(history_says(&w.app, "visible"));
	field_event(&w, 30, field_noise);
	cr_assert_lt(v->plan.top, most);
	world_key(&w, "L");
	app_frame(&w.app);
	cr_assert_eq(v->plan.top, most + 1);
}
