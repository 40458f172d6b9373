/*
 * Pictures of history graphs (V8, V9), pixel by pixel, with the built-in font. A changed picture is
 * looked at before GCSPY_UPDATE_GOLDEN=1 makes it the golden.
 */
#include <criterion/criterion.h>

#include "ui_history.h"

static struct world w;

static void close_world(void)
{
	world_close(&w);
}

/* The made-up heap; a setting selects how many events are shown. */
static void open_heap(int width, int height, const char *choice, unsigned events)
{
	world_open(&w, width, height);
	world_live(&w, 1);
	world_key(&w, "5");
	cr_assert(world_run(&w, choice));
	for (unsigned i = 0; i < events; i++)
		world_event(&w);
}

static int64_t waves(uint32_t tile, unsigned step)
{
	int64_t a = (int64_t)(tile * 7 + step * 13) % 1000, b = (int64_t)((tile / 9) * 37) % 1000;
	return (tile + step) % 11 == 0 ? 0 : (a * 2 + b + field_noise(tile, step) / 2) / 4;
}

static void open_field(int width, int height, uint32_t tiles, unsigned events)
{
	world_open(&w, width, height);
	world_live(&w, 1);
	world_key(&w, "5");
	for (unsigned i = 0; i < events; i++)
		field_event(&w, tiles, waves);
}

Test(golden_history, one_stream_of_names, .fini = close_world)
{
	open_heap(960, 640, "history stream=Type\n", 60);
	cr_assert(world_golden(&w, "history-names"));
}

Test(golden_history, one_stream_of_numbers, .fini = close_world)
{
	open_field(960, 640, 120, 60);
	cr_assert(world_golden(&w, "history-numbers"));
}

Test(golden_history, two_streams_and_their_totals, .fini = close_world)
{
	open_heap(960, 640, "history stream=Used\nhistory stream+=Live\n", 60);
	cr_assert(world_golden(&w, "history-streams"));
}

Test(golden_history, joined_spaces_with_separators_and_legend, .fini = close_world)
{
	open_heap(960, 640,
	    "history space+=Card table\nhistory space+=Threads\nhistory separator=40\n"
	    "history event=GC end\nhistory prefix=Run 7:\nhistory totals=off\n",
	    40);
	cr_assert(world_golden(&w, "history-spaces"));
}

Test(golden_history, labels_of_the_users_own, .fini = close_world)
{
	open_heap(800, 480,
	    "history separator=32\nhistory factor=1.048576\nhistory postfix=MB\nhistory border=6\n"
	    "history title=off\nhistory pauses=off\nhistory fill=off\n",
	    40);
	cr_assert(world_golden(&w, "history-labels"));
}

Test(golden_history, smoothing, .fini = close_world)
{
	open_field(800, 480, 120, 60);
	cr_assert(world_run(&w, "history smooth=9\n"));
	cr_assert(world_golden(&w, "history-smooth"));
}

Test(golden_history, edges, .fini = close_world)
{
	open_field(960, 640, 120, 60);
	cr_assert(world_run(&w, "history edges=on\nhistory smooth=3\n"));
	cr_assert(world_golden(&w, "history-edges"));
}

Test(golden_history, edges_of_names_light, .fini = close_world)
{
	open_heap(800, 480, "history edges=on\ntheme light\n", 60);
	cr_assert(world_golden(&w, "history-edges-light"));
}

Test(golden_history, nothing_yet, .fini = close_world)
{
	world_open(&w, 640, 400);
	world_key(&w, "5");
	cr_assert(world_golden(&w, "history-empty"));
}

Test(golden_history, reading, .fini = close_world)
{
	open_field(800, 480, 120, 20);
	struct hist_view *v = w.app.views[VIEW_HISTORY];
	v->reading = true;
	v->progress = (struct hist_progress){.running = true,
	    .part = 0.34,
	    .unreadable = 1200,
	    .why = "run.gcspy: damaged at byte 7"};
	hist_dirty(&w.app);
	cr_assert(world_golden(&w, "history-reading"));
	v->reading = false;
}

