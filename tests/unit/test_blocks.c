/* Memory in blocks, for drivers (F20): against a byte-by-byte count, and the usual streams. */
#include <criterion/criterion.h>

#include <string.h>

#include <gcspy/blocks.h>

#include "kit.h"
#include "tiles_internal.h"

enum { BYTES = 1000, LOW = 5000 };

static void read_nothing(
    void *context, uint32_t stream, uint32_t first, uint32_t count, int64_t *values)
{
	(void)context;
	(void)stream;
	(void)first;
	memset(values, 0, count * sizeof *values);
}

/* The touched tiles of a stream, as a set; takes them. */
static void take(struct gcs_tiles *tiles, uint32_t stream, bool *touched)
{
	tiles_take(tiles);
	for (uint32_t i = 0; i < BYTES; i++)
		touched[i] = (tiles->taken[stream * tiles->words + i / 64] >> i % 64 & 1) != 0;
}

Test(blocks, every_byte_counts_in_its_block)
{
	static int64_t values[BYTES];
	static bool touched[BYTES];
	uint64_t state = kit_seed();
	for (int turn = 0; turn < 2000; turn++) {
		struct gcs_blocks b = {.low = LOW,
		    .high = LOW + 1 + kit_below(&state, BYTES),
		    .block = 1 + kit_below(&state, 1 + kit_below(&state, 300)),
		    .stream = 1};
		const struct gcs_tiles_options options = {
		    .streams = 2, .tiles = BYTES, .read = read_nothing};
		b.tiles = gcs_tiles_create(&options, NULL);
		take(b.tiles, 1, touched);
		const uint64_t start = LOW - 100 + kit_below(&state, BYTES + 200);
		const uint64_t end = start + kit_below(&state, 400);
		memset(values, 0, sizeof values);
		const int64_t sum = gcs_blocks_add(&b, values, start, end, 1);
		int64_t expected[BYTES] = {0}, total = 0;
		for (uint64_t a = start; a < end; a++)
			if (a >= b.low && a < b.high) {
				expected[(a - b.low) / b.block]++;
				total++;
			}
		cr_assert_eq(sum, total);
		cr_assert_eq(memcmp(values, expected, sizeof values), 0);
		take(b.tiles, 1, touched);
		for (uint32_t i = 0; i < BYTES; i++)
			cr_assert_eq(touched[i], expected[i] != 0);
		cr_assert_eq(gcs_blocks_add(&b, values, start, end, -1), -total);
		memset(expected, 0, sizeof expected);
		cr_assert_eq(memcmp(values, expected, sizeof values), 0);
		gcs_tiles_destroy(b.tiles);
	}
}

Test(blocks, ranges_cover_the_memory_once)
{
	const struct gcs_blocks b = {.low = 4096, .high = 4096 + 3 * 512 + 100, .block = 512};
	int64_t starts[4], ends[4], tail;
	cr_assert_eq(gcs_blocks_count(&b), 4);
	gcs_blocks_ranges(&b, 0, 4, starts, ends);
	cr_assert_eq(starts[0], 4096);
	for (int i = 1; i < 4; i++)
		cr_assert_eq(starts[i], ends[i - 1]);
	cr_assert_eq(ends[3], 4096 + 3 * 512 + 100);
	gcs_blocks_ranges(&b, 3, 1, NULL, &tail);
	cr_assert_eq(tail, ends[3]);
	cr_assert_eq(gcs_blocks_tile(&b, 4095), GCS_NONE);
	cr_assert_eq(gcs_blocks_tile(&b, 4096), 0);
	cr_assert_eq(gcs_blocks_tile(&b, 4096 + 511), 0);
	cr_assert_eq(gcs_blocks_tile(&b, 4096 + 512), 1);
	cr_assert_eq(gcs_blocks_tile(&b, b.high), GCS_NONE);
	const struct gcs_blocks none = {.low = 10, .high = 10, .block = 8};
	cr_assert_eq(gcs_blocks_count(&none), 0);
	/* The end of the address space. */
	const struct gcs_blocks last = {.low = UINT64_MAX - 1000, .high = UINT64_MAX, .block = 512};
	gcs_blocks_ranges(&last, 1, 1, starts, ends);
	cr_assert_eq((uint64_t)ends[0], UINT64_MAX);
}

