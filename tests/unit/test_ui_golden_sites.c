/*
 * Pictures of the view of call sites (S6, V4), pixel by pixel, with the built-in font. A changed
 * picture is looked at before GCSPY_UPDATE_GOLDEN=1 makes it the golden.
 */
#include <criterion/criterion.h>

#include "tiles_spread.h"
#include "ui_profile.h"
#include "ui_world.h"

static struct world w;

static void close_world(void)
{
	world_close(&w);
}

static void open_view(int width, int height)
{
	world_open(&w, width, height);
	world_live(&w, 12);
	world_key(&w, "2");
	world_wait(&w, 0);
}

static void open_shop(int width, int height)
{
	open_view(width, height);
	world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_LIVE, 2));
}

Test(golden_sites, live_with_a_selected_site, .fini = close_world)
{
	open_shop(1120, 640);
	world_key(&w, "Down");
	world_key(&w, "Down");
	cr_assert(world_golden(&w, "sites-live"));
}

Test(golden_sites, allocated_with_survival, .fini = close_world)
{
	open_shop(1120, 720);
	cr_assert(world_run(&w, "sites_kind allocated\n"));
	world_wait(&w, 0);
	world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_ALLOCATED, 2));
	cr_assert(world_run(&w, "sites_sort age\n"));
	world_key(&w, "Down");
	cr_assert(world_golden(&w, "sites-allocated"));
}

Test(golden_sites, filter_and_plumbing, .fini = close_world)
{
	open_shop(960, 640);
	world_key(&w, "H");
	world_key(&w, "Down");
	world_key(&w, "Down");
	world_key(&w, "Down");
	world_key(&w, "/");
	world_type(&w, "handler");
	world_wait(&w, TOAST_MS);
	cr_assert(world_golden(&w, "sites-filter"));
}

Test(golden_sites, filter_that_is_no_pattern, .fini = close_world)
{
	open_shop(960, 480);
	cr_assert(world_run(&w, "sites_filter /Order[\n"));
	cr_assert(world_golden(&w, "sites-bad-pattern"));
}

Test(golden_sites, filter_that_finds_nothing, .fini = close_world)
{
	open_shop(960, 480);
	cr_assert(world_run(&w, "sites_filter thread:nobody\n"));
	cr_assert(world_golden(&w, "sites-nothing-fits"));
}

Test(golden_sites, sampling_is_off, .fini = close_world)
{
	open_view(960, 480);
	world_answer(&w, GCS_STATE, "sampling is off", NULL);
	cr_assert(world_golden(&w, "sites-off"));
}

Test(golden_sites, no_samples_yet, .fini = close_world)
{
	open_view(960, 480);
	world_answer(&w, GCS_OK, "", profile_empty(GCS_PROFILE_LIVE, 524288));
	cr_assert(world_golden(&w, "sites-none-yet"));
}

Test(golden_sites, server_without_call_sites, .fini = close_world)
{
	open_view(960, 480);
	world_answer(&w, GCS_UNSUPPORTED, "", NULL);
	cr_assert(world_golden(&w, "sites-unsupported"));
}

Test(golden_sites, lost_keeps_the_last_data, .fini = close_world)
{
	open_shop(960, 480);
	w.source.state = SOURCE_LOST;
	gcs_fail(&w.source.why, GCS_CLOSED, "127.0.0.1:3000: the server has closed the connection");
	app_poll(&w.app);
	cr_assert(world_golden(&w, "sites-lost"));
}

Test(golden_sites, strange_names_and_numbers, .fini = close_world)
{
	open_view(1120, 640);
	world_answer(&w, GCS_OK, "", profile_strange(GCS_PROFILE_LIVE));
	world_key(&w, "Down");
	cr_assert(world_golden(&w, "sites-strange"));
}

Test(golden_sites, tooltip_of_a_long_name, .fini = close_world)
{
	open_view(960, 640);
	world_answer(&w, GCS_OK, "", profile_strange(GCS_PROFILE_LIVE));
	cr_assert(world_run(&w, "sites_sort frame\nmove 560 317\n"));
	cr_assert(world_golden(&w, "sites-tooltip"));
}

Test(golden_sites, twice_the_scale, .fini = close_world)
{
	world_open(&w, 1280, 900);
	app_set_scale(&w.app, 200);
	world_live(&w, 12);
	world_key(&w, "2");
	world_wait(&w, 0);
	world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_LIVE, 2));
	world_key(&w, "Down");
	cr_assert(world_golden(&w, "sites-scale-200"));
}

Test(golden_sites, light_with_focus_on_the_rows, .fini = close_world)
{
	open_shop(960, 480);
	cr_assert(world_run(&w, "theme light\n"));
	struct cv_rect r = w.app.rect[PANEL_VIEW];
	world_click(&w, r.x + 60, r.y + 170, 1);
	world_move(&w, r.x + 60, r.y + 215);
	world_key(&w, "Shift+Tab");
	world_key(&w, "Tab");
	cr_assert(world_golden(&w, "sites-light"));
}

