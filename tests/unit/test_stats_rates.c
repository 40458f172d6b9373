/* Figures from one event to the next (F23): rates, and gaps, restarts and losses in between. */
#include "kit_stats.h"

enum { KIB = 1024 };
#define MS INT64_C(1000000)

#define StatsTest(name) Test(stats_rates, name, .init = setup, .fini = teardown)

StatsTest(allocation_rate)
{
	collect(1000, "Young", "", 1, 8 * MIB, 2 * MIB);
	collect(2000, "Young", "", 1, 5 * MIB, 3 * MIB); /* 3 MiB in 1 s */
	collect(4000, "Full", "", 1, 8 * MIB, 1 * MIB);  /* 5 MiB in 2 s */
	finish();
	cr_assert_str_eq(stats->allocation.why.text, "");
	near(stats->allocation.bytes, 8 * MIB);
	near(stats->allocation.seconds, 3);
	near(stats->allocation.per_second, 8.0 * MIB / 3);
	/* Both intervals are off by a third of a MiB, in 3 s. */
	near(stats->allocation.error, sqrt(2 * 2 * MIB / 3.0 * MIB / 3.0) / 3);
	near(stats->allocation.peak_per_second, 3 * MIB);
	cr_assert_eq(stats->allocation.peak_place, 1);
	cr_assert_eq(stats->allocation.intervals, 2);
}

StatsTest(nothing_is_computed_across_missing_events)
{
	collect(1000, "Young", "", 1, 8 * MIB, 2 * MIB);
	kit_gc_miss(&gc, KIT_GC_FINISH, 3);
	collect(2000, "Young", "", 1, 9 * MIB, 2 * MIB);
	collect(3000, "Young", "", 1, 3 * MIB, 2 * MIB); /* 1 MiB in 1 s, all that is known */
	gcs_stats_skip(builder, 7);
	collect(4000, "Young", "", 1, 9 * MIB, 2 * MIB);
	finish();
	near(stats->allocation.bytes, MIB);
	near(stats->allocation.seconds, 1);
	cr_assert_lt(stats->allocation.error, 0, "not known of one interval");
	cr_assert_eq(stats->gaps, 2);
	cr_assert_eq(stats->unreadable, 7);
	cr_assert_eq(stats->events[KIT_GC_FINISH].unseen, 3);
	cr_assert_eq(stats->heap_after.series.count, 4);
}

/* Pauses that are missing are no time without pauses. */
StatsTest(pauses_have_their_share_of_the_time_without_gaps)
{
	collect(1000, "Young", "", 100 * MS, 8 * MIB, 2 * MIB);
	collect(2000, "Full", "", 200 * MS, 8 * MIB, 2 * MIB);
	kit_gc_miss(&gc, KIT_GC_FINISH, 3);
	collect(7000, "Young", "", 900 * MS, 8 * MIB, 2 * MIB);
	collect(8000, "Young", "", 120 * MS, 8 * MIB, 2 * MIB);
	finish();
	cr_assert_eq(stats->run_ns, 7100 * MS, "with the first pause");
	cr_assert_eq(stats->watched_ns, 2100 * MS);
	near(stats->pauses.share, 420.0 / 2100);
	cr_assert_eq(stats->pauses.total_ns, 1320 * MS);
	cr_assert_str_eq(stats->kinds[0].name, "Young");
	near(stats->kinds[0].share, 220.0 / 2100);
	near(stats->kinds[1].share, 200.0 / 2100);
}

/* Nor is the time before the first event and after the last one, while somebody watched. Events that come
 * after that was told are a part of it, too. */
StatsTest(pauses_have_their_share_of_the_time_watched)
{
	collect(1000, "Young", "", 100 * MS, 8 * MIB, 2 * MIB);
	gcs_stats_watched(builder, 20000 * MS);
	collect(1900, "Young", "", 100 * MS, 8 * MIB, 2 * MIB);
	finish();
	cr_assert_eq(stats->run_ns, 1000 * MS);
	cr_assert_eq(stats->wall_ns, 20000 * MS);
	near(stats->pauses.share, 200.0 / 20000);
	near(stats->kinds[0].share, 200.0 / 20000);
}

StatsTest(events_longer_than_the_time_watched)
{
	gcs_stats_watched(builder, 500 * MS);
	collect(1000, "Young", "", 100 * MS, 8 * MIB, 2 * MIB);
	collect(1900, "Young", "", 100 * MS, 8 * MIB, 2 * MIB);
	finish();
	cr_assert_eq(stats->wall_ns, 1000 * MS);
	near(stats->pauses.share, 0.2);
}

static void collect_twice_and_profile(void)
{
	collect(1000, "Young", "", 100 * MS, 8 * MIB, 2 * MIB);
	collect(2000, "Young", "", 100 * MS, 8 * MIB, 2 * MIB);
	gcs_stats_add_profile(builder, kit_gc_profile(GCS_PROFILE_LIVE, 10, 0, 0, NULL));
}

