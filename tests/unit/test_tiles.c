/*
 * Touched tiles (F11, F13): only what was touched is read, what clients have is what the target has,
 * and the bytes are those of a target that fills whole streams.
 */
#include "tiles_suite.h"

Test(tiles, impossible_tiles_are_refused)
{
	struct gcs_error err;
	struct gcs_tiles_options o = heap_tiles;
	o.streams = 0;
	cr_assert_null(gcs_tiles_create(&o, &err));
	cr_assert_eq(err.status, GCS_ARGUMENT);
	o = heap_tiles;
	o.tiles = MOST_TILES + 1;
	cr_assert_null(gcs_tiles_create(&o, &err));
	o.tiles = o.most = 0;
	cr_assert_null(gcs_tiles_create(&o, &err));
	o = heap_tiles;
	o.read = NULL;
	cr_assert_null(gcs_tiles_create(&o, &err));
	cr_assert_not_null(strstr(err.text, "reads them"));
	o = heap_tiles;
	o.tiles = 1;
	o.reserved[2] = 1;
	cr_assert_null(gcs_tiles_create(&o, &err));
	cr_assert_eq(err.status, GCS_ARGUMENT);
	gcs_tiles_destroy(NULL);
}

TilesTest(only_touched_tiles_are_read)
{
	struct gcs_snapshot *s = next_state(NULL);
	cr_assert_eq(tiles_read, 1000 * KIT_STREAMS, "everything at first");
	cr_assert_eq(reads, KIT_STREAMS);
	s = next_state(s);
	cr_assert_eq(reads, 0);
	change(KIT_USED, 7, 70);
	change(KIT_USED, 7, 77);
	change(KIT_STATE, 63, 1);
	change(KIT_STATE, 64, 1); /* in two words of marks, but one run */
	change(KIT_STATE, 999, 2);
	s = next_state(s);
	cr_assert_eq(reads, 3);
	cr_assert_eq(tiles_read, 4);
	expect_truth(s);
	s = next_state(s);
	cr_assert_eq(reads, 0, "a mark is taken once");
	for (uint32_t i = 100; i < 400; i++)
		truth[KIT_USED][i] = i;
	gcs_tiles_touch(tiles, KIT_USED, 100, 300);
	gcs_tiles_touch(
	    tiles, KIT_USED, MOST_TILES - 1, 7); /* not there, and in part beyond the most */
	gcs_tiles_touch(tiles, KIT_STREAMS, 1, 1);
	gcs_tiles_touch(tiles, KIT_USED, MOST_TILES, 1);
	gcs_tiles_touch(tiles, KIT_USED, 5, 0);
	s = next_state(s);
	cr_assert_eq(reads, 1);
	cr_assert_eq(tiles_read, 300);
	expect_truth(s);
	gcs_snapshot_unref(s);
}

/* A tile that was touched but has its old value changes nothing: the column is shared. */
TilesTest(an_equal_value_is_no_change)
{
	struct gcs_snapshot *a = next_state(NULL);
	const int64_t *before = gcs_snapshot_values(a, KIT_HEAP, KIT_USED);
	gcs_tiles_touch_all(tiles, 0, 1000);
	struct gcs_snapshot *b = next_state(gcs_snapshot_ref(a));
	cr_assert_eq(tiles_read, 1000 * KIT_STREAMS);
	cr_assert_eq(gcs_snapshot_values(b, KIT_HEAP, KIT_USED), before);
	gcs_snapshot_unref(a);
	gcs_snapshot_unref(b);
}

TilesTest(the_map_has_the_groups_that_changed)
{
	struct gcs_snapshot *a = next_state(NULL);
	change(KIT_USED, 17, 5);
	change(KIT_USED, 600, 5);
	gcs_tiles_touch(tiles, KIT_USED, 800, 1);
	struct gcs_snapshot *b = next_state(gcs_snapshot_ref(a));
	const uint64_t *map = gcs_snapshot_changed(b, a, KIT_HEAP, KIT_USED);
	cr_assert_not_null(map);
	cr_assert_eq(map[0], (uint64_t)1 << 17 / GCS_CHANGED_TILES);
	cr_assert_eq(map[1], (uint64_t)1 << (600 / GCS_CHANGED_TILES - 64));
	gcs_snapshot_unref(a);
	gcs_snapshot_unref(b);
}

/* Columns take turns: once warm, events need no memory for columns while no client is slow. */
TilesTest(columns_are_used_again)
{
	struct gcs_snapshot *s = next_state(NULL);
	size_t peak = 0;
	for (int64_t i = 1; i < 100; i++) {
		for (uint32_t k = 0; k < KIT_STREAMS; k++)
			change(k, (uint32_t)i * 7, i);
		s = next_state(s);
		expect_truth(s);
		if (i == 10)
			peak = kit_peak_bytes();
	}
	cr_assert_eq(kit_peak_bytes(), peak);
	gcs_snapshot_unref(s);
}

