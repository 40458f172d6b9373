/*
 * Pictures of the charts (V9, V10), pixel by pixel, with the built-in font. A changed picture is looked
 * at before GCSPY_UPDATE_GOLDEN=1 makes it the golden.
 */
#include <criterion/criterion.h>

#include "ui_charts.h"

static struct world w;

static void close_world(void)
{
	world_close(&w);
}

static void open_view(int width, int height, const char *script)
{
	world_open(&w, width, height);
	world_live(&w, 12);
	world_key(&w, "6");
	cr_assert(world_run(&w, script));
	world_wait(&w, TOAST_MS);
}

static void open_with(int width, int height, struct gcs_snapshot *s, const char *chart)
{
	world_open(&w, width, height);
	world_live(&w, 1);
	charted_show(&w, s, chart);
}

Test(golden_charts, bars_with_a_tile_selected_and_one_pointed_at, .fini = close_world)
{
	open_view(900, 520, "stream Used\nselect G1 regions 30\nhover G1 regions 100\n");
	cr_assert(world_golden(&w, "charts-bars"));
}

Test(golden_charts, bars_of_names_light, .fini = close_world)
{
	open_view(900, 520, "theme light\nselect G1 regions 124\n");
	cr_assert(world_golden(&w, "charts-bars-names"));
}

Test(golden_charts, bars_of_100000, .fini = close_world)
{
	open_with(900, 520, charted_snapshot(100000, CHARTED_PLAIN, 1), "bars");
	cr_assert(world_run(&w, "stream Level\nselect Charted 70000\n"));
	cr_assert(world_golden(&w, "charts-bars-many"));
}

Test(golden_charts, bars_of_one, .fini = close_world)
{
	open_with(640, 400, charted_snapshot(1, CHARTED_PLAIN, 1), "bars");
	cr_assert(world_run(&w, "stream Count\n"));
	cr_assert(world_golden(&w, "charts-bars-one"));
}

Test(golden_charts, bars_of_extremes, .fini = close_world)
{
	open_with(640, 400, charted_snapshot(40, CHARTED_EXTREME, 1), "bars");
	cr_assert(world_run(&w, "stream Level\n"));
	cr_assert(world_golden(&w, "charts-bars-extreme"));
}

Test(golden_charts, histogram_of_100000_with_a_bin, .fini = close_world)
{
	open_with(900, 520, charted_snapshot(100000, CHARTED_PLAIN, 1), "histogram");
	cr_assert(world_run(&w, "stream Count\ntile_up\ntile_up\ntile_up\ntile_right\n"));
	cr_assert(world_golden(&w, "charts-histogram"));
}

Test(golden_charts, histogram_of_names_contrast, .fini = close_world)
{
	open_view(900, 520, "theme contrast\nchart histogram\ntile_up\ntile_up\ntile_up\n");
	cr_assert(world_golden(&w, "charts-histogram-names"));
}

Test(golden_charts, line_of_three, .fini = close_world)
{
	open_view(900, 520,
	    "chart line\nstream Used\nchart_add Live\nchart_add Remembered cards\n"
	    "select G1 regions 50\n");
	cr_assert(world_golden(&w, "charts-line"));
}

Test(golden_charts, line_of_100000_light, .fini = close_world)
{
	open_with(900, 520, charted_snapshot(100000, CHARTED_PLAIN, 1), "line");
	cr_assert(world_run(&w, "theme light\nstream Count\nchart_add Level\n"));
	cr_assert(world_golden(&w, "charts-line-many"));
}

Test(golden_charts, scatter_of_100000, .fini = close_world)
{
	open_with(900, 520, charted_snapshot(100000, CHARTED_PLAIN, 1), "scatter");
	cr_assert(world_run(&w, "select Charted 4711\n"));
	cr_assert(world_golden(&w, "charts-scatter"));
}

Test(golden_charts, scatter_of_few_light, .fini = close_world)
{
	open_view(900, 520, "theme light\nstream Used\nchart scatter\nhover G1 regions 31\n");
	cr_assert(world_golden(&w, "charts-scatter-few"));
}

Test(golden_charts, treemap, .fini = close_world)
{
	open_view(900, 520, "chart treemap\nmove 300 300\n");
	cr_assert(world_golden(&w, "charts-treemap"));
}

