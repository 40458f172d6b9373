/* Snapshots: tiles, values, names, summaries, sharing, references, memory (F1, F2, F4, F13). */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gcspy/memory.h>

#include "kit.h"
#include "snapshot_internal.h"

static struct gcs_model *model;
static struct gcs_snapshot *snap;
static struct gcs_error err;

static void setup(void)
{
	kit_count_memory(0);
	model = kit_model();
	snap = gcs_snapshot_begin(model, NULL);
	struct gcs_occurrence o = {.event = KIT_TICK, .sequence = 1};
	cr_assert(gcs_snapshot_set_occurrence(snap, &o));
}

static void teardown(void)
{
	gcs_snapshot_unref(snap);
	gcs_model_unref(model);
	cr_assert_eq(kit_live_blocks(), 0);
}

#define SnapshotTest(name) Test(snapshot, name, .init = setup, .fini = teardown)

SnapshotTest(begins_empty)
{
	for (uint32_t i = 0; i < KIT_SPACES; i++) {
		uint32_t count = 7;
		cr_assert_eq(gcs_snapshot_tiles(snap, i), 0);
		cr_assert_null(gcs_snapshot_values(snap, i, 0));
		cr_assert_null(gcs_snapshot_write(snap, i, 0));
		cr_assert_null(gcs_snapshot_summary(snap, i, 0, &count));
		cr_assert_eq(count, 0);
		cr_assert_str_eq(gcs_snapshot_name(snap, i, 0), "");
		cr_assert_str_eq(gcs_snapshot_space_info(snap, i), "");
		cr_assert_not(gcs_snapshot_gathered(snap, i));
	}
	cr_assert_eq(gcs_snapshot_check(snap, &err), GCS_OK);
	cr_assert_eq(gcs_snapshot_model(snap), model);
}

SnapshotTest(ids_out_of_range_are_ignored)
{
	struct gcs_occurrence o = {.event = KIT_EVENTS};
	int64_t value = 5;
	uint32_t count;
	gcs_snapshot_resize(snap, KIT_HEAP, 3);
	cr_assert_not(gcs_snapshot_set_occurrence(snap, &o));
	cr_assert_eq(gcs_snapshot_occurrence(snap)->event, KIT_TICK);
	cr_assert_not(gcs_snapshot_set_number(snap, 3, 1));
	cr_assert_not(gcs_snapshot_set_number(snap, UINT32_MAX, 1));
	cr_assert_not(gcs_snapshot_set_number(snap, KIT_WORDS_ATTRIBUTE, 1), "a text");
	cr_assert_not(gcs_snapshot_set_text(snap, KIT_COUNT_ATTRIBUTE, "x"), "a number");
	cr_assert_not(gcs_snapshot_set_text(snap, 3, "x"));
	cr_assert_not(gcs_snapshot_set_counter(snap, KIT_EVENTS, 1));
	cr_assert_not(gcs_snapshot_insert_tiles(snap, KIT_SPACES, 0, 1));
	cr_assert_not(gcs_snapshot_insert_tiles(snap, KIT_HEAP, 4, 1));
	cr_assert_not(gcs_snapshot_remove_tiles(snap, KIT_HEAP, 0, 4));
	cr_assert_not(gcs_snapshot_remove_tiles(snap, KIT_HEAP, 3, 1));
	cr_assert_not(gcs_snapshot_remove_tiles(snap, KIT_HEAP, 2, UINT32_MAX));
	cr_assert_not(gcs_snapshot_resize(snap, KIT_SPACES, 1));
	cr_assert_null(gcs_snapshot_write(snap, KIT_HEAP, KIT_STREAMS));
	cr_assert_null(gcs_snapshot_write(snap, KIT_SPACES, 0));
	cr_assert_not(gcs_snapshot_set_summary(snap, KIT_HEAP, KIT_USED, 1, &value), "needs 2");
	cr_assert_not(gcs_snapshot_set_summary(snap, KIT_HEAP, KIT_CONTROL, 1, &value), "has none");
	cr_assert_not(gcs_snapshot_set_summary(snap, KIT_HEAP, KIT_STREAMS, 0, NULL));
	cr_assert_not(gcs_snapshot_set_name(snap, KIT_HEAP, 3, "x"));
	cr_assert_not(gcs_snapshot_set_name(snap, KIT_SPACES, 0, "x"));
	cr_assert_not(gcs_snapshot_set_space_info(snap, KIT_SPACES, "x"));
	cr_assert_not(gcs_snapshot_set_gathered(snap, KIT_SPACES, true));
	cr_assert_null(gcs_snapshot_values(snap, KIT_SPACES, 0));
	cr_assert_null(gcs_snapshot_summary(snap, KIT_HEAP, KIT_STREAMS, &count));
	cr_assert_str_eq(gcs_snapshot_name(snap, KIT_HEAP, 3), "");
	cr_assert_eq(gcs_snapshot_counter(snap, UINT32_MAX), 0);
	cr_assert_not(gcs_snapshot_number(snap, UINT32_MAX, &value));
	cr_assert_null(gcs_snapshot_text(snap, UINT32_MAX));
	cr_assert_eq(gcs_snapshot_maximum(snap, KIT_SPACES, 0, 0), 1);
	cr_assert_eq(gcs_snapshot_check(snap, &err), GCS_OK);
}