/* F13: marks move with their tiles. */
TilesTest(marks_follow_their_tiles)
{
	struct gcs_snapshot *s = next_state(NULL);
	change(KIT_USED, 10, 1);
	change(KIT_USED, 500, 2);
	change(KIT_USED, 998, 3);
	cr_assert(gcs_tiles_insert(tiles, 100, 70));
	for (uint32_t k = 0; k < KIT_STREAMS; k++) {
		memmove(truth[k] + 170, truth[k] + 100, 900 * sizeof truth[k][0]);
		for (uint32_t i = 100; i < 170; i++)
			truth[k][i] = 9;
	}
	present = 1070;
	s = next_state(s);
	cr_assert_eq(tiles_read, 3 + 70 * KIT_STREAMS, "no tile that was only moved");
	expect_truth(s);
	change(KIT_USED, 63, 4);
	change(KIT_USED, 64, 5); /* about to go */
	change(KIT_USED, 1000, 6);
	cr_assert(gcs_tiles_remove(tiles, 64, 129));
	for (uint32_t k = 0; k < KIT_STREAMS; k++)
		memmove(truth[k] + 64, truth[k] + 193, (1070 - 193) * sizeof truth[k][0]);
	present = 1070 - 129;
	s = next_state(s);
	cr_assert_eq(tiles_read, 2);
	expect_truth(s);
	cr_assert_not(gcs_tiles_insert(tiles, present + 1, 1));
	cr_assert_not(gcs_tiles_insert(tiles, 0, MOST_TILES));
	cr_assert_not(gcs_tiles_remove(tiles, 1, present));
	cr_assert(gcs_tiles_remove(tiles, 1, 0));
	cr_assert_eq(gcs_tiles_count(tiles), present);
	gcs_snapshot_unref(s);
}

static unsigned named;

static void name_by_value(void *context, uint32_t tile, char *name, uint32_t bytes)
{
	cr_assert_eq(context, truth);
	snprintf(name, bytes, "%lld", (long long)truth[KIT_USED][tile]);
	named++;
}

/* Only new tiles are named, and those whose names are touched; names move with their tiles. */
Test(tiles, names_are_those_of_new_tiles, .init = setup, .fini = teardown_tiles)
{
	struct gcs_tiles_options options = heap_tiles;
	memset(truth, 0, sizeof truth);
	options.tiles = present = 100;
	options.name = name_by_value;
	for (int64_t i = 0; i < present; i++)
		truth[KIT_USED][i] = 1000 + i;
	tiles = gcs_tiles_create(&options, NULL);
	cr_assert_not_null(tiles);
	named = 0;
	struct gcs_snapshot *s = next_state(NULL);
	cr_expect_eq(named, 100);
	cr_expect_str_eq(gcs_snapshot_name(s, KIT_HEAP, 70), "1070");
	change(KIT_USED, 70, 5);
	s = next_state(s);
	cr_expect_eq(named, 100, "a value is no name");
	cr_expect_str_eq(gcs_snapshot_name(s, KIT_HEAP, 70), "1070");
	cr_assert(gcs_tiles_insert(tiles, 10, 3));
	memmove(truth[KIT_USED] + 13, truth[KIT_USED] + 10, 90 * sizeof truth[0][0]);
	for (int64_t i = 10; i < 13; i++)
		truth[KIT_USED][i] = 2000 + i;
	present = 103;
	gcs_tiles_touch(tiles, KIT_STREAMS, 73, 1);
	gcs_tiles_touch_all(tiles, 20, 1);
	s = next_state(s);
	cr_expect_eq(named, 104);
	cr_expect_str_eq(gcs_snapshot_name(s, KIT_HEAP, 9), "1009");
	cr_expect_str_eq(gcs_snapshot_name(s, KIT_HEAP, 12), "2012");
	cr_expect_str_eq(gcs_snapshot_name(s, KIT_HEAP, 13), "1010");
	cr_expect_str_eq(gcs_snapshot_name(s, KIT_HEAP, 73), "5");
	/* A snapshot that does not continue the last one has wrong names: all are written. */
	gcs_snapshot_unref(s);
	named = 0;
	s = next_state(NULL);
	cr_expect_eq(named, 103);
	gcs_snapshot_unref(s);
}

TilesTest(a_space_without_tiles)
{
	struct gcs_snapshot *s = next_state(NULL);
	cr_assert(gcs_tiles_resize(tiles, 0));
	present = 0;
	s = next_state(s);
	expect_truth(s);
	s = next_state(s);
	cr_assert(gcs_tiles_resize(tiles, 3));
	present = 3;
	change(KIT_USED, 2, 5);
	s = next_state(s);
	expect_truth(s);
	gcs_snapshot_unref(s);
}