Test(golden_charts, treemap_by_numbers_light, .fini = close_world)
{
	open_view(900, 520, "theme light\nstream Used\nspace Threads\nchart treemap\n");
	cr_assert(world_golden(&w, "charts-treemap-numbers"));
}

Test(golden_charts, table_of_100000, .fini = close_world)
{
	open_with(900, 520, charted_snapshot(100000, CHARTED_PLAIN, 1), "table");
	cr_assert(world_run(&w, "sites_sort Count\nselect Charted 77\n"));
	cr_assert(world_golden(&w, "charts-table"));
}

Test(golden_charts, table_with_a_filter_contrast, .fini = close_world)
{
	open_view(900, 520, "theme contrast\nchart table\n");
	world_key(&w, "Ctrl+F");
	world_type(&w, "humong");
	world_key(&w, "Enter");
	world_key(&w, "Down");
	cr_assert(world_golden(&w, "charts-table-filter"));
}

Test(golden_charts, fragmentation, .fini = close_world)
{
	open_view(900, 520, "chart fragmentation\n");
	for (int i = 0; i < 9; i++)
		world_event(&w);
	world_key(&w, "Right");
	cr_assert(world_golden(&w, "charts-fragmentation"));
}

Test(golden_charts, fragmentation_of_nothing_free, .fini = close_world)
{
	open_with(640, 480, charted_runs("######"), "fragmentation");
	cr_assert(world_golden(&w, "charts-fragmentation-none"));
}

Test(golden_charts, fragmentation_that_is_not_told, .fini = close_world)
{
	open_view(640, 400, "space Threads\nchart fragmentation\n");
	cr_assert(world_golden(&w, "charts-no-free"));
}

Test(golden_charts, no_tiles, .fini = close_world)
{
	open_with(640, 400, charted_snapshot(0, CHARTED_PLAIN, 1), "line");
	cr_assert(world_golden(&w, "charts-no-tiles"));
}

Test(golden_charts, all_unused, .fini = close_world)
{
	open_with(640, 400, charted_snapshot(400, CHARTED_UNUSED, 1), "histogram");
	cr_assert(world_golden(&w, "charts-unused"));
}

Test(golden_charts, no_picture, .fini = close_world)
{
	world_open(&w, 640, 400);
	world_key(&w, "6");
	cr_assert(world_golden(&w, "charts-no-picture"));
}

Test(golden_charts, lost_connection, .fini = close_world)
{
	open_view(640, 400, "stream Used\n");
	w.source.state = SOURCE_LOST;
	gcs_fail(&w.source.why, GCS_CLOSED, "127.0.0.1:3000: the server has closed the connection");
	app_poll(&w.app);
	cr_assert(world_golden(&w, "charts-lost"));
}

Test(golden_charts, twice_the_scale, .fini = close_world)
{
	world_open(&w, 1280, 900);
	app_set_scale(&w.app, 200);
	world_live(&w, 12);
	cr_assert(world_run(&w, "charts\nstream Used\nchart line\nchart_add Live\n"));
	cr_assert(world_golden(&w, "charts-scale-200"));
}

Test(golden_charts, small_window, .fini = close_world)
{
	open_view(400, 300, "chart treemap\n");
	cr_assert(world_golden(&w, "charts-small"));
}

Test(golden_charts, strange_names, .fini = close_world)
{
	open_with(900, 520, charted_snapshot(60, CHARTED_STRANGE, 1), "table");
	cr_assert(world_golden(&w, "charts-strange-table"));
}

Test(golden_charts, strange_names_of_kinds, .fini = close_world)
{
	open_with(900, 520, charted_snapshot(60, CHARTED_STRANGE, 1), "histogram");
	cr_assert(world_run(&w, "stream Kind\n"));
	cr_assert(world_golden(&w, "charts-strange-histogram"));
}

Test(golden_charts, strange_names_in_a_treemap, .fini = close_world)
{
	open_with(640, 480, charted_snapshot(60, CHARTED_STRANGE, 1), "treemap");
	cr_assert(world_run(&w, "stream Kind\n"));
	cr_assert(world_golden(&w, "charts-strange-treemap"));
}
