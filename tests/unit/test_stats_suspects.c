/* Suspects (F23): a leak is named first; what is healthy names nothing, however it looks. */
#include "kit_stats.h"

#include <gcspy/plugin.h>

#include "chain_tree.h"

enum { SECONDS = 16 };

#define SuspectTest(name) Test(suspects, name, .init = setup, .fini = teardown)

/* Each second a collection, which leaves so many MiB, and what survived it at three sites. */
static void run(
    double (*heap)(int second), double (*bytes)(int second, int site), int profile_every)
{
	for (int i = 1; i <= SECONDS; i++) {
		const double after = heap(i) * MIB;
		kit_gc_give(
		    &gc, kit_gc_finish(&gc, &(struct kit_gc_pause){.finish_ms = (uint64_t)i * 1000,
						.kind = "Full",
						.cause = "Test",
						.pause_ns = 1000000,
						.before = (int64_t)after + 4 * MIB,
						.after = (int64_t)after,
						.committed = 64 * MIB}));
		const struct kit_gc_site sites[] = {{"byte[]", "visit", bytes(i, 0) * MIB},
		    {"char[]", "render", bytes(i, 1) * MIB}, {"int[]", "cache", bytes(i, 2) * MIB}};
		if (i % profile_every == 0)
			gcs_stats_add_profile(
			    builder, kit_gc_profile(GCS_PROFILE_LIVE, i, i * 5e6, 3, sites));
	}
	finish();
}

/* Scatter that does not grow. */
static double noise(int second)
{
	static const double of[] = {0.3, -0.2, 0.1, -0.4, 0.2, 0.4, -0.1, -0.3};
	return of[second % 8];
}

static double leaking_heap(int second)
{
	return 3 + 1.5 * second + noise(second);
}

static double leaking(int second, int site)
{
	return site == 0   ? 1.2 * second + noise(second)
	       : site == 1 ? 0.25 * second + 1
			   : 8 + noise(second + 3);
}

SuspectTest(a_leak_is_named_first)
{
	run(leaking_heap, leaking, 1);
	cr_assert_str_eq(stats->no_suspects.text, "");
	cr_assert(gcs_stats_heap_grows(stats));
	cr_assert_eq(stats->suspect_count, 2, "the third one, which is the largest, is steady");
	const struct gcs_suspect *s = &stats->suspects[0];
	uint32_t stack = s->site->stack;
	cr_assert_str_eq(gcs_sites_caller(stats->survivors, &stack)->method, "visit");
	cr_assert_str_eq(s->site->class_name, "byte[]");
	cr_assert(fabs(s->per_second - 1.2 * MIB) < 3 * s->error, "%g", s->per_second / MIB);
	cr_assert_float_eq(s->share, 0.8, 0.1);
	cr_assert_eq(stats->judged_profiles, SECONDS);
}

/* Two sites grow, each faster than the heap, as a third one shrinks. */
static double exchange(int second, int site)
{
	return site == 0   ? 1.6 * second + noise(second)
	       : site == 1 ? 2.0 * second + noise(second + 2)
			   : 40 - 2.1 * second;
}

SuspectTest(shares_do_not_exceed_the_whole)
{
	run(leaking_heap, exchange, 1);
	cr_assert(gcs_stats_heap_grows(stats));
	cr_assert_eq(stats->suspect_count, 2);
	double sum = 0;
	for (uint32_t i = 0; i < stats->suspect_count; i++)
		sum += stats->suspects[i].share;
	cr_assert_float_eq(sum, 1, 1e-9);
	cr_assert_float_eq(stats->suspects[0].share, 2.0 / 3.6, 0.05);
}

/* Below a tenth of what the heap grows by. */
static double small(int second, int site)
{
	return site == 0 ? 0.1 * second : 5 + noise(second + site);
}

SuspectTest(a_small_part_of_the_growth_is_none)
{
	run(leaking_heap, small, 1);
	cr_assert_str_eq(stats->no_suspects.text, "");
	cr_assert_eq(stats->suspect_count, 0);
}

static double steady_heap(int second)
{
	return 20 + noise(second);
}

/* One site takes the place of another. */
static double turning(int second, int site)
{
	return site == 0 ? 0.5 * second : site == 1 ? 10 - 0.5 * second : 3 + noise(second);
}

SuspectTest(without_growth_of_the_heap_there_are_none)
{
	run(steady_heap, turning, 1);
	cr_assert_not(gcs_stats_heap_grows(stats));
	cr_assert_eq(stats->suspect_count, 0);
	cr_assert_str_eq(stats->no_suspects.text, "");
}

/* A leak of a third of a MiB a second among what differs by tens from one collection to the next. */
static double uncertain_heap(int second)
{
	return 20 + second / 3.0 + 40 * noise(second);
}

