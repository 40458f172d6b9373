/*
 * The call sites of a tile on a recording (S8): those of the profile's live objects whose addresses
 * are in the tile, if the profile is of the collection that is shown; else one line that says why.
 */
#include <criterion/criterion.h>
#include <gcspy/memory.h>
#include <gcspy/trace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ui_folder.h"
#include "ui_replay.h"

enum { MIB = 1 << 20, EVENTS = 8 };
#define BASE UINT64_C(0x700000000)
#define WALL INT64_C(1795220309000000000)

static struct replay_world w;

static void close_replay(void)
{
	replay_fini(&w);
}

static int64_t wall_of(uint32_t event)
{
	return WALL + event * INT64_C(87000000);
}

static void add(struct gcs_profile *p, uint32_t class_name, uint32_t age, uint64_t address)
{
	static uint64_t id;
	const struct gcs_profile_entry e = {.stack = 0,
	    .class_name = class_name,
	    .thread = 0,
	    .samples = 1,
	    .bytes = 512 << 10,
	    .bytes_variance = 1,
	    .objects = 1,
	    .objects_variance = 1,
	    .age = age,
	    .id = ++id,
	    .size = 64,
	    .address = address};
	world_must(gcs_profile_add_entry(p, &e), "entry");
}

/* Live objects in regions 30 and 31, a new one in region 30; judged at that event. */
static void write_profile(struct gcs_trace_writer *writer, uint32_t judged, bool addresses)
{
	const struct gcs_profile_head head = {.kind = GCS_PROFILE_LIVE,
	    .server = "world",
	    .as_of = "at the last collection",
	    .wall_ns = wall_of(judged) + 2000000,
	    .judged = {1 + judged, wall_of(judged) + 1000000, "Young"},
	    .judged_old = {0, 0, ""},
	    .interval = 512 << 10};
	const struct gcs_frame frame = {"App", "main", "App.java", 7, GCS_FRAME_JAVA};
	struct gcs_profile *p = gcs_profile_create(&head);
	static const char *const names[] = {"main", "InThirty", "InThirtyOne", "New"};
	void *bytes;
	size_t length;
	for (uint32_t i = 0; i < 4; i++)
		gcs_profile_add_name(p, names[i]);
	gcs_profile_add_frame(p, &frame);
	gcs_profile_add_stack(p, &(struct gcs_stack){GCS_NONE, 0});
	add(p, 1, 2, addresses ? BASE + 30 * MIB : 0);
	add(p, 1, 1, addresses ? BASE + 31 * MIB - 8 : 0);
	add(p, 2, 1, addresses ? BASE + 31 * MIB : 0);
	add(p, 3, 0, addresses ? BASE + 30 * MIB + 64 : 0);
	world_must(gcs_profile_encode(p, &bytes, &length, NULL) == GCS_OK, "profile");
	world_must(gcs_trace_write_profile(writer, bytes, length, NULL) == GCS_OK, "write");
	gcs_profile_free(p);
	gcs_free(bytes);
}

/* Pairs of GC start and end; a profile after the event `at`, counted from 0. */
static void open_recording(uint32_t at, bool addresses)
{
	memset(&w, 0, sizeof w);
	struct gcs_error err = {.text = ""};
	folder_open(w.folder, sizeof w.folder, "tile");
	snprintf(w.path, sizeof w.path, "%s/run.gcspy", w.folder);
	const struct gcs_trace_options options = {.path = w.path, .replace = true};
	struct gcs_trace_writer *writer = gcs_trace_create(&options, &err);
	world_must(writer != NULL, err.text);
	struct gcs_model *model = world_model();
	struct gcs_snapshot *last = NULL;
	for (uint32_t i = 0; i < EVENTS; i++) {
		struct gcs_snapshot *s = world_snapshot(model, last, i);
		struct gcs_occurrence o = *gcs_snapshot_occurrence(s);
		o.wall_ns = wall_of(i);
		world_must(gcs_snapshot_set_occurrence(s, &o), "occurrence");
		gcs_snapshot_unref(last);
		last = s;
		world_must(gcs_trace_write(writer, s, &err) == GCS_OK, err.text);
		if (i == at)
			write_profile(writer, i, addresses);
	}
	gcs_snapshot_unref(last);
	gcs_model_unref(model);
	world_must(gcs_trace_finish(writer, &err) == GCS_OK, err.text);
	replay_open(&w, 760, 480);
}

static bool tile_says(const char *go, const char *tile, const char *words)
{
	char script[300];
	snprintf(
	    script, sizeof script, "%s\nselect G1 regions %s\nwait says %s\n", go, tile, words);
	return replay_run(&w, script);
}

/* The event that ends a collection has a pause; find it, so that the test does not depend on the
 * world's order. */
static uint32_t a_finish(void)
{
	struct gcs_model *model = world_model();
	uint32_t found = 0;
	for (uint32_t i = 0; i < 4; i++) {
		struct gcs_snapshot *s = world_snapshot(model, NULL, i);
		if (gcs_snapshot_occurrence(s)->event == WORLD_GC_END)
			found = i;
		gcs_snapshot_unref(s);
	}
	gcs_model_unref(model);
	return found;
}

Test(tile_sites, a_recording_selects_by_address, .fini = close_replay)
{
	const uint32_t at = a_finish();
	char go[80];
	open_recording(at, true);
	snprintf(go, sizeof go, "seek %u\nwait place %u", at + 1, at + 1);
	cr_assert(tile_says(go, "30", "site in tile\tInThirty"));
	cr_assert(replay_run(&w, "side_down\nside_down\nside_down\nside_down\n"));
	cr_assert(window_golden(&w.app, "heap-tile-sites"));
	cr_assert_not(replay_says(&w, "site in tile\tInThirtyOne"), "of another tile");
	cr_assert_not(replay_says(&w, "site in tile\tNew"), "no collection has judged it");
	cr_assert(tile_says("", "31", "site in tile\tInThirtyOne"));
	cr_assert_not(replay_says(&w, "site in tile\tInThirty "), "of another tile");
	cr_assert(tile_says("", "3", "sites in tile\tNo live samples in this tile."));
}

Test(tile_sites, objects_have_moved_since, .fini = close_replay)
{
	const uint32_t at = a_finish();
	char go[80];
	open_recording(at, true);
	snprintf(go, sizeof go, "seek %u\nwait place %u", EVENTS, EVENTS);
	cr_assert(tile_says(go, "30",
	    "sites in tile\tThe profile here is of an earlier collection: objects have moved."));
	cr_assert(replay_run(&w, "side_down\nside_down\nside_down\nside_down\n"));
	cr_assert(window_golden(&w.app, "heap-tile-sites-moved"));
	cr_assert_not(replay_says(&w, "site in tile\tInThirty"));
}

Test(tile_sites, an_older_recording_has_no_addresses, .fini = close_replay)
{
	const uint32_t at = a_finish();
	char go[80];
	open_recording(at, false);
	snprintf(go, sizeof go, "seek %u\nwait place %u", at + 1, at + 1);
	cr_assert(tile_says(go, "30", "sites in tile\tThe profile here has no such addresses."));
}

Test(tile_sites, no_profile_up_to_here, .fini = close_replay)
{
	open_recording(EVENTS - 1, true);
	cr_assert(tile_says(
	    "seek 1\nwait place 1", "30", "sites in tile\tNo profile was recorded up to here."));
}
