/* What `gcspy serve` counts from the snapshots of a running program (E3). */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "heap_limit.h"
#include "kit_gc.h"
#include "running_figures.h"

enum { MIB = 1 << 20 };

static struct kit_gc gc;
static struct running_figures *figures;

static void give(void *context, const struct gcs_snapshot *snapshot, uint64_t place)
{
	(void)context;
	(void)place;
	running_figures_add(figures, snapshot);
}

static void setup(void)
{
	struct gcs_error err;
	figures = running_figures_create();
	cr_assert_not_null(figures);
	kit_gc_begin(&gc, &kit_gc_plain, give, NULL);
	cr_assert_eq(gcs_model_set_info(gc.model, "Collector", "G1", &err), GCS_OK);
}

static void teardown(void)
{
	running_figures_free(figures);
	kit_gc_end(&gc);
}

#define FiguresTest(name) Test(running_figures, name, .init = setup, .fini = teardown)

static void collect(uint64_t ms, const char *kind, const char *cause, int64_t pause_ns,
    int64_t before, int64_t after)
{
	kit_gc_give(&gc, kit_gc_finish(&gc, &(struct kit_gc_pause){ms, kind, cause, pause_ns,
						before, after, 64 * MIB}));
}

static void start_at(uint64_t ms, int64_t used)
{
	struct gcs_snapshot *s = kit_gc_event(&gc, KIT_GC_START, ms);
	cr_assert(gcs_snapshot_set_number(s, 1, used));
	kit_gc_give(&gc, s);
}

static const struct running_values *now(void)
{
	return running_figures_now(figures);
}

FiguresTest(nothing_is_known_at_first)
{
	cr_assert(!now()->has_used && !now()->has_committed && !now()->has_allocated);
	cr_assert(!now()->has_promoted && !now()->has_tlab_waste && !now()->has_humongous);
	cr_assert_eq(now()->events + now()->pause_count + now()->pool_count, 0);
}

FiguresTest(allocation_is_the_growth_between_collections)
{
	start_at(900, 3 * MIB);
	cr_assert(now()->has_allocated && now()->allocated == 0, "since the first snapshot");
	collect(1000, "Young", "", 1, 3 * MIB, MIB);
	cr_assert_eq(now()->allocated, 0);
	start_at(1900, 6 * MIB);
	cr_assert_eq(now()->allocated, 5 * MIB, "known before the collection has ended");
	collect(2000, "Young", "", 1, 6 * MIB, 2 * MIB);
	cr_assert_eq(now()->allocated, 5 * MIB);
	collect(3000, "Full", "", 1, 4 * MIB, 1 * MIB);
	cr_assert_eq(now()->allocated, 7 * MIB);
	cr_assert_eq(now()->used, MIB);
	cr_assert_eq(running_values_used(now()), MIB);
	cr_assert_eq(now()->full, 1);
	cr_assert_eq(now()->committed, 64 * MIB);
}

FiguresTest(allocation_before_the_first_collection)
{
	start_at(100, 2 * MIB);
	start_at(900, 7 * MIB);
	cr_assert_eq(now()->allocated, 5 * MIB);
	collect(1000, "Young", "", 1, 8 * MIB, MIB);
	cr_assert_eq(now()->allocated, 6 * MIB);
	collect(2000, "Young", "", 1, 2 * MIB, MIB);
	cr_assert_eq(now()->allocated, 7 * MIB);
}

FiguresTest(nothing_is_counted_across_missing_events)
{
	collect(1000, "Young", "", 1, 8 * MIB, 2 * MIB);
	kit_gc_miss(&gc, KIT_GC_FINISH, 3);
	collect(2000, "Young", "", 1, 9 * MIB, 2 * MIB);
	cr_assert_eq(now()->allocated, 0);
	collect(3000, "Young", "", 1, 3 * MIB, 2 * MIB);
	cr_assert_eq(now()->allocated, MIB);
	cr_assert_eq(now()->pauses[0].count, 3, "pauses that were seen");
}

FiguresTest(a_snapshot_counts_once)
{
	collect(1000, "Young", "", 5, 3 * MIB, MIB);
	running_figures_add(figures, gc.last);
	cr_assert_eq(now()->events, 1);
	cr_assert_eq(now()->pauses[0].count, 1);
}

FiguresTest(allocation_of_a_concurrent_collector_is_not_known)
{
	struct gcs_error err;
	cr_assert_eq(gcs_model_set_info(gc.model, "Collector", "ZGC", &err), GCS_OK);
	collect(1000, "Mark start", "", 1, 3 * MIB, 3 * MIB);
	collect(2000, "Mark start", "", 1, 6 * MIB, 6 * MIB);
	cr_assert(!now()->has_allocated && !now()->has_tlab_waste);
	cr_assert(now()->has_used && now()->used == 6 * MIB);
}

FiguresTest(a_pause_is_in_the_bucket_that_it_does_not_exceed)
{
	collect(1000, "Young", "x", 500000, 0, 0);      /* the first limit itself */
	collect(2000, "Young", "x", 500001, 0, 0);      /* above it */
	collect(3000, "Young", "x", 10000000000, 0, 0); /* the last limit */
	collect(4000, "Young", "x", 10000000001, 0, 0); /* above all */
	collect(5000, "Full", "x", 1, 0, 0);
	collect(6000, "Young", "x", -1, 0, 0); /* none */
	cr_assert_eq(now()->pause_count, 2);
	const struct running_pauses *p = &now()->pauses[0];
	cr_assert_str_eq(p->kind, "Young");
	cr_assert_str_eq(p->cause, "x");
	cr_assert_eq(p->count, 4);
	cr_assert_eq(p->total_ns, UINT64_C(20001000002));
	cr_assert_eq(p->buckets[0], 1);
	cr_assert_eq(p->buckets[1], 1);
	cr_assert_eq(p->buckets[RUNNING_BUCKETS - 2], 1);
	cr_assert_eq(p->buckets[RUNNING_BUCKETS - 1], 1);
}

