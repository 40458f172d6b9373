/* What is left of the heap by collectors that run beside the program (F23): what they marked, not what
 * is in use when they begin or end. */
#include "kit_stats.h"

enum { CYCLES = 8 };

static const char *const kinds[] = {"Init mark", "Final mark", "Young mark end"};
static const struct gcs_attribute attributes[] = {
    {.name = "Kind", .kind = GCS_ATTRIBUTE_ENUM, .enum_count = 3, .enum_names = kinds},
    {.name = "Pause", .kind = GCS_ATTRIBUTE_NUMBER, .format = GCS_NANOSECONDS},
    {.name = "Used after", .kind = GCS_ATTRIBUTE_NUMBER, .format = GCS_BYTES},
};

static struct gcs_model *model;
static struct gcs_snapshot *last;
static uint64_t sequence;

static void describe(void)
{
	struct gcs_error err;
	const struct gcs_event event = {
	    .name = "GC finish", .description = "", .attribute_count = 3, .attributes = attributes};
	const struct gcs_stream streams[] = {kit_gc_bytes("Used"), kit_gc_bytes("Live")};
	const struct gcs_space space = {.name = "Regions",
	    .description = "",
	    .tile_title = "",
	    .block_info = "",
	    .unused_text = "",
	    .group = GCS_NONE,
	    .main = true,
	    .stream_count = 2,
	    .streams = streams};
	kit_count_memory(0);
	model = gcs_model_create("Concurrent");
	cr_assert_eq(gcs_model_add_event(model, &event, NULL, &err), GCS_OK);
	cr_assert_eq(gcs_model_add_space(model, &space, NULL, &err), GCS_OK, "%s", err.text);
	builder = gcs_stats_begin();
	sequence = 0;
}

static void end(void)
{
	gcs_snapshot_unref(last);
	last = NULL;
	gcs_model_unref(model);
	gcs_stats_free(stats);
	gcs_stats_drop(builder);
	cr_assert_eq(kit_live_blocks(), 0);
}

/* A pause at which so much is in use, and so much is marked. */
static void pause_at(uint64_t ms, int64_t kind, int64_t used_mib, int64_t live_mib)
{
	const int64_t used = used_mib * MIB, live = live_mib * MIB;
	struct gcs_snapshot *s = gcs_snapshot_begin(model, last);
	gcs_snapshot_set_occurrence(s, &(struct gcs_occurrence){.sequence = ++sequence,
					   .time_ns = ms * 1000000,
					   .wall_ns = 1767323045000000000 + (int64_t)ms * 1000000});
	gcs_snapshot_set_counter(s, 0, sequence);
	gcs_snapshot_set_number(s, 0, kind);
	gcs_snapshot_set_number(s, 1, 1000);
	gcs_snapshot_set_number(s, 2, used);
	gcs_snapshot_set_summary(s, 0, 0, 1, &used);
	gcs_snapshot_set_summary(s, 0, 1, 1, &live);
	gcs_snapshot_set_gathered(s, 0, true);
	give(NULL, s, sequence);
	gcs_snapshot_unref(last);
	last = s;
}

/* A cycle begins when 32 MiB are in use, whatever is alive. */
static void cycles(int64_t live_by_each, int64_t at_first)
{
	for (uint64_t i = 0; i < CYCLES; i++) {
		const struct kit_gc_site site = {
		    "byte[]", "visit", (double)((8 + live_by_each * (int64_t)i) * MIB)};
		pause_at(i * 1000 + 500, 0, 32, at_first);
		pause_at(i * 1000 + 600, 1, 33, 8 + live_by_each * (int64_t)i);
		gcs_stats_add_profile(
		    builder, kit_gc_profile(GCS_PROFILE_LIVE, (int64_t)i + 1, 5e6, 1, &site));
	}
	finish();
}

#define MarksTest(name) Test(stats_marks, name, .init = describe, .fini = end)

MarksTest(a_leak_below_a_constant_use)
{
	cycles(2, 0);
	cr_assert_eq(stats->left_is, GCS_LEFT_LIVE);
	cr_assert(gcs_stats_heap_grows(stats));
	cr_assert_float_eq(stats->heap_growth.series.max, 22.0 * MIB, 1);
	cr_assert_eq(stats->suspect_count, 1);
}

MarksTest(what_is_alive_is_steady)
{
	cycles(0, 0);
	cr_assert_eq(stats->left_is, GCS_LEFT_LIVE);
	cr_assert(gcs_stats_heap_is_steady(stats));
	cr_assert_not(gcs_stats_heap_grows(stats));
}

/* Generations are marked one at a time: then use is all that is known, and its constancy means
 * nothing. */
MarksTest(marks_of_one_generation)
{
	cycles(2, 1);
	cr_assert_eq(stats->left_is, GCS_LEFT_USED);
	cr_assert_not(gcs_stats_heap_is_steady(stats));
}

MarksTest(too_few_marks)
{
	pause_at(500, 0, 32, 0);
	pause_at(600, 1, 33, 8);
	finish();
	cr_assert_eq(stats->left_is, GCS_LEFT_USED);
	cr_assert_not_null(
	    strstr(stats->heap_growth.why.text, "profiles, and too few were recorded"));
	cr_assert_not(gcs_stats_heap_is_steady(stats));
}