SnapshotTest(new_tiles_have_initial_values_and_no_names)
{
	cr_assert(gcs_snapshot_insert_tiles(snap, KIT_HEAP, 0, 5));
	cr_assert(gcs_snapshot_set_name(snap, KIT_HEAP, 1, "one"));
	gcs_snapshot_write(snap, KIT_HEAP, KIT_STATE)[1] = 3;
	cr_assert(gcs_snapshot_insert_tiles(snap, KIT_HEAP, 1, 2));
	const int64_t *states = gcs_snapshot_values(snap, KIT_HEAP, KIT_STATE);
	const int64_t expected[] = {1, 1, 1, 3, 1, 1, 1};
	cr_assert_eq(gcs_snapshot_tiles(snap, KIT_HEAP), 7);
	cr_assert_arr_eq(states, expected, sizeof expected);
	cr_assert_eq(gcs_snapshot_values(snap, KIT_HEAP, KIT_CONTROL)[6], GCS_TILE_USED);
	cr_assert_str_eq(gcs_snapshot_name(snap, KIT_HEAP, 1), "");
	cr_assert_str_eq(gcs_snapshot_name(snap, KIT_HEAP, 3), "one");
	cr_assert(gcs_snapshot_resize(snap, KIT_HEAP, 0));
	cr_assert(gcs_snapshot_resize(snap, KIT_HEAP, 4));
	cr_assert_str_eq(gcs_snapshot_name(snap, KIT_HEAP, 3), "");
	cr_assert(gcs_snapshot_insert_tiles(snap, KIT_HEAP, 4, 0));
	cr_assert(gcs_snapshot_remove_tiles(snap, KIT_HEAP, 4, 0));
	cr_assert_eq(gcs_snapshot_check(snap, &err), GCS_OK);
}

/* F13: any sequence of insertions and removals gives what a plain array gives. */
SnapshotTest(tiles_behave_like_a_plain_array)
{
	enum { MOST = 400 };
	int64_t naive[MOST];
	uint32_t count = 0;
	uint64_t state = kit_seed();
	for (unsigned turn = 0; turn < 1500; turn++) {
		if (kit_below(&state, 2) == 0 && count < MOST - 20) {
			uint32_t at = kit_below(&state, count + 1), n = kit_below(&state, 20);
			cr_assert(gcs_snapshot_insert_tiles(snap, KIT_LIST, at, n));
			memmove(naive + at + n, naive + at, (count - at) * sizeof naive[0]);
			for (uint32_t i = at; i < at + n; i++)
				naive[i] = -5;
			count += n;
		} else {
			uint32_t at = kit_below(&state, count + 1);
			uint32_t n = kit_below(&state, count - at + 1);
			cr_assert(gcs_snapshot_remove_tiles(snap, KIT_LIST, at, n));
			memmove(naive + at, naive + at + n, (count - at - n) * sizeof naive[0]);
			count -= n;
		}
		for (unsigned k = 0; k < 5 && count != 0; k++) {
			uint32_t i = kit_below(&state, count);
			char name[24];
			naive[i] = (int64_t)kit_random(&state);
			gcs_snapshot_write(snap, KIT_LIST, 0)[i] = naive[i];
			snprintf(name, sizeof name, "%lld", (long long)naive[i]);
			cr_assert(gcs_snapshot_set_name(snap, KIT_LIST, i, name));
		}
		cr_assert_eq(gcs_snapshot_tiles(snap, KIT_LIST), count);
		const int64_t *values = gcs_snapshot_values(snap, KIT_LIST, 0);
		for (uint32_t i = 0; i < count; i++) {
			char name[24];
			snprintf(name, sizeof name, "%lld", (long long)naive[i]);
			cr_assert_eq(values[i], naive[i]);
			cr_assert_str_eq(
			    gcs_snapshot_name(snap, KIT_LIST, i), naive[i] == -5 ? "" : name);
		}
		cr_assert_eq(gcs_snapshot_check(snap, &err), GCS_OK);
	}
}

