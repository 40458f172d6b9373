/* Figures of traces (F23): the same as of the snapshots, damage, memory, parts of a trace. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "kit.h"
#include "kit_profile.h"
#include "kit_trace.h"
#include "stats.h"

static struct kit_trace recorded;
static uint64_t state;
static struct gcs_error err;

static void setup(void)
{
	kit_count_memory(0);
	state = kit_seed();
}

static void teardown(void)
{
	kit_trace_fini(&recorded);
	cr_assert_eq(kit_live_blocks(), 0);
}

#define StatsTraceTest(name) Test(stats_trace, name, .init = setup, .fini = teardown)

static struct gcs_stats *of_file(uint64_t first, uint64_t last)
{
	struct gcs_trace *t = gcs_trace_open(recorded.path, &err);
	cr_assert_not_null(t, "%s", err.text);
	struct gcs_stats *stats = gcs_stats_of_trace(t, first, last, NULL, &err);
	gcs_trace_close(t);
	return stats;
}

struct lines {
	char *bytes;
	size_t length, size;
};

static bool line(void *context, const struct gcs_figure *f)
{
	struct lines *l = context;
	l->length += (size_t)snprintf(l->bytes + l->length, l->size - l->length,
	    "%s|%s|%s|%d|%.17g|%s\n", f->section, f->subject, f->name, f->known, f->value, f->why);
	cr_assert_lt(l->length, l->size);
	return true;
}

static char *words(const struct gcs_stats *stats, char *buffer, size_t size)
{
	struct lines lines = {buffer, 0, size};
	gcs_stats_figures(stats, line, &lines);
	return buffer;
}

StatsTraceTest(of_a_file_as_of_its_snapshots)
{
	enum { COUNT = 600, SIZE = 1 << 20 };
	static char expected[SIZE], found[SIZE];
	kit_trace_record(&recorded, COUNT, 0, &state);
	struct gcs_stats_builder *b = gcs_stats_begin();
	for (uint32_t i = 0; i < COUNT; i++)
		cr_assert_eq(gcs_stats_add(b, recorded.snapshots[i], i), GCS_OK);
	struct gcs_stats *direct = gcs_stats_finish(b);
	struct gcs_stats *read = of_file(0, UINT64_MAX);
	cr_assert_not_null(read, "%s", err.text);
	cr_assert_eq(read->snapshots, COUNT);
	cr_assert_geq(read->space_count, KIT_SPACES);
	cr_assert_str_eq(
	    words(read, found, sizeof found), words(direct, expected, sizeof expected));
	gcs_stats_free(direct);
	gcs_stats_free(read);
}

/* The least and largest used tile of a stream by another way. */
static void extremes(uint32_t space, uint32_t stream, double *min, double *max)
{
	*min = 1e300;
	*max = -1e300;
	for (uint32_t i = 0; i < recorded.count; i++) {
		const struct gcs_snapshot *s = recorded.snapshots[i];
		const int64_t *values = gcs_snapshot_values(s, space, stream);
		const int64_t *control = gcs_snapshot_values(s, space, KIT_CONTROL);
		for (uint32_t k = 0;
		     gcs_snapshot_gathered(s, space) && k < gcs_snapshot_tiles(s, space); k++) {
			if ((control[k] & GCS_TILE_USED) == 0)
				continue;
			*min = (double)values[k] < *min ? (double)values[k] : *min;
			*max = (double)values[k] > *max ? (double)values[k] : *max;
		}
	}
}

StatsTraceTest(shared_columns_count_as_often_as_others)
{
	/* Fewer than the kit's first change of the description. */
	kit_trace_record(&recorded, 90, 0, &state);
	struct gcs_stats *stats = of_file(0, UINT64_MAX);
	double min, max;
	extremes(KIT_HEAP, KIT_USED, &min, &max);
	uint64_t tiles = 0;
	for (uint32_t i = 0; i < recorded.count; i++) {
		const struct gcs_snapshot *s = recorded.snapshots[i];
		const int64_t *control = gcs_snapshot_values(s, KIT_HEAP, KIT_CONTROL);
		for (uint32_t k = 0;
		     gcs_snapshot_gathered(s, KIT_HEAP) && k < gcs_snapshot_tiles(s, KIT_HEAP); k++)
			tiles += (control[k] & GCS_TILE_USED) != 0;
	}
	const struct gcs_stats_series *used = &stats->spaces[KIT_HEAP].streams[KIT_USED].tiles;
	cr_assert_eq(used->count, tiles);
	if (tiles != 0) {
		cr_assert_float_eq(used->min, min, 1e-9);
		cr_assert_float_eq(used->max, max, 1e-9);
	}
	gcs_stats_free(stats);
}

