/*
 * From a tile to its call sites and back (S8, F15, V4): what is asked, what is shown of the
 * answers, how it is left, by keys and by a script.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heap_view.h"
#include "sites.h"
#include "sites_view.h"
#include "site_tiles.h"
#include "ui_profile.h"
#include "ui_world.h"

enum { MIB = 1 << 20 };
#define BASE UINT64_C(0x700000000)

static struct world w;

static void close_world(void)
{
	world_close(&w);
}

static bool says(const char *text)
{
	return window_says(&w.app, text);
}

static void open_heap(void)
{
	world_open(&w, 960, 640);
	world_live(&w, 2);
}

/* Regions 30 and 32 of the map have 3 and 1 MiB of the site, and an address outside of it. */
static void answer_tiles(uint64_t site, double bytes)
{
	struct gcs_site_tile of[] = {
	    {.low = BASE + 30 * MIB,
		.high = BASE + 31 * MIB,
		.bytes = bytes,
		.samples = 6,
		.type = "Old"},
	    {.low = BASE + 32 * MIB,
		.high = BASE + 33 * MIB,
		.bytes = MIB,
		.samples = 2,
		.approximate = 1,
		.type = "Old"},
	    {.low = BASE + 900 * (uint64_t)MIB,
		.high = BASE + 901 * (uint64_t)MIB,
		.bytes = MIB,
		.samples = 2,
		.type = "Old"},
	};
	struct gcs_site_tiles tiles = {.site = site,
	    .as_of = "alive at the last collection; 10 of 11 watched samples have a position",
	    .bytes = bytes + 3 * MIB,
	    .samples = 11,
	    .placed_bytes = bytes + 2 * MIB,
	    .placed = 10,
	    .approximate = 1,
	    .count = 3,
	    .tiles = of};
	world_answer_tiles(&w, &tiles);
}

Test(places, a_tile_asks_for_its_call_sites, .fini = close_world)
{
	open_heap();
	world_key(&w, "C");
	cr_assert_eq(w.source.queries, 0u);
	cr_assert_not_null(strstr(w.app.toast, "Select a tile first"));
	cr_assert(world_run(&w, "select G1 regions 30\n"));
	world_key(&w, "C");
	cr_assert(w.app.view == &sites_view);
	cr_assert_str_eq(w.source.topic, "sites");
	cr_assert_str_eq(w.source.kind, "live");
	cr_assert_str_eq(w.source.where, "range=0x701e00000-0x701f00000");
	world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_LIVE, 0));
	cr_assert(says("Only objects in 0x701e00000\xe2\x80\x93"
		       "0x701f00000; Esc shows all"));
	/* It is asked for the same again. */
	world_wait(&w, PROFILES_REFRESH_MS);
	cr_assert_eq(w.source.queries, 2u);
	cr_assert_str_eq(w.source.where, "range=0x701e00000-0x701f00000");
	world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_LIVE, 1));
	/* The first Escape takes the filter away, the next one the place, the next one leaves. */
	cr_assert(world_run(&w, "sites_filter order\n"));
	world_key(&w, "Escape");
	cr_assert_eq(w.source.queries, 2u);
	world_key(&w, "Escape");
	cr_assert(w.app.view == &sites_view);
	cr_assert_eq(w.source.queries, 3u);
	cr_assert_str_eq(w.source.where, "");
	cr_assert(says("Loading call sites"), "what lies there is not all");
	world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_LIVE, 2));
	cr_assert_not(strstr(w.app.toast, "Only") != NULL);
	world_key(&w, "Escape");
	cr_assert(w.app.view == &heap_view);
	cr_assert_eq(w.app.selected.tile, 30u, "the tile is still selected");
}

