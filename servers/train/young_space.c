/* The two semi-spaces of the young generation, one after the other: section 5.5 of the paper, item 4. */
#include "train_spaces.h"

enum { USED, OBJECTS, CONTROL, START, END, STREAMS };
enum { SMALLEST_BLOCK = 4096, MOST_BLOCKS = 128 };

static uint32_t blocks_of_half(const struct train_spaces *spaces)
{
	uint64_t half = spaces->heap->young.half;
	return (uint32_t)((half + spaces->young_block - 1) / spaces->young_block);
}

enum gcs_status train_add_young_space(
    struct train_spaces *spaces, struct gcs_server *server, struct gcs_error *err)
{
	spaces->young_block = SMALLEST_BLOCK;
	while (blocks_of_half(spaces) > MOST_BLOCKS)
		spaces->young_block *= 2;
	struct gcs_stream streams[STREAMS] = {
	    [USED] =
		gcs_stream_used("Used space", "Bytes of objects in the block", spaces->young_block),
	    [OBJECTS] =
		train_count_stream("Objects", "Objects that begin in the block, live and dead", ""),
	    [CONTROL] = gcs_stream_control(GCS_TILE_UNUSED),
	    [START] = gcs_stream_range_start(),
	    [END] = gcs_stream_range_end()};
	struct gcs_space space = {.name = "Young generation",
	    .description = "Two semi-spaces, one of which is in use",
	    .tile_title = "Block",
	    .unused_text = "empty semi-space",
	    .group = GCS_NONE,
	    .block_bytes = spaces->young_block,
	    .stream_count = STREAMS,
	    .streams = streams};
	return gcs_server_add_space(server, &space, &spaces->young, err);
}

static void clear_half(
    const struct train_spaces *spaces, int64_t *columns[], uint32_t first, const char *base)
{
	uint64_t start = (uintptr_t)base, end = start + spaces->heap->young.half;
	bool active = base == spaces->heap->young.base;
	for (uint32_t tile = first; tile < first + blocks_of_half(spaces); tile++) {
		uint64_t next = start + spaces->young_block;
		columns[USED][tile] = 0;
		columns[OBJECTS][tile] = 0;
		columns[CONTROL][tile] = active ? GCS_TILE_USED : GCS_TILE_UNUSED;
		if (tile == first && first > 0)
			columns[CONTROL][tile] |= GCS_TILE_SEPARATOR;
		columns[START][tile] = (int64_t)start;
		columns[END][tile] = (int64_t)(next < end ? next : end);
		start = next;
	}
}

bool train_fill_young_space(const struct train_spaces *spaces, struct gcs_snapshot *snapshot)
{
	const struct young_generation *young = &spaces->heap->young;
	uint32_t half = blocks_of_half(spaces);
	uint32_t first = young->base == young->memory ? 0 : half;
	int64_t *columns[STREAMS], objects = 0;
	if (!gcs_snapshot_resize(snapshot, spaces->young, 2 * half) ||
	    !train_columns(snapshot, spaces->young, STREAMS, columns))
		return false;
	clear_half(spaces, columns, 0, young->memory);
	clear_half(spaces, columns, half, young->memory + young->half);
	struct gcs_blocks blocks = {.low = (uintptr_t)young->base,
	    .high = (uintptr_t)young_end(young),
	    .block = spaces->young_block};
	gcs_blocks_add(&blocks, columns[USED] + first, blocks.low, (uintptr_t)young->top, 1);
	for (char *at = young->base; at < young->top; objects++) {
		columns[OBJECTS][first + gcs_blocks_tile(&blocks, (uintptr_t)at)]++;
		at = object_end((struct object *)(void *)at);
	}
	train_share(snapshot, spaces->young, USED, young->top - young->base, (int64_t)young->half);
	train_total(snapshot, spaces->young, OBJECTS, objects);
	return gcs_snapshot_set_gathered(snapshot, spaces->young, true);
}
