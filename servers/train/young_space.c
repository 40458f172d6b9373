/* The two semi-spaces of the young generation, one after the other: section 5.5 of the paper, item 4. */
#include "train_spaces.h"

enum { USED, OBJECTS, CONTROL, START, END, STREAMS };

/* The blocks of the semi-space of a tile. */
static struct gcs_blocks blocks_at(const struct train_spaces *spaces, uint32_t tile)
{
	const struct young_generation *young = &spaces->heap->young;
	const char *base = young->memory + (tile < spaces->blocks.half ? 0 : young->half);
	return (struct gcs_blocks){
	    .low = (uintptr_t)base, .high = (uintptr_t)base + young->half, .block = young->block};
}

static int64_t used_of(const struct young_generation *young, uint32_t block)
{
	const size_t used = (size_t)(young->top - young->base), before = block * young->block;
	if (used <= before)
		return 0;
	return (int64_t)(used - before < young->block ? used - before : young->block);
}

/* Objects that begin in the first `blocks` ones. */
static int64_t begun_before(const struct young_generation *young, uint32_t blocks)
{
	if (blocks == 0)
		return 0;
	return blocks <= young->full ? young->begun[blocks - 1] : young->objects;
}

static int64_t value_of(const struct train_spaces *spaces, uint32_t tile, uint32_t stream)
{
	const struct young_generation *young = &spaces->heap->young;
	const struct gcs_blocks blocks = blocks_at(spaces, tile);
	const bool in_use = blocks.low == (uintptr_t)young->base;
	const uint32_t block = tile % spaces->blocks.half;
	int64_t value = 0;
	switch (stream) {
	case USED:
		return in_use ? used_of(young, block) : 0;
	case OBJECTS:
		return in_use ? begun_before(young, block + 1) - begun_before(young, block) : 0;
	case CONTROL:
		return (in_use ? GCS_TILE_USED : GCS_TILE_UNUSED) |
		       (tile == spaces->blocks.half ? GCS_TILE_SEPARATOR : 0);
	default:
		gcs_blocks_ranges(&blocks, block, 1, stream == START ? &value : NULL,
		    stream == END ? &value : NULL);
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
	const struct young_generation *young = &spaces->heap->young;
	const uint32_t half = (uint32_t)((young->half + young->block - 1) / young->block);
	spaces->blocks.half = half;
	spaces->blocks.seen = young->base;
	struct gcs_stream streams[STREAMS] = {
	    [USED] = gcs_stream_used("Used space", "Bytes of objects in the block", young->block),
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
	    .block_bytes = young->block,
	    .stream_count = STREAMS,
	    .streams = streams};
	const struct gcs_tiles_options options = {
	    .tiles = 2 * half, .read = read_young, .context = spaces};
	return train_add_space(server, &space, &options, &spaces->young, &spaces->young_tiles, err);
}

void train_look_at_young(struct train_spaces *spaces)
{
	struct young_blocks *blocks = &spaces->blocks;
	const struct young_generation *young = &spaces->heap->young;
	if (blocks->collections != spaces->heap->statistics.young_collections) {
		for (uint32_t stream = 0; stream < START; stream++) /* the other semi-space */
			gcs_tiles_touch(spaces->young_tiles, stream, 0, 2 * blocks->half);
		blocks->collections = spaces->heap->statistics.young_collections;
		blocks->seen = young->base;
	}
	if (blocks->seen == young->top)
		return;
	const uint32_t first = young->base == young->memory ? 0 : blocks->half;
	const uint32_t from = (uint32_t)((size_t)(blocks->seen - young->base) / young->block);
	const uint32_t end = (uint32_t)((size_t)(young->top - 1 - young->base) / young->block) + 1;
	gcs_tiles_touch(spaces->young_tiles, USED, first + from, end - from);
	gcs_tiles_touch(spaces->young_tiles, OBJECTS, first + from, end - from);
	blocks->seen = young->top;
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
	train_total(snapshot, spaces->young, OBJECTS, young->objects);
}
