/* Free memory as charts count it: runs, the largest, fragmentation (V9, V10). */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "charts.h"
#include "stats.h"
#include "tileinfo.h"
#include "ui_charts.h"

/* By hand: runs of 2, 1, 3, after a border 1, and 2 uncommitted tiles; half a tile is free besides. */
Test(charts_free, runs_by_hand)
{
	struct gcs_snapshot *s = charted_runs("..#.h...|##//");
	struct free_rule rule;
	struct free_runs runs;
	cr_assert(free_rule_init(&rule, s, 0));
	free_runs_fill(&runs, &rule);
	const double tile = CHARTED_BYTES;
	cr_assert_eq(runs.count, 5);
	cr_assert_eq(runs.free, 9.5 * tile);
	cr_assert_eq(runs.whole, 9 * tile);
	cr_assert_eq(runs.longest, 3 * tile);
	cr_assert(runs.longest_first == 5 && runs.longest_tiles == 3);
	cr_assert_float_eq(free_fragmentation(&runs), 6.5 / 9.5, 1e-12);
	cr_assert(runs.bin[16] == 2 && runs.bin[17] == 3 && runs.in_bin[17] == 7 * tile);
	cr_assert_eq(runs.first_of[17], 5);
	uint32_t n;
	cr_assert_eq(free_next_run(&rule, GCS_NONE, 1, &n), 0);
	cr_assert_eq(n, 2);
	cr_assert_eq(free_next_run(&rule, 0, 1, &n), 3);
	cr_assert_eq(free_next_run(&rule, 5, 1, &n), 8);
	cr_assert_eq(n, 1);
	cr_assert_eq(free_next_run(&rule, 8, 1, &n), 11);
	cr_assert_eq(free_next_run(&rule, 11, 1, &n), 0, "round and round");
	cr_assert_eq(free_next_run(&rule, 0, -1, &n), 11);
	gcs_snapshot_unref(s);
}

/* The same figure as in those of recordings (docs/stats.md). */
Test(charts_free, as_the_figures_of_recordings)
{
	static const char *const heaps[] = {
	    ".", "..#.h...|##//", "#.#.#.#.", "....", "h.h..", "/./..#|"};
	for (size_t i = 0; i < sizeof heaps / sizeof *heaps; i++) {
		struct gcs_snapshot *s = charted_runs(heaps[i]);
		struct gcs_stats_builder *b = gcs_stats_begin();
		cr_assert_eq(gcs_stats_add(b, s, 0), GCS_OK);
		struct gcs_stats *stats = gcs_stats_finish(b);
		struct free_rule rule;
		struct free_runs runs;
		cr_assert(free_rule_init(&rule, s, 0));
		free_runs_fill(&runs, &rule);
		cr_assert_eq(
		    stats->fragmentation.series.count, 1, "%s", stats->fragmentation.why.text);
		cr_assert_float_eq(free_fragmentation(&runs), stats->fragmentation.series.last,
		    1e-12, "%s", heaps[i]);
		gcs_stats_free(stats);
		gcs_snapshot_unref(s);
	}
}

Test(charts_free, nothing_free_and_nothing_known)
{
	struct gcs_snapshot *s = charted_runs("####");
	struct free_rule rule;
	struct free_runs runs;
	cr_assert(free_rule_init(&rule, s, 0));
	free_runs_fill(&runs, &rule);
	cr_assert(runs.count == 0 && free_fragmentation(&runs) < 0);
	uint32_t n;
	cr_assert_eq(free_next_run(&rule, 0, 1, &n), GCS_NONE);
	gcs_snapshot_unref(s);
	s = world_plain(10);
	cr_assert_not(free_rule_init(&rule, s, 0));
	cr_assert_not_null(strstr(rule.words, "neither a stream"));
	gcs_snapshot_unref(s);
	/* Sizes that overflow, and bins at the ends. */
	cr_assert_eq(free_bin_of(0), 0);
	cr_assert_eq(free_bin_of(1), 0);
	cr_assert_eq(free_bin_of(65535), 15);
	cr_assert_eq(free_bin_of(65536), 16);
	cr_assert_eq(free_bin_of(1e300), FREE_BINS - 1);
}
