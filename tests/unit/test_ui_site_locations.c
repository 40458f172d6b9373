/*
 * Where the objects lie of the row or frame that is looked at (S8): the pointer and the
 * keyboard, what is asked and what is not, words for what is not known, answers that nobody should
 * trust.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "flame_view.h"
#include "ui_profile.h"
#include "ui_replay.h"

static struct world w;

static void open_view(const char *key)
{
	world_open(&w, 1120, 640);
	w.source.site_locations = true;
	world_live(&w, 12);
	world_key(&w, key);
	world_wait(&w, 0);
	world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_LIVE, 2));
	w.app.profiles.automatic = false;
	world_wait(&w, 0);
}

static void open_sites(void)
{
	open_view("2");
}

static void close_world(void)
{
	world_close(&w);
}

static bool says(const char *what)
{
	return window_says(&w.app, what);
}

/* The pointer over a row of the table. */
static void point(unsigned row)
{
	const struct sites_view *view = w.app.views[VIEW_SITES];
	const int h = table_row_height(&w.app.ui);
	world_move(&w, view->table_at.x + 40, view->table_at.y + (int)(row + 1) * h + h / 2 + 4);
	cr_assert_eq(view->table.hovered, row);
}

/* True if a question about places is put within that time. */
static bool asks(unsigned ms)
{
	const unsigned before = w.source.queries;
	world_wait(&w, 0);
	world_wait(&w, ms);
	if (w.source.queries == before)
		return false;
	cr_assert_eq(w.source.queries, before + 1);
	cr_assert_str_eq(w.source.topic, "tiles");
	return true;
}

static uint64_t address_of(uint32_t tile, bool end)
{
	const struct gcs_space *s = app_space(&w.app, WORLD_REGIONS);
	const int64_t *values = gcs_snapshot_values(w.app.snapshot, WORLD_REGIONS,
	    gcs_space_role(s, end ? GCS_ROLE_RANGE_END : GCS_ROLE_RANGE_START));
	cr_assert_not_null(values, "the made-up regions have addresses");
	return (uint64_t)values[tile];
}

/* `count` regions from `first` on have 1 KiB each. */
static void answer(uint32_t first, uint32_t count)
{
	struct gcs_site_tile of[16];
	cr_assert_leq(count, 16u);
	for (uint32_t i = 0; i < count; i++)
		of[i] = (struct gcs_site_tile){.low = address_of(first + i, false),
		    .high = address_of(first + i, true),
		    .bytes = 1024,
		    .samples = 1,
		    .type = "Eden"};
	const struct gcs_site_tiles tiles = {.as_of = "now",
	    .bytes = 1024.0 * count,
	    .samples = count,
	    .placed_bytes = 1024.0 * count,
	    .placed = count,
	    .count = count,
	    .tiles = of};
	cr_assert(w.source.pending);
	world_answer_tiles(&w, &tiles);
	cr_assert_not(w.source.pending);
}

Test(site_locations, the_row_under_the_pointer_tells_its_tiles, .fini = close_world)
{
	open_sites();
	cr_assert(says("Point at or select a row or frame"));
	point(1);
	cr_assert_not(asks(SITE_LOCATIONS_DWELL_MS - 1), "the pointer may go on");
	cr_assert(asks(1));
	const uint64_t first = strtoull(w.source.site, NULL, 16);
	answer(3, 5);
	cr_assert(says("under the pointer"));
	cr_assert(says("location of\tHashMap$Node[] from HashMap.resize\tunder the pointer"));
	cr_assert(says("5 tiles in "));
	cr_assert(says("5 KiB live"));
	const struct site_locations *l = &w.app.profiles.site_locations;
	cr_assert_gt(l->spaces, 0u);
	cr_assert_eq(l->space[0].space, (uint32_t)WORLD_REGIONS);
	for (uint32_t i = 0; i < l->space[0].tiles; i++)
		cr_assert_eq(l->space[0].values[i], i >= 3 && i < 8 ? 1024 : 0);
	/* Another row, and back: that is known. */
	point(2);
	cr_assert(asks(SITE_LOCATIONS_DWELL_MS));
	cr_assert_neq(strtoull(w.source.site, NULL, 16), first);
	answer(9, 1);
	cr_assert(says("1 tile in "));
	point(1);
	cr_assert_not(asks(SITE_LOCATIONS_DWELL_MS));
	cr_assert_not(asks(60000), "without an event it is still known");
	cr_assert(says("5 tiles in "));
	/* With one it is asked for again, now and then. */
	world_event(&w);
	cr_assert(asks(0));
	answer(3, 4);
	cr_assert(says("4 tiles in "));
	world_event(&w);
	cr_assert_not(asks(SITE_LOCATIONS_AGAIN_MS - 1));
	cr_assert(asks(1));
}