StatsTraceTest(a_part_of_a_trace)
{
	kit_trace_record(&recorded, 200, 50, &state);
	struct gcs_stats *stats = of_file(60, 109);
	cr_assert_not_null(stats);
	cr_assert_eq(stats->snapshots, 50);
	cr_assert_eq(stats->first_place, 60);
	cr_assert_eq(stats->last_place, 109);
	cr_assert_eq(stats->wall_ns, 49000000);
	/* One at place 51, one at 101. */
	cr_assert_eq(stats->profiles, 1);
	gcs_stats_free(stats);
	cr_assert_null(of_file(200, UINT64_MAX));
	cr_assert_eq(err.status, GCS_ARGUMENT);
	cr_assert_null(of_file(5, 4));
	cr_assert_null(of_file(0, 200));
}

StatsTraceTest(damage_is_skipped_and_told)
{
	enum { COUNT = 1500 };
	kit_trace_record(&recorded, COUNT, 0, &state);
	size_t length;
	unsigned char *bytes = kit_trace_bytes(recorded.path, &length);
	for (size_t i = 0; i < 64; i++)
		bytes[length / 2 + i] ^= 0x5a;
	kit_trace_put(recorded.path, bytes, length);
	kit_trace_free(bytes);
	struct gcs_stats *stats = of_file(0, UINT64_MAX);
	cr_assert_not_null(stats, "%s", err.text);
	cr_assert_gt(stats->unreadable, 0);
	cr_assert_gt(stats->gaps, 0);
	cr_assert_eq(stats->snapshots + stats->unreadable, COUNT);
	gcs_stats_free(stats);
}

/* How many profiles of the file cannot be read; all kinds. */
static uint64_t damaged_profiles(void)
{
	struct gcs_trace_profile_info info;
	struct gcs_trace *t = gcs_trace_open(recorded.path, &err);
	uint64_t damaged = 0;
	cr_assert_not_null(t, "%s", err.text);
	for (uint64_t i = 0; gcs_trace_profile_info(t, i, &info); i++) {
		struct gcs_profile *p = gcs_trace_profile(t, i, &err);
		damaged += p == NULL;
		gcs_profile_free(p);
	}
	gcs_trace_close(t);
	return damaged;
}

StatsTraceTest(profiles_that_are_damaged_are_told)
{
	uint64_t all = 0;
	size_t length;
	kit_trace_record(&recorded, 200, 50, &state);
	unsigned char *bytes = kit_trace_bytes(recorded.path, &length);
	for (size_t at = length / 10; at + 8 < length; at += length / 40) {
		for (size_t i = 0; i < 8; i++)
			bytes[at + i] ^= 0x5a;
		kit_trace_put(recorded.path, bytes, length);
		for (size_t i = 0; i < 8; i++)
			bytes[at + i] ^= 0x5a;
		struct gcs_stats *stats = of_file(0, UINT64_MAX);
		cr_assert_not_null(stats, "%s", err.text);
		cr_assert_eq(stats->lost_profiles, damaged_profiles());
		all += stats->lost_profiles;
		gcs_stats_free(stats);
	}
	kit_trace_free(bytes);
	cr_assert_gt(all, 0);
}

StatsTraceTest(no_memory_at_any_place_is_an_error_and_no_leak)
{
	kit_trace_record(&recorded, 120, 40, &state);
	struct gcs_trace *t = gcs_trace_open(recorded.path, &err);
	struct gcs_stats *stats = NULL;
	for (size_t n = 0; stats == NULL && n < 200000; n += 1 + n / 50) {
		kit_fail_after(n);
		stats = gcs_stats_of_trace(t, 0, UINT64_MAX, NULL, &err);
		const bool failed = kit_has_failed();
		kit_fail_after(SIZE_MAX);
		cr_assert(stats != NULL || failed, "%s", err.text);
		cr_assert(stats != NULL || err.status == GCS_NOMEM, "%s", err.text);
	}
	cr_assert_not_null(stats);
	gcs_stats_free(stats);
	gcs_trace_close(t);
}

StatsTraceTest(memory_does_not_grow_with_the_trace)
{
	kit_trace_record(&recorded, 90, 0, &state);
	struct gcs_stats_builder *b = gcs_stats_begin();
	size_t early = 0;
	for (uint32_t round = 0; round < 40; round++)
		for (uint32_t i = 0; i < 90; i++) {
			cr_assert_eq(gcs_stats_add(b, recorded.snapshots[i], i), GCS_OK);
			if (round == 0 && i == 89)
				early = kit_live_bytes();
		}
	cr_assert_leq(kit_live_bytes(), early + 4096);
	gcs_stats_drop(b);
}
