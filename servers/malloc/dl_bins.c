/*
 * A bin of free chunks: a list of chunks of one size, or a trie of sizes with a list at each node.
 *
 * A list changes at its front, so that most of it stays: only the tiles between the parts that two walks
 * have in common come and go. A bin is walked when it has changed, as far as DLMALLOC_BIN_ROOM.
 */
#include <stdio.h>
#include <string.h>

#include <gcspy/blocks.h>
#include <gcspy/format.h>
#include <gcspy/memory.h>

#include "dl_drivers.h"

enum { SIZE, START, END, SMALL_STREAMS, CHUNKS = SMALL_STREAMS, DEPTH, TREE_STREAMS };

struct bin_space {
	const struct dlmalloc_inside *inside;
	uint32_t bin, id;
	bool small;
	struct gcs_tiles *tiles;
	uint32_t count;
	struct dlmalloc_bin state;
	struct dlmalloc_chunk *chunks; /* of the last walk: DLMALLOC_BIN_ROOM */
};

/* Of the thread that flushes. */
static struct dlmalloc_chunk walked[DLMALLOC_BIN_ROOM];

static void read_tiles(
    void *context, uint32_t stream, uint32_t first, uint32_t count, int64_t *values)
{
	const struct bin_space *b = context;
	for (uint32_t i = 0; i < count; i++) {
		const struct dlmalloc_chunk *c = &b->chunks[first + i];
		const int64_t by_stream[TREE_STREAMS] = {[SIZE] = (int64_t)c->size,
		    [START] = (int64_t)c->address,
		    [END] = (int64_t)(c->address + c->size),
		    [CHUNKS] = (int64_t)c->same + 1,
		    [DEPTH] = c->depth};
		values[i] = by_stream[stream];
	}
}

static struct gcs_stream size_stream(uint64_t most)
{
	return (struct gcs_stream){.name = "Size",
	    .description = "Bytes of the chunk, with its header",
	    .type = GCS_TYPE_I64,
	    .maximum = GCS_MAX_FIXED,
	    .max = most > INT64_MAX ? INT64_MAX : (int64_t)most,
	    .format = GCS_BYTES,
	    .summary = GCS_SUMMARY_TOTAL};
}

static enum gcs_status describe(struct bin_space *b, struct gcs_server *server, uint32_t group,
    uint64_t least, uint64_t most, struct gcs_error *err)
{
	char name[60], info[120], from[40];
	struct gcs_stream streams[TREE_STREAMS] = {[SIZE] = size_stream(most),
	    [START] = gcs_stream_range_start(),
	    [END] = gcs_stream_range_end(),
	    [CHUNKS] = {.name = "Chunks",
		.description = "Free chunks of this size; 4097 stands for that or more",
		.presentation = GCS_PLUS,
		.type = GCS_TYPE_I32,
		.min = 1,
		.max = DLMALLOC_SAME_LIMIT + 1,
		.initial = 1,
		.summary = GCS_SUMMARY_TOTAL},
	    [DEPTH] = {.name = "Depth",
		.description = "Steps from the root of the trie",
		.type = GCS_TYPE_I8,
		.max = 64}};
	gcs_format_number(from, sizeof from, (int64_t)least, GCS_BYTES);
	snprintf(name, sizeof name, b->small ? "Smallbin %s" : "Treebin from %s", from);
	snprintf(info, sizeof info, "1 %s per tile; at most %d tiles",
	    b->small ? "free chunk, in the order of the list," : "node of the trie",
	    DLMALLOC_BIN_ROOM);
	if (!b->small) { /* intensity is by what there is: the last bin has no largest size */
		streams[SIZE].min = 0;
		streams[SIZE].maximum = most == SIZE_MAX ? GCS_MAX_OF_EVENT : GCS_MAX_FIXED;
	}
	const struct gcs_space space = {.name = name,
	    .description = b->small ? "Free chunks of one size: the first one is allocated next"
				    : "Free chunks by size; nodes before their children",
	    .tile_title = b->small ? "Free chunk" : "Node",
	    .block_info = info,
	    .group = group,
	    .kind = GCS_SPACE_LIST,
	    .stream_count = b->small ? SMALL_STREAMS : TREE_STREAMS,
	    .streams = streams};
	return gcs_server_add_space(server, &space, &b->id, err);
}