/* Other kinds are of everything; the place comes back with the live ones. */
Test(places, only_live_objects_have_a_place, .fini = close_world)
{
	open_heap();
	cr_assert(world_run(&w, "tile_sites old\n"));
	cr_assert_str_eq(w.source.where, "old");
	world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_LIVE, 0));
	cr_assert(says("Only objects in old; Esc shows all"));
	world_key(&w, "K");
	cr_assert_str_eq(w.source.kind, "recent");
	cr_assert_str_eq(w.source.where, "");
	world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_RECENT, 0));
	cr_assert_null(strstr(window_text(&w.app), "Only objects in"));
	cr_assert(world_run(&w, "sites_kind allocated\n"));
	world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_ALLOCATED, 0));
	cr_assert_null(strstr(window_text(&w.app), "Only objects in"));
	cr_assert(world_run(&w, "sites_kind live\n"));
	cr_assert_str_eq(w.source.where, "old");
	world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_LIVE, 0));
	cr_assert(says("Only objects in old; Esc shows all"));
}

/* V3: neither its addresses nor what it was compared with mean anything in another program. */
Test(places, another_program_has_all_places, .fini = close_world)
{
	open_heap();
	cr_assert(world_run(&w, "tile_sites old\n"));
	world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_LIVE, 0));
	cr_assert(world_run(&w, "compare mark\n"));
	cr_assert(says("restricted\tOnly objects in: old"));
	cr_assert(says("restricted\tCompared with: mark A"));
	cr_assert(app_connect(&w.app, "other:4000"));
	w.source.state = SOURCE_LIVE;
	struct gcs_model *model = gcs_model_create("Second program");
	struct gcs_snapshot *first = gcs_snapshot_begin(model, NULL);
	gcs_snapshot_set_occurrence(
	    first, &(struct gcs_occurrence){.event = GCS_NONE, .time_ns = 500});
	world_put(&w, first);
	cr_assert_null(strstr(window_text(&w.app), "restricted\t"));
	gcs_snapshot_unref(first);
	gcs_model_unref(model);
}

/* An answer about everything that comes late is not shown as one about a tile. */
Test(places, a_late_answer_about_elsewhere_is_dropped, .fini = close_world)
{
	open_heap();
	world_key(&w, "2");
	world_wait(&w, 0);
	cr_assert_eq(w.source.queries, 1u);
	cr_assert(world_run(&w, "tile_sites humongous\n"));
	cr_assert_eq(w.source.queries, 1u, "one question at a time");
	world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_LIVE, 0));
	cr_assert_null(w.app.profiles.data[GCS_PROFILE_LIVE].profile);
	world_wait(&w, 0);
	cr_assert_eq(w.source.queries, 2u);
	cr_assert_str_eq(w.source.where, "humongous");
	world_answer(&w, GCS_OK, "", profile_empty(GCS_PROFILE_LIVE, 1024));
	cr_assert(says("No survivors in humongous"));
	world_wait(&w, PROFILES_REFRESH_MS);
	world_answer(&w, GCS_ARGUMENT, "where=humongous: with this heap old is allowed", NULL);
	cr_assert(world_run(&w, "tile_sites nowhere\n"));
	world_answer(&w, GCS_ARGUMENT, "where=nowhere: with this heap old is allowed", NULL);
	cr_assert(says("where=nowhere: with this heap old is allowed"));
}

static uint64_t open_site(void)
{
	uint64_t number = 0;
	char name[400];
	open_heap();
	world_key(&w, "2");
	world_wait(&w, 0);
	world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_LIVE, 0));
	world_key(&w, "Down");
	cr_assert(sites_looked_numbers(w.app.views[VIEW_SITES], true, &number, name, sizeof name));
	world_key(&w, "T");
	return number;
}

