/* Figures of recordings (F23): snapshots made by hand, with answers known beforehand. */
#include <stdio.h>

#include "kit_profile.h"
#include "kit_stats.h"
#include "kit_trace.h"

enum { KIB = 1024 };

#define StatsTest(name) Test(stats, name, .init = setup, .fini = teardown)

StatsTest(pauses_by_kind_and_cause_with_exact_percentiles)
{
	/* 1 to 200 in an order that is none, and three of another kind and cause. */
	for (int64_t i = 0; i < 200; i++)
		collect((uint64_t)i * 10 + 10, "Young", "Allocation Failure",
		    (i * 77 % 200 + 1) * 100, MIB, MIB);
	for (int64_t i = 0; i < 3; i++)
		collect(2010 + (uint64_t)i, "Full", "System.gc()", 1000000 + i, MIB, MIB);
	finish();
	cr_assert_str_eq(stats->no_pauses.text, "");
	cr_assert_eq(stats->kind_count, 2);
	cr_assert_eq(stats->cause_count, 2);
	const struct gcs_stats_pauses *young = &stats->kinds[1], *full = &stats->kinds[0];
	cr_assert_str_eq(young->name, "Young");
	cr_assert_str_eq(full->name, "Full", "the largest total first");
	cr_assert_eq(young->count, 200);
	cr_assert_eq(young->total_ns, 100 * 200 * 201 / 2);
	near(young->mean_ns, 10050);
	cr_assert_eq(young->min_ns, 100);
	cr_assert_eq(young->median_ns, 10000);
	cr_assert_eq(young->p90_ns, 18000);
	cr_assert_eq(young->p99_ns, 19800);
	cr_assert_eq(young->max_ns, 20000);
	/* 77 * i = 199 modulo 200 at i = 187, whose place that is. */
	cr_assert_eq(young->max_place, 187);
	cr_assert_eq(full->median_ns, 1000001);
	cr_assert_eq(full->p90_ns, 1000002);
	cr_assert_eq(full->max_place, 202);
	cr_assert_str_eq(stats->causes[0].name, "System.gc()");
	cr_assert_eq(stats->causes[1].p99_ns, 19800);
	cr_assert_eq(stats->pauses.count, 203);
	/* The first event is the end of a pause of 100 ns, which was observed too. */
	cr_assert_eq(stats->wall_ns, 2002000000u + 100);
	near(stats->pauses.share, (double)stats->pauses.total_ns / 2002000100.0);
	cr_assert_eq(stats->events[KIT_GC_FINISH].recorded, 203);
	cr_assert_eq(stats->events[KIT_GC_FINISH].unseen, 0);
}

/* Figures of as many causes, with that many allocations. */
static struct gcs_stats *of_causes(unsigned causes, size_t allowed)
{
	static uint64_t time_ms;
	gcs_stats_drop(builder);
	builder = gcs_stats_begin();
	for (unsigned i = 0; i < causes; i++) {
		char cause[24];
		snprintf(cause, sizeof cause, "Cause %u", i);
		collect(time_ms += 10, "Young", cause, 5 + i, MIB, MIB);
	}
	kit_fail_after(allowed);
	struct gcs_stats *made = gcs_stats_finish(builder);
	builder = NULL;
	const bool failed = kit_has_failed();
	kit_fail_after(SIZE_MAX);
	cr_assert_eq(made == NULL, failed, "%u causes, %zu allocations", causes, allowed);
	return made;
}

/* All figures or none: whichever allocation fails, and however full a block of memory is. */
StatsTest(without_memory_there_are_no_figures)
{
	for (unsigned causes = 10; causes <= 250; causes += 10) {
		struct gcs_stats *made = NULL;
		for (size_t allowed = 0; made == NULL; allowed++)
			made = of_causes(causes, allowed);
		cr_assert_eq(made->cause_count, causes);
		cr_assert_eq(made->causes[0].max_ns, 5 + causes - 1);
		gcs_stats_free(made);
	}
}