struct bin_space *bin_space_add(struct gcs_server *server, const struct dlmalloc_inside *inside,
    uint32_t group, uint32_t bin, struct gcs_error *err)
{
	uint64_t least, most;
	err->status = GCS_OK;
	if (!inside->bin_sizes(bin, &least, &most))
		return NULL;
	struct bin_space *b = gcs_zalloc(sizeof *b);
	if (b == NULL) {
		gcs_fail(err, GCS_NOMEM, "no memory for the bins");
		return NULL;
	}
	b->inside = inside;
	b->bin = bin;
	b->small = bin < DLMALLOC_SMALL_BINS;
	b->chunks = gcs_alloc(DLMALLOC_BIN_ROOM * sizeof *b->chunks);
	if (b->chunks == NULL)
		gcs_fail(err, GCS_NOMEM, "no memory for the bins");
	else if (describe(b, server, group, least, most, err) == GCS_OK) {
		const struct gcs_tiles_options options = {.space = b->id,
		    .streams = b->small ? SMALL_STREAMS : TREE_STREAMS,
		    .most = DLMALLOC_BIN_ROOM,
		    .read = read_tiles,
		    .context = b};
		b->tiles = gcs_tiles_create(&options, err);
	}
	if (b->tiles != NULL)
		return b;
	gcs_free(b->chunks);
	gcs_free(b);
	return NULL;
}

struct gcs_tiles *bin_space_tiles(const struct bin_space *b)
{
	return b->tiles;
}

static bool same_tile(const struct dlmalloc_chunk *a, const struct dlmalloc_chunk *b)
{
	return a->address == b->address && a->size == b->size;
}

void bin_space_prepare(struct bin_space *b)
{
	const uint32_t now = b->inside->walk_bin(b->bin, walked, DLMALLOC_BIN_ROOM, &b->state);
	uint32_t front = 0, back = 0;
	while (front < now && front < b->count && same_tile(&walked[front], &b->chunks[front]))
		front++;
	while (back < now - front && back < b->count - front &&
	       same_tile(&walked[now - 1 - back], &b->chunks[b->count - 1 - back]))
		back++;
	/* What is in both places, in the middle, may be the same chunks in another order: they are tiles
	 * whose values change. */
	const uint32_t before = b->count - front - back, after = now - front - back;
	if (after > before)
		gcs_tiles_insert(b->tiles, front, after - before);
	else if (before > after)
		gcs_tiles_remove(b->tiles, front, before - after);
	for (uint32_t i = 0; i < now; i++) {
		const uint32_t old = i < front ? i : i + b->count - now;
		if ((i >= front && i < now - back) || walked[i].same != b->chunks[old].same ||
		    walked[i].depth != b->chunks[old].depth)
			gcs_tiles_touch_all(b->tiles, i, 1);
	}
	memcpy(b->chunks, walked, now * sizeof *walked);
	b->count = now;
}

void bin_space_fill(struct bin_space *b, struct gcs_snapshot *s)
{
	char text[80] = "";
	const int64_t bytes = (int64_t)b->state.bytes, chunks = (int64_t)b->state.chunks;
	gcs_snapshot_set_summary(s, b->id, SIZE, 1, &bytes);
	if (!b->small)
		gcs_snapshot_set_summary(s, b->id, CHUNKS, 1, &chunks);
	if (b->state.more != 0 && b->small)
		snprintf(text, sizeof text, "%lu chunks, and %lu more after them",
		    (unsigned long)b->count, (unsigned long)b->state.more);
	else if (b->state.more != 0)
		snprintf(text, sizeof text, "%lu chunks; more nodes than are shown",
		    (unsigned long)b->state.chunks);
	gcs_snapshot_set_space_info(s, b->id, text);
}