/* A model takes each description as it is. */
Test(blocks, the_usual_streams_are_complete)
{
	static const char *const names[] = {"free", "small", "large"};
	const struct gcs_stream streams[] = {
	    gcs_stream_used("Used", "Bytes of objects", 4096),
	    gcs_stream_used("Reserved", "Bytes of a large block", UINT64_C(1) << 40),
	    gcs_stream_enumeration("Kind", "What the block is for", 3, names),
	    gcs_stream_control(GCS_TILE_UNUSED),
	    gcs_stream_range_start(),
	    gcs_stream_range_end(),
	    gcs_stream_percentage("Full", "How full the block is"),
	};
	const struct gcs_space space = {
	    .name = "Heap", .group = GCS_NONE, .stream_count = 7, .streams = streams};
	struct gcs_model *model = gcs_model_create("blocks");
	struct gcs_error err = {0};
	cr_assert_eq(gcs_model_add_space(model, &space, NULL, &err), GCS_OK, "%s", err.text);
	cr_assert_eq(gcs_model_check(model, &err), GCS_OK, "%s", err.text);
	cr_assert_eq(gcs_space_role(&model->spaces[0], GCS_ROLE_CONTROL), 3);
	cr_assert_eq(gcs_space_role(&model->spaces[0], GCS_ROLE_RANGE_END), 5);
	cr_assert_eq(gcs_summary_length(&streams[2]), 3);
	gcs_model_unref(model);
}

/* Totals, shares and counts are the sums of the values; other streams keep what they have. */
Test(blocks, summaries_are_sums_of_the_values)
{
	static const char *const names[] = {"free", "small", "large"};
	struct gcs_stream streams[] = {
	    gcs_stream_used("Used", "", 4096),
	    gcs_stream_enumeration("Kind", "", 3, names),
	    gcs_stream_percentage("Full", ""),
	    {.name = "Objects", .max = 100, .summary = GCS_SUMMARY_TOTAL},
	};
	const struct gcs_space space = {
	    .name = "Heap", .group = GCS_NONE, .stream_count = 4, .streams = streams};
	static const int64_t values[4][5] = {
	    {0, 4096, 1, 2, 3}, {2, 2, 0, 1, 2}, {0, 100, 1, 1, 1}, {7, 0, 0, 3, 1}};
	uint32_t length;
	struct gcs_model *model = gcs_model_create("blocks");
	cr_assert_eq(gcs_model_add_space(model, &space, NULL, NULL), GCS_OK);
	struct gcs_snapshot *s = gcs_snapshot_begin(model, NULL);
	cr_assert(gcs_snapshot_resize(s, 0, 5));
	for (uint32_t k = 0; k < 4; k++)
		memcpy(gcs_snapshot_write(s, 0, k), values[k], sizeof values[k]);
	cr_assert(gcs_blocks_summarize(s, 0, 20480));
	const int64_t *share = gcs_snapshot_summary(s, 0, 0, &length);
	cr_assert(length == 2 && share[0] == 4102 && share[1] == 20480);
	const int64_t *counts = gcs_snapshot_summary(s, 0, 1, &length);
	cr_assert(length == 3 && counts[0] == 1 && counts[1] == 1 && counts[2] == 3);
	cr_assert_null(gcs_snapshot_summary(s, 0, 2, &length));
	cr_assert_eq(gcs_snapshot_summary(s, 0, 3, &length)[0], 11);
	cr_assert(gcs_blocks_summarize(s, 9, 1), "no such space");
	cr_assert_eq(gcs_snapshot_check(s, NULL), GCS_OK);
	gcs_snapshot_unref(s);
	gcs_model_unref(model);
}