StatsTest(one_pause_is_all_percentiles)
{
	collect(10, NULL, "", 5, MIB, MIB);
	finish();
	cr_assert_eq(stats->pauses.median_ns, 5);
	cr_assert_eq(stats->pauses.p99_ns, 5);
	cr_assert_str_eq(stats->kinds[0].name, "(unknown)");
	cr_assert_str_eq(stats->causes[0].name, "(unknown)");
}

/* Its beginning may have the cause, its end not; only of an end right after it. */
StatsTest(a_cause_at_the_beginning_is_the_pauses)
{
	static const uint64_t more[] = {0, 1};
	for (unsigned i = 0; i < 2; i++) {
		struct gcs_snapshot *s = kit_gc_event(&gc, KIT_GC_START, 1000 * (i + 1));
		gcs_snapshot_set_text(s, 0, "space is used up");
		kit_gc_give(&gc, s);
		give(NULL, gc.last, 1); /* again, more completely */
		kit_gc_miss(&gc, KIT_GC_CLOCK, more[i]);
		collect(1000 * (i + 1) + 5, "Young", "", 5 + i, MIB, MIB);
	}
	collect(9000, "Young", "its own", 9, MIB, MIB);
	finish();
	cr_assert_eq(stats->cause_count, 3);
	cr_assert_str_eq(stats->causes[0].name, "its own");
	cr_assert_str_eq(stats->causes[1].name, "(unknown)");
	cr_assert_str_eq(stats->causes[2].name, "space is used up");
	cr_assert_eq(stats->causes[2].total_ns, 5);
	cr_assert_str_eq(stats->longest[2].cause, "space is used up");
}

StatsTest(kinds_over_the_limit_are_put_together)
{
	char cause[16];
	for (unsigned i = 0; i < 300; i++) {
		snprintf(cause, sizeof cause, "cause %u", i);
		collect(i, "Young", cause, 1000 - i, MIB, MIB);
	}
	finish();
	cr_assert_eq(stats->cause_count, 256);
	uint64_t count = 0;
	for (uint32_t i = 0; i < stats->cause_count; i++)
		count += stats->causes[i].count;
	cr_assert_eq(count, 300);
	cr_assert_str_eq(stats->causes[0].name, "(others)");
	cr_assert_eq(stats->causes[0].count, 45);
}

StatsTest(heap_after_collections_and_its_trend)
{
	/* 1 MiB more in each second: 3,600 MiB in an hour, without error. */
	for (int i = 0; i < 10; i++) {
		collect((uint64_t)i * 1000, "Young", "", 1000, 20 * MIB, (i + 1) * (int64_t)MIB);
		collect((uint64_t)i * 1000 + 1, "Remark", "", 1000, 20 * MIB, 20 * MIB);
	}
	finish();
	const struct gcs_stats_series *s = &stats->heap_after.series;
	cr_assert_eq(s->count, 10, "a remark is no collection");
	near(s->min, MIB);
	near(s->mean, 5.5 * MIB);
	near(s->max, 10 * MIB);
	near(s->first, MIB);
	near(s->last, 10 * MIB);
	cr_assert_eq(s->min_place, 0);
	cr_assert_eq(s->max_place, 18);
	cr_assert(s->has_trend);
	near(s->trend_per_hour, 3600.0 * MIB);
	near(s->trend_error, 0);
	cr_assert_eq(stats->heap_used.series.count, 20);
}

StatsTest(trend_has_its_standard_error)
{
	/* y = 0, 3, 0 at 0, 1, 2 s: slope 0, residuals -1, 2, -1, so s2 = 6, and its root / 2. */
	for (int i = 0; i < 3; i++)
		collect((uint64_t)i * 1000, "Full", "", 1, MIB, i == 1 ? 3 : 0);
	finish();
	near(stats->heap_after.series.trend_per_hour, 0);
	near(stats->heap_after.series.trend_error, 3600 * sqrt(3));
}

