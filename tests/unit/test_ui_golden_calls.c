/*
 * Pictures of the flame graph and of the tables of callers (S6, S8, V9), pixel by pixel, with the
 * built-in font. A changed picture is looked at before GCSPY_UPDATE_GOLDEN=1 makes it the golden.
 */
#include <criterion/criterion.h>

#include "flame_view.h"
#include "ui_calls.h"
#include "ui_profile.h"

static struct world w;

static void close_world(void)
{
	world_close(&w);
}

/* Without what a command has said for a moment. */
static bool golden(const char *name)
{
	calls_settle(&w);
	if (w.app.toast[0] != 0)
		world_wait(&w, TOAST_MS);
	return world_golden(&w, name);
}

static void open_flame(int width, int height)
{
	calls_open_shop(&w, "3", width, height);
	world_run(&w, "sites_auto\n");
}

static void open_tables(int width, int height)
{
	calls_open_shop(&w, "4", width, height);
	world_run(&w, "sites_auto\n");
	world_key(&w, "Down");
	world_key(&w, "*");
}

Test(golden_calls, flame_live, .fini = close_world)
{
	open_flame(960, 600);
	world_run(&w, "frame Handler.handle\n");
	cr_assert(golden("flame-live"));
}

Test(golden_calls, flame_zoomed_with_its_path, .fini = close_world)
{
	open_flame(960, 600);
	world_run(&w, "frame HashMap.resize\n");
	world_key(&w, "Enter");
	cr_assert(golden("flame-zoomed"));
}

Test(golden_calls, flame_searched, .fini = close_world)
{
	open_flame(960, 600);
	world_run(&w, "sites_filter hashmap\n");
	cr_assert(golden("flame-searched"));
}

Test(golden_calls, icicle_of_objects, .fini = close_world)
{
	open_flame(960, 600);
	world_key(&w, "Shift+F");
	world_key(&w, "Shift+U");
	cr_assert(golden("flame-icicle"));
}

Test(golden_calls, flame_of_a_difference, .fini = close_world)
{
	open_flame(960, 600);
	calls_next(&w, profile_shop(GCS_PROFILE_LIVE, 9));
	world_key(&w, "Ctrl+D");
	calls_next(&w, profile_shop(GCS_PROFILE_LIVE, 1));
	world_run(&w, "frame Price.format\n");
	cr_assert(golden("flame-difference"));
}

Test(golden_calls, flame_without_samples, .fini = close_world)
{
	open_flame(800, 480);
	calls_next(&w, profile_empty(GCS_PROFILE_LIVE, 1024));
	cr_assert(golden("flame-empty"));
}

Test(golden_calls, flame_of_one_frame, .fini = close_world)
{
	open_flame(800, 480);
	calls_next(&w, calls_single());
	cr_assert(golden("flame-single"));
}

Test(golden_calls, flame_of_strange_names, .fini = close_world)
{
	open_flame(960, 600);
	calls_next(&w, calls_names());
	world_key(&w, "Shift+F");
	cr_assert(golden("flame-strange"));
}

Test(golden_calls, flame_with_a_tip_and_hidden_frames, .fini = close_world)
{
	open_flame(960, 600);
	calls_next(&w, profile_many(GCS_PROFILE_LIVE, 3000));
	calls_settle(&w);
	world_move(&w, 300, 470);
	cr_assert(golden("flame-hidden"));
}

Test(golden_calls, flame_light, .fini = close_world)
{
	open_flame(960, 600);
	world_run(&w, "theme light\nsites_filter Handler\n");
	cr_assert(golden("flame-light"));
}

Test(golden_calls, flame_high_contrast, .fini = close_world)
{
	open_flame(960, 600);
	world_run(&w, "theme contrast\nframe Router.dispatch\n");
	cr_assert(golden("flame-contrast"));
}

Test(golden_calls, flame_at_twice_the_scale, .fini = close_world)
{
	open_flame(960, 640);
	app_set_scale(&w.app, 200);
	world_run(&w, "frame Thread.run\n");
	cr_assert(golden("flame-scale-200"));
}

Test(golden_calls, top_down, .fini = close_world)
{
	open_tables(960, 600);
	world_run(&w, "frame Sessions.open\n");
	cr_assert(golden("calls-top-down"));
}

Test(golden_calls, bottom_up_light, .fini = close_world)
{
	open_tables(960, 600);
	world_run(&w, "theme light\nsites_group bottom-up\n");
	calls_settle(&w);
	world_key(&w, "Down");
	world_key(&w, "Down");
	world_key(&w, "*");
	cr_assert(golden("calls-bottom-up"));
}

Test(golden_calls, sandwich, .fini = close_world)
{
	open_tables(960, 600);
	world_run(&w, "sites_group sandwich com.example.shop.model.Order.addItem\n");
	calls_settle(&w);
	world_key(&w, "Home");
	world_key(&w, "*");
	world_run(&w, "frame com.example.shop.model.Order.addItem\n");
	cr_assert(golden("calls-sandwich"));
}

Test(golden_calls, difference, .fini = close_world)
{
	open_tables(960, 600);
	calls_next(&w, profile_shop(GCS_PROFILE_LIVE, 9));
	world_key(&w, "Ctrl+D");
	calls_next(&w, profile_shop(GCS_PROFILE_LIVE, 1));
	cr_assert(golden("calls-difference"));
	world_key(&w, "2");
	cr_assert(golden("sites-difference"));
}

Test(golden_calls, filtered_at_twice_the_scale, .fini = close_world)
{
	open_tables(960, 640);
	app_set_scale(&w.app, 200);
	world_run(&w, "sites_filter hashmap\n");
	cr_assert(golden("calls-scale-200"));
}

Test(golden_calls, sites_of_a_tile, .fini = close_world)
{
	open_flame(960, 640);
	world_key(&w, "1");
	world_run(&w, "select G1 regions 30\n");
	world_wait(&w, 0);
	world_wait(&w, 300);
	world_answer(&w, GCS_OK, "", calls_recursive(3));
	cr_assert(golden("calls-tile"));
	world_key(&w, "3");
	world_wait(&w, 0);
	calls_next(&w, calls_recursive(3));
	cr_assert(golden("flame-marked"));
}