Test(site_locations, moving_over_rows_asks_for_none_of_them, .fini = close_world)
{
	open_sites();
	const unsigned before = w.source.queries;
	for (unsigned i = 0; i < 200; i++) {
		point(i % 8);
		world_wait(&w, 20);
	}
	cr_assert_eq(w.source.queries, before);
	/* What is asked for when the pointer goes on is taken, kept, and not shown. */
	point(1);
	cr_assert(asks(SITE_LOCATIONS_DWELL_MS));
	point(4);
	cr_assert_not(asks(SITE_LOCATIONS_DWELL_MS), "one question at a time");
	answer(0, 2);
	cr_assert_neq(
	    strcmp(w.app.profiles.site_locations.shown_name, "HashMap$Node[] from HashMap.resize"),
	    0);
	cr_assert(asks(0));
	answer(0, 3);
	cr_assert(says("3 tiles in "));
	point(1);
	cr_assert_not(asks(SITE_LOCATIONS_DWELL_MS));
	cr_assert(says("2 tiles in "));
}

Test(site_locations, the_keyboard_does_what_the_pointer_does, .fini = close_world)
{
	open_sites();
	world_key(&w, "Down");
	cr_assert(asks(SITE_LOCATIONS_DWELL_MS));
	answer(0, 2);
	cr_assert(says("from Arrays.copyOf\tselected"));
	/* The newest of the two counts; without a pointer the selection does. */
	point(3);
	cr_assert(asks(SITE_LOCATIONS_DWELL_MS));
	answer(0, 3);
	cr_assert(says("\tunder the pointer"));
	world_key(&w, "Down");
	cr_assert(asks(SITE_LOCATIONS_DWELL_MS));
	answer(0, 4);
	cr_assert(says("4 tiles in "));
	cr_assert(says("\tselected"));
	world_move(&w, 2, 2);
	cr_assert_not(asks(SITE_LOCATIONS_DWELL_MS));
	cr_assert(says("4 tiles in "));
}

Test(site_locations, it_is_said_late_that_an_answer_is_awaited, .fini = close_world)
{
	open_sites();
	world_key(&w, "Down");
	cr_assert(asks(SITE_LOCATIONS_DWELL_MS));
	answer(0, 2);
	world_key(&w, "Down");
	cr_assert(asks(SITE_LOCATIONS_DWELL_MS));
	cr_assert(says("location\t2 tiles in "), "the last map stands in for it");
	cr_assert_eq(app_wait_ms(&w.app), SITE_LOCATIONS_ASKING_MS - SITE_LOCATIONS_DWELL_MS);
	world_wait(&w, SITE_LOCATIONS_ASKING_MS - SITE_LOCATIONS_DWELL_MS);
	cr_assert(says("location\tLoading \xe2\x80\xa6"));
	cr_assert(world_is_idle(&w), "and nothing more is due");
	answer(0, 1);
	cr_assert(says("1 tile in "));
}

Test(site_locations, frames_and_rows_of_trees_have_several_sites, .fini = close_world)
{
	open_view("3");
	struct flame_view *flame = w.app.views[VIEW_FLAME];
	cr_assert(world_run(&w, "frame Handler.handle\n"));
	cr_assert_neq(flame->selected, GCS_NONE);
	uint64_t numbers[PROFILES_KEPT];
	char name[200];
	const uint32_t sites =
	    calltree_place_sites(flame_place(flame, true), numbers, name, sizeof name);
	cr_assert(sites > 1 && sites <= PROFILES_KEPT, "%u", sites);
	for (uint32_t i = 0; i < sites; i++) {
		cr_assert(asks(SITE_LOCATIONS_DWELL_MS), "%u", i);
		cr_assert_eq(strtoull(w.source.site, NULL, 16), numbers[i]);
		answer(2 * i, 2);
	}
	char words[40];
	snprintf(words, sizeof words, "%u tiles in ", 2 * sites);
	cr_assert(says(words));
	/* The root has more than can be shown together: the largest. */
	cr_assert(world_run(&w, "key Home\n"));
	for (int i = 0; i < SITE_LOCATIONS_SITES + 2; i++)
		if (asks(SITE_LOCATIONS_DWELL_MS))
			answer(0, 1);
	cr_assert(says("8 largest of 10 call sites: "));
	/* The table of callers asks for nothing that is known already. */
	world_key(&w, "4");
	world_wait(&w, 0);
	world_key(&w, "Home");
	cr_assert_not(asks(SITE_LOCATIONS_DWELL_MS));
	cr_assert(says("8 largest of 10 call sites: "));
}