StatsTest(two_values_have_a_trend_without_error_and_one_has_none)
{
	collect(0, "Full", "", 1, MIB, 100);
	collect(2000, "Full", "", 1, MIB, 300);
	gcs_stats_add_profile(builder, NULL);
	finish();
	near(stats->heap_after.series.trend_per_hour, 360000);
	cr_assert_lt(stats->heap_after.series.trend_error, 0);
	gcs_stats_free(stats);
	builder = gcs_stats_begin();
	collect(3000, "Full", "", 1, MIB, 100);
	finish();
	cr_assert_not(stats->heap_after.series.has_trend);
}

static const int before[KIT_GC_TILES] = {512, 1024, 1024, 0, 0, 0, 1024, 0};

static void regions_at(uint64_t time_ms, const char *types, const int *used)
{
	struct gcs_snapshot *s = kit_gc_event(&gc, KIT_GC_CLOCK, time_ms);
	kit_gc_regions(s, types, used);
	kit_gc_give(&gc, s);
}

StatsTest(fragmentation_is_free_memory_outside_the_longest_free_run)
{
	/* Free: half of 0, runs of 3 and 1. */
	regions_at(1, "OEEFFFEF", before);
	finish();
	cr_assert_str_eq(stats->fragmentation_space, "Regions");
	near(stats->fragmentation.series.last, (0.5 + 1) / 4.5);
	gcs_stats_free(stats);
	builder = gcs_stats_begin();
	static const int none[KIT_GC_TILES] = {0}, fifth[KIT_GC_TILES] = {[4] = 1024};
	regions_at(2, "FFFFFFFF", none);
	regions_at(3, "F--FFF--", none);
	regions_at(4, "FFFFOFFF", fifth);
	finish();
	near(stats->fragmentation.series.min, 0);
	near(stats->fragmentation.series.max, 3.0 / 7);
	cr_assert_eq(stats->fragmentation.series.max_place, 3);
	gcs_stats_free(stats);
	builder = gcs_stats_begin();
	regions_at(5, "FFFFFfFF", none);
	finish();
	near(stats->fragmentation.series.last, 3.0 / 8);
}

StatsTest(a_c_heap_has_no_fragmentation_of_tiles)
{
	static const struct gcs_event events[] = {{.name = "malloc"}, {.name = "free"}};
	struct gcs_error err;
	for (int i = 0; i < 2; i++)
		cr_assert_eq(gcs_model_add_event(gc.model, &events[i], NULL, &err), GCS_OK);
	regions_at(1, "OEEFFFEF", before);
	finish();
	cr_assert_eq(stats->fragmentation.series.count, 0);
	cr_assert_not_null(strstr(stats->fragmentation.why.text, "between its blocks"));
}

StatsTest(fragmentation_has_a_trend_only_where_an_hour_of_it_is_possible)
{
	static const int none[KIT_GC_TILES] = {0}, sixth[KIT_GC_TILES] = {[5] = 1024},
			 seventh[KIT_GC_TILES] = {[6] = 1024};
	char text[40];
	for (uint64_t step = 1; step <= 600; step += 599) {
		/* 0, 1/7, 2/7 of 7 or 8: rising by some 20 points in 4 s, or in 40 min. */
		regions_at(0, "FFFFFFFF", none);
		regions_at(2000 * step, "FFFFFFOF", seventh);
		regions_at(4000 * step, "FFFFFOFF", sixth);
		finish();
		const struct gcs_stats_series *s = &stats->fragmentation.series;
		cr_assert_eq(s->count, 3);
		cr_assert_eq(s->has_trend, step == 600);
		cr_assert_eq(isnan(s->trend_per_hour), step != 600);
		cr_assert_eq(s->trend_error < 0, step != 600);
		if (step == 600)
			near(s->trend_per_hour, 2.0 / 7 * 1.5);
		gcs_stats_free(stats);
		builder = gcs_stats_begin();
	}
	finish();
	cr_assert_str_eq(
	    gcs_format_figure(text, sizeof text, 0.125, GCS_UNIT_SHARE_PER_HOUR), "12 points/h");
}