Test(places, a_call_site_colours_its_tiles, .fini = close_world)
{
	char digits[16];
	const uint64_t number = open_site();
	snprintf(digits, sizeof digits, "%012llx", (unsigned long long)number);
	cr_assert(w.app.view == &heap_view);
	cr_assert_str_eq(w.source.topic, "tiles");
	cr_assert_str_eq(w.source.site, digits);
	cr_assert(says("Waiting for the program to respond"));
	answer_tiles(number, 3.0 * MIB);
	struct heap *heap = w.app.views[VIEW_HEAP];
	struct tileshare share;
	cr_assert(heap_site_share(&heap->site, WORLD_REGIONS, &share));
	cr_assert_eq(share.values[30], 3 * MIB);
	cr_assert_eq(share.values[31], 0);
	cr_assert_eq(share.values[32], MIB);
	cr_assert_eq(share.most, 3 * MIB);
	const struct tilemap *map = &heap_find(heap, WORLD_REGIONS)->map;
	cr_assert_eq(map->code[30] & LOOK_MASK, PALETTE_SHADES - 1u);
	cr_assert_eq(map->code[29] & LOOK_MASK, LOOK_ZERO);
	cr_assert_eq(map->code[170] & LOOK_MASK, LOOK_UNUSED);
	cr_assert_eq(heap_find(heap, WORLD_CARDS)->map.code[5], LOOK_ZERO, "no addresses");
	cr_assert(says("Samples located\t10 of 11"));
	cr_assert(says("Approximate locations\t1"));
	cr_assert(says(": 4 MiB here, of 6 MiB live"), "of the regions that the map has");
	cr_assert(world_run(&w, "select G1 regions 30\n"));
	cr_assert(says("In the selected tile\t3 MiB  50.0 %"));
	/* New events keep it, and it is asked again. */
	world_event(&w);
	cr_assert(heap_site_share(&heap->site, WORLD_REGIONS, &share));
	cr_assert_eq(share.values[30], 3 * MIB);
	cr_assert_eq(app_wait_ms(&w.app), HEAP_SITE_REFRESH_MS);
	world_wait(&w, HEAP_SITE_REFRESH_MS);
	answer_tiles(number, 5.0 * MIB);
	cr_assert(heap_site_share(&heap->site, WORLD_REGIONS, &share));
	cr_assert_eq(share.values[30], 5 * MIB);
	/* Escape shows the streams again; the site is asked for no more, but what the tile has. */
	const unsigned asked = w.source.queries;
	world_key(&w, "Escape");
	cr_assert_not(heap_site_share(&heap->site, WORLD_REGIONS, &share));
	world_wait(&w, 0);
	map = &heap_find(heap, WORLD_REGIONS)->map; /* laid out anew since */
	cr_assert_neq(map->code[29] & LOOK_MASK, LOOK_ZERO);
	world_wait(&w, 60000);
	cr_assert_eq(w.source.queries, asked + 1);
	cr_assert_str_eq(w.source.topic, "sites");
	cr_assert_eq(w.app.selected.tile, 30u);
	world_key(&w, "Escape");
	cr_assert_eq(w.app.selected.space, GCS_NONE);
}

/* Every picture is what painting it from nothing gives, in the mode and after it. */
Test(places, what_is_painted_is_the_whole_picture, .fini = close_world)
{
	const uint64_t number = open_site();
	answer_tiles(number, 2.0 * MIB);
	for (int i = 0; i < 6; i++) {
		const size_t bytes =
		    (size_t)w.app.cv.w * (size_t)w.app.cv.h * sizeof w.app.cv.px[0];
		if (i == 3)
			world_key(&w, "Escape");
		world_event(&w);
		world_wait(&w, i == 2 ? HEAP_SITE_REFRESH_MS : 0);
		if (i == 2)
			answer_tiles(number, 7.0 * MIB);
		uint32_t *seen = malloc(bytes);
		memcpy(seen, w.app.cv.px, bytes);
		app_dirty_all(&w.app);
		world_wait(&w, 0);
		cr_assert_eq(memcmp(seen, w.app.cv.px, bytes), 0, "after %d", i);
		free(seen);
	}
}

/* As a menu shows it, by the number of the selected row. */
Test(places, a_number_has_the_name_of_its_row, .fini = close_world)
{
	const struct heap *heap;
	char step[60];
	const uint64_t number = open_site();
	heap = w.app.views[VIEW_HEAP];
	snprintf(step, sizeof step, "call_sites\nsite_tiles %012llx\n", (unsigned long long)number);
	answer_tiles(number, 2.0 * MIB);
	world_run(&w, step);
	cr_assert_not_null(strstr(heap->site.name, " from "), "%s", heap->site.name);
}

