/*
 * Our spaces in the 32-bit values and declared ranges of 2002 (E2): a decoder of that dialect
 * checks over random snapshots that no limit of the original client is broken, which ends when a
 * value lies outside its range.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "model_internal.h"
#include "pair_2002_suite.h"

#define PastTest(name) Test(compat_server, name, .init = setup_2002, .fini = teardown)

/* The original client receives into 4 MiB. */
static void check_frames(void)
{
	const struct wr *out = &pair.session.out;
	struct rd payload;
	size_t taken;
	for (size_t at = 0; at < out->length; at += taken)
		cr_assert_eq(
		    w2002_next(out->data + at, out->length - at, (4 << 20) - 100, &payload, &taken),
		    GCS_OK);
}

/* A snapshot is sent and understood. */
static void show(struct gcs_snapshot *s)
{
	session_model(&pair.session, s->model);
	session_snapshot(&pair.session, s, 0);
	check_frames();
	pair_flow(&pair);
	expect_live();
}

/* What the original client needs of the values of one stream. */
static void check_values(const struct gcs_snapshot *s, uint32_t space, uint32_t stream)
{
	const struct gcs_space *p = &s->model->spaces[space];
	const struct gcs_stream *t = &p->streams[stream];
	const int64_t *values = gcs_snapshot_values(s, space, stream);
	const int64_t *bits = gcs_snapshot_values(s, space, p->stream_count - 1);
	int64_t most = t->max;
	cr_assert_gt(t->max, t->min);
	cr_assert(t->max - t->min <= INT32_MAX);
	cr_assert(t->paint != GCS_PAINT_ZERO || t->max - t->min >= 2);
	if (t->maximum == GCS_MAX_OF_EVENT)
		most = gcs_snapshot_maximum(s, space, stream, 0);
	for (uint32_t i = 0; i < gcs_snapshot_tiles(s, space); i++) {
		if (t->maximum == GCS_MAX_OF_STREAM)
			most = gcs_snapshot_values(s, space, t->max_stream)[i];
		cr_assert_geq(values[i], t->min, "%s", t->name);
		if (t->presentation != GCS_PLUS)
			cr_assert_leq(values[i], most, "%s at %u", t->name, i);
		int64_t one = bits[i] & (GCS_TILE_USED | GCS_TILE_UNUSED | GCS_TILE_BACKGROUND);
		cr_assert(one == 1 || one == 2 || one == 4, "control %d", (int)bits[i]);
	}
}

static void check_received(void)
{
	const struct gcs_snapshot *s = pair.received;
	for (uint32_t i = 0; i < s->model->space_count; i++) {
		cr_assert_gt(gcs_snapshot_tiles(s, i), 0);
		for (uint32_t k = 0; k + 1 < s->model->spaces[i].stream_count; k++)
			check_values(s, i, k);
	}
}

/* Without a unit the values are ours, inside their range. */
static void check_same(const struct gcs_snapshot *s)
{
	const int64_t *ours = gcs_snapshot_values(s, KIT_HEAP, KIT_STATE);
	const int64_t *theirs = gcs_snapshot_values(pair.received, KIT_HEAP, 1);
	uint32_t tiles = gcs_snapshot_tiles(s, KIT_HEAP);
	if (tiles == 0)
		return;
	cr_assert_eq(gcs_snapshot_tiles(pair.received, KIT_HEAP), tiles);
	for (uint32_t i = 0; i < tiles; i++) {
		int64_t value = ours[i] < 1 ? 1 : ours[i] > 4 ? 4 : ours[i];
		cr_assert_eq(theirs[i], value - 1);
		const char *name = gcs_snapshot_name(s, KIT_HEAP, i);
		if (name[0] != '\0')
			cr_assert_str_eq(name, gcs_snapshot_name(pair.received, KIT_HEAP, i));
		else
			cr_assert_eq(gcs_snapshot_name(pair.received, KIT_HEAP, i)[0], '[');
	}
}

/* Two shares of one stream, after the kit's spaces. */
static void add_shares(void)
{
	static const struct gcs_stream streams[] = {
	    {.name = "First",
		.presentation = GCS_PERCENT,
		.maximum = GCS_MAX_OF_STREAM,
		.max_stream = 1,
		.format = GCS_BYTES,
		.summary = GCS_SUMMARY_TOTAL,
		.max = INT64_MAX},
	    {.name = "Whole",
		.maximum = GCS_MAX_OF_EVENT,
		.format = GCS_BYTES,
		.paint = GCS_PAINT_ZERO,
		.summary = GCS_SUMMARY_TOTAL,
		.max = INT64_MAX},
	    {.name = "Second",
		.maximum = GCS_MAX_OF_STREAM,
		.max_stream = 1,
		.format = GCS_BYTES,
		.summary = GCS_SUMMARY_SHARE,
		.max = 100},
	};
	static const struct gcs_space space = {
	    .name = "Shares", .group = GCS_NONE, .stream_count = 3, .streams = streams};
	cr_assert_eq(gcs_model_add_space(model, &space, NULL, NULL), GCS_OK);
}

