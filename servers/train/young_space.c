/* The two semi-spaces of the young generation, one after the other: section 5.5 of the paper, item 4. */
#include <stdlib.h>
#include <string.h>

#include "train_spaces.h"

enum { USED, OBJECTS, CONTROL, START, END, STREAMS };
enum { SMALLEST_BLOCK = 4096, MOST_BLOCKS = 128 };

static uint32_t blocks_of_half(const struct train_spaces *spaces)
{
	const uint64_t half = spaces->heap->young.half, block = spaces->blocks.block;
	return (uint32_t)((half + block - 1) / block);
}

/* The blocks of the semi-space of a tile. */
static struct gcs_blocks blocks_at(const struct train_spaces *spaces, uint32_t tile)
{
	const struct young_generation *young = &spaces->heap->young;
	const char *base = young->memory + (tile < spaces->blocks.half ? 0 : young->half);
	return (struct gcs_blocks){.low = (uintptr_t)base,
	    .high = (uintptr_t)base + young->half,
	    .block = spaces->blocks.block};
}

static int64_t value_of(const struct train_spaces *spaces, uint32_t tile, uint32_t stream)
{
	const struct gcs_blocks blocks = blocks_at(spaces, tile);
	int64_t value = 0;
	switch (stream) {
	case USED:
		return spaces->blocks.used[tile];
	case OBJECTS:
		return spaces->blocks.objects[tile];
	case CONTROL:
		return (blocks.low == (uintptr_t)spaces->heap->young.base ? GCS_TILE_USED
									  : GCS_TILE_UNUSED) |
		       (tile == spaces->blocks.half ? GCS_TILE_SEPARATOR : 0);
	default:
		gcs_blocks_ranges(&blocks, tile % spaces->blocks.half, 1,
		    stream == START ? &value : NULL, stream == END ? &value : NULL);
		return value;
	}
}

static void read_young(
    void *context, uint32_t stream, uint32_t first, uint32_t count, int64_t *values)
{
	struct train_spaces *spaces = context;
	for (uint32_t i = 0; i < count; i++)
		values[i] = value_of(spaces, first + i, stream);
	spaces->tiles_read += count;
}

enum gcs_status train_add_young_space(
    struct train_spaces *spaces, struct gcs_server *server, struct gcs_error *err)
{
	struct young_blocks *blocks = &spaces->blocks;
	blocks->block = SMALLEST_BLOCK;
	while (blocks_of_half(spaces) > MOST_BLOCKS)
		blocks->block *= 2;
	blocks->half = blocks_of_half(spaces);
	blocks->base = blocks->seen = spaces->heap->young.base;
	blocks->used = calloc(2 * (size_t)blocks->half, sizeof *blocks->used);
	blocks->objects = calloc(2 * (size_t)blocks->half, sizeof *blocks->objects);
	if (blocks->used == NULL || blocks->objects == NULL) {
		*err = (struct gcs_error){.status = GCS_NOMEM, .text = "no memory"};
		return GCS_NOMEM;
	}
	struct gcs_stream streams[STREAMS] = {
	    [USED] = gcs_stream_used("Used space", "Bytes of objects in the block", blocks->block),
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
	    .block_bytes = blocks->block,
	    .stream_count = STREAMS,
	    .streams = streams};
	enum gcs_status status = gcs_server_add_space(server, &space, &spaces->young, err);
	if (status != GCS_OK)
		return status;
	struct gcs_tiles_options options = {.space = spaces->young,
	    .streams = STREAMS,
	    .tiles = 2 * blocks->half,
	    .read = read_young,
	    .context = spaces};
	spaces->young_tiles = gcs_tiles_create(&options, err);
	return spaces->young_tiles != NULL ? GCS_OK : GCS_NOMEM;
}

/* A collection has emptied the semi-space. */
static void forget_half(struct train_spaces *spaces)
{
	struct young_blocks *blocks = &spaces->blocks;
	const size_t bytes = 2 * (size_t)blocks->half * sizeof *blocks->used;
	memset(blocks->used, 0, bytes);
	memset(blocks->objects, 0, bytes);
	blocks->total = 0;
	blocks->base = blocks->seen = spaces->heap->young.base;
	blocks->collections = spaces->heap->statistics.young_collections;
	for (uint32_t stream = 0; stream < START; stream++)
		gcs_tiles_touch(spaces->young_tiles, stream, 0, 2 * blocks->half);
}

void train_look_at_young(struct train_spaces *spaces)
{
	struct young_blocks *blocks = &spaces->blocks;
	const struct young_generation *young = &spaces->heap->young;
	if (blocks->collections != spaces->heap->statistics.young_collections)
		forget_half(spaces);
	if (blocks->seen == young->top)
		return;
	const uint32_t first = young->base == young->memory ? 0 : blocks->half;
	struct gcs_blocks at = blocks_at(spaces, first);
	const uint32_t from = gcs_blocks_tile(&at, (uintptr_t)blocks->seen);
	const uint32_t end = gcs_blocks_tile(&at, (uintptr_t)young->top - 1) + 1;
	gcs_blocks_add(
	    &at, blocks->used + first, (uintptr_t)blocks->seen, (uintptr_t)young->top, 1);
	while (blocks->seen < young->top) {
		blocks->objects[first + gcs_blocks_tile(&at, (uintptr_t)blocks->seen)]++;
		blocks->total++;
		blocks->seen = object_end((struct object *)(uintptr_t)blocks->seen);
	}
	gcs_tiles_touch(spaces->young_tiles, USED, first + from, end - from);
	gcs_tiles_touch(spaces->young_tiles, OBJECTS, first + from, end - from);
}

void train_zoom_young(const struct train_spaces *spaces, uint32_t stream,
    const struct gcs_blocks *blocks, int64_t *values)
{
	const struct young_generation *young = &spaces->heap->young;
	const uint64_t start = (uintptr_t)young->base, end = (uintptr_t)young_end(young);
	if (stream == USED)
		gcs_blocks_add(blocks, values, start, (uintptr_t)young->top, 1);
	for (char *at = young->base; stream == OBJECTS && at < young->top;
	     at = object_end((struct object *)(void *)at)) {
		const uint32_t tile = gcs_blocks_tile(blocks, (uintptr_t)at);
		if (tile != GCS_NONE)
			values[tile]++;
	}
	for (uint32_t tile = 0; stream == CONTROL && tile < gcs_blocks_count(blocks); tile++) {
		const uint64_t first = blocks->low + tile * blocks->block;
		if (first < end && first + blocks->block > start)
			values[tile] = GCS_TILE_USED;
	}
}

void train_summarise_young(const struct train_spaces *spaces, struct gcs_snapshot *snapshot)
{
	const struct young_generation *young = &spaces->heap->young;
	train_share(snapshot, spaces->young, USED, young->top - young->base, (int64_t)young->half);
	train_total(snapshot, spaces->young, OBJECTS, spaces->blocks.total);
}
