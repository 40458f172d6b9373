/*
 * The heap in blocks of one size, in the order of addresses: the segments of the main heap one after another.
 *
 * At an update the touched parts of the heap are walked, and the tiles that lie there computed anew. A walk
 * holds the allocator's lock, so it is cut into pieces. When a segment comes, grows or goes, tiles are inserted
 * and removed, and all are computed anew.
 */
#include <stdio.h>
#include <string.h>

#include <gcspy/memory.h>

#include "dl_drivers.h"
#include "heap_parts.h"

enum { USED, FREE, CHUNKS, LARGEST, PARKED, START, END, STREAMS, VALUES = START };

enum { PIECE = 1 << 20 };

struct heap_space {
	const struct dlmalloc_inside *inside;
	uint32_t id, block;
	struct gcs_tiles *tiles;
	struct heap_parts parts;
	struct dlmalloc_segment segments[HEAP_PARTS];
	uint32_t segment_count, room;
	int64_t *values[VALUES]; /* by stream, of `room` tiles */
};

/* What a walk adds to: `values` are those of the blocks, from blocks->low on. */
struct target {
	const struct gcs_blocks *blocks;
	int64_t *values[VALUES]; /* NULL: not wanted */
};

static void raise_largest(const struct target *t, uint64_t start, uint64_t end)
{
	const struct gcs_blocks *b = t->blocks;
	for (uint64_t at = start > b->low ? start : b->low; at < end && at < b->high;) {
		const uint64_t tile = (at - b->low) / b->block;
		const uint64_t edge = b->low + (tile + 1) * b->block;
		const uint64_t stop = edge < end ? edge : end;
		if ((int64_t)(stop - at) > t->values[LARGEST][tile])
			t->values[LARGEST][tile] = (int64_t)(stop - at);
		at = stop;
	}
}

static bool visit(void *context, uint64_t address, uint64_t size, enum dlmalloc_use use)
{
	const struct target *t = context;
	const uint64_t end = address + size;
	const uint32_t first = gcs_blocks_tile(t->blocks, address);
	const uint32_t bytes = use == DLMALLOC_USED ? USED : use == DLMALLOC_PARKED ? PARKED : FREE;
	if (t->values[bytes] != NULL)
		gcs_blocks_add(t->blocks, t->values[bytes], address, end, 1);
	if (use == DLMALLOC_USED)
		return true;
	if (t->values[CHUNKS] != NULL && first != GCS_NONE)
		t->values[CHUNKS][first]++;
	if (t->values[LARGEST] != NULL)
		raise_largest(t, address, end);
	return true;
}

static void read_tiles(
    void *context, uint32_t stream, uint32_t first, uint32_t count, int64_t *values)
{
	const struct heap_space *h = context;
	if (stream < VALUES) {
		memcpy(values, &h->values[stream][first], count * sizeof *values);
		return;
	}
	const struct heap_part *part = h->parts.list;
	for (uint32_t i = 0; i < count; i++) {
		while (first + i >= part->first + part->count)
			part++;
		const uint64_t low = part->low + (uint64_t)(first + i - part->first) * h->block;
		values[i] = (int64_t)(stream == START ? low : low + h->block);
	}
}

static enum gcs_status describe(
    struct heap_space *h, struct gcs_server *server, uint32_t group, struct gcs_error *err)
{
	char info[80];
	struct gcs_stream streams[STREAMS] = {
	    [USED] = gcs_stream_used("Used", "Bytes of the program's chunks", h->block),
	    [FREE] = gcs_stream_used("Free", "Bytes of free chunks, with dv and top", h->block),
	    [CHUNKS] = {.name = "Free chunks",
		.description = "Free and parked chunks that begin here",
		.type = GCS_TYPE_I32,
		.maximum = GCS_MAX_OF_EVENT,
		.max = INT32_MAX,
		.paint = GCS_PAINT_ZERO,
		.summary = GCS_SUMMARY_TOTAL},
	    [LARGEST] =
		gcs_stream_used("Largest free", "Largest part of a free or parked chunk", h->block),
	    [PARKED] = gcs_stream_used("Parked", "Bytes kept by deferred coalescing", h->block),
	    [START] = gcs_stream_range_start(),
	    [END] = gcs_stream_range_end()};
	streams[LARGEST].summary = GCS_SUMMARY_NONE;
	snprintf(info, sizeof info, "%u bytes per tile", (unsigned)h->block);
	const struct gcs_space space = {.name = "Heap",
	    .description =
		"dlmalloc's segments, one after another; what is mapped by itself is not here",
	    .tile_title = "Block",
	    .block_info = info,
	    .group = group,
	    .main = true,
	    .block_bytes = h->block,
	    .stream_count = STREAMS,
	    .streams = streams};
	return gcs_server_add_space(server, &space, &h->id, err);
}

struct heap_space *heap_space_add(struct gcs_server *server, const struct dlmalloc_inside *inside,
    uint32_t group, uint32_t block, struct gcs_error *err)
{
	struct heap_space *h = gcs_zalloc(sizeof *h);
	if (h == NULL) {
		gcs_fail(err, GCS_NOMEM, "no memory for the heap's space");
		return NULL;
	}
	h->inside = inside;
	h->block = block;
	if (describe(h, server, group, err) == GCS_OK) {
		const struct gcs_tiles_options options = {.space = h->id,
		    .streams = STREAMS,
		    .most = HEAP_TILES,
		    .read = read_tiles,
		    .context = h};
		h->tiles = gcs_tiles_create(&options, err);
	}
	if (h->tiles == NULL) {
		heap_space_destroy(h);
		return NULL;
	}
	return h;
}