PastTest(random_states_keep_all_limits)
{
	uint64_t seed = kit_seed();
	pair.random = seed | 1;
	add_shares();
	greet();
	const struct gcs_space *shares = &pair.seen_model->spaces[KIT_SPACES];
	for (uint32_t i = 0; i < 3; i += 2)
		cr_assert(shares->streams[i].maximum == GCS_MAX_OF_STREAM &&
			  shares->streams[i].max_stream == 1);
	struct gcs_snapshot *last = kit_snapshot(model);
	for (unsigned round = 0; round < 150; round++) {
		struct gcs_snapshot *s = gcs_snapshot_begin(model, last);
		uint32_t changes = kit_below(&seed, 12);
		for (unsigned i = 0; i < changes; i++)
			kit_change(s, &seed);
		snapshot_settle(s, last);
		gcs_snapshot_unref(last);
		last = s;
		show(s);
		cr_assert_eq(pair.snapshots, round + 1);
		check_received();
		check_same(s);
	}
	gcs_snapshot_unref(last);
}

/* A space with one stream and one tile of that value. */
static struct gcs_snapshot *one_value(const struct gcs_stream *t, int64_t value, int64_t summary)
{
	struct gcs_space space = {.name = "S", .group = GCS_NONE, .stream_count = 1, .streams = t};
	struct gcs_model *m = gcs_model_copy(model);
	cr_assert_eq(gcs_model_set_space(m, 0, &space, NULL), GCS_OK);
	struct gcs_snapshot *s = gcs_snapshot_begin(m, NULL);
	cr_assert(gcs_snapshot_resize(s, 0, 1));
	gcs_snapshot_write(s, 0, 0)[0] = value;
	if (summary != 0) {
		int64_t values[2] = {summary, summary};
		cr_assert(gcs_snapshot_set_summary(s, 0, 0, gcs_summary_length(t), values));
	}
	gcs_model_unref(m);
	return s;
}

static void expect_shown(const char *name, int64_t value, int64_t max)
{
	const struct gcs_stream *t = &pair.received->model->spaces[0].streams[0];
	cr_assert_str_eq(t->name, name);
	cr_assert_eq(gcs_snapshot_values(pair.received, 0, 0)[0], value);
	cr_assert_eq(t->max, max, "%lld", (long long)t->max);
	check_values(pair.received, 0, 0);
}

static void expect_one(const struct gcs_stream *t, int64_t value, int64_t summary, const char *name,
    int64_t shown, int64_t max)
{
	struct gcs_snapshot *s = one_value(t, value, summary);
	show(s);
	expect_shown(name, shown, max);
	gcs_snapshot_unref(s);
}

PastTest(units_make_large_values_fit)
{
	struct gcs_stream used = {.name = "Used",
	    .format = GCS_BYTES,
	    .suffix = " bytes",
	    .presentation = GCS_PERCENT,
	    .summary = GCS_SUMMARY_SHARE,
	    .max = (int64_t)8 << 30};
	greet();
	expect_one(&used, 1, 0, "Used (KiB)", 1, 8 << 20);
	cr_assert_str_eq(pair.received->model->spaces[0].streams[0].suffix, " KiB");
	used.max = 1 << 20;
	expect_one(&used, 1 << 19, 1 << 20, "Used", 1 << 19, 1 << 20);
	/* The total decides, too. */
	expect_one(&used, 1 << 19, (int64_t)4 << 30, "Used (KiB)", 1 << 9, 1 << 10);
	uint32_t count;
	const int64_t *total = gcs_snapshot_summary(pair.received, 0, 0, &count);
	cr_assert(count == 2 && total[0] == 4 << 20);
	used.format = GCS_DECIMAL;
	used.max = INT64_MAX / 4;
	expect_one(&used, INT64_MAX, 0, "Used (million million)", 2305844, 2305844);
	used.format = GCS_NANOSECONDS;
	used.max = 5000000000;
	expect_one(&used, -7, 0, "Used (us)", 0, 5000000);
	used.max = 100;
	expect_one(&used, 101, 0, "Used", 100, 100);
}

