/* Call sites of recordings (F23): what is live at the end, and what grew between two profiles. */
#include "kit_stats.h"
#include "made_profiles.h"

#define StatsTest(name) Test(stats_sites, name, .init = setup, .fini = teardown)

StatsTest(call_sites_that_grow)
{
	const struct kit_gc_site first[] = {{"A", "a", 1000}, {"B", "b", 9000}};
	const struct kit_gc_site last[] = {{"A", "a", 7000}, {"C", "c", 500}};
	gcs_stats_add_profile(builder, kit_gc_profile(GCS_PROFILE_LIVE, 10, 1e6, 2, first));
	gcs_stats_add_profile(builder, kit_gc_profile(GCS_PROFILE_LIVE, 40, 2e6, 1, last));
	gcs_stats_add_profile(builder, kit_gc_profile(GCS_PROFILE_RECENT, 50, 3e6, 1, last));
	gcs_stats_add_profile(builder, kit_gc_profile(GCS_PROFILE_LIVE, 70, 4e6, 2, last));
	gcs_stats_count_profiles(builder, 5);
	finish();
	cr_assert_eq(stats->profiles, 9);
	absent(&stats->no_allocated, "no profile of allocation");
	cr_assert_null(stats->allocated);
	cr_assert_eq(gcs_sites_count(stats->live), 2);
	near(stats->growth_seconds, 60);
	cr_assert_eq(gcs_comparison_count(stats->growth), 3);
	cr_assert_str_eq(gcs_comparison_at(stats->growth, 0)->after->class_name, "A");
	near(gcs_comparison_at(stats->growth, 0)->bytes, 6000);
	near(gcs_comparison_at(stats->growth, 2)->bytes, -9000);
	near(stats->sampled.per_second, 50000);
	near(stats->sampled.seconds, 60);
}

static void sampled(int64_t since_s, int64_t wall_s, double bytes)
{
	const struct gcs_profile_head head = {.kind = GCS_PROFILE_RECENT,
	    .server = "",
	    .as_of = "",
	    .since_wall_ns = since_s * 1000000000,
	    .wall_ns = wall_s * 1000000000,
	    .allocated_bytes = bytes};
	gcs_stats_add_profile(builder, gcs_profile_create(&head));
}

StatsTest(sampling_that_began_again_counts_from_there)
{
	sampled(1, 10, 5000);
	sampled(1, 20, 9000);
	sampled(100, 110, 1000);
	sampled(100, 130, 7000);
	finish();
	near(stats->sampled.bytes, 6000);
	near(stats->sampled.per_second, 300);
}

/* Of a sample now and then nothing is known where there was none; of all of them, that there was nothing. */
StatsTest(no_allocation_is_an_exact_nothing_where_each_is_sampled)
{
	for (uint64_t interval = 1; interval < 3; interval++) {
		builder = builder == NULL ? gcs_stats_begin() : builder;
		for (int i = 0; i < 2; i++) {
			const struct gcs_profile_head head = {.kind = GCS_PROFILE_RECENT,
			    .server = "",
			    .as_of = "",
			    .wall_ns = (i + 1) * INT64_C(10000000000),
			    .explicit_free = true,
			    .interval = interval,
			    .samples = 100,
			    .allocated_bytes = 5e6};
			gcs_stats_add_profile(builder, gcs_profile_create(&head));
		}
		finish();
		if (interval == 1) {
			cr_assert_str_eq(stats->sampled.why.text, "");
			near(stats->sampled.per_second, 0);
			near(stats->sampled.error, 0);
			near(stats->sampled.seconds, 10);
			gcs_stats_free(stats);
			stats = NULL;
		} else {
			absent(&stats->sampled.why, "no allocation was sampled between");
		}
	}
}

StatsTest(one_profile_says_nothing_of_growth)
{
	const struct kit_gc_site sites[] = {{"A", "a", 1000}};
	gcs_stats_add_profile(builder, kit_gc_profile(GCS_PROFILE_LIVE, 10, 1e6, 1, sites));
	finish();
	cr_assert_eq(gcs_sites_count(stats->live), 1);
	absent(&stats->no_growth, "only one profile");
	absent(&stats->sampled.why, "no two profiles");
}

/* The kinds of one moment are milliseconds apart: that is no time to divide by. */
StatsTest(one_moment_counts_from_the_beginning_of_sampling)
{
	collect(1000, "Young", "", 1000, 2 * MIB, MIB);
	finish();
	const int64_t begin = stats->first_wall_ns;
	for (int late = 0; late < 2; late++) {
		gcs_stats_free(stats);
		builder = gcs_stats_begin();
		collect(1000, "Young", "", 1000, 2 * MIB, MIB);
		for (int i = 0; i < 4; i++) {
			const struct gcs_profile_head head = {.kind = GCS_PROFILE_RECENT,
			    .server = "",
			    .as_of = "",
			    .since_wall_ns = begin - (late == 0 ? 0 : INT64_C(60000000000)),
			    .wall_ns = begin + INT64_C(20000000000) + i * 400000,
			    .interval = 1000,
			    .samples = 100,
			    .allocated_bytes = 5e6};
			gcs_stats_add_profile(builder, gcs_profile_create(&head));
		}
		finish();
		if (late == 0)
			cr_assert_float_eq(stats->sampled.per_second, 250000, 100);
		else
			absent(&stats->sampled.why, "one moment");
	}
}