/* Rows by frame, class and package have the tiles of their call sites. */
Test(site_locations, rows_of_groups_have_several_sites, .fini = close_world)
{
	static const char *const groups[] = {"frame", "class", "package"};
	for (int i = 0; i < 3; i++) {
		char command[60];
		const struct sites_view *view;
		uint64_t numbers[PROFILES_KEPT];
		char name[400], filtered[400];
		if (i > 0)
			world_close(&w);
		open_sites();
		snprintf(command, sizeof command, "sites_group %s\n", groups[i]);
		cr_assert(world_run(&w, command));
		world_key(&w, "Down");
		view = w.app.views[VIEW_SITES];
		const uint32_t count =
		    sites_looked_numbers(w.app.views[VIEW_SITES], true, numbers, name, sizeof name);
		cr_assert_gt(count, 0u, "%s", groups[i]);
		sites_put_group(filtered, sizeof filtered, view, view->table.selected);
		cr_assert_str_eq(name, filtered);
		const double bytes = view->row[view->table.selected].change.after->bytes;
		for (uint32_t k = 0; k < count && k < SITE_LOCATIONS_SITES; k++) {
			cr_assert(asks(SITE_LOCATIONS_DWELL_MS), "%s, %u", groups[i], k);
			cr_assert_eq(strtoull(w.source.site, NULL, 16), numbers[k]);
			answer(3, 5);
		}
		cr_assert_null(strstr(window_text(&w.app), "No call sites of its own"));
		cr_assert(says("location in G1 regions\t5 of"));
		/* All of them are the row. */
		double sum = 0;
		for (uint32_t k = 0; k < gcs_sites_count(view->now.parts); k++) {
			const struct gcs_site *part = gcs_sites_at(view->now.parts, k);
			const uint64_t number = gcs_site_number(view->now.parts, part);
			for (uint32_t n = 0; n < count && n < PROFILES_KEPT; n++)
				sum += numbers[n] == number ? part->bytes : 0;
		}
		if (count <= PROFILES_KEPT)
			cr_assert_float_eq(sum, bytes, 1, "%s: %f of %f", groups[i], sum, bytes);
	}
	cr_assert(world_run(&w, "sites_group thread\n"));
	world_key(&w, "Down");
	cr_assert_not(asks(SITE_LOCATIONS_DWELL_MS));
	cr_assert(says("Objects are located by call site"));
}

Test(site_locations, what_cannot_be_known_is_told, .fini = close_world)
{
	open_sites();
	world_key(&w, "Down");
	cr_assert(asks(SITE_LOCATIONS_DWELL_MS));
	world_answer(&w, GCS_UNSUPPORTED, "objects \x01 move too often", NULL);
	cr_assert(says("location\tobjects ? move too often"));
	cr_assert_not(asks(60000));
	world_event(&w);
	cr_assert(asks(0));
	const struct gcs_site_tiles none = {.as_of = "now"};
	world_answer_tiles(&w, &none);
	cr_assert(says("No live sampled objects."));
	w.source.state = SOURCE_LOST;
	app_poll(&w.app);
	cr_assert(says("location\tNot connected"));
	cr_assert_not(asks(60000));
}

Test(site_locations, a_recording_says_why_not)
{
	static struct replay_world r;
	replay_record(&r, 40, 10, true);
	replay_open(&r, 960, 600);
	cr_assert(replay_run(
	    &r, "last_event\nwait place 40\ncall_sites\nwait answer\nkey Down\nwait answer\n"));
	cr_assert(replay_says(&r, "for a recording use gcspy tiles FILE"));
	replay_fini(&r);
}

