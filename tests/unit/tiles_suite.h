/*
 * The stage of suites of touched tiles: a target that keeps what it has, and counts what it is asked for.
 * Included by one test file of a program.
 */
#ifndef GCSPY_TESTS_TILES_SUITE_H
#define GCSPY_TESTS_TILES_SUITE_H

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pair_suite.h"
#include "tiles_internal.h"

enum { MOST_TILES = 5000 };

/* The target: what it keeps itself, and what it was asked for. */
static int64_t truth[KIT_STREAMS][MOST_TILES];
static uint32_t present;
static unsigned reads;
static uint32_t tiles_read;
static struct gcs_tiles *tiles;
static void (*while_reading)(void); /* once */

static inline void read_truth(
    void *context, uint32_t stream, uint32_t first, uint32_t count, int64_t *values)
{
	cr_assert_eq(context, truth);
	cr_assert(count != 0 && first + count <= MOST_TILES);
	memcpy(values, truth[stream] + first, count * sizeof *values);
	reads++;
	tiles_read += count;
	if (while_reading != NULL) {
		void (*call)(void) = while_reading;
		while_reading = NULL;
		call();
	}
}

static const struct gcs_tiles_options heap_tiles = {
    .space = KIT_HEAP,
    .streams = KIT_STREAMS,
    .most = MOST_TILES,
    .read = read_truth,
    .context = truth,
};

static inline void make_tiles(uint32_t count)
{
	struct gcs_tiles_options options = heap_tiles;
	memset(truth, 0, sizeof truth);
	options.tiles = present = count;
	reads = tiles_read = 0;
	tiles = gcs_tiles_create(&options, NULL);
	cr_assert_not_null(tiles);
}

static inline void setup_tiles(void)
{
	setup();
	make_tiles(1000);
}

static inline void teardown_tiles(void)
{
	gcs_tiles_destroy(tiles);
	teardown();
}

#define TilesTest(name) Test(tiles, name, .init = setup_tiles, .fini = teardown_tiles)

/* A gathered and settled snapshot; takes over `before`. */
static inline struct gcs_snapshot *next_state(struct gcs_snapshot *before)
{
	struct gcs_snapshot *s = gcs_snapshot_begin(model, before);
	reads = tiles_read = 0;
	cr_assert(tiles_gather(tiles, s));
	snapshot_settle(s, before);
	cr_assert_eq(gcs_snapshot_check(s, NULL), GCS_OK);
	gcs_snapshot_unref(before);
	return s;
}

static inline void expect_truth(const struct gcs_snapshot *s)
{
	cr_assert_eq(gcs_snapshot_tiles(s, KIT_HEAP), present);
	for (uint32_t k = 0; present != 0 && k < KIT_STREAMS; k++)
		cr_assert_eq(memcmp(gcs_snapshot_values(s, KIT_HEAP, k), truth[k],
				 present * sizeof truth[k][0]),
		    0, "stream %u", k);
}

static inline void change(uint32_t stream, uint32_t tile, int64_t value)
{
	truth[stream][tile] = value;
	gcs_tiles_touch(tiles, stream, tile, 1);
}

#endif