SuspectTest(growth_within_its_error_is_not_called_none)
{
	run(uncertain_heap, turning, 1);
	cr_assert_not(gcs_stats_heap_grows(stats));
	cr_assert_not(gcs_stats_heap_is_steady(stats));
	cr_assert_eq(stats->suspect_count, 0);
	cr_assert_not_null(strstr(stats->no_suspects.text, "cannot be told"));
}

/* A cache that fills in the first half. */
static double filling_heap(int second)
{
	return 4 + (second < 7 ? 2.0 * second : 14) + noise(second);
}

static double filling(int second, int site)
{
	return site == 0 ? (second < 7 ? 2.0 * second : 14) + noise(second) : 2;
}

SuspectTest(what_has_stopped_growing_is_none)
{
	run(filling_heap, filling, 1);
	cr_assert_eq(stats->suspect_count, 0);
}

/* Ever more young collections between two that judge old objects, each of which promotes garbage. */
static void run_cycles(double kept_by_each)
{
	uint64_t at = 0;
	for (int cycle = 0; cycle < 12; cycle++) {
		const double kept = 8 + cycle * kept_by_each;
		for (int i = 0; i <= cycle; i++)
			collect(at += 500, "Young", "", 1000, 90 * MIB,
			    (int64_t)((kept + 2 + 3.0 * i) * MIB));
		collect(at += 500, "Remark", "", 1000, 90 * MIB, (int64_t)(kept * MIB));
	}
	finish();
}

SuspectTest(garbage_between_collections_of_old_objects_is_no_growth)
{
	run_cycles(0);
	const struct gcs_stats_series *young = &stats->heap_after.series;
	cr_assert_gt(young->trend_per_hour, 3 * young->trend_error, "it looks like growth");
	cr_assert_not(gcs_stats_heap_grows(stats));
	cr_assert(gcs_stats_heap_is_steady(stats));
	cr_assert_float_eq(stats->heap_growth.series.max, 8.0 * MIB, 1);
}

SuspectTest(what_collections_of_old_objects_leave_may_grow)
{
	run_cycles(1);
	cr_assert(gcs_stats_heap_grows(stats));
	cr_assert_float_eq(stats->heap_growth.series.max, 18.0 * MIB, 1);
}

SuspectTest(what_young_collections_leave_may_be_garbage)
{
	for (uint64_t i = 1; i <= SECONDS; i++)
		collect(i * 1000, "Young", "", 1000, 90 * MIB, (int64_t)(8 + 2 * i) * MIB);
	finish();
	cr_assert_eq(stats->left_is, GCS_LEFT_YOUNG);
	cr_assert_not(gcs_stats_heap_grows(stats));
	cr_assert_not_null(strstr(stats->heap_growth.why.text, "120 MiB more a minute"), "%s",
	    stats->heap_growth.why.text);
}

/* Nothing is promoted: then nothing grows. */
SuspectTest(what_young_collections_leave_may_be_steady)
{
	for (uint64_t i = 1; i <= SECONDS; i++)
		collect(i * 1000, "Young", "", 1000, 90 * MIB, 8 * MIB);
	finish();
	cr_assert(gcs_stats_heap_is_steady(stats));
	cr_assert_not(gcs_stats_heap_grows(stats));
}

/* A line through four seconds that would make a quarter in a minute. */
SuspectTest(fast_growth_in_a_short_time_is_not_steady)
{
	for (uint64_t i = 0; i < 5; i++)
		collect((i + 1) * 1000, "Full", "", 1000, 1200 * MIB, (int64_t)(900 + 5 * i) * MIB);
	finish();
	cr_assert_not(gcs_stats_heap_grows(stats), "two per cent are no growth to name");
	cr_assert_not(gcs_stats_heap_is_steady(stats));
}

/* Garbage that nobody collects: the heap grows, and what grows is new. */
SuspectTest(new_objects_are_none)
{
	for (int i = 1; i <= SECONDS; i++) {
		const struct gcs_profile_head head = {.kind = GCS_PROFILE_LIVE,
		    .server = "",
		    .as_of = "",
		    .judged = {(uint64_t)i, i * INT64_C(1000000000), "Young"},
		    .judged_old = {(uint64_t)i, i * INT64_C(1000000000), "Full"},
		    .interval = 1024};
		struct gcs_profile *p = gcs_profile_create(&head);
		const uint32_t name = gcs_profile_add_name(p, "byte[]");
		const struct gcs_profile_entry e = {.stack = GCS_NONE,
		    .class_name = name,
		    .thread = name,
		    .samples = 1,
		    .bytes = i * 2.0 * MIB,
		    .objects = 1};
		cr_assert(gcs_profile_add_entry(p, &e));
		gcs_stats_add_profile(builder, p);
		kit_gc_give(
		    &gc, kit_gc_finish(&gc, &(struct kit_gc_pause){.finish_ms = (uint64_t)i * 1000,
						.kind = "Full",
						.cause = "",
						.pause_ns = 1,
						.before = 80 * MIB,
						.after = i * 2 * MIB,
						.committed = 99 * MIB}));
	}
	finish();
	cr_assert_eq(stats->suspect_count, 0);
}

