/* Finding in history graphs (V8): tiles by address and number, rows by time and event, graphs by
 * name. */
#include <criterion/criterion.h>
#include <string.h>

#include "ui_history.h"

static struct world w;

static void close_world(void)
{
	world_close(&w);
}

static struct hist_view *open_heap(unsigned events)
{
	world_open(&w, 960, 640);
	world_live(&w, events);
	world_key(&w, "5");
	return history_of(&w.app);
}

Test(history_find, a_tile, .fini = close_world)
{
	struct hist_view *v = open_heap(20);
	cr_assert(world_run(&w, "find 0x701400000\n"));
	cr_assert(v->has_cursor);
	cr_assert_eq(v->cursor_tile, 20);
	cr_assert_str_eq(w.app.toast, "Tile 20 of G1 regions");
	/* It is a place in the row that was looked at. */
	cr_assert_eq(v->cursor_ns, hist_row_at(&v->graph, 19)->time_ns);
	cr_assert(world_run(&w, "find 0x7014fffff\n"));
	cr_assert_eq(v->cursor_tile, 20);
	cr_assert(world_run(&w, "find 31\n"));
	cr_assert_eq(v->cursor_tile, 31);
	cr_assert(history_refuses(&w, "find 0x10\n", "No tile of the graph contains address 0x10"));
	cr_assert(history_refuses(&w, "find 0xffffffffffffffff\n", "No tile of the graph"));
}

Test(history_find, a_row, .fini = close_world)
{
	struct hist_view *v = open_heap(1);
	for (int i = 0; i < 400; i++)
		field_event(&w, 30, field_noise);
	cr_assert(world_run(&w, "history tile=6\nhistory fill=off\nfind 0:01\n"));
	cr_assert_eq(v->cursor_ns, hist_row_at(&v->graph, 0)->time_ns + 1000000000u);
	uint64_t line;
	uint32_t column;
	cr_assert(hist_cursor_place(v, &v->plan, &line, &column));
	cr_assert(line >= v->plan.top && line < v->plan.top + v->plan.page);
	cr_assert(world_run(&w, "find 250ms\n"));
	cr_assert_eq(v->cursor_ns, hist_row_at(&v->graph, 25)->time_ns);
	cr_assert(world_run(&w, "find #300\n"));
	cr_assert_eq(v->cursor_ns, hist_row_at(&v->graph, 299)->time_ns);
	cr_assert_str_eq(w.app.toast, "Event 300 at 0:02.990");
	cr_assert(world_run(&w, "find event 17\n"));
	cr_assert_eq(v->cursor_ns, hist_row_at(&v->graph, 16)->time_ns);
	/* There is no such tile, but an event. */
	cr_assert(world_run(&w, "find 200\n"));
	cr_assert_eq(v->cursor_ns, hist_row_at(&v->graph, 199)->time_ns);
	cr_assert(history_refuses(&w, "find #401\n", "No event 401: the graph has 1 to 400"));
	/* Rows of several events are found by any of them. */
	cr_assert(world_run(&w, "history rows=50\n"));
	cr_assert_gt(v->graph.stride, 1);
	cr_assert(world_run(&w, "find #2\n"));
	cr_assert_eq(v->cursor_ns, hist_row_at(&v->graph, 0)->time_ns);
}

Test(history_find, a_graph, .fini = close_world)
{
	struct hist_view *v = open_heap(5);
	cr_assert(world_run(&w, "history space+=Threads\n"));
	world_event(&w);
	cr_assert(world_run(&w, "find threads\n"));
	cr_assert_eq(v->cursor_lane, 1);
	cr_assert(world_run(&w, "find type\n"));
	cr_assert_eq(v->cursor_lane, 0);
	/* What is not shown yet is shown. */
	cr_assert(world_run(&w, "find card t\n"));
	cr_assert_str_eq(v->graph.lane[0].space, "Card table");
	world_event(&w);
	cr_assert(history_refuses(&w, "find Lunch\n", "space or stream matches \"Lunch\""));
}

Test(history_find, by_the_field, .fini = close_world)
{
	struct hist_view *v = open_heap(20);
	world_key(&w, "Ctrl+F");
	cr_assert(v->finding);
	world_type(&w, "0x10");
	world_key(&w, "Enter");
	cr_assert(v->finding, "what is wrong can be mended");
	world_key(&w, "Ctrl+A");
	world_type(&w, "0x701400000");
	world_key(&w, "Enter");
	cr_assert_not(v->finding);
	cr_assert_eq(v->cursor_tile, 20);
	/* The arrows go on from there. */
	world_key(&w, "Right");
	cr_assert_eq(v->cursor_tile, 21);
	world_key(&w, "Ctrl+F");
	world_key(&w, "Escape");
	cr_assert_not(v->finding);
	cr_assert(v->has_cursor);
	cr_assert_eq(w.app.view_id, VIEW_HISTORY);
}

Test(history_find, nothing_to_find, .fini = close_world)
{
	world_open(&w, 960, 640);
	world_key(&w, "5");
	cr_assert(history_refuses(&w, "find 12\n", "No graph to search yet"));
}