TilesTest(many_resizes_read_everything)
{
	struct gcs_snapshot *s = next_state(NULL);
	for (uint32_t i = 0; i < TILES_RESIZES; i++)
		cr_assert(gcs_tiles_resize(tiles, ++present));
	s = next_state(s);
	cr_assert_eq(tiles_read, TILES_RESIZES * KIT_STREAMS);
	for (uint32_t i = 0; i < TILES_RESIZES + 1; i++)
		cr_assert(gcs_tiles_resize(tiles, ++present));
	s = next_state(s);
	cr_assert_eq(tiles_read, present * KIT_STREAMS);
	expect_truth(s);
	gcs_snapshot_unref(s);
}

/* As many tiles go as come, and a column is as before: that is shared, and is still what was gathered. */
TilesTest(a_column_that_a_resize_leaves_equal_is_no_reason_to_read_everything)
{
	struct gcs_snapshot *s = next_state(NULL);
	for (int64_t i = 1; i < 4; i++) {
		cr_assert(gcs_tiles_remove(tiles, 0, 1));
		cr_assert(gcs_tiles_insert(tiles, 999, 1));
		memmove(truth[KIT_USED], truth[KIT_USED] + 1, 999 * sizeof truth[0][0]);
		truth[KIT_USED][999] = 10 + i;
		s = next_state(s);
		cr_assert_eq(tiles_read, KIT_STREAMS, "the new tile alone, not %u", tiles_read);
		change(KIT_USED, 500, i);
		s = next_state(s);
		cr_assert_eq(tiles_read, 1, "not %u", tiles_read);
		expect_truth(s);
	}
	gcs_snapshot_unref(s);
}

static void grow(void)
{
	for (uint32_t k = 0; k < KIT_STREAMS; k++) {
		memmove(truth[k] + 1, truth[k], present * sizeof truth[k][0]);
		truth[k][0] = 40;
	}
	present++;
	cr_assert(gcs_tiles_insert(tiles, 0, 1));
}

static void grow_again(void)
{
	grow();
	while_reading = grow_again;
}

/* The numbers of tiles that were read may be old: everything is read again, or nothing is shown. */
TilesTest(a_resize_while_reading_begins_again)
{
	struct gcs_snapshot *s = next_state(NULL);
	change(KIT_USED, 5, 50);
	while_reading = grow;
	s = next_state(s);
	expect_truth(s);
	change(KIT_USED, 6, 60);
	while_reading = grow_again;
	struct gcs_snapshot *torn = gcs_snapshot_begin(model, s);
	cr_assert_not(tiles_gather(tiles, torn));
	gcs_snapshot_unref(torn);
	while_reading = NULL;
	s = next_state(s);
	expect_truth(s);
	gcs_snapshot_unref(s);
}

/* A snapshot that was dropped has taken the marks with it; the next one still has everything. */
TilesTest(a_dropped_snapshot_loses_nothing)
{
	struct gcs_snapshot *s = next_state(NULL);
	change(KIT_USED, 5, 50);
	gcs_snapshot_unref(next_state(gcs_snapshot_ref(s)));
	s = next_state(s);
	expect_truth(s);
	gcs_snapshot_unref(s);
}

TilesTest(a_space_described_anew_is_read_whole)
{
	struct gcs_snapshot *s = next_state(NULL);
	struct gcs_model *changed = gcs_model_copy(model);
	struct gcs_space space = kit_spaces[KIT_HEAP];
	space.block_info = "2 MiB to a region";
	cr_assert_eq(gcs_model_set_space(changed, KIT_HEAP, &space, NULL), GCS_OK);
	struct gcs_snapshot *anew = gcs_snapshot_begin(changed, s);
	cr_assert(tiles_gather(tiles, anew));
	expect_truth(anew);
	gcs_snapshot_unref(anew);
	cr_assert_eq(gcs_model_remove_space(changed, KIT_HEAP, NULL), GCS_OK);
	anew = gcs_snapshot_begin(changed, s);
	reads = 0;
	cr_assert(tiles_gather(tiles, anew), "a space that is gone has nothing to gather");
	cr_assert_eq(reads, 0);
	gcs_snapshot_unref(anew);
	gcs_snapshot_unref(s);
	gcs_model_unref(changed);
}

Test(tiles, missing_memory_makes_no_tiles, .init = setup, .fini = teardown)
{
	struct gcs_tiles_options options = heap_tiles;
	struct gcs_error err = {0};
	bool failed = true;
	options.tiles = 10;
	for (size_t after = 0; failed; after++) {
		kit_fail_after(after);
		tiles = gcs_tiles_create(&options, &err);
		failed = tiles == NULL;
		cr_assert(!failed || err.status == GCS_NOMEM);
		kit_fail_after(SIZE_MAX);
	}
	gcs_tiles_destroy(tiles);
}