SuspectTest(two_profiles_do_not_tell)
{
	run(leaking_heap, leaking, 8);
	cr_assert_not_null(strstr(stats->no_suspects.text, "it takes 3 profiles"));
	cr_assert_not_null(strstr(stats->no_suspects.text, "2 were recorded"));
	cr_assert_eq(stats->suspect_count, 0);
	cr_assert_not_null(stats->growth, "two have survivors that can be compared");
}

/* Those that no collection has judged come before the first one. */
SuspectTest(growth_begins_with_a_judged_profile)
{
	static const struct kit_gc_site few = {"byte[]", "visit", 1000},
					more = {"byte[]", "visit", 5000};
	gcs_stats_add_profile(builder, kit_gc_profile(GCS_PROFILE_LIVE, 0, 0, 1, &more));
	gcs_stats_add_profile(builder, kit_gc_profile(GCS_PROFILE_LIVE, 10, 1e6, 1, &few));
	gcs_stats_add_profile(builder, kit_gc_profile(GCS_PROFILE_LIVE, 20, 2e6, 1, &more));
	finish();
	cr_assert_float_eq(gcs_comparison_total(stats->growth)->bytes, 4000, 1e-6);
	cr_assert_float_eq(stats->growth_seconds, 10, 1e-6);
}

SuspectTest(unjudged_profiles_have_no_growth)
{
	static const struct kit_gc_site few = {"byte[]", "visit", 1000};
	for (int i = 0; i < 3; i++)
		gcs_stats_add_profile(builder, kit_gc_profile(GCS_PROFILE_LIVE, 0, 0, 1, &few));
	finish();
	cr_assert_null(stats->growth);
	cr_assert_not_null(strstr(stats->no_growth.text, "no collection has judged"));
}

/* More profiles than are kept: the first ones and the newest are. */
/* The answer of a search in which each call site has the holder that its number names. */
static void add_holders(bool of_sites)
{
	const struct kit_gc_site sites[] = {{"byte[]", "visit", MIB}, {"char[]", "render", MIB}};
	struct gcs_profile *p = kit_gc_profile(GCS_PROFILE_LIVE, 1, 5e6, 2, sites);
	uint64_t numbers[2];
	struct chain_tree *t = chain_tree_create(false);
	void *bytes;
	size_t length;
	cr_assert(gcs_profile_site_numbers(p, false, numbers));
	for (int i = 0; of_sites && i < 2; i++) {
		char site[40];
		chain_site_text(numbers[i], site, sizeof site);
		const struct chain_step steps[] = {{CHAIN_TEXT, site, NULL, 1},
		    {CHAIN_STATIC, i == 0 ? "Shop" : "Page", "ALL", 1},
		    {CHAIN_TEXT, sites[i].class_name, NULL, 1}};
		cr_assert(chain_tree_add(t, steps, 3, 10, MIB));
	}
	cr_assert_eq(chain_tree_encode(t, "too long a pause", &bytes, &length, NULL), GCS_OK);
	gcs_stats_add_paths(builder, bytes, length);
	gcs_stats_add_paths(builder, "no table", 8);
	gcs_plugin_free(bytes);
	chain_tree_destroy(t);
	gcs_profile_free(p);
}

SuspectTest(what_holds_them_is_named)
{
	add_holders(true);
	run(leaking_heap, leaking, 1);
	cr_assert_eq(stats->suspect_count, 2);
	cr_assert_str_eq(stats->suspects[0].held_by, "100 %: static Shop.ALL");
	cr_assert_str_eq(stats->suspects[1].held_by, "100 %: static Page.ALL");
}

SuspectTest(a_search_that_was_not_made)
{
	add_holders(false);
	run(leaking_heap, leaking, 1);
	cr_assert_str_eq(stats->suspects[0].held_by, "not known: too long a pause");
}

SuspectTest(without_a_search)
{
	run(leaking_heap, leaking, 1);
	cr_assert_str_eq(stats->suspects[0].held_by, "");
}

SuspectTest(memory_is_bounded)
{
	for (int i = 1; i <= 200; i++) {
		const struct kit_gc_site site = {"byte[]", "visit", i * 1.0 * MIB};
		gcs_stats_add_profile(
		    builder, kit_gc_profile(GCS_PROFILE_LIVE, i, i * 5e6, 1, &site));
	}
	const size_t before = kit_live_bytes();
	for (int i = 201; i <= 400; i++) {
		const struct kit_gc_site site = {"byte[]", "visit", i * 1.0 * MIB};
		gcs_stats_add_profile(
		    builder, kit_gc_profile(GCS_PROFILE_LIVE, i, i * 5e6, 1, &site));
	}
	cr_assert_leq(kit_live_bytes(), before + 4096);
	finish();
	cr_assert_not_null(strstr(stats->no_suspects.text, "too few"));
}