PastTest(units_follow_what_is_seen_where_the_range_says_nothing)
{
	struct gcs_stream any = {.name = "Any",
	    .format = GCS_BYTES,
	    .min = INT64_MIN,
	    .max = INT64_MAX,
	    .summary = GCS_SUMMARY_TOTAL};
	greet();
	struct gcs_snapshot *s = one_value(&any, 5, 0);
	show(s);
	expect_shown("Any", 5, 100);
	struct gcs_snapshot *next = gcs_snapshot_begin(s->model, s);
	gcs_snapshot_write(next, 0, 0)[0] = (int64_t)3 << 30;
	show(next);
	cr_assert_str_eq(pair.received->model->spaces[0].streams[0].name, "Any (KiB)");
	cr_assert_eq(gcs_snapshot_values(pair.received, 0, 0)[0], 3 << 20);
	gcs_snapshot_write(next, 0, 0)[0] = -5000;
	show(next);
	/* 4.9 KiB, rounded away from 0; the least value described is a power of two. */
	cr_assert_eq(gcs_snapshot_values(pair.received, 0, 0)[0], -5);
	cr_assert_eq(pair.received->model->spaces[0].streams[0].min, -8);
	gcs_snapshot_unref(next);
	gcs_snapshot_unref(s);
}

PastTest(narrow_ranges_are_widened)
{
	struct gcs_stream flag = {.name = "Flag", .paint = GCS_PAINT_ZERO, .max = 1};
	greet();
	expect_one(&flag, 1, 0, "Flag", 1, 2);
	flag.paint = GCS_PAINT_PLAIN;
	expect_one(&flag, 1, 0, "Flag", 1, 1);
	flag.max = 0;
	expect_one(&flag, 0, 0, "Flag", 0, 1);
	static const char *const only[] = {"only"};
	struct gcs_stream one = {.name = "One",
	    .presentation = GCS_ENUM,
	    .paint = GCS_PAINT_ZERO,
	    .min = 7,
	    .max = 7,
	    .enum_count = 1,
	    .enum_names = only};
	expect_one(&one, 7, 0, "One", 0, 1);
}

PastTest(plus_may_exceed_its_maximum)
{
	struct gcs_stream plus = {.name = "Roots", .presentation = GCS_PLUS, .max = 10};
	greet();
	expect_one(&plus, 4711, 0, "Roots", 4711, 10);
}

PastTest(a_long_enumeration_becomes_numbers)
{
	const char *names[200];
	for (unsigned i = 0; i < 200; i++)
		names[i] = "name";
	struct gcs_stream many = {.name = "Many",
	    .presentation = GCS_ENUM,
	    .summary = GCS_SUMMARY_COUNTS,
	    .max = 199,
	    .enum_count = 200,
	    .enum_names = names};
	greet();
	expect_one(&many, 150, 0, "Many", 150, 199);
}

PastTest(spaces_change_after_the_bootstrap)
{
	greet();
	struct gcs_snapshot *s = kit_snapshot(model);
	show(s);
	struct gcs_model *other = gcs_model_copy(model);
	struct gcs_space late = kit_spaces[KIT_MATRIX];
	late.name = "Late";
	gcs_model_add_space(other, &late, NULL, NULL);
	late.name = "Anew";
	gcs_model_set_space(other, KIT_MATRIX, &late, NULL);
	gcs_model_remove_space(other, KIT_LIST, NULL);
	struct gcs_snapshot *next = gcs_snapshot_begin(other, s);
	gcs_snapshot_resize(next, KIT_MATRIX, 5);
	show(next);
	check_received();
	const struct gcs_model *seen = pair.received->model;
	cr_assert_eq(seen->space_count, KIT_SPACES);
	cr_assert_str_eq(seen->spaces[KIT_MATRIX].name, "Anew");
	cr_assert_eq(gcs_snapshot_tiles(pair.received, KIT_MATRIX), 5);
	cr_assert_not_null(strstr(gcs_snapshot_space_info(pair.received, KIT_HEAP), "Late"));
	cr_assert_eq(gcs_snapshot_tiles(pair.received, KIT_LIST), 1);
	cr_assert_eq(gcs_snapshot_values(pair.received, KIT_LIST, 2)[0], GCS_TILE_UNUSED);
	cr_assert_not_null(
	    strstr(gcs_snapshot_space_info(pair.received, KIT_LIST), "no longer exists"));
	gcs_snapshot_unref(next);
	gcs_snapshot_unref(s);
	gcs_model_unref(other);
}

PastTest(spaces_beyond_what_ids_can_tell_are_left_out)
{
	char name[16];
	struct gcs_space space = kit_spaces[KIT_MATRIX];
	for (unsigned i = KIT_SPACES; i < 131; i++) {
		snprintf(name, sizeof name, "Space %u", i);
		space.name = name;
		cr_assert_eq(gcs_model_add_space(model, &space, NULL, NULL), GCS_OK);
	}
	gcs_model_remove_space(model, 1, NULL);
	greet();
	expect_live();
	cr_assert_eq(pair.seen_model->space_count, 128);
	cr_assert_str_eq(pair.seen_model->info[0].value, "Space 129, Space 130");
	struct gcs_snapshot *s = gcs_snapshot_begin(model, NULL);
	gcs_snapshot_resize(s, 128, 7);
	show(s);
	cr_assert_eq(gcs_snapshot_tiles(pair.received, 127), 7, "ids are dense");
	gcs_snapshot_unref(s);
}