struct gcs_tiles *heap_space_tiles(const struct heap_space *h)
{
	return h->tiles;
}

static bool make_room(struct heap_space *h, uint32_t tiles)
{
	for (uint32_t s = 0; tiles > h->room && s < VALUES; s++) {
		int64_t *larger = gcs_realloc(h->values[s], 2 * (size_t)tiles * sizeof *larger);
		if (larger == NULL)
			return false;
		h->values[s] = larger;
	}
	h->room = tiles > h->room ? 2 * tiles : h->room;
	return true;
}

/* Computes tiles of a part anew, and touches those whose values have changed. */
static void compute(
    struct heap_space *h, const struct heap_part *part, uint32_t first, uint32_t count)
{
	const uint32_t at_once = h->block >= PIECE ? 1 : PIECE / h->block;
	for (uint32_t done = 0; done < count; done += at_once) {
		const uint32_t tiles = count - done < at_once ? count - done : at_once;
		const uint32_t tile = part->first + first + done;
		const uint64_t low = part->low + (uint64_t)(first + done) * h->block;
		const struct gcs_blocks blocks = {
		    .low = low, .high = low + (uint64_t)tiles * h->block, .block = h->block};
		struct target target = {.blocks = &blocks};
		for (uint32_t s = 0; s < VALUES; s++) {
			target.values[s] = &h->values[s][tile];
			memset(target.values[s], 0, tiles * sizeof *target.values[s]);
		}
		h->inside->walk(blocks.low, blocks.high, visit, &target);
		gcs_tiles_touch_all(h->tiles, tile, tiles);
	}
}

/* True if the segments are others than at the last update; the tiles are then computed. */
static bool follow_segments(struct heap_space *h)
{
	struct dlmalloc_segment now[HEAP_PARTS];
	struct heap_parts parts;
	const uint32_t count = h->inside->segments(now, HEAP_PARTS);
	if (count == h->segment_count && memcmp(now, h->segments, count * sizeof *now) == 0)
		return false;
	heap_parts_lay_out(&parts, now, count, h->block);
	if (!make_room(h, parts.tiles))
		return true; /* again at the next update */
	memcpy(h->segments, now, count * sizeof *now);
	h->segment_count = count;
	heap_parts_move(&h->parts, &parts, h->block, h->tiles);
	h->parts = parts;
	for (uint32_t p = 0; p < parts.count; p++)
		compute(h, &parts.list[p], 0, parts.list[p].count);
	return true;
}

/* The tiles of a part that overlap touched memory. */
static void follow_touched(struct heap_space *h, const struct heap_part *part)
{
	const uint64_t high = part->low + (uint64_t)part->count * h->block;
	uint32_t done = 0; /* tiles before this one are computed or untouched */
	for (uint64_t at = part->low & ~(uint64_t)(DLMALLOC_TOUCHED_BYTES - 1); at < high;
	     at += DLMALLOC_TOUCHED_BYTES) {
		if (!h->inside->take_touched(at))
			continue;
		uint64_t end = at + DLMALLOC_TOUCHED_BYTES;
		while (end < high && h->inside->take_touched(end))
			end += DLMALLOC_TOUCHED_BYTES;
		uint64_t first = at < part->low ? 0 : (at - part->low) / h->block;
		uint64_t last = ((end < high ? end : high) - part->low + h->block - 1) / h->block;
		first = first < done ? done : first;
		if (first < last)
			compute(h, part, (uint32_t)first, (uint32_t)(last - first));
		done = (uint32_t)last;
		at = end - DLMALLOC_TOUCHED_BYTES;
	}
}

void heap_space_prepare(struct heap_space *h)
{
	if (follow_segments(h))
		return; /* what is touched since then waits for the next update */
	for (uint32_t p = 0; p < h->parts.count; p++)
		follow_touched(h, &h->parts.list[p]);
}

void heap_space_fill(struct heap_space *h, struct gcs_snapshot *s)
{
	uint64_t whole = 0;
	char text[100] = "";
	for (uint32_t i = 0; i < h->segment_count; i++)
		whole += h->segments[i].end - h->segments[i].start;
	(void)gcs_blocks_summarize(s, h->id, whole);
	if (h->parts.cut)
		snprintf(text, sizeof text, "the heap is larger than the %u tiles that are shown",
		    (unsigned)h->parts.tiles);
	gcs_snapshot_set_space_info(s, h->id, text);
}

void heap_space_read_zoom(struct heap_space *h, uint32_t space, uint32_t stream,
    const struct gcs_blocks *blocks, uint32_t count, int64_t *values)
{
	(void)count;
	if (space != h->id || stream >= VALUES)
		return;
	struct target target = {.blocks = blocks};
	target.values[stream] = values;
	h->inside->walk(blocks->low, blocks->high, visit, &target);
}

void heap_space_destroy(struct heap_space *h)
{
	if (h == NULL)
		return;
	gcs_tiles_destroy(h->tiles);
	for (uint32_t s = 0; s < VALUES; s++)
		gcs_free(h->values[s]);
	gcs_free(h);
}