SnapshotTest(tiles_and_values_have_limits)
{
	cr_assert_not(gcs_snapshot_resize(snap, KIT_MATRIX, GCS_MAX_TILES + 1));
	cr_assert(gcs_snapshot_resize(snap, KIT_MATRIX, GCS_MAX_TILES));
	cr_assert_not(gcs_snapshot_insert_tiles(snap, KIT_MATRIX, 7, 1));
	cr_assert_not(gcs_snapshot_insert_tiles(snap, KIT_MATRIX, 7, UINT32_MAX));
	cr_assert_eq(gcs_snapshot_tiles(snap, KIT_MATRIX), GCS_MAX_TILES);
	cr_assert(gcs_snapshot_remove_tiles(snap, KIT_MATRIX, 0, GCS_MAX_TILES));
	cr_assert(gcs_snapshot_insert_tiles(snap, KIT_MATRIX, 0, 3));
	cr_assert_eq(gcs_snapshot_check(snap, &err), GCS_OK);
}

Test(snapshot_limits, the_sum_of_all_values_is_bounded)
{
	struct gcs_stream streams[9];
	struct gcs_space space = kit_spaces[KIT_MATRIX];
	for (unsigned i = 0; i < 9; i++)
		streams[i] = space.streams[0];
	space.streams = streams;
	space.stream_count = 9;
	struct gcs_model *m = gcs_model_create("Large");
	cr_assert_eq(gcs_model_add_space(m, &space, NULL, NULL), GCS_OK);
	cr_assert_eq(gcs_model_add_space(m, &space, NULL, NULL), GCS_OK);
	struct gcs_snapshot *s = gcs_snapshot_begin(m, NULL);
	/* The second space would pass the limit by one tile; refused before anything is taken. */
	uint32_t rest = GCS_MAX_VALUES / 9 - 1000;
	cr_assert(gcs_snapshot_resize(s, 1, 1000));
	cr_assert_not(gcs_snapshot_resize(s, 0, rest + 1));
	cr_assert_eq(gcs_snapshot_tiles(s, 0), 0);
	gcs_snapshot_unref(s);
	gcs_model_unref(m);
}

SnapshotTest(values_at_the_ends_of_the_range_stay)
{
	gcs_snapshot_resize(snap, KIT_HEAP, 2);
	int64_t *values = gcs_snapshot_write(snap, KIT_HEAP, KIT_START);
	values[0] = INT64_MIN;
	values[1] = INT64_MAX;
	struct gcs_snapshot *next = gcs_snapshot_begin(model, snap);
	cr_assert_eq(gcs_snapshot_values(next, KIT_HEAP, KIT_START)[0], INT64_MIN);
	cr_assert_eq(gcs_snapshot_values(next, KIT_HEAP, KIT_START)[1], INT64_MAX);
	gcs_snapshot_unref(next);
}