PastTest(a_space_with_too_many_tiles_says_so)
{
	greet();
	struct gcs_snapshot *s = gcs_snapshot_begin(model, NULL);
	cr_assert(gcs_snapshot_resize(s, KIT_MATRIX, W2002_MAX_TILES + 1));
	show(s);
	cr_assert_eq(gcs_snapshot_tiles(pair.received, KIT_MATRIX), 1);
	cr_assert_not_null(
	    strstr(gcs_snapshot_space_info(pair.received, KIT_MATRIX), "exceed the limits"));
	/* As many as fit are sent in frames that the client can hold. */
	cr_assert(gcs_snapshot_resize(s, KIT_MATRIX, W2002_MAX_TILES));
	show(s);
	cr_assert_eq(gcs_snapshot_tiles(pair.received, KIT_MATRIX), W2002_MAX_TILES);
	gcs_snapshot_unref(s);
}

PastTest(counters_and_times_are_told)
{
	greet();
	struct gcs_snapshot *s = gcs_snapshot_begin(model, NULL);
	struct gcs_occurrence o = {.sequence = 1, .event = KIT_FULL, .time_ns = 1000000000};
	gcs_snapshot_set_occurrence(s, &o);
	gcs_snapshot_set_counter(s, KIT_FULL, 17);
	gcs_snapshot_set_counter(s, KIT_TICK, UINT64_MAX);
	show(s);
	o.time_ns += 7900000;
	o.cost_ns += 3100000;
	gcs_snapshot_set_occurrence(s, &o);
	show(s);
	cr_assert_eq(pair.received->occurrence.event, KIT_FULL);
	cr_assert_eq(pair.received->occurrence.elapsed_ns, 7000000);
	cr_assert_eq(pair.received->occurrence.compensation_ns, 3000000);
	cr_assert_eq(gcs_snapshot_counter(pair.received, KIT_FULL), 17);
	cr_assert_eq(gcs_snapshot_counter(pair.received, KIT_TICK), INT32_MAX);
	gcs_snapshot_unref(s);
}

PastTest(names_are_told_when_they_change_and_only_then)
{
	greet();
	struct gcs_snapshot *s = kit_snapshot(model);
	show(s);
	session_snapshot(&pair.session, s, 0);
	size_t quiet = pair.session.out.length;
	pair_flow(&pair);
	gcs_snapshot_set_name(s, KIT_HEAP, 0, "another name");
	session_snapshot(&pair.session, s, 0);
	cr_assert_gt(pair.session.out.length, quiet + 100);
	pair_flow(&pair);
	cr_assert_str_eq(gcs_snapshot_name(pair.received, KIT_HEAP, 0), "another name");
	gcs_snapshot_unref(s);
}

PastTest(names_that_do_not_fit_are_left_out_together)
{
	char name[GCS_MAX_TEXT + 1];
	memset(name, 'x', GCS_MAX_TEXT);
	name[GCS_MAX_TEXT] = '\0';
	greet();
	struct gcs_snapshot *s = gcs_snapshot_begin(model, NULL);
	gcs_snapshot_resize(s, KIT_LIST, 2000);
	for (uint32_t i = 0; i < 900; i++)
		gcs_snapshot_set_name(s, KIT_LIST, i, name);
	show(s);
	cr_assert_str_eq(gcs_snapshot_name(pair.received, KIT_LIST, 899), name);
	for (uint32_t i = 900; i < 2000; i++)
		gcs_snapshot_set_name(s, KIT_LIST, i, name);
	show(s);
	cr_assert_eq(gcs_snapshot_tiles(pair.received, KIT_LIST), 2000);
	cr_assert_str_eq(gcs_snapshot_name(pair.received, KIT_LIST, 0), "");
	gcs_snapshot_unref(s);
}

PastTest(no_memory_leaves_no_harm)
{
	for (size_t allowed = 0; allowed < 2000; allowed++) {
		renew();
		struct gcs_snapshot *s = kit_snapshot(model);
		kit_fail_after(allowed);
		greet();
		session_model(&pair.session, model);
		session_snapshot(&pair.session, s, 0);
		pair_flow(&pair);
		bool failed = kit_has_failed();
		kit_fail_after(SIZE_MAX);
		bool whole = pair.snapshots == 1 && pair.session.out.status == GCS_OK;
		gcs_snapshot_unref(s);
		if (!failed) {
			cr_assert(whole);
			return;
		}
	}
	cr_assert_fail("some allocation always failed");
}