StatsTest(fragmentation_is_absent_where_unused_tiles_hide_free_ones)
{
	const struct kit_gc_names pages = {"Pages", "Pages", "no page", "Old"};
	kit_gc_end(&gc);
	kit_gc_begin(&gc, &pages, give, NULL);
	regions_at(1, "OEEFFFE-", before);
	finish();
	absent(&stats->fragmentation.why, "\"no page\"");
}

StatsTest(streams_over_events_and_used_tiles)
{
	static const int first[KIT_GC_TILES] = {1, 2, 3, 4, 5, 6, 7, 1000};
	static const int second[KIT_GC_TILES] = {10, 0, 0, 0, 0, 0, 0, 1000};
	regions_at(1, "OEEEEEE-", first);
	regions_at(2, "OEEEEEE-", first);
	kit_gc_give(&gc, kit_gc_event(&gc, KIT_GC_CLOCK, 3)); /* nothing gathered */
	regions_at(4, "OFFFFFF-", second);
	finish();
	const struct gcs_stats_space *space = &stats->spaces[KIT_GC_REGIONS];
	cr_assert_str_eq(space->space->name, "Regions");
	cr_assert_eq(space->events, 3);
	near(space->used_tiles.mean, 7);
	cr_assert_eq(space->stream_count, 2, "without the control bits");
	const struct gcs_stats_stream *used = &space->streams[1];
	cr_assert_str_eq(used->stream->name, "Used");
	cr_assert_eq(used->tiles.count, 21);
	near(used->tiles.min, 0);
	near(used->tiles.mean, (28 + 28 + 10) * 1024.0 / 21);
	near(used->tiles.max, 10 * 1024);
	cr_assert_eq(used->tiles.min_place, 3);
	cr_assert_eq(used->tiles.max_place, 3);
	cr_assert_eq(used->summary_count, 1);
	near(used->summary[0].series.max, 1028 * 1024);
	cr_assert_eq(used->summary[0].series.max_place, 0);
	near(used->summary[0].series.last, 1010 * 1024);
	const struct gcs_stats_stream *type = &space->streams[0];
	cr_assert_eq(type->summary_count, 3);
	cr_assert_str_eq(type->summary[1].name, "Eden");
	near(type->summary[1].series.mean, 4);
	near(type->summary[1].series.min, 0);
	cr_assert_eq(type->tiles.count, 21);
	near(type->tiles.mean, 0);
}

StatsTest(a_space_that_is_described_anew_is_listed_again)
{
	const struct gcs_model *old = gc.model;
	regions_at(1, "OEEFFFE-", before);
	struct gcs_model *other = gcs_model_copy(old);
	struct gcs_space changed = other->spaces[KIT_GC_REGIONS];
	changed.block_bytes = 2 * MIB;
	cr_assert_eq(gcs_model_set_space(other, KIT_GC_REGIONS, &changed, NULL), GCS_OK);
	gcs_model_unref(gc.model);
	gc.model = other;
	regions_at(2, "OEEFFFE-", before);
	/* Other streams: another space. */
	other = gcs_model_copy(gc.model);
	changed = other->spaces[KIT_GC_REGIONS];
	changed.name = "Other regions";
	cr_assert_eq(gcs_model_set_space(other, KIT_GC_REGIONS, &changed, NULL), GCS_OK);
	gcs_model_unref(gc.model);
	gc.model = other;
	regions_at(3, "OEEFFFE-", before);
	finish();
	cr_assert_eq(stats->space_count, 3);
	cr_assert_eq(stats->spaces[0].events, 2);
	cr_assert_eq(stats->spaces[2].events, 1);
	cr_assert_str_eq(stats->spaces[2].space->name, "Other regions");
}