SnapshotTest(unchanged_columns_are_shared)
{
	gcs_snapshot_resize(snap, KIT_HEAP, 1000);
	gcs_snapshot_resize(snap, KIT_LIST, 1000);
	snapshot_settle(snap, NULL);
	struct gcs_snapshot *next = gcs_snapshot_begin(model, snap);
	size_t before = kit_live_bytes();
	for (uint32_t k = 0; k < KIT_STREAMS; k++)
		cr_assert_eq(
		    gcs_snapshot_values(next, KIT_HEAP, k), gcs_snapshot_values(snap, KIT_HEAP, k));
	gcs_snapshot_write(next, KIT_HEAP, KIT_USED)[5] = 9;
	int64_t *same = gcs_snapshot_write(next, KIT_HEAP, KIT_STATE);
	same[5] = same[5]; /* written, but with what was there */
	cr_assert_neq(gcs_snapshot_values(next, KIT_HEAP, KIT_USED),
	    gcs_snapshot_values(snap, KIT_HEAP, KIT_USED));
	cr_assert_eq(gcs_snapshot_values(snap, KIT_HEAP, KIT_USED)[5], 0);
	cr_assert_geq(kit_live_bytes() - before, 16000);
	snapshot_settle(next, snap);
	cr_assert_eq(gcs_snapshot_values(next, KIT_HEAP, KIT_STATE),
	    gcs_snapshot_values(snap, KIT_HEAP, KIT_STATE));
	cr_assert_lt(kit_live_bytes() - before, 9000);
	cr_assert_geq(next->own_bytes, 8000);
	cr_assert_lt(next->own_bytes, 8000 + 4096);
	gcs_snapshot_unref(next);
}

SnapshotTest(writing_twice_copies_once)
{
	gcs_snapshot_resize(snap, KIT_HEAP, 10);
	struct gcs_snapshot *next = gcs_snapshot_begin(model, snap);
	int64_t *first = gcs_snapshot_write(next, KIT_HEAP, KIT_USED);
	cr_assert_eq(gcs_snapshot_write(next, KIT_HEAP, KIT_USED), first);
	gcs_snapshot_unref(snap);
	snap = next;
	cr_assert_eq(gcs_snapshot_check(snap, &err), GCS_OK);
}

/* The memory that a queue accounts for holds the texts too, which can be most of it (Q3). */
SnapshotTest(own_bytes_count_the_names)
{
	char name[GCS_MAX_TEXT + 1];
	memset(name, 'n', GCS_MAX_TEXT);
	name[GCS_MAX_TEXT] = '\0';
	gcs_snapshot_resize(snap, KIT_MATRIX, 100);
	for (uint32_t i = 0; i < 100; i++)
		gcs_snapshot_set_name(snap, KIT_MATRIX, i, name);
	snapshot_settle(snap, NULL);
	cr_assert_geq(snap->own_bytes, 100 * GCS_MAX_TEXT);
	struct gcs_snapshot *next = gcs_snapshot_begin(model, snap);
	gcs_snapshot_set_name(next, KIT_MATRIX, 50, "short");
	snapshot_settle(next, snap);
	cr_assert_lt(next->own_bytes, 16384, "the other names are shared");
	gcs_snapshot_unref(next);
}

SnapshotTest(names_come_and_go)
{
	char longest[GCS_MAX_TEXT + 2];
	memset(longest, 'n', GCS_MAX_TEXT + 1);
	longest[GCS_MAX_TEXT + 1] = '\0';
	gcs_snapshot_resize(snap, KIT_LIST, 3);
	cr_assert(gcs_snapshot_set_name(snap, KIT_LIST, 0, NULL));
	cr_assert(gcs_snapshot_set_name(snap, KIT_LIST, 1, "main"));
	struct gcs_snapshot *next = gcs_snapshot_begin(model, snap);
	cr_assert_eq(gcs_snapshot_name(next, KIT_LIST, 1), gcs_snapshot_name(snap, KIT_LIST, 1));
	cr_assert(gcs_snapshot_set_name(next, KIT_LIST, 1, "main"));
	cr_assert_eq(next->spaces[KIT_LIST].names, snap->spaces[KIT_LIST].names, "no copy yet");
	cr_assert(gcs_snapshot_set_name(next, KIT_LIST, 1, ""));
	cr_assert(gcs_snapshot_set_name(next, KIT_LIST, 2, longest));
	cr_assert_str_eq(gcs_snapshot_name(snap, KIT_LIST, 1), "main");
	cr_assert_str_eq(gcs_snapshot_name(next, KIT_LIST, 1), "");
	cr_assert_eq(strlen(gcs_snapshot_name(next, KIT_LIST, 2)), GCS_MAX_TEXT);
	gcs_snapshot_unref(next);
}