/* A file may claim any time: no difference of two leaves the range of a number. */
StatsTest(times_may_be_anything)
{
	static const int64_t claims[] = {INT64_MIN, INT64_MAX};
	for (int i = 0; i < 4; i++) {
		if (builder == NULL)
			builder = gcs_stats_begin();
		struct gcs_snapshot *s =
		    kit_gc_finish(&gc, &(struct kit_gc_pause){.finish_ms = 1000, .kind = "Young"});
		struct gcs_occurrence o = *gcs_snapshot_occurrence(s);
		o.wall_ns = claims[i % 2];
		gcs_snapshot_set_occurrence(s, &o);
		kit_gc_give(&gc, s);
		const struct gcs_profile_head head = {.kind = GCS_PROFILE_RECENT,
		    .server = "",
		    .as_of = "",
		    .since_wall_ns = claims[i / 2],
		    .wall_ns = claims[i / 2],
		    .interval = 1000,
		    .samples = 100,
		    .allocated_bytes = 5e6};
		gcs_stats_add_profile(builder, gcs_profile_create(&head));
		finish();
		absent(&stats->sampled.why, "no two profiles");
		gcs_stats_free(stats);
		stats = NULL;
	}
}

/* What one line has allocated since sampling began, at another time. */
static void add_allocated(int64_t wall_s, int64_t since_s, const char *method, uint64_t samples)
{
	const int64_t begin = 1767323045; /* kit_gc's clock */
	struct gcs_profile *p =
	    gcs_profile_create(&(struct gcs_profile_head){.kind = GCS_PROFILE_ALLOCATED,
		.server = "",
		.as_of = "",
		.judged.kind = "",
		.judged_old.kind = "",
		.wall_ns = (begin + wall_s) * 1000000000,
		.since_wall_ns = (begin + since_s) * 1000000000,
		.interval = 1000});
	const char *const methods[] = {"before", method};
	for (uint32_t i = 0; i < 2; i++) {
		const struct gcs_profile_entry e = {
		    .stack = profiles_call(p, GCS_NONE, "App", methods[i], 1),
		    .class_name = gcs_profile_add_name(p, "byte[]"),
		    .thread = gcs_profile_add_name(p, "main"),
		    .samples = i == 0 ? 100 : samples,
		    .bytes = i == 0 ? 100000 : 1000.0 * (double)samples,
		    .objects = 1};
		cr_assert(gcs_profile_add_entry(p, &e));
	}
	gcs_stats_add_profile(builder, p);
}

static void is_most(const char *method, double bytes)
{
	cr_assert_str_eq(stats->no_allocated_since.text, "");
	const struct gcs_site *most = gcs_sites_at(stats->allocated_since, 0);
	uint32_t stack = most->stack;
	cr_assert_str_eq(gcs_sites_caller(stats->allocated_since, &stack)->method, method);
	cr_assert_float_eq(most->bytes, bytes, 0.5);
}

/* The largest total says little of the time that is observed. */
StatsTest(what_was_allocated_meanwhile)
{
	collect(100000, "Young", "", 1000, 2 * MIB, MIB);
	add_allocated(100, 0, "now", 3);
	add_allocated(110, 0, "now", 5);
	add_allocated(120, 0, "now", 10);
	finish();
	is_most("now", 7000);
	cr_assert_eq(gcs_sites_count(stats->allocated_since), 1);
	cr_assert_eq(gcs_sites_count(stats->allocated), 2);
}

/* It counts from 0 again. */
StatsTest(what_was_allocated_since_sampling_was_turned_on_again)
{
	collect(100000, "Young", "", 1000, 2 * MIB, MIB);
	add_allocated(100, 0, "now", 300);
	add_allocated(120, 110, "now", 10);
	finish();
	is_most("before", 100000);
}

StatsTest(what_was_allocated_of_one_profile)
{
	collect(100000, "Young", "", 1000, 2 * MIB, MIB);
	add_allocated(120, 0, "now", 300);
	finish();
	absent(&stats->no_allocated_since, "one profile");
	cr_assert_null(stats->allocated_since);
	cr_assert_not_null(stats->allocated);
	gcs_stats_free(stats);
	builder = gcs_stats_begin();
	collect(101000, "Young", "", 1000, 2 * MIB, MIB);
	add_allocated(120, 110, "now", 300);
	finish();
	is_most("now", 300000);
	gcs_stats_free(stats);
	builder = gcs_stats_begin();
	collect(102000, "Young", "", 1000, 2 * MIB, MIB);
	add_allocated(120, 0, "now", 300);
	add_allocated(130, 0, "now", 300);
	finish();
	absent(&stats->no_allocated_since, "no allocation was sampled");
}
