/*
 * What a session sends of descriptions and snapshots (F11, F13, F14): what a client understands is
 * what the server had, whatever was thinned, collapsed, resized or described again in between.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "model_internal.h"
#include "pair_suite.h"

#define SnapshotTest(name) Test(session_snapshots, name, .init = setup, .fini = teardown)

/* The server's side of a property test: a chain of snapshots, each built on the one before. */
static struct gcs_snapshot *next_snapshot(
    struct gcs_model *m, const struct gcs_snapshot *before, uint64_t *state, uint64_t sequence)
{
	struct gcs_snapshot *s = gcs_snapshot_begin(m, before);
	struct gcs_occurrence o = {.sequence = sequence,
	    .event = kit_below(state, 8) == 0 ? GCS_NONE : kit_below(state, KIT_EVENTS),
	    .time_ns = sequence * 1000,
	    .wall_ns = -(int64_t)sequence,
	    .cost_ns = sequence * 10};
	cr_assert(gcs_snapshot_set_occurrence(s, &o));
	uint32_t changes = kit_below(state, 12);
	for (uint32_t i = 0; i < changes; i++)
		kit_change(s, state);
	snapshot_settle(s, before);
	cr_assert_eq(gcs_snapshot_check(s, NULL), GCS_OK);
	return s;
}

static void send(const struct gcs_snapshot *s, uint64_t missed)
{
	session_snapshot(&pair.session, s, missed);
	cr_assert_eq(pair.session.out.status, GCS_OK, "%s", pair.session.why);
	pair_flow(&pair);
	expect_live();
}

SnapshotTest(occurrences_carry_their_times)
{
	uint64_t state = 3;
	pair_greet(&pair, 0);
	struct gcs_snapshot *a = next_snapshot(model, NULL, &state, 10);
	struct gcs_snapshot *b = next_snapshot(model, a, &state, 15);
	send(a, 0);
	const struct gcs_occurrence *o = gcs_snapshot_occurrence(pair.received);
	cr_assert(o->sequence == 10 && o->time_ns == 10000 && o->wall_ns == -10);
	cr_assert(o->elapsed_ns == 0 && o->compensation_ns == 0 && o->missed == 0);
	send(b, 4);
	o = gcs_snapshot_occurrence(pair.received);
	cr_assert(o->elapsed_ns == 5000 && o->compensation_ns == 50 && o->missed == 4);
	cr_assert_eq(o->cost_ns, 150);
	send(a, 5); /* a look from outside may be older */
	o = gcs_snapshot_occurrence(pair.received);
	cr_assert(o->elapsed_ns == 0 && o->compensation_ns == 0);
	gcs_snapshot_unref(a);
	gcs_snapshot_unref(b);
}

/* F11: what did not change is not sent. */
SnapshotTest(nothing_new_costs_next_to_nothing)
{
	pair_greet(&pair, 0);
	struct gcs_snapshot *a = gcs_snapshot_begin(model, NULL);
	gcs_snapshot_resize(a, KIT_HEAP, 10000);
	for (uint32_t i = 0; i < 10000; i++) {
		char name[16];
		snprintf(name, sizeof name, "r%u", i);
		gcs_snapshot_set_name(a, KIT_HEAP, i, name);
		gcs_snapshot_write(a, KIT_HEAP, KIT_USED)[i] = (int64_t)i * i % 977;
	}
	snapshot_settle(a, NULL);
	send(a, 0);
	struct gcs_snapshot *b = gcs_snapshot_begin(model, a);
	gcs_snapshot_write(b, KIT_HEAP, KIT_USED)[5000] = 1;
	snapshot_settle(b, a);
	session_snapshot(&pair.session, b, 0);
	cr_assert_lt(pair.session.out.length, 150);
	pair_flow(&pair);
	cr_assert_null(kit_difference(b, pair.received, UINT64_MAX));
	struct gcs_snapshot *c = gcs_snapshot_begin(model, b);
	cr_assert(gcs_snapshot_insert_tiles(c, KIT_HEAP, 3, 10)); /* F13 */
	snapshot_settle(c, b);
	session_snapshot(&pair.session, c, 0);
	cr_assert_lt(pair.session.out.length, 150, "inserted tiles are not a new space");
	pair_flow(&pair);
	cr_assert_null(kit_difference(c, pair.received, UINT64_MAX));
	gcs_snapshot_unref(a);
	gcs_snapshot_unref(b);
	gcs_snapshot_unref(c);
}