Test(places, by_a_number, .fini = close_world)
{
	open_heap();
	cr_assert_not(world_run(&w, "site_tiles 12\n"));
	cr_assert(world_run(&w, "site_tiles 0123456789ab\n"));
	cr_assert_str_eq(w.source.site, "0123456789ab");
	world_answer_bytes(&w, GCS_ARGUMENT, "no live sample has that number", NULL, 0);
	cr_assert(says("call site 0123456789ab"));
	cr_assert(says("no live sample has that number"));
	world_wait(&w, HEAP_SITE_REFRESH_MS);
	world_answer_bytes(&w, GCS_OK, "", "nonsense", 8);
	cr_assert(says("cannot be read"));
	world_key(&w, "Escape");
	cr_assert_not(world_run(&w, "site_tiles\n"), "no site is selected");
	cr_assert_not(world_run(&w, "select Threads 1\ntile_sites\n"), "threads have no addresses");
	cr_assert_not_null(strstr(w.app.toast, "The tiles of Threads have no addresses"));
}

/* A source that cannot be asked, and one that is lost. */
Test(places, without_answers, .fini = close_world)
{
	world_open(&w, 960, 640);
	w.source.mute = true;
	world_live(&w, 2);
	cr_assert(world_run(&w, "site_tiles 0123456789ab\n"));
	world_wait(&w, 0);
	cr_assert(says("This source does not support queries."));
	cr_assert_eq(w.source.queries, 0u);
	world_close(&w);
	open_heap();
	cr_assert(world_run(&w, "site_tiles 0123456789ab\n"));
	w.source.state = SOURCE_LOST;
	app_poll(&w.app);
	world_wait(&w, 60000);
	cr_assert_eq(w.source.queries, 1u);
	cr_assert(says("Not connected"));
}

/* As if the pointer was there: where a tile is painted is none of this. */
static bool hover_asks(uint32_t tile, unsigned ms)
{
	const unsigned before = w.source.queries;
	w.app.hovered = (struct tile_ref){.space = WORLD_REGIONS, .tile = tile};
	world_wait(&w, 0);
	world_wait(&w, ms);
	return w.source.queries != before;
}

/* The sites of the tile under the pointer follow it, and cost little. */
Test(places, a_hovered_tile_tells_its_sites, .fini = close_world)
{
	open_heap();
	for (uint32_t i = 0; i < 100; i++)
		cr_assert_not(hover_asks(30 + i % 2, 20), "moving on asks for nothing");
	cr_assert_not(hover_asks(30, HEAP_TILE_PAUSE_MS - 1 - 20));
	cr_assert(hover_asks(30, 21));
	cr_assert_str_eq(w.source.where, "range=0x701e00000-0x701f00000");
	world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_LIVE, 0));
	cr_assert(says("site in tile\tbyte[] Arrays.copyOf"));
	/* Another one: a slow answer is reported. */
	cr_assert(hover_asks(31, HEAP_TILE_PAUSE_MS));
	cr_assert_eq(app_wait_ms(&w.app), HEAP_TILE_ASKING_MS - HEAP_TILE_PAUSE_MS);
	world_wait(&w, HEAP_TILE_ASKING_MS - HEAP_TILE_PAUSE_MS);
	cr_assert(says("sites in tile\tLoading \xe2\x80\xa6"));
	cr_assert(world_is_idle(&w));
	world_answer(&w, GCS_OK, "", profile_empty(GCS_PROFILE_LIVE, 1));
	cr_assert(says("sites in tile\tNo live samples in this tile."));
	/* Back: that is known until something happens. */
	cr_assert_not(hover_asks(30, 60000));
	cr_assert(says("site in tile\tbyte[] Arrays.copyOf"));
	world_event(&w);
	cr_assert(hover_asks(30, 0));
	world_answer_bytes(&w, GCS_OK, "", "\1\377 nonsense", 11);
	cr_assert(hover_asks(31, HEAP_TILE_PAUSE_MS));
	/* The tile goes while it is asked for. */
	struct gcs_snapshot *plain = world_plain(3);
	app_show(&w.app, plain);
	world_wait(&w, HEAP_TILE_ASKING_MS);
	world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_LIVE, 0));
	world_wait(&w, 0);
	gcs_snapshot_unref(plain);
}
