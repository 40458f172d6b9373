/*
 * Pictures of the window, pixel by pixel, with the built-in font (V1 to V7). A changed picture is
 * looked at before GCSPY_UPDATE_GOLDEN=1 makes it the golden.
 */
#include <criterion/criterion.h>
#include <unistd.h>

#include "ui_world.h"

static struct world w;

static void close_world(void)
{
	world_close(&w);
}

Test(golden, empty, .fini = close_world)
{
	world_open(&w, 640, 400);
	cr_assert(world_golden(&w, "empty"));
}

Test(golden, connecting_and_refused, .fini = close_world)
{
	world_open(&w, 640, 400);
	app_connect(&w.app, "db1:3000");
	cr_assert(world_golden(&w, "connecting"));
	w.source.state = SOURCE_LOST;
	gcs_fail(&w.source.why, GCS_UNREACHABLE, "cannot connect to db1:3000: Connection refused");
	app_poll(&w.app);
	cr_assert(world_golden(&w, "refused"));
}

Test(golden, live, .fini = close_world)
{
	world_open(&w, 960, 640);
	world_live(&w, 12);
	cr_assert(world_golden(&w, "live"));
}

Test(golden, percent_of_fixed_and_selected, .fini = close_world)
{
	world_open(&w, 960, 640);
	world_live(&w, 12);
	cr_assert(world_run(&w, "stream Used\nselect G1 regions 18\n"));
	cr_assert(world_golden(&w, "used-selected"));
}

Test(golden, n_or_more, .fini = close_world)
{
	world_open(&w, 960, 640);
	world_live(&w, 12);
	cr_assert(world_run(&w, "stream Remembered cards\nselect G1 regions 100\n"));
	cr_assert(world_golden(&w, "cards"));
}

Test(golden, tooltip, .fini = close_world)
{
	world_open(&w, 960, 640);
	world_live(&w, 9);
	cr_assert(world_run(&w, "stream Live\nhover G1 regions 6\n"));
	cr_assert(world_golden(&w, "tooltip"));
}

Test(golden, lost_keeps_the_picture_dimmed, .fini = close_world)
{
	world_open(&w, 960, 640);
	world_live(&w, 12);
	w.source.state = SOURCE_LOST;
	gcs_fail(&w.source.why, GCS_CLOSED, "127.0.0.1:3000: the server has closed the connection");
	app_poll(&w.app);
	cr_assert(world_golden(&w, "lost"));
}

Test(golden, paused, .fini = close_world)
{
	world_open(&w, 720, 480);
	world_live(&w, 4);
	w.source.run = GCS_PAUSED;
	app_poll(&w.app);
	cr_assert(world_golden(&w, "paused"));
}

Test(golden, light_theme, .fini = close_world)
{
	world_open(&w, 960, 640);
	world_live(&w, 12);
	cr_assert(world_run(&w, "theme light\nstream Used\n"));
	cr_assert(world_golden(&w, "light"));
}

Test(golden, high_contrast, .fini = close_world)
{
	world_open(&w, 960, 640);
	world_live(&w, 12);
	cr_assert(world_run(&w, "theme contrast\ncolours cividis\nkey Tab\nkey Tab\n"));
	cr_assert(world_golden(&w, "contrast"));
}

Test(golden, help, .fini = close_world)
{
	world_open(&w, 960, 640);
	world_live(&w, 2);
	world_key(&w, "?");
	cr_assert(world_golden(&w, "help"));
}

Test(golden, command_palette, .fini = close_world)
{
	world_open(&w, 720, 480);
	world_live(&w, 2);
	world_key(&w, "Ctrl+K");
	world_type(&w, "str");
	world_key(&w, "Down");
	cr_assert(world_golden(&w, "palette"));
}

Test(golden, connect_dialog, .fini = close_world)
{
	world_open(&w, 640, 400);
	/* A folder without recordings. */
	cr_assert_eq(chdir("/"), 0);
	world_key(&w, "Ctrl+L");
	window_folder(&w.app);
	world_type(&w, "db1.example.com:3000");
	world_key(&w, "Tab");
	world_key(&w, "Space");
	cr_assert(world_golden(&w, "connect"));
}

Test(golden, general_information, .fini = close_world)
{
	world_open(&w, 720, 480);
	world_live(&w, 3);
	world_key(&w, "I");
	cr_assert(world_golden(&w, "info"));
}

Test(golden, collapsed_group_and_large_tiles, .fini = close_world)
{
	world_open(&w, 720, 480);
	world_live(&w, 5);
	cr_assert(world_run(
	    &w, "toggle_group Threads\nside_panel\nzoom_in\nzoom_in\nzoom_in\nscroll_down\n"));
	cr_assert(world_golden(&w, "zoomed"));
}

Test(golden, twice_the_scale, .fini = close_world)
{
	world_open(&w, 960, 640);
	app_set_scale(&w.app, 200);
	world_live(&w, 12);
	cr_assert(world_golden(&w, "scale-200"));
}

Test(golden, small_window, .fini = close_world)
{
	world_open(&w, 400, 300);
	world_live(&w, 12);
	cr_assert(world_golden(&w, "small"));
}