Test(golden_sites, high_contrast_scrolled, .fini = close_world)
{
	open_view(960, 480);
	world_answer(&w, GCS_OK, "", profile_many(GCS_PROFILE_LIVE, 500));
	cr_assert(world_run(&w, "theme contrast\ntile_last\n"));
	cr_assert(world_golden(&w, "sites-contrast"));
}

Test(golden_sites, small_window, .fini = close_world)
{
	open_shop(400, 300);
	cr_assert(world_golden(&w, "sites-small"));
}

/* From a tile to its call sites, and back (S8). */
Test(golden_sites, of_a_tile, .fini = close_world)
{
	world_open(&w, 1120, 640);
	world_live(&w, 12);
	cr_assert(world_run(&w, "select G1 regions 31\n"));
	world_key(&w, "C");
	world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_LIVE, 0));
	world_key(&w, "Down");
	cr_assert(world_golden(&w, "places-sites"));
}

Test(golden_sites, tiles_of_a_site, .fini = close_world)
{
	enum { MIB = 1 << 20, TILES = 12 };
	struct gcs_site_tile of[TILES];
	struct gcs_site_tiles tiles = {
	    .as_of = "alive at the last collection, or allocated since; 94 of 95 watched samples "
		     "have a position",
	    .samples = 95,
	    .placed = 94,
	    .count = TILES,
	    .tiles = of,
	};
	for (uint32_t i = 0; i < TILES; i++) {
		const uint64_t region = i < 4 ? 96 + i : 100 + 3 * i;
		of[i] = (struct gcs_site_tile){.low = UINT64_C(0x700000000) + region * MIB,
		    .high = UINT64_C(0x700000000) + (region + 1) * MIB,
		    .bytes = (double)(i + 1) * MIB / TILES,
		    .samples = i + 1,
		    .type = "Old"};
		tiles.bytes += of[i].bytes;
	}
	open_shop(1120, 640);
	world_key(&w, "Down");
	world_key(&w, "T");
	world_answer_tiles(&w, &tiles);
	cr_assert(world_run(&w, "select G1 regions 99\n"));
	cr_assert(world_golden(&w, "places-map"));
}

/* The tiles of the row, or frame, under the pointer or selected; dark and light. */
static void open_site_locations(const char *key, const char *steps)
{
	world_open(&w, 1120, 640);
	w.source.site_locations = true;
	world_live(&w, 12);
	world_key(&w, key);
	world_wait(&w, 0);
	world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_LIVE, 2));
	cr_assert(world_run(&w, steps));
	world_wait(&w, 0);
}

/* Most of the site's objects are in a few regions, the rest further up. */
static void answer_site_locations(void)
{
	const int64_t *starts, *ends;
	struct gcs_site_tile of[12];
	cr_assert(tiles_ranges(w.app.snapshot, WORLD_REGIONS, &starts, &ends));
	for (uint32_t i = 0; i < 12; i++) {
		const uint32_t tile = i < 8 ? 4 + i : 60 + 9 * i;
		of[i] = (struct gcs_site_tile){.low = (uint64_t)starts[tile],
		    .high = (uint64_t)ends[tile],
		    .bytes = (i + 1) * 100000.0,
		    .samples = i + 1,
		    .type = "Old"};
	}
	const struct gcs_site_tiles tiles = {.as_of = "now",
	    .bytes = 7800000,
	    .samples = 80,
	    .placed = 78,
	    .count = 12,
	    .tiles = of};
	while (world_wait(&w, SITE_LOCATIONS_DWELL_MS), w.source.pending)
		world_answer_tiles(&w, &tiles);
}

Test(golden_sites, tiles_of_the_row_under_the_pointer, .fini = close_world)
{
	open_site_locations("2", "wait live\n");
	world_move(&w, 300, 265);
	world_wait(&w, 0);
	answer_site_locations();
	cr_assert(world_golden(&w, "lies-sites"));
}

Test(golden_sites, tiles_of_the_selected_row_light, .fini = close_world)
{
	open_site_locations("2", "theme\n");
	world_key(&w, "Down");
	w.app.profiles.automatic = false;
	world_wait(&w, TOAST_MS);
	answer_site_locations();
	cr_assert(world_golden(&w, "lies-sites-light"));
}

Test(golden_sites, tiles_of_a_frame, .fini = close_world)
{
	open_site_locations("3", "frame Handler.handle\n");
	answer_site_locations();
	cr_assert(world_golden(&w, "lies-flame"));
}

Test(golden_sites, tiles_of_a_frame_light, .fini = close_world)
{
	open_site_locations("3", "theme\nframe Handler.handle\n");
	w.app.profiles.automatic = false;
	answer_site_locations();
	world_wait(&w, TOAST_MS);
	cr_assert(world_golden(&w, "lies-flame-light"));
}