SnapshotTest(attributes_belong_to_their_event)
{
	int64_t value = 0;
	cr_assert(gcs_snapshot_set_number(snap, KIT_COUNT_ATTRIBUTE, INT64_MIN));
	cr_assert(gcs_snapshot_set_number(snap, KIT_CAUSE_ATTRIBUTE, 2));
	cr_assert(gcs_snapshot_set_text(snap, KIT_WORDS_ATTRIBUTE, "first"));
	cr_assert(gcs_snapshot_set_text(snap, KIT_WORDS_ATTRIBUTE, "second"));
	cr_assert(gcs_snapshot_number(snap, KIT_COUNT_ATTRIBUTE, &value));
	cr_assert_eq(value, INT64_MIN);
	cr_assert_str_eq(gcs_snapshot_text(snap, KIT_WORDS_ATTRIBUTE), "second");
	cr_assert_not(gcs_snapshot_number(snap, KIT_WORDS_ATTRIBUTE, &value));
	struct gcs_snapshot *next = gcs_snapshot_begin(model, snap);
	cr_assert_not(gcs_snapshot_number(next, KIT_COUNT_ATTRIBUTE, &value), "not inherited");
	cr_assert_null(gcs_snapshot_text(next, KIT_WORDS_ATTRIBUTE));
	cr_assert_eq(gcs_snapshot_occurrence(next)->event, GCS_NONE);
	cr_assert_not(gcs_snapshot_set_number(next, 0, 1), "no event, no attributes");
	gcs_snapshot_unref(next);
}

/* Otherwise a number could be sent for what the other event calls a text. */
SnapshotTest(another_event_has_none_of_the_attributes)
{
	struct gcs_occurrence o = {.event = KIT_TICK, .time_ns = 9};
	int64_t value;
	cr_assert(gcs_snapshot_set_number(snap, KIT_COUNT_ATTRIBUTE, 1));
	cr_assert(gcs_snapshot_set_text(snap, KIT_WORDS_ATTRIBUTE, "words"));
	/* The same event with another time keeps them. */
	cr_assert(gcs_snapshot_set_occurrence(snap, &o));
	cr_assert(gcs_snapshot_number(snap, KIT_COUNT_ATTRIBUTE, &value));
	o.event = KIT_FULL;
	cr_assert(gcs_snapshot_set_occurrence(snap, &o));
	cr_assert_not(gcs_snapshot_number(snap, KIT_COUNT_ATTRIBUTE, &value));
	cr_assert_null(gcs_snapshot_text(snap, KIT_WORDS_ATTRIBUTE));
}

/* F7: counters go on from snapshot to snapshot. */
SnapshotTest(counters_are_inherited)
{
	cr_assert(gcs_snapshot_set_counter(snap, KIT_FULL, UINT64_MAX));
	struct gcs_snapshot *next = gcs_snapshot_begin(model, snap);
	cr_assert_eq(gcs_snapshot_counter(next, KIT_FULL), UINT64_MAX);
	cr_assert_eq(gcs_snapshot_counter(next, KIT_TICK), 0);
	gcs_snapshot_unref(next);
}

SnapshotTest(summaries_fit_their_kind)
{
	const int64_t counts[] = {1, 2, 3, 4};
	uint32_t count;
	cr_assert(gcs_snapshot_set_summary(snap, KIT_HEAP, KIT_STATE, 4, counts));
	cr_assert_arr_eq(
	    gcs_snapshot_summary(snap, KIT_HEAP, KIT_STATE, &count), counts, sizeof counts);
	cr_assert_eq(count, 4);
	cr_assert(gcs_snapshot_set_summary(snap, KIT_LIST, 0, 1, counts));
	cr_assert(gcs_snapshot_set_summary(snap, KIT_HEAP, KIT_STATE, 0, NULL));
	cr_assert_null(gcs_snapshot_summary(snap, KIT_HEAP, KIT_STATE, &count));
	cr_assert_eq(gcs_summary_length(&kit_spaces[KIT_HEAP].streams[KIT_USED]), 2);
	cr_assert_eq(gcs_summary_length(&kit_spaces[KIT_HEAP].streams[KIT_START]), 0);
}

