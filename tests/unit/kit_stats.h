/* Figures of snapshots that a test gives. The test's suite has `setup` and `teardown`; finish() makes
 * `stats`. */
#ifndef GCSPY_TEST_KIT_STATS_H
#define GCSPY_TEST_KIT_STATS_H

#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "kit.h"
#include "kit_gc.h"
#include "stats.h"

enum { MIB = 1 << 20 };

static struct kit_gc gc;
static struct gcs_stats_builder *builder;
static struct gcs_stats *stats;

static inline void give(void *context, const struct gcs_snapshot *snapshot, uint64_t place)
{
	(void)context;
	cr_assert_eq(gcs_stats_add(builder, snapshot, place), GCS_OK);
}

static inline void setup(void)
{
	kit_count_memory(0);
	builder = gcs_stats_begin();
	kit_gc_begin(&gc, &kit_gc_plain, give, NULL);
}

static inline void teardown(void)
{
	gcs_stats_drop(builder);
	gcs_stats_free(stats);
	kit_gc_end(&gc);
	cr_assert_eq(kit_live_blocks(), 0);
}

/* The end of a collection. */
static inline void collect(uint64_t finish_ms, const char *kind, const char *cause,
    int64_t pause_ns, int64_t before, int64_t after)
{
	kit_gc_give(&gc, kit_gc_finish(&gc, &(struct kit_gc_pause){.finish_ms = finish_ms,
						.kind = kind,
						.cause = cause,
						.pause_ns = pause_ns,
						.before = before,
						.after = after,
						.committed = 8 * MIB}));
}

static inline void finish(void)
{
	stats = gcs_stats_finish(builder);
	builder = NULL;
	cr_assert_not_null(stats);
}

static inline void near(double value, double expected)
{
	cr_assert(fabs(value - expected) <= 1e-9 * (1 + fabs(expected)), "%.17g is not %.17g",
	    value, expected);
}

static inline void absent(const struct gcs_stats_reason *why, const char *words)
{
	cr_assert_not_null(strstr(why->text, words), "\"%s\" in \"%s\"", words, why->text);
}

#endif
