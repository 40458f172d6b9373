/* All survivors with their growth and why they are suspected or not (S8, F23). */
#include "kit_stats.h"

enum { TIMES = 12 };

static double site_bytes(int second, int site)
{
	return site == 0 ? 2.0 * second : site == 1 ? (second < 6 ? second : 6) + 1 : 9;
}

/* Each second a collection, and a profile of three sites: one leaks, one has stopped, one is steady. */
static void survive(enum gcs_sites_by by, double heap_growth)
{
	gcs_stats_list_survivors(builder, by);
	for (int i = 1; i <= TIMES; i++) {
		const int64_t after = (int64_t)((10 + heap_growth * i) * MIB);
		kit_gc_give(
		    &gc, kit_gc_finish(&gc, &(struct kit_gc_pause){.finish_ms = (uint64_t)i * 1000,
						.kind = "Full",
						.cause = "Test",
						.pause_ns = 1000000 * (i % 3 + 1),
						.before = after + 4 * MIB,
						.after = after,
						.committed = 64 * MIB}));
		const struct kit_gc_site sites[] = {{"byte[]", "visit", site_bytes(i, 0) * MIB},
		    {"char[]", "render", site_bytes(i, 1) * MIB},
		    {"int[]", "cache", site_bytes(i, 2) * MIB}};
		gcs_stats_add_profile(
		    builder, kit_gc_profile(GCS_PROFILE_LIVE, i, i * 5e6, 3, sites));
	}
	finish();
}

static const struct gcs_survivor *of_class(const char *name)
{
	for (uint32_t i = 0; i < stats->survivor_count; i++)
		if (strcmp(stats->survivor_list[i].site->class_name, name) == 0)
			return &stats->survivor_list[i];
	cr_assert(false, "%s", name);
	return NULL;
}

Test(survivors, all_are_listed_with_their_verdicts, .init = setup, .fini = teardown)
{
	survive(GCS_SITES_BY_SITE, 2.5);
	cr_assert_eq(stats->survivor_count, 3);
	cr_assert_eq(stats->survivor_list[0].site, of_class("byte[]")->site, "the fastest first");
	cr_assert_eq(of_class("byte[]")->verdict, GCS_VERDICT_GROWS);
	cr_assert_float_eq(of_class("byte[]")->per_second, 2.0 * MIB, 0.3 * MIB);
	cr_assert_gt(of_class("byte[]")->error, 0);
	cr_assert_eq(of_class("char[]")->verdict, GCS_VERDICT_STOPPED);
	cr_assert_eq(of_class("int[]")->verdict, GCS_VERDICT_UNCERTAIN);
	cr_assert_eq(stats->suspect_count, 1);
}

Test(survivors, each_profile_is_a_point, .init = setup, .fini = teardown)
{
	survive(GCS_SITES_BY_CLASS, 2.5);
	const struct gcs_survivor *s = of_class("byte[]");
	cr_assert_eq(stats->judged_profiles, TIMES);
	for (uint32_t i = 0; i < TIMES; i++) {
		cr_assert_float_eq(
		    gcs_survivor_bytes(stats, s, i), 2.0 * (i + 1) * MIB, 0.6 * MIB, "%u", i);
		cr_assert(
		    i == 0 || gcs_judged_seconds(stats, i) > gcs_judged_seconds(stats, i - 1));
	}
	cr_assert(isnan(gcs_survivor_bytes(stats, s, TIMES)));
}

/* Growth that another takes back: nobody is suspected, and the growth is still told. */
Test(survivors, a_steady_heap_has_no_suspects, .init = setup, .fini = teardown)
{
	survive(GCS_SITES_BY_FRAME, 0);
	cr_assert_eq(stats->suspect_count, 0);
	cr_assert_eq(stats->survivor_count, 3);
	for (uint32_t i = 0; i < 3; i++)
		cr_assert_eq(stats->survivor_list[i].verdict, GCS_VERDICT_STEADY);
	cr_assert_gt(of_class("byte[]")->per_second, 1.0 * MIB);
}

Test(survivors, are_not_listed_unless_asked_for, .init = setup, .fini = teardown)
{
	kit_gc_give(&gc, kit_gc_finish(&gc, &(struct kit_gc_pause){.finish_ms = 1000,
						.kind = "Full",
						.cause = "Test",
						.pause_ns = 5,
						.before = 2,
						.after = 1,
						.committed = 3}));
	finish();
	cr_assert_eq(stats->survivor_count, 0);
	cr_assert_null(stats->survivor_list);
}

Test(survivors, pauses_are_sorted, .init = setup, .fini = teardown)
{
	survive(GCS_SITES_BY_FRAME, 1);
	cr_assert_eq(stats->pauses.count, TIMES);
	for (uint64_t i = 1; i < stats->pauses.count; i++)
		cr_assert_leq(stats->sorted_pauses_ns[i - 1], stats->sorted_pauses_ns[i]);
	cr_assert_eq(stats->sorted_pauses_ns[TIMES - 1], stats->pauses.max_ns);
}