/* A recording's last profile may be of a quiet end: nothing happened until it was made. */
StatsTest(a_profile_after_the_last_event_ends_the_time)
{
	collect_twice_and_profile();
	gcs_stats_to_the_end(builder);
	finish();
	cr_assert_eq(stats->run_ns, 1100 * MS);
	cr_assert_eq(stats->wall_ns, 9100 * MS);
	cr_assert_eq(stats->last_wall_ns - stats->first_wall_ns, 9000 * MS);
	near(stats->pauses.share, 200.0 / 9100);
}

StatsTest(a_profile_after_a_part_does_not)
{
	collect_twice_and_profile();
	finish();
	cr_assert_eq(stats->wall_ns, 1100 * MS);
	cr_assert_eq(stats->last_wall_ns - stats->first_wall_ns, 1000 * MS);
	near(stats->pauses.share, 200.0 / 1100);
}

StatsTest(without_time_between_gaps_no_share_is_known)
{
	for (uint64_t i = 1; i < 4; i++) {
		collect(1000 * i, "Young", "", 0, 8 * MIB, 2 * MIB);
		kit_gc_miss(&gc, KIT_GC_FINISH, 1);
	}
	finish();
	cr_assert_eq(stats->watched_ns, 0);
	cr_assert_lt(stats->pauses.share, 0);
}

StatsTest(one_gap_of_several_events_counts_once)
{
	struct gcs_snapshot *s;
	for (int i = 0; i < 6; i++) {
		kit_gc_give(&gc, kit_gc_event(&gc, KIT_GC_START, (uint64_t)i * 1000 + 999));
		/* The third finish is missing, and of the fifth collection all. */
		s = kit_gc_finish(
		    &gc, &(struct kit_gc_pause){.finish_ms = (uint64_t)i * 1000 + 1000,
			     .kind = "Young",
			     .cause = "",
			     .pause_ns = 1,
			     .before = 3 * MIB,
			     .after = MIB});
		if (i == 2)
			gcs_snapshot_unref(s);
		else
			kit_gc_give(&gc, s);
		if (i == 3) {
			kit_gc_miss(&gc, KIT_GC_START, 1);
			kit_gc_miss(&gc, KIT_GC_FINISH, 1);
			i++;
		}
	}
	finish();
	cr_assert_eq(stats->gaps, 2);
	cr_assert_eq(stats->events[KIT_GC_START].unseen, 1);
	cr_assert_eq(stats->events[KIT_GC_FINISH].unseen, 2);
	cr_assert_eq(stats->allocation.intervals, 1, "the second collection, after the first");
	near(stats->allocation.bytes, 2 * MIB);
}

StatsTest(a_server_that_begins_again)
{
	collect(9000, "Young", "", 1, 8 * MIB, 2 * MIB);
	collect(10000, "Young", "", 1, 3 * MIB, 2 * MIB);
	struct kit_gc again;
	kit_gc_begin(&again, &kit_gc_plain, give, NULL);
	again.place = gc.place;
	/* Its events of before do not count as missing. */
	kit_gc_miss(&again, KIT_GC_FINISH, 50);
	kit_gc_end(&gc);
	gc = again;
	collect(1000, "Young", "", 1, 9 * MIB, 4 * MIB);
	collect(2000, "Young", "", 1, 5 * MIB, 4 * MIB);
	finish();
	cr_assert_eq(stats->restarts, 1);
	near(stats->allocation.bytes, 2 * MIB);
	near(stats->allocation.seconds, 2);
	cr_assert_eq(stats->wall_ns, 2000000001u);
	cr_assert_eq(stats->events[KIT_GC_FINISH].unseen, 0);
}

static void missed_so_far(uint64_t time_ms, uint64_t missed)
{
	struct gcs_snapshot *s = kit_gc_event(&gc, KIT_GC_CLOCK, time_ms);
	struct gcs_occurrence o = *gcs_snapshot_occurrence(s);
	o.missed = missed;
	gcs_snapshot_set_occurrence(s, &o);
	kit_gc_give(&gc, s);
}

StatsTest(what_was_missed_and_what_it_cost)
{
	missed_so_far(1, 5); /* before the recording */
	missed_so_far(2, 7);
	missed_so_far(3, 7);
	missed_so_far(4, 10);
	finish();
	cr_assert_eq(stats->missed, 5);
	cr_assert_eq(stats->cost_ns, 3000, "the kit's events cost 1 us each");
	cr_assert_eq(stats->first_wall_ns, 1767323045001000000);
	cr_assert_eq(stats->last_wall_ns, 1767323045004000000);
}

/* Two pauses in a row are a millisecond apart. */
StatsTest(a_millisecond_has_no_peak)
{
	collect(1000, "Young", "", 1, 8 * MIB, 2 * MIB);
	collect(1001, "Young", "", 1, 3 * MIB, 2 * MIB);
	collect(2000, "Young", "", 1, 4 * MIB, 2 * MIB);
	finish();
	near(stats->allocation.peak_per_second, 3 * MIB);
}

