/*
 * Touched tiles in random histories (F11): what clients get, and its bytes, are those of a target that fills
 * whole streams, and missing memory loses nothing.
 */
#include "tiles_suite.h"

enum { HELD = 7 };

static void any_touches(uint64_t *state)
{
	const uint32_t changes = kit_below(state, 40);
	for (uint32_t i = 0; present != 0 && i < changes; i++) {
		const uint32_t first = kit_below(state, present),
			       stream = kit_below(state, KIT_STREAMS);
		uint32_t count = kit_below(state, 8) == 0 ? 1 + kit_below(state, 200) : 1;
		count = count > present - first ? present - first : count;
		for (uint32_t k = first; k < first + count; k++)
			truth[stream][k] = kit_below(state, 4) == 0 ? (int64_t)kit_random(state)
								    : kit_below(state, 3);
		gcs_tiles_touch(tiles, stream, first, count);
	}
}

static void any_resize(uint64_t *state, struct gcs_snapshot *model_snapshot)
{
	const uint32_t at = kit_below(state, present + 1);
	const bool inserts = kit_below(state, 2) == 0;
	uint32_t count = 1 + kit_below(state, kit_below(state, 4) == 0 ? 500 : 5);
	const uint32_t room = inserts ? MOST_TILES - present : present - at;
	count = count > room ? room : count;
	for (uint32_t k = 0; k < KIT_STREAMS; k++) {
		int64_t *v = truth[k];
		if (!inserts)
			memmove(v + at, v + at + count, (present - at - count) * sizeof *v);
		else
			memmove(v + at + count, v + at, (present - at) * sizeof *v);
		for (uint32_t i = 0; inserts && i < count; i++)
			v[at + i] = kit_below(state, 3);
	}
	present = inserts ? present + count : present - count;
	cr_assert(
	    inserts ? gcs_tiles_insert(tiles, at, count) : gcs_tiles_remove(tiles, at, count));
	cr_assert(inserts ? gcs_snapshot_insert_tiles(model_snapshot, KIT_HEAP, at, count)
			  : gcs_snapshot_remove_tiles(model_snapshot, KIT_HEAP, at, count));
}

/* The same state by a target that fills whole streams. */
static void fill_whole(struct gcs_snapshot *s, const struct gcs_snapshot *before)
{
	for (uint32_t k = 0; present != 0 && k < KIT_STREAMS; k++)
		memcpy(gcs_snapshot_write(s, KIT_HEAP, k), truth[k], present * sizeof truth[k][0]);
	gcs_snapshot_set_gathered(s, KIT_HEAP, true);
	snapshot_settle(s, before);
}

/* Two clients of each target: one gets all snapshots, one misses many. */
struct client {
	struct pair touched, whole;
	bool misses;
};

static void client_init(struct client *c, bool misses)
{
	c->misses = misses;
	pair_init(&c->touched, model);
	pair_init(&c->whole, model);
	pair_greet(&c->touched, 0);
	pair_greet(&c->whole, 0);
}

static void client_gets(
    struct client *c, const struct gcs_snapshot *touched, const struct gcs_snapshot *whole)
{
	session_snapshot(&c->touched.session, touched, 0);
	session_snapshot(&c->whole.session, whole, 0);
	const struct wr *a = &c->touched.session.out, *b = &c->whole.session.out;
	cr_assert_eq(a->status, GCS_OK);
	cr_assert_eq(a->length, b->length);
	cr_assert_eq(memcmp(a->data, b->data, a->length), 0, "the bytes differ");
	pair_flow(&c->touched);
	pair_flow(&c->whole);
	expect_truth(c->touched.received);
}

static void client_fini(struct client *c)
{
	pair_fini(&c->touched);
	pair_fini(&c->whole);
}

/* F11: what clients get, and its bytes, do not depend on how the target gathers. Snapshots that are
 * still in use keep their values. */
TilesTest(touched_tiles_are_sent_as_whole_streams_are)
{
	static int64_t copies[HELD][KIT_STREAMS][MOST_TILES];
	struct gcs_snapshot *held[HELD] = {NULL}, *s = NULL, *whole = NULL;
	struct client clients[2];
	uint64_t state = kit_seed();
	client_init(&clients[0], false);
	client_init(&clients[1], true);
	for (unsigned turn = 0; turn < 600; turn++) {
		struct gcs_snapshot *next = gcs_snapshot_begin(model, whole);
		if (whole == NULL)
			cr_assert(gcs_snapshot_resize(next, KIT_HEAP, present));
		any_touches(&state);
		for (uint32_t n = kit_below(&state, 6) == 0 ? kit_below(&state, 4) : 0; n != 0;
		     n--) {
			any_resize(&state, next);
			any_touches(&state);
		}
		fill_whole(next, whole);
		gcs_snapshot_unref(whole);
		whole = next;
		s = next_state(s);
		expect_truth(s);
		for (int i = 0; i < 2; i++)
			if (!clients[i].misses || kit_below(&state, 4) == 0)
				client_gets(&clients[i], s, whole);
		const uint32_t slot = kit_below(&state, 3 * HELD);
		if (slot >= HELD)
			continue;
		gcs_snapshot_unref(held[slot]);
		held[slot] = gcs_snapshot_ref(s);
		memcpy(copies[slot], truth, sizeof truth);
	}
	for (int i = 0; i < HELD; i++) {
		for (uint32_t k = 0; held[i] != NULL && k < KIT_STREAMS; k++)
			for (uint32_t n = 0; n < gcs_snapshot_tiles(held[i], KIT_HEAP); n++)
				cr_assert_eq(
				    gcs_snapshot_values(held[i], KIT_HEAP, k)[n], copies[i][k][n]);
		gcs_snapshot_unref(held[i]);
	}
	gcs_snapshot_unref(s);
	gcs_snapshot_unref(whole);
	client_fini(&clients[0]);
	client_fini(&clients[1]);
}

/* Wherever memory is missing, a later gathering has the state whole. */
TilesTest(missing_memory_loses_no_touch)
{
	struct gcs_snapshot *s = next_state(NULL), *scratch = NULL;
	uint64_t state = kit_seed();
	for (size_t after = 0; after < 40; after++) {
		scratch = gcs_snapshot_begin(model, NULL);
		cr_assert(gcs_snapshot_resize(scratch, KIT_HEAP, present));
		any_touches(&state);
		if (after % 3 == 0)
			any_resize(&state, scratch);
		gcs_snapshot_unref(scratch);
		struct gcs_snapshot *next = gcs_snapshot_begin(model, s);
		kit_fail_after(after % 20);
		const bool ok = tiles_gather(tiles, next);
		cr_assert(ok || kit_has_failed());
		kit_fail_after(SIZE_MAX);
		gcs_snapshot_unref(next);
		s = next_state(s);
		expect_truth(s);
	}
	gcs_snapshot_unref(s);
}
