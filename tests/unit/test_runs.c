/* The coding of streams: whole and incremental (F11). */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "kit.h"
#include "runs.h"

enum { MOST = 3000 };

static void round_trip(const int64_t *values, const int64_t *old, size_t count)
{
	static int64_t back[MOST];
	struct wr w;
	wr_init(&w, 1 << 20);
	runs_encode(&w, values, old, count);
	cr_assert_eq(w.status, GCS_OK);
	for (size_t i = 0; i < count; i++)
		back[i] = old == NULL ? -1 : old[i];
	struct rd r = rd_over(w.data, w.length);
	runs_decode(&r, back, count, old != NULL);
	cr_assert_eq(r.status, GCS_OK);
	cr_assert_eq(rd_left(&r), 0);
	for (size_t i = 0; i < count; i++)
		cr_assert_eq(back[i], values[i], "value %zu", i);
	wr_fini(&w);
}

/* The encoder that is told which groups changed, or more of them, writes the same bytes. */
static void expect_same_bytes(const struct wr *expected, const int64_t *values, const int64_t *old,
    size_t first, size_t count, const uint64_t *changed)
{
	static int64_t long_values[MOST], long_old[MOST];
	uint64_t more[MOST / GCS_CHANGED_TILES / 64 + 1];
	memcpy(more, changed, sizeof more);
	more[count % (sizeof more / sizeof more[0])] |= UINT64_C(1) << first % 64;
	memcpy(long_values + first, values, count * sizeof *values);
	memcpy(long_old + first, old, count * sizeof *old);
	const uint64_t *maps[] = {changed, more, NULL};
	for (int i = 0; i < 3; i++) {
		struct wr w;
		wr_init(&w, 1 << 20);
		runs_encode_changes(&w, long_values, long_old, first, count, maps[i]);
		cr_assert_eq(w.length, expected->length);
		cr_assert(w.length == 0 || memcmp(w.data, expected->data, w.length) == 0);
		wr_fini(&w);
	}
}

/* The same in the middle of a longer stream: exactly the blocks that changed are marked. */
static void round_trip_marked(const int64_t *values, const int64_t *old, size_t first, size_t count)
{
	static int64_t back[MOST];
	uint64_t changed[MOST / GCS_CHANGED_TILES / 64 + 1] = {0},
							 expected[MOST / GCS_CHANGED_TILES / 64 +
								  1] = {0};
	struct wr w;
	wr_init(&w, 1 << 20);
	runs_encode(&w, values, old, count);
	for (size_t i = 0; i < count; i++) {
		size_t bit = (first + i) / GCS_CHANGED_TILES;
		back[first + i] = old[i];
		if (values[i] != old[i])
			expected[bit / 64] |= UINT64_C(1) << bit % 64;
	}
	expect_same_bytes(&w, values, old, first, count, expected);
	struct rd r = rd_over(w.data, w.length);
	runs_add(&r, back, first, count, changed);
	cr_assert_eq(r.status, GCS_OK);
	cr_assert_eq(rd_left(&r), 0);
	cr_assert_eq(memcmp(back + first, values, count * sizeof *back), 0);
	cr_assert_eq(memcmp(changed, expected, sizeof changed), 0);
	wr_fini(&w);
}

static int64_t pick(uint64_t *state)
{
	static const int64_t edges[] = {0, 1, -1, INT64_MIN, INT64_MAX, 4096};
	return kit_below(state, 3) == 0 ? (int64_t)kit_random(state) : edges[kit_below(state, 6)];
}

Test(runs, any_sequence_comes_back)
{
	static int64_t values[MOST], old[MOST];
	uint64_t state = kit_seed();
	for (unsigned turn = 0; turn < 400; turn++) {
		size_t count = kit_below(&state, turn % 10 == 0 ? MOST : 20);
		uint32_t stickiness = 1 + kit_below(&state, 10);
		for (size_t i = 0; i < count; i++) {
			bool again = i != 0 && kit_below(&state, stickiness) != 0;
			values[i] = again ? values[i - 1] : pick(&state);
			old[i] = kit_below(&state, stickiness) != 0 ? values[i] : pick(&state);
		}
		round_trip(values, NULL, count);
		round_trip(values, old, count);
		round_trip_marked(values, old, kit_below(&state, (uint32_t)(MOST - count)), count);
	}
}

Test(runs, differences_wrap_at_the_ends_of_the_range)
{
	const int64_t values[] = {INT64_MIN, INT64_MAX, INT64_MIN, 0, INT64_MAX};
	const int64_t old[] = {INT64_MAX, INT64_MIN, 0, INT64_MIN, -1};
	round_trip(values, NULL, 5);
	round_trip(values, old, 5);
}

Test(runs, an_unchanged_stream_costs_a_few_bytes)
{
	static int64_t values[MOST];
	for (size_t i = 0; i < MOST; i++)
		values[i] = (int64_t)i * 977;
	struct wr w;
	wr_init(&w, 1 << 20);
	runs_encode(&w, values, values, MOST);
	cr_assert_leq(w.length, 4);
	wr_fini(&w);
	wr_init(&w, 1 << 20);
	runs_encode(&w, values, NULL, MOST); /* equal steps are a run as well */
	cr_assert_leq(w.length, 8);
	wr_fini(&w);
	wr_init(&w, 1 << 20);
	runs_encode(&w, values, NULL, 0);
	cr_assert_eq(w.length, 0);
	wr_fini(&w);
}

Test(runs, the_cost_follows_the_tiles_that_changed)
{
	static int64_t values[MOST], old[MOST];
	values[1000] = 5;
	values[2000] = 7;
	struct wr w;
	wr_init(&w, 1 << 20);
	runs_encode(&w, values, old, MOST);
	cr_assert_leq(w.length, 20);
	wr_fini(&w);
}

static enum gcs_status decode(const char *bytes, size_t length, size_t count)
{
	int64_t values[8] = {0};
	struct rd r = rd_over(bytes, length);
	runs_decode(&r, values, count, true);
	return r.status;
}

Test(runs, bad_runs_are_refused)
{
	cr_assert_eq(decode("", 0, 0), GCS_OK);
	cr_assert_eq(decode("", 0, 1), GCS_TRUNCATED);
	cr_assert_eq(decode("\0\2", 2, 4), GCS_MALFORMED, "a run of length 0");
	cr_assert_eq(decode("\1\2", 2, 4), GCS_MALFORMED);
	cr_assert_eq(decode("\12\2", 2, 4), GCS_MALFORMED, "a run after the end");
	cr_assert_eq(decode("\13\2\2\2\2\2", 6, 4), GCS_MALFORMED);
	cr_assert_eq(decode("\11\2\2\2", 4, 4), GCS_TRUNCATED);
	cr_assert_eq(decode("\4\2", 2, 4), GCS_TRUNCATED);
	cr_assert_eq(
	    decode("\376\377\377\377\377\377\377\377\377\1\2", 11, 4), GCS_MALFORMED, "huge");
	cr_assert_eq(decode("\10\2", 2, 4), GCS_OK);
}