/* A client held the program for five of the six seconds between two collections. */
StatsTest(no_time_passes_while_the_program_is_held)
{
	collect(1000, "Young", "", 100000000, 8 * MIB, 2 * MIB);
	struct gcs_snapshot *s = kit_gc_event(&gc, KIT_GC_CLOCK, 6500);
	struct gcs_occurrence o = *gcs_snapshot_occurrence(s);
	o.cost_ns += 4999999000u; /* and the microsecond that it cost */
	gcs_snapshot_set_occurrence(s, &o);
	kit_gc_give(&gc, s);
	collect(7000, "Young", "", 100000000, 5 * MIB, 2 * MIB);
	finish();
	near(stats->allocation.seconds, 1);
	near(stats->allocation.per_second, 3 * MIB);
	cr_assert_eq(stats->wall_ns, 6100000000u);
	near(stats->pauses.share, 0.2 / 1.1);
}

StatsTest(the_same_event_again_counts_once)
{
	collect(1000, "Young", "", 100, 8 * MIB, 2 * MIB);
	give(NULL, gc.last, 1);
	finish();
	cr_assert_eq(stats->pauses.count, 1);
	cr_assert_eq(stats->events[KIT_GC_FINISH].recorded, 1);
	cr_assert_eq(stats->snapshots, 2);
	cr_assert_eq(stats->heap_after.series.count, 1);
	cr_assert_eq(stats->restarts, 0);
}

StatsTest(memory_that_is_freed_while_the_program_runs)
{
	collect(1000, "Mark start", "", 100, 8 * MIB, 8 * MIB);
	collect(2000, "Mark start", "", 100, 9 * MIB, 9 * MIB);
	finish();
	absent(&stats->heap_after.why, "while the program runs");
	absent(&stats->heap_after.why, "\"Mark start\"");
	absent(&stats->allocation.why, "while the program runs");
	absent(&stats->promotion.why, "while the program runs");
	absent(&stats->tlabs.why, "while the program runs");
	cr_assert_eq(stats->heap_after.series.count, 0);
	cr_assert_eq(stats->heap_used.series.count, 2, "what is used is known all the same");
	cr_assert_eq(stats->pauses.count, 2);
}

static const int before[KIT_GC_TILES] = {512, 1024, 1024, 0, 0, 0, 1024, 0};

StatsTest(promotion_is_what_the_old_generation_grows_by_in_young_collections)
{
	for (int i = 0; i < 3; i++) {
		const int after[KIT_GC_TILES] = {512, 0, 256 * (i + 1), 0, 0, 0, 0, 0};
		struct gcs_snapshot *s = kit_gc_event(&gc, KIT_GC_START, (uint64_t)i * 1000 + 999);
		kit_gc_regions(s, "OEEFFFE-", before);
		kit_gc_give(&gc, s);
		s = kit_gc_finish(
		    &gc, &(struct kit_gc_pause){.finish_ms = (uint64_t)i * 1000 + 1000,
			     .kind = i == 2 ? "Full" : "Young",
			     .cause = "",
			     .pause_ns = 1,
			     .before = 8 * MIB,
			     .after = MIB});
		kit_gc_regions(s, "OFOFFFF-", after);
		kit_gc_give(&gc, s);
	}
	finish();
	/* The first has no interval before it, the third is no young one. */
	cr_assert_str_eq(stats->promotion.why.text, "");
	cr_assert_eq(stats->promotion.intervals, 1);
	near(stats->promotion.bytes, 512 * KIB);
	near(stats->promotion.seconds, 2);
	near(stats->promotion.per_second, 256 * KIB);
	near(stats->promotion.peak_per_second, 512 * KIB);
}

StatsTest(waste_of_buffers)
{
	for (int i = 0; i < 2; i++) {
		struct gcs_snapshot *s = kit_gc_event(&gc, KIT_GC_START, (uint64_t)i * 1000 + 999);
		kit_gc_buffer(s, 300, 1000, 50);
		kit_gc_give(&gc, s);
		collect((uint64_t)i * 1000 + 1000, "Young", "", 1, 4 * MIB, 3 * MIB);
	}
	/* A clock between start and finish: the buffers at the start are not known. */
	kit_gc_give(&gc, kit_gc_event(&gc, KIT_GC_CLOCK, 2999));
	collect(3000, "Young", "", 1, 4 * MIB, 3 * MIB);
	finish();
	cr_assert_str_eq(stats->tlabs.why.text, "");
	cr_assert_eq(stats->tlabs.collections, 2);
	near(stats->tlabs.refill_bytes, 100);
	near(stats->tlabs.unused_bytes, 1400);
	near(stats->tlabs.per_collection, 750);
	/* One of them is in an interval of known allocation: 2 MiB in two intervals. */
	near(stats->tlabs.share, 750.0 / (2 * MIB));
}