SnapshotTest(a_space_described_anew_starts_empty)
{
	gcs_snapshot_resize(snap, KIT_HEAP, 5);
	gcs_snapshot_resize(snap, KIT_LIST, 6);
	gcs_snapshot_resize(snap, KIT_MATRIX, 7);
	struct gcs_model *changed = gcs_model_copy(model);
	gcs_model_set_space(changed, KIT_HEAP, &kit_spaces[KIT_HEAP], NULL);
	gcs_model_remove_space(changed, KIT_LIST, NULL);
	gcs_model_add_space(changed, &kit_spaces[KIT_LIST], NULL, NULL);
	struct gcs_snapshot *next = gcs_snapshot_begin(changed, snap);
	gcs_model_unref(changed);
	cr_assert_eq(gcs_snapshot_tiles(next, KIT_HEAP), 0);
	cr_assert_eq(gcs_snapshot_tiles(next, KIT_LIST), 0);
	cr_assert_not(gcs_snapshot_resize(next, KIT_LIST, 1), "it is withdrawn");
	cr_assert_eq(gcs_snapshot_tiles(next, KIT_MATRIX), 7);
	cr_assert(gcs_snapshot_resize(next, 3, 2));
	cr_assert_eq(gcs_snapshot_check(next, &err), GCS_OK);
	gcs_snapshot_unref(next);
}

/* F3: the maximum is fixed, of the event, or of another stream; it is never 0. */
SnapshotTest(maxima_come_from_where_they_should)
{
	gcs_snapshot_resize(snap, KIT_LIST, 4);
	cr_assert_eq(gcs_snapshot_maximum(snap, KIT_LIST, 0, 0), -4, "min + 1 at least");
	int64_t *lengths = gcs_snapshot_write(snap, KIT_LIST, 0);
	lengths[2] = 40;
	cr_assert_eq(gcs_snapshot_maximum(snap, KIT_LIST, 0, 0), 40);
	cr_assert_eq(gcs_snapshot_maximum(snap, KIT_LIST, 1, 2), 40);
	cr_assert_eq(gcs_snapshot_maximum(snap, KIT_LIST, 1, 0), 1);
	cr_assert_eq(gcs_snapshot_maximum(snap, KIT_LIST, 1, 99), 1);
	cr_assert_eq(gcs_snapshot_maximum(snap, KIT_HEAP, KIT_USED, 0), 4096);
	cr_assert_eq(gcs_snapshot_maximum(snap, KIT_HEAP, KIT_START, 0), INT64_MAX);
}

/* A snapshot after `before`, in which a writer that keeps the map gave one tile another value. */
static struct gcs_snapshot *amended(const struct gcs_snapshot *before, uint32_t tile)
{
	uint64_t *changed;
	struct gcs_snapshot *s = gcs_snapshot_begin(model, before);
	int64_t *values = snapshot_amend(s, KIT_LIST, 0, &changed);
	cr_assert_not_null(values);
	values[tile]++;
	if (changed != NULL)
		changed[tile / GCS_CHANGED_TILES / 64] |= UINT64_C(1)
							  << tile / GCS_CHANGED_TILES % 64;
	return s;
}

SnapshotTest(a_map_of_changes_tells_of_two_snapshots_only)
{
	gcs_snapshot_resize(snap, KIT_LIST, 1000);
	struct gcs_snapshot *a = amended(snap, 7), *b = amended(a, 8);
	struct gcs_snapshot *c = amended(b, 999), *d = gcs_snapshot_begin(model, c);
	const uint64_t *changed = gcs_snapshot_changed(b, a, KIT_LIST, 0);
	cr_assert_not_null(changed);
	cr_assert(changed[0] == 2 && changed[1] == 0);
	changed = gcs_snapshot_changed(c, b, KIT_LIST, 0);
	cr_assert_not_null(changed);
	cr_assert(changed[0] == 0 && changed[1] == UINT64_C(1) << (124 - 64));
	cr_assert_eq(gcs_snapshot_changed(d, b, KIT_LIST, 0), changed, "d shares what c has");
	cr_assert_null(gcs_snapshot_changed(c, a, KIT_LIST, 0), "another one came between");
	cr_assert_null(gcs_snapshot_changed(b, c, KIT_LIST, 0), "not the other way round");
	cr_assert_null(gcs_snapshot_changed(d, c, KIT_LIST, 0), "the same column");
	cr_assert_null(gcs_snapshot_changed(b, a, KIT_LIST, 1), "nothing was written");
	cr_assert_null(gcs_snapshot_changed(b, a, KIT_LIST, 99));
	cr_assert_null(gcs_snapshot_changed(b, a, 99, 0));
	snapshot_settle(b, a);
	cr_assert_geq(b->own_bytes, 8000 + 16, "the map is counted");
	gcs_snapshot_unref(a);
	gcs_snapshot_unref(b);
	gcs_snapshot_unref(c);
	gcs_snapshot_unref(d);
}