/* Resizes since a snapshot that this client got, in a space that it did not look at then. */
SnapshotTest(a_space_opened_again_has_its_own_past)
{
	pair_greet(&pair, 0);
	struct gcs_snapshot *a = gcs_snapshot_begin(model, NULL);
	gcs_snapshot_resize(a, KIT_LIST, 10);
	snapshot_settle(a, NULL);
	send(a, 0);
	put_collapse(&w, true, KIT_GROUP_OTHER, true);
	command();
	struct gcs_snapshot *b = gcs_snapshot_begin(model, a);
	gcs_snapshot_resize(b, KIT_LIST, 100);
	snapshot_settle(b, a);
	send(b, 0);
	cr_assert_eq(gcs_snapshot_tiles(pair.received, KIT_LIST), 10);
	cr_assert_not(gcs_snapshot_gathered(pair.received, KIT_LIST));
	put_collapse(&w, true, KIT_GROUP_OTHER, false);
	command();
	struct gcs_snapshot *c = gcs_snapshot_begin(model, b);
	gcs_snapshot_remove_tiles(c, KIT_LIST, 50, 5);
	gcs_snapshot_set_gathered(c, KIT_LIST, true);
	snapshot_settle(c, b);
	send(c, 0);
	cr_assert_null(kit_difference(c, pair.received, UINT64_MAX));
	cr_assert(gcs_snapshot_gathered(pair.received, KIT_LIST));
	gcs_snapshot_unref(a);
	gcs_snapshot_unref(b);
	gcs_snapshot_unref(c);
}

static void replace_model(struct gcs_model *changed)
{
	session_model(&pair.session, changed);
	gcs_model_unref(model);
	pair.model = model = changed;
	pair_flow(&pair);
	expect_live();
}

SnapshotTest(changes_of_the_description_are_told)
{
	pair_greet(&pair, 0);
	struct gcs_model *m = gcs_model_copy(model);
	gcs_model_set_info(m, "Version", "2", NULL);
	gcs_model_add_group(m, &(struct gcs_group){.name = "New", .parent = 2}, NULL, NULL);
	gcs_model_add_space(m, &kit_spaces[KIT_LIST], NULL, NULL);
	gcs_model_set_space(m, KIT_LIST, &kit_spaces[KIT_HEAP], NULL);
	gcs_model_remove_space(m, KIT_MATRIX, NULL);
	replace_model(m);
	cr_assert_null(kit_model_difference(model, pair.seen_model));
	cr_assert_eq(pair.models, 1);
	replace_model(gcs_model_ref(model)); /* the same again is nothing new */
	cr_assert_eq(pair.models, 1);
}

/* What came and went between two descriptions must not confuse the client. */
SnapshotTest(a_space_that_came_and_went_is_gone)
{
	pair_greet(&pair, 0);
	struct gcs_model *m = gcs_model_copy(model);
	gcs_model_add_space(m, &kit_spaces[KIT_LIST], NULL, NULL);
	gcs_model_remove_space(m, KIT_SPACES, NULL);
	replace_model(m);
	cr_assert_null(kit_model_difference(model, pair.seen_model));
}

SnapshotTest(a_space_that_went_came_back_and_went_is_gone)
{
	pair_greet(&pair, 0);
	struct gcs_model *m = gcs_model_copy(model);
	gcs_model_remove_space(m, KIT_LIST, NULL);
	replace_model(m);
	m = gcs_model_copy(model);
	gcs_model_set_space(m, KIT_LIST, &kit_spaces[KIT_LIST], NULL);
	gcs_model_remove_space(m, KIT_LIST, NULL);
	replace_model(m);
	cr_assert(pair.seen_model->spaces[KIT_LIST].gone);
}

SnapshotTest(large_spaces_take_several_frames)
{
	pair_greet(&pair, 0);
	struct gcs_snapshot *s = gcs_snapshot_begin(model, NULL);
	uint32_t tiles = 2 * CODEC_TILES_PER_FRAME + 1;
	gcs_snapshot_resize(s, KIT_MATRIX, tiles);
	uint64_t state = 5;
	int64_t *values = gcs_snapshot_write(s, KIT_MATRIX, 0);
	for (uint32_t i = 0; i < tiles; i++)
		values[i] = (int64_t)kit_random(&state);
	for (uint32_t i = 0; i < tiles; i++)
		gcs_snapshot_set_name(s, KIT_MATRIX, i, "n");
	snapshot_settle(s, NULL);
	send(s, 0);
	cr_assert_null(kit_difference(s, pair.received, UINT64_MAX));
	gcs_snapshot_unref(s);
}

/* Names of all tiles of a legal space may be larger than a frame. */
SnapshotTest(long_names_take_several_frames)
{
	char name[GCS_MAX_TEXT + 1];
	pair_greet(&pair, 0);
	struct gcs_snapshot *s = gcs_snapshot_begin(model, NULL);
	uint32_t tiles = GCS_WIRE_MAX_TO_CLIENT / GCS_MAX_TEXT + 10;
	gcs_snapshot_resize(s, KIT_MATRIX, tiles);
	memset(name, 'n', GCS_MAX_TEXT);
	name[GCS_MAX_TEXT] = '\0';
	for (uint32_t i = 0; i < tiles; i++)
		gcs_snapshot_set_name(s, KIT_MATRIX, i, name);
	snapshot_settle(s, NULL);
	send(s, 0);
	cr_assert_null(kit_difference(s, pair.received, UINT64_MAX));
	gcs_snapshot_unref(s);
}