/* Numbers out of range, spaces that went or became smaller, more than anybody could want. */
Test(site_locations, strange_answers_do_no_harm, .fini = close_world)
{
	open_sites();
	struct gcs_site_tile of[] = {
	    {.low = 0, .high = 1, .bytes = 1e300, .samples = UINT32_MAX, .type = ""},
	    {.low = address_of(0, false), .high = address_of(1, true), .bytes = 1e300, .type = "x"},
	    {.low = address_of(2, false), .high = UINT64_MAX, .bytes = 1e300, .type = "y"},
	};
	struct gcs_site_tiles tiles = {.as_of = "",
	    .bytes = 1e300,
	    .samples = UINT32_MAX,
	    .placed = UINT32_MAX,
	    .count = 3,
	    .tiles = of};
	for (unsigned i = 0; i < 8; i++) {
		point(i);
		cr_assert(asks(SITE_LOCATIONS_DWELL_MS));
		world_answer_tiles(&w, &tiles);
		cr_assert(says("location\t"));
	}
	static const char *const bad[] = {"", "\1", "\377\377\377\377\377\377\377\377\377\377"};
	for (unsigned i = 0; i < 3; i++) {
		world_event(&w);
		cr_assert(asks(SITE_LOCATIONS_AGAIN_MS));
		world_answer_bytes(&w, GCS_OK, "", bad[i], strlen(bad[i]));
		cr_assert_eq(w.app.profiles.site_locations.samples, 0u);
		cr_assert(says("location\t"));
	}
	/* The picture becomes another one, with fewer tiles. */
	world_event(&w);
	cr_assert(asks(SITE_LOCATIONS_AGAIN_MS));
	answer(0, 3);
	struct gcs_snapshot *plain = world_plain(7);
	app_show(&w.app, plain);
	app_frame(&w.app);
	cr_assert(says("0 tiles in 0 spaces"));
	app_show(&w.app, w.last);
	app_frame(&w.app);
	cr_assert(says("3 tiles in "));
	gcs_snapshot_unref(plain);
}

Test(site_locations, what_is_kept_is_bounded, .fini = close_world)
{
	world_open(&w, 1120, 640);
	w.source.site_locations = true;
	world_live(&w, 12);
	world_key(&w, "2");
	world_wait(&w, 0);
	world_answer(&w, GCS_OK, "", profile_many(GCS_PROFILE_LIVE, 300));
	w.app.profiles.automatic = false;
	world_wait(&w, 0);
	const struct site_locations *l = &w.app.profiles.site_locations;
	for (unsigned i = 0; i < 200; i++) {
		world_key(&w, "Down");
		cr_assert(asks(SITE_LOCATIONS_DWELL_MS));
		answer(0, 16);
		cr_assert_leq(l->answers, (uint32_t)SITE_LOCATIONS_KEPT);
		cr_assert_leq(l->bytes, (size_t)SITE_LOCATIONS_BYTES);
		world_wait(&w, 10);
	}
	cr_assert_eq(l->answers, (uint32_t)SITE_LOCATIONS_KEPT);
	/* Another connection knows nothing of it. */
	cr_assert(app_connect(&w.app, "127.0.0.1:3001"));
	w.source.state = SOURCE_LIVE;
	world_event(&w);
	world_wait(&w, 0);
	cr_assert_eq(l->answers, 0u);
}

/* The other way round: a cell of the map marks the rows of its sites, while it is pointed at. */
Test(site_locations, a_cell_marks_the_rows_of_its_sites, .fini = close_world)
{
	open_sites();
	const struct sites_view *view = w.app.views[VIEW_SITES];
	const struct cv_rect side = w.app.rect[PANEL_SIDE];
	const unsigned before = w.source.queries;
	int y = side.y;
	/* Down to the first cells. */
	while (w.app.profiles.site_locations.cell.low == 0 && y < side.y + side.h)
		world_move(&w, side.x + 25, y += 3);
	cr_assert_neq(w.app.profiles.site_locations.cell.low, 0u);
	world_wait(&w, 0);
	world_wait(&w, SITE_LOCATIONS_DWELL_MS - 1);
	cr_assert_eq(w.source.queries, before);
	world_wait(&w, 1);
	cr_assert_eq(w.source.queries, before + 1);
	cr_assert_str_eq(w.source.topic, "sites");
	cr_assert_eq(strncmp(w.source.where, "range=0x", 8), 0);
	world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_LIVE, 0));
	cr_assert_not_null(w.app.profiles.tile);
	cr_assert_gt(view->rows, 0u);
	cr_assert(view->row[0].marked);
	/* Elsewhere: as it was. */
	world_move(&w, 5, 5);
	world_wait(&w, 0);
	cr_assert_null(w.app.profiles.tile);
	cr_assert_not(view->row[0].marked);
	/* An answer that comes too late, or is none, marks nothing. */
	world_move(&w, side.x + 25, y);
	world_wait(&w, 0);
	world_wait(&w, SITE_LOCATIONS_DWELL_MS);
	world_move(&w, 5, 5);
	world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_LIVE, 0));
	cr_assert_null(w.app.profiles.tile);
	world_move(&w, side.x + 25, y);
	world_wait(&w, 0);
	world_wait(&w, SITE_LOCATIONS_DWELL_MS);
	world_answer_bytes(&w, GCS_OK, "", "\1\377 nonsense", 11);
	cr_assert_null(w.app.profiles.tile);
	cr_assert_not(w.source.pending);
}