StatsTest(what_another_program_does_not_tell_is_absent_with_a_reason)
{
	struct gcs_model *model = kit_model();
	struct gcs_snapshot *s = kit_snapshot(model);
	give(NULL, s, 0);
	gcs_snapshot_unref(s);
	gcs_model_unref(model);
	finish();
	absent(&stats->no_pauses, "no event has an attribute \"Pause\"");
	absent(&stats->heap_after.why, "no event has an attribute \"Used after\"");
	absent(&stats->heap_used.why, "no event has an attribute");
	absent(&stats->committed.why, "no event has an attribute \"Committed\"");
	absent(&stats->allocation.why, "no event has both");
	absent(&stats->promotion.why, "\"Kind\"");
	absent(&stats->tlabs.why, "no space \"TLABs\"");
	absent(&stats->sampled.why, "no profile");
	absent(&stats->no_live, "no profile");
	absent(&stats->no_allocated, "no profile");
	absent(&stats->no_growth, "no profile");
}

StatsTest(nothing_at_all)
{
	finish();
	cr_assert_eq(stats->snapshots, 0);
	cr_assert_eq(stats->first_place, GCS_NO_PLACE);
	cr_assert_eq(stats->wall_ns, 0);
	cr_assert_str_eq(stats->server, "");
}

struct found {
	const char *section, *subject, *name;
	unsigned count;
	double value;
	bool known;
	char why[200];
};

static bool look(void *context, const struct gcs_figure *f)
{
	struct found *found = context;
	if (strcmp(f->section, found->section) != 0 || strcmp(f->subject, found->subject) != 0 ||
	    strcmp(f->name, found->name) != 0)
		return true;
	found->count++;
	found->known = f->known;
	found->value = f->value;
	snprintf(found->why, sizeof found->why, "%s", f->why);
	return true;
}

static struct found figure(const char *section, const char *subject, const char *name)
{
	struct found found = {.section = section, .subject = subject, .name = name};
	gcs_stats_figures(stats, look, &found);
	cr_assert_eq(found.count, 1, "%s %s %s", section, subject, name);
	return found;
}

StatsTest(figures_are_one_list)
{
	regions_at(1, "OEEFFFE-", before);
	collect(1000, "Young", "", 100, 8 * MIB, 2 * MIB);
	collect(2000, "Young", "", 300, 5 * MIB, 3 * MIB);
	finish();
	near(figure("pauses by kind", "Young", "mean").value, 200);
	near(figure("heap after collection", "", "last").value, 3 * MIB);
	near(figure("streams, summaries", "Regions / Type / Eden", "last").value, 3);
	const struct found no = figure("TLAB waste", "", "per collection");
	cr_assert_not(no.known);
	cr_assert_not_null(strstr(no.why, "TLABs"));
}

Test(stats_words, figures)
{
	char text[64];
	static const struct {
		double value;
		enum gcs_unit unit;
		const char *words;
	} cases[] = {
	    {1536, GCS_UNIT_BYTES, "1.5 KiB"},
	    {-1536, GCS_UNIT_BYTES, "-1.5 KiB"},
	    {2.5e6, GCS_UNIT_NANOSECONDS, "2.5 ms"},
	    {0.0123, GCS_UNIT_SHARE, "1.23 %"},
	    {0.5, GCS_UNIT_SHARE, "50.0 %"},
	    {1048576, GCS_UNIT_BYTES_PER_SECOND, "1 MiB/s"},
	    {-1048576, GCS_UNIT_BYTES_PER_HOUR, "-1 MiB/h"},
	    {12345, GCS_UNIT_NUMBER, "12,345"},
	    {2.25, GCS_UNIT_NUMBER, "2.25"},
	    {-2.25, GCS_UNIT_NUMBER, "-2.25"},
	    {1e300, GCS_UNIT_NUMBER, "9,223,372,036,854,775,807"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		cr_assert_str_eq(
		    gcs_format_figure(text, sizeof text, cases[i].value, cases[i].unit),
		    cases[i].words);
}