SnapshotTest(a_map_of_changes_ends_with_any_other_write)
{
	uint64_t *changed;
	gcs_snapshot_resize(snap, KIT_LIST, 100);
	struct gcs_snapshot *a = amended(snap, 7);
	cr_assert_not_null(gcs_snapshot_changed(a, snap, KIT_LIST, 0));
	cr_assert_not_null(snapshot_amend(a, KIT_LIST, 0, &changed));
	cr_assert_not_null(changed, "a second portion of the same stream");
	cr_assert_not_null(gcs_snapshot_changed(a, snap, KIT_LIST, 0));
	gcs_snapshot_write(a, KIT_LIST, 0)[50] = 9;
	cr_assert_null(gcs_snapshot_changed(a, snap, KIT_LIST, 0));
	cr_assert_not_null(snapshot_amend(a, KIT_LIST, 0, &changed));
	cr_assert_null(changed, "nor does it begin again");
	gcs_snapshot_unref(a);
	a = amended(snap, 7);
	cr_assert(gcs_snapshot_insert_tiles(a, KIT_LIST, 3, 2));
	cr_assert_not_null(snapshot_amend(a, KIT_LIST, 0, &changed));
	cr_assert_null(changed);
	cr_assert_null(gcs_snapshot_changed(a, snap, KIT_LIST, 0), "other tiles");
	gcs_snapshot_unref(a);
}

/* A column that nobody shares any more is written in place: what tells of it is void. */
SnapshotTest(a_map_of_changes_is_void_when_the_old_values_are_overwritten)
{
	gcs_snapshot_resize(snap, KIT_LIST, 100);
	struct gcs_snapshot *a = gcs_snapshot_begin(model, snap);
	struct gcs_snapshot *b = amended(snap, 7);
	cr_assert_not_null(gcs_snapshot_changed(b, a, KIT_LIST, 0));
	gcs_snapshot_resize(snap, KIT_LIST, 0);
	gcs_snapshot_write(a, KIT_LIST, 0)[50] = 9;
	cr_assert_null(gcs_snapshot_changed(b, a, KIT_LIST, 0));
	gcs_snapshot_unref(a);
	gcs_snapshot_unref(b);
}

Test(snapshot_memory, every_failed_allocation_is_survived)
{
	kit_count_memory(0);
	for (size_t allowed = 0; allowed < 2000; allowed++) {
		struct gcs_model *m = kit_model();
		struct gcs_snapshot *first = kit_snapshot(m);
		uint64_t state = allowed;
		kit_fail_after(allowed);
		struct gcs_snapshot *s = gcs_snapshot_begin(m, first);
		for (unsigned i = 0; s != NULL && i < 60; i++) {
			kit_change(s, &state);
			cr_assert_eq(gcs_snapshot_check(s, NULL), GCS_OK);
		}
		if (s != NULL)
			snapshot_settle(s, first);
		bool failed = kit_has_failed();
		kit_fail_after(SIZE_MAX);
		gcs_snapshot_unref(first);
		gcs_snapshot_unref(s);
		gcs_model_unref(m);
		cr_assert_eq(kit_live_blocks(), 0, "after %zu allocations", allowed);
		if (!failed)
			return;
	}
	cr_assert_fail("some allocation always failed");
}

SnapshotTest(a_name_without_memory_is_refused)
{
	gcs_snapshot_resize(snap, KIT_LIST, 2);
	gcs_snapshot_set_name(snap, KIT_LIST, 0, "old");
	gcs_snapshot_set_space_info(snap, KIT_LIST, "old");
	kit_fail_after(0);
	bool named = gcs_snapshot_set_name(snap, KIT_LIST, 0, "new");
	bool informed = gcs_snapshot_set_space_info(snap, KIT_LIST, "new");
	bool worded = gcs_snapshot_set_text(snap, KIT_WORDS_ATTRIBUTE, "new");
	kit_fail_after(SIZE_MAX);
	cr_assert_not(named);
	cr_assert_not(informed);
	cr_assert_not(worded);
	cr_assert_str_eq(gcs_snapshot_name(snap, KIT_LIST, 0), "old");
	cr_assert_str_eq(gcs_snapshot_space_info(snap, KIT_LIST), "old");
}