Test(golden_history, chosen_range_and_cursor, .fini = close_world)
{
	open_field(800, 480, 120, 40);
	world_key(&w, "Home");
	for (int i = 0; i < 12; i++)
		world_key(&w, "Down");
	for (int i = 0; i < 60; i++)
		world_key(&w, "Right");
	for (int i = 0; i < 9; i++)
		world_key(&w, "Shift+Down");
	cr_assert(world_golden(&w, "history-range"));
}

Test(golden_history, settings_light, .fini = close_world)
{
	open_heap(960, 800, "theme light\nhistory_settings\n", 60);
	world_key(&w, "Tab");
	cr_assert(world_golden(&w, "history-settings"));
}

Test(golden_history, high_contrast_with_a_tip, .fini = close_world)
{
	open_heap(800, 480, "theme contrast\nhistory stream=Used\n", 60);
	cr_assert(world_run(&w, "move 260 220\n"));
	cr_assert(world_golden(&w, "history-contrast"));
}

Test(golden_history, twice_the_scale, .fini = close_world)
{
	world_open(&w, 1280, 900);
	app_set_scale(&w.app, 200);
	world_live(&w, 40);
	world_key(&w, "5");
	cr_assert(world_golden(&w, "history-scale-200"));
}

Test(golden_history, one_tile, .fini = close_world)
{
	open_field(640, 400, 1, 30);
	cr_assert(world_golden(&w, "history-one-tile"));
}

Test(golden_history, hundred_thousand_tiles, .fini = close_world)
{
	open_field(960, 640, 100000, 30);
	cr_assert(world_golden(&w, "history-large"));
}

Test(golden_history, more_events_than_rows, .fini = close_world)
{
	world_open(&w, 960, 480);
	world_live(&w, 1);
	world_key(&w, "5");
	cr_assert(world_run(&w, "history rows=100\nhistory reduce=mean\nhistory separator=0\n"));
	for (unsigned i = 0; i < 250; i++)
		field_event(&w, 100 + i, waves);
	cr_assert(world_golden(&w, "history-thinned"));
}

Test(golden_history, no_stream_in_a_small_window, .fini = close_world)
{
	open_heap(500, 320, "history stream=none\n", 30);
	cr_assert(world_golden(&w, "history-small"));
}

Test(golden_history, a_value_alone, .fini = close_world)
{
	open_heap(800, 480, "history tile=4\n", 40);
	cr_assert(world_run(&w, "history only=Eden\n"));
	cr_assert(world_golden(&w, "history-alone"));
}

Test(golden_history, colours_and_font_of_the_users_own, .fini = close_world)
{
	open_heap(960, 700,
	    "history stream=Used\nhistory low=navy\nhistory high=aqua\nhistory zero=#303030\n"
	    "history unused=maroon\nhistory border_colour=yellow\nhistory title_colour=lime\n"
	    "history separator_colour=red\nhistory background=white\nhistory font=22\n",
	    40);
	w.app.ui.focus = UI_ID(PANEL_SIDE, HIST_DEFAULTS);
	app_dirty(&w.app, PANEL_SIDE);
	app_frame(&w.app);
	app_dirty(&w.app, PANEL_SIDE);
	cr_assert(world_golden(&w, "history-colours"));
}

Test(golden_history, thinned_lines_and_the_field_to_find, .fini = close_world)
{
	open_heap(960, 640,
	    "history stream+=Used\nhistory space+=Card table\nhistory separator=80\n"
	    "history event=GC end\nhistory tile=3\nhistory fill=off\n",
	    120);
	cr_assert(world_run(&w, "key Ctrl+F\ntype 0x70\n"));
	cr_assert(world_golden(&w, "history-lines"));
}