static void change_model(uint64_t *state)
{
	struct gcs_model *m = gcs_model_copy(model);
	uint32_t space = kit_below(state, m->space_count);
	switch (kit_below(state, 5)) {
	case 0:
		(void)gcs_model_add_space(m, &kit_spaces[kit_below(state, 3)], NULL, NULL);
		break;
	case 1:
		(void)gcs_model_set_space(m, space, &kit_spaces[kit_below(state, 3)], NULL);
		break;
	case 2:
		(void)gcs_model_remove_space(m, space, NULL);
		break;
	case 3:
		(void)gcs_model_set_info(m, "Version", space == 0 ? "" : "other", NULL);
		break;
	default:
		(void)gcs_model_add_group(
		    m, &(struct gcs_group){.name = "More", .parent = GCS_NONE}, NULL, NULL);
		break;
	}
	gcs_model_unref(model);
	pair.model = model = m;
}

static bool is_marked(const uint64_t *changed, uint32_t tile)
{
	uint32_t bit = tile / GCS_CHANGED_TILES;
	return (changed[bit / 64] >> bit % 64 & 1) != 0;
}

/* The changed blocks that the client receives include every change and no other block; counts the
 * columns received. */
static unsigned check_changed(const struct gcs_snapshot *now, const struct gcs_snapshot *before)
{
	unsigned known = 0;
	for (uint32_t space = 0; space < gcs_snapshot_model(now)->space_count; space++) {
		uint32_t tiles = gcs_snapshot_tiles(now, space);
		for (uint32_t k = 0; k < gcs_snapshot_model(now)->spaces[space].stream_count; k++) {
			const uint64_t *changed = gcs_snapshot_changed(now, before, space, k);
			const int64_t *a = gcs_snapshot_values(now, space, k);
			const int64_t *b = gcs_snapshot_values(before, space, k);
			if (changed == NULL)
				continue;
			known++;
			cr_assert_eq(gcs_snapshot_tiles(before, space), tiles);
			for (uint32_t i = 0; i < tiles; i += GCS_CHANGED_TILES) {
				uint32_t n =
				    tiles - i < GCS_CHANGED_TILES ? tiles - i : GCS_CHANGED_TILES;
				bool same = memcmp(a + i, b + i, n * sizeof *a) == 0;
				cr_assert_eq(is_marked(changed, i), !same,
				    "space %u, stream %u, tile %u", space, k, i);
			}
		}
	}
	return known;
}

/* Streams of which the last snapshot that was received may be compared with some earlier one. */
static unsigned changes_known;

/* One random life of a connection; the server's truth is compared at every snapshot that is sent.
 */
static void one_life(uint64_t *state)
{
	bool closed[KIT_SPACES] = {false};
	struct gcs_snapshot *last = NULL, *before = NULL, *older = NULL;
	pair.random = kit_below(state, 2) == 0 ? 0 : kit_random(state) | 1;
	pair_greet(&pair, kit_below(state, 2) == 0 ? GCS_HELLO_COMPRESS : 0);
	expect_live();
	for (uint64_t sequence = 1; sequence < 60; sequence++) {
		if (kit_below(state, 12) == 0 && model->space_count < 20)
			change_model(state);
		struct gcs_snapshot *s = next_snapshot(model, last, state, sequence);
		gcs_snapshot_unref(last);
		last = s;
		if (kit_below(state, 6) == 0) {
			uint32_t space = kit_below(state, KIT_SPACES);
			closed[space] = !closed[space];
			put_collapse(&w, false, space, closed[space]);
			command();
		}
		if (kit_below(state, 3) == 0) /* thinned: this client does not get it */
			continue;
		session_model(&pair.session, model);
		if (kit_below(state, 4) == 0) {
			gcs_snapshot_unref(older);
			older = gcs_snapshot_ref(before);
		}
		gcs_snapshot_unref(before);
		before = gcs_snapshot_ref(pair.received);
		send(s, sequence);
		if (before != NULL)
			changes_known += check_changed(pair.received, before);
		if (older != NULL)
			check_changed(pair.received, older);
		uint64_t open = UINT64_MAX;
		for (uint32_t i = 0; i < KIT_SPACES; i++) {
			if (closed[i])
				open &= ~(UINT64_C(1) << i);
			else
				cr_assert_eq(gcs_snapshot_gathered(pair.received, i),
				    gcs_snapshot_gathered(s, i));
		}
		const char *what = kit_difference(s, pair.received, open);
		cr_assert_null(what, "%s at %llu", what, (unsigned long long)sequence);
		cr_assert_null(kit_model_difference(model, pair.seen_model));
		cr_assert_eq(gcs_snapshot_check(pair.received, NULL), GCS_OK);
	}
	gcs_snapshot_unref(last);
	gcs_snapshot_unref(before);
	gcs_snapshot_unref(older);
}

Test(session_property, incremental_equals_full)
{
	uint64_t state = kit_seed();
	for (unsigned life = 0; life < 150; life++) {
		setup();
		one_life(&state);
		teardown();
	}
	cr_assert_gt(changes_known, 1000, "a client knows where most columns changed");
}