FiguresTest(pairs_of_kind_and_cause_are_bounded)
{
	char cause[32];
	uint64_t count = 0;
	for (unsigned i = 0; i < 3 * RUNNING_PAUSES; i++) {
		snprintf(cause, sizeof cause, "cause %u", i);
		collect(1000 + i, "Young", cause, 1000, 0, 0);
	}
	cr_assert_eq(now()->pause_count, RUNNING_PAUSES);
	cr_assert_str_eq(now()->pauses[RUNNING_PAUSES - 2].cause, "cause 46");
	cr_assert_str_eq(now()->pauses[RUNNING_PAUSES - 1].cause, "other");
	for (uint32_t i = 0; i < now()->pause_count; i++)
		count += now()->pauses[i].count;
	cr_assert_eq(count, 3 * RUNNING_PAUSES);
}

FiguresTest(only_spaces_with_figures_are_used)
{
	cr_assert(running_figures_use(gc.model, KIT_GC_REGIONS), "its free runs");
	cr_assert(running_figures_use(gc.model, KIT_GC_TLABS));
	struct gcs_model model = *gc.model;
	struct gcs_space other = model.spaces[KIT_GC_REGIONS];
	other.main = false;
	model.spaces = &other;
	cr_assert(!running_figures_use(&model, KIT_GC_REGIONS), "no pools by that name");
}

FiguresTest(fragmentation_of_the_regions)
{
	static const int used[KIT_GC_TILES] = {1024, 0, 0, 512, 0, 0, 0, 0};
	collect(1000, "Young", "", 1, 0, 0);
	struct gcs_snapshot *s = kit_gc_event(&gc, KIT_GC_CLOCK, 2000);
	kit_gc_regions(s, "OFFOF---", used);
	kit_gc_give(&gc, s);
	/* Two regions, half a region, and one before three uncommitted ones: 6.5 MiB. */
	cr_assert(now()->has_fragmentation);
	cr_assert_eq(now()->largest_free, 4 * MIB);
	cr_assert_float_eq(now()->fragmentation, 2.5 / 6.5, 1e-9);
}

/* Its free memory is within blocks, and its tiles are no regions. */
FiguresTest(a_c_heap_has_no_fragmentation_of_tiles)
{
	static const int used[KIT_GC_TILES] = {1024, 0, 0, 512, 0, 0, 0, 0};
	static const struct gcs_event events[] = {{.name = "malloc"}, {.name = "free"}};
	struct gcs_error err;
	for (int i = 0; i < 2; i++)
		cr_assert_eq(gcs_model_add_event(gc.model, &events[i], NULL, &err), GCS_OK);
	collect(1000, "Young", "", 1, 0, 0);
	struct gcs_snapshot *s = kit_gc_event(&gc, KIT_GC_CLOCK, 2000);
	kit_gc_regions(s, "OFFOF---", used);
	kit_gc_give(&gc, s);
	cr_assert(!now()->has_fragmentation);
}

FiguresTest(the_longest_pause_under_a_mark)
{
	collect(1000, "Young", "x", 9000, 0, 0);
	const struct running_pauses *p = now()->pauses;
	cr_assert_eq(p->mark, 0);
	const int64_t wall_ns = gcs_snapshot_occurrence(gc.last)->wall_ns;
	running_figures_mark(figures, &(struct running_mark){7, wall_ns + 1, wall_ns + 5000000000});
	collect(2000, "Young", "x", 3000, 0, 0);
	collect(3000, "Young", "x", 5000, 0, 0);
	collect(4000, "Young", "x", 4000, 0, 0);
	collect(90000, "Young", "x", 8000, 0, 0);
	cr_assert_eq(p->mark, 7);
	cr_assert_eq(p->marked_ns, 5000, "the others are shorter, or outside its time");
	cr_assert_eq(p->marked_wall_ns, wall_ns + 2000000000);
	running_figures_mark(figures, &(struct running_mark){8, 0, INT64_MAX});
	collect(91000, "Young", "x", 10, 0, 0);
	cr_assert(p->mark == 8 && p->marked_ns == 10, "of the newest mark");
}

static uint64_t limit_of(const char *limit, const char *range)
{
	struct gcs_error err;
	cr_assert_eq(gcs_model_set_info(gc.model, "Heap limit", limit, &err), GCS_OK);
	cr_assert_eq(gcs_model_set_info(gc.model, "Heap range", range, &err), GCS_OK);
	return (uint64_t)heap_limit_of(gc.model->info, gc.model->info_count);
}

FiguresTest(the_limit_is_as_exact_as_it_can_be)
{
	cr_assert_eq(heap_limit_of(gc.model->info, gc.model->info_count), 0);
	start_at(900, MIB);
	cr_assert_eq(now()->limit, 0);
	cr_assert_eq(limit_of("1.46 GiB", "0xa2000000-0xffc00000"), 1500ull * MIB);
	cr_assert_eq(limit_of("1.5 GiB", "0x40000000-0x40000000000"), 1536ull * MIB);
	cr_assert_eq(limit_of("64 MiB", "nonsense"), 64ull * MIB);
	cr_assert_eq(limit_of("64", "0x0-0x1"), 0);
	cr_assert_eq(limit_of("", ""), 0);
}
