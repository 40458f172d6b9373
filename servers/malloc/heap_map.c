/* The heap in the order of addresses, a tile per granule of 64 KiB; zooms are read from the shadow, and free chunks
 * from the allocator if it tells. */
#include <string.h>

#include <gcspy/memory.h>
#include <gcspy/zoom.h>

#include "class_space.h"
#include "dl_heap.h"
#include "heap_granules.h"
#include "malloc_spaces.h"

/* The last three are those of an allocator that tells. */
enum { USED, FREE, BLOCKS, GAP, CHANGED, CONTROL, START, END, CHUNKS, LARGEST, PARKED, STREAMS };

static struct gcs_tiles *tiles;
static uint32_t space;

/* Where the program has memory that may be the heap's. */
static struct range {
	uint64_t start, end;
} * ranges;
static uint32_t range_count, range_room;

static void on_inserted(uint32_t tile, uint32_t count)
{
	(void)gcs_tiles_insert(tiles, tile, count);
	gcs_tiles_touch(tiles, CONTROL, tile + count, 1); /* its separator */
}

static void on_removed(uint32_t tile, uint32_t count)
{
	(void)gcs_tiles_remove(tiles, tile, count);
	gcs_tiles_touch(tiles, CONTROL, tile, 1);
}

static void on_changed(uint32_t tile)
{
	gcs_tiles_touch_all(tiles, tile, 1);
}

void heap_map_set_mappings(const struct process_maps *maps)
{
	if (maps->count > range_room) {
		struct range *larger = gcs_realloc(ranges, maps->count * sizeof *larger);
		if (larger == NULL)
			return;
		ranges = larger;
		range_room = maps->count;
	}
	range_count = 0;
	heap_granules_map_begin();
	for (uint32_t i = 0; i < maps->count; i++) {
		const struct mapping *m = &maps->mappings[i];
		if (!mapping_is_heap(m))
			continue;
		heap_granules_map(m->start, m->end);
		if (range_count != 0 && ranges[range_count - 1].end == m->start)
			ranges[range_count - 1].end = m->end;
		else
			ranges[range_count++] = (struct range){m->start, m->end};
	}
	heap_granules_map_end();
}

bool heap_map_clip(uint64_t *start, uint64_t *end)
{
	uint32_t low = 0, high = range_count;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		if (ranges[middle].end <= *start)
			low = middle + 1;
		else
			high = middle;
	}
	if (*start >= *end || low == range_count || ranges[low].start >= *end)
		return false;
	*start = ranges[low].start > *start ? ranges[low].start : *start;
	*end = ranges[low].end < *end ? ranges[low].end : *end;
	return true;
}

/* Tiles. */

static int64_t unused_of(const struct heap_granule *g)
{
	const uint32_t used = heap_granule_used(g);
	return g->mapped > used ? g->mapped - used : 0;
}

static int64_t free_of(const struct heap_granule *g)
{
	return g->free.known ? g->free.bytes : unused_of(g);
}

/* The longest mapped part of what is in no block. */
static int64_t longest_mapped(uint64_t start, uint64_t end)
{
	int64_t most = 0;
	for (uint64_t to = end; heap_map_clip(&start, &to); start = to, to = end)
		most = (int64_t)(to - start) > most ? (int64_t)(to - start) : most;
	return most;
}

static int64_t largest_gap(const struct heap_granule *g)
{
	const uint64_t limit = g->start + SHADOW_GRANULE;
	const uint64_t first = g->blocks == 0 ? limit : g->start + (uint64_t)g->first * SHADOW_UNIT;
	const int64_t lead = longest_mapped(g->start + g->spill, first);
	const int64_t trail = g->blocks == 0 ? 0 : longest_mapped(g->end, limit);
	const int64_t unused = unused_of(g);
	int64_t most = (int64_t)g->gap * SHADOW_UNIT;
	most = lead > most ? lead : most;
	most = trail > most ? trail : most;
	return most < unused ? most : unused;
}

static int64_t control_of(uint32_t tile)
{
	const struct heap_granule *g = heap_granules_at(tile);
	const bool parted =
	    tile != 0 && heap_granules_at(tile - 1)->start + SHADOW_GRANULE != g->start;
	return (g->mapped != 0 || heap_granule_used(g) != 0 ? GCS_TILE_USED : GCS_TILE_UNUSED) |
	       (parted ? GCS_TILE_SEPARATOR : 0);
}

static int64_t value_of(uint32_t stream, uint32_t tile)
{
	const struct heap_granule *g = heap_granules_at(tile);
	switch (stream) {
	case USED:
		return heap_granule_used(g);
	case FREE:
		return free_of(g);
	case BLOCKS:
		return g->blocks;
	case GAP:
		return largest_gap(g);
	case CHANGED:
		return g->changed;
	case CONTROL:
		return control_of(tile);
	case START:
		return (int64_t)g->start;
	case END:
		return (int64_t)g->start + SHADOW_GRANULE;
	case CHUNKS:
		return g->free.chunks;
	case LARGEST:
		return g->free.largest;
	default:
		return g->free.parked;
	}
}

static void read_tiles(
    void *context, uint32_t stream, uint32_t first, uint32_t count, int64_t *values)
{
	(void)context;
	for (uint32_t i = 0; i < count; i++)
		values[i] = first + i < heap_granules_count() ? value_of(stream, first + i) : 0;
}

/* Zooms. */

struct zoom {
	const struct gcs_blocks *blocks;
	uint32_t stream;
	int64_t *values;
	uint64_t end; /* of the block before */
};

/* A gap counts in each zoomed block with the part of it that is there and mapped. */
static void add_gap(struct zoom *z, uint64_t start, uint64_t end)
{
	const struct gcs_blocks *b = z->blocks;
	start = start > b->low ? start : b->low;
	end = end < b->high ? end : b->high;
	for (uint32_t i = 0; i < range_count && start < end; i++) {
		uint64_t at = ranges[i].start > start ? ranges[i].start : start;
		const uint64_t to = ranges[i].end < end ? ranges[i].end : end;
		while (at < to) {
			const uint64_t index = (at - b->low) / b->block;
			const uint64_t limit = b->low + (index + 1) * b->block;
			const int64_t part = (int64_t)((limit < to ? limit : to) - at);
			int64_t *value = &z->values[index];
			if (z->stream == FREE)
				*value += part;
			else
				*value = part > *value ? part : *value;
			at = limit;
		}
	}
}

static void add_to_zoom(void *context, uintptr_t start, uint64_t bytes)
{
	struct zoom *z = context;
	if (start + bytes <= z->blocks->low)
		return;
	if (z->stream == USED) {
		gcs_blocks_add(z->blocks, z->values, start, start + bytes, 1);
	} else if (z->stream == BLOCKS) {
		const uint32_t tile = gcs_blocks_tile(z->blocks, start);
		if (tile != GCS_NONE)
			z->values[tile]++;
	} else if (z->end < start) {
		add_gap(z, z->end, start);
	}
	z->end = start + bytes > z->end ? start + bytes : z->end;
}

/* Where a scan has to begin to find the block that covers an address. */
static uint64_t scan_start(uint64_t low)
{
	uint32_t tile = heap_granules_find(low);
	if (tile == heap_granules_count() || heap_granules_at(tile)->start > low)
		return low;
	if (heap_granules_at(tile)->spill != 0)
		while (tile != 0 && heap_granules_at(--tile)->end == 0)
			;
	return heap_granules_at(tile)->start;
}

static void read_zoom(void *context, uint32_t of, uint32_t stream, const struct gcs_blocks *blocks,
    uint32_t count, int64_t *values)
{
	struct zoom z = {.blocks = blocks, .stream = stream, .values = values, .end = blocks->low};
	(void)context;
	(void)count;
	if (of != space || (stream > GAP && stream < CHUNKS))
		return;
	if (stream >= CHUNKS || (stream == FREE && dl_heap_is_there())) {
		static const enum dl_heap_column columns[] = {[FREE] = DL_HEAP_FREE,
		    [CHUNKS] = DL_HEAP_CHUNKS,
		    [LARGEST] = DL_HEAP_LARGEST,
		    [PARKED] = DL_HEAP_PARKED};
		dl_heap_read_zoom(columns[stream], blocks, values);
		return;
	}
	shadow_scan(scan_start(blocks->low), blocks->high, add_to_zoom, &z);
	if ((stream == FREE || stream == GAP) && z.end < blocks->high)
		add_gap(&z, z.end, blocks->high);
}

/* Description. */

static void describe(struct gcs_stream streams[STREAMS])
{
	static const char *const no_yes[] = {"no", "yes"};
	streams[USED] = gcs_stream_used(
	    "Used", "Bytes of blocks that the program has, with their headers", SHADOW_GRANULE);
	streams[FREE] = gcs_stream_used("Free",
	    "Mapped bytes that are in no block: free memory, and the allocator's own data",
	    SHADOW_GRANULE);
	streams[FREE].summary = GCS_SUMMARY_TOTAL;
	streams[BLOCKS] = (struct gcs_stream){.name = "Blocks",
	    .description = "Blocks that start in the tile",
	    .type = GCS_TYPE_I32,
	    .maximum = GCS_MAX_OF_EVENT,
	    .paint = GCS_PAINT_ZERO,
	    .summary = GCS_SUMMARY_TOTAL,
	    .max = SHADOW_GRANULE / SHADOW_UNIT};
	streams[GAP] = gcs_stream_used(
	    "Largest gap", "The largest gap between blocks within the tile", SHADOW_GRANULE);
	streams[GAP].summary = GCS_SUMMARY_NONE;
	streams[CHANGED] = gcs_stream_enumeration(
	    "Changed", "Has a block come or gone since the previous update?", 2, no_yes);
	streams[CONTROL] = gcs_stream_control(GCS_TILE_USED);
	streams[START] = gcs_stream_range_start();
	streams[END] = gcs_stream_range_end();
	streams[CHUNKS] =
	    count_stream("Free chunks", "Free and parked chunks that begin here, not joined");
	streams[LARGEST] = gcs_stream_used(
	    "Largest free", "Largest part of a free or parked chunk", SHADOW_GRANULE);
	streams[LARGEST].summary = GCS_SUMMARY_NONE;
	streams[PARKED] = gcs_stream_used(
	    "Parked", "Bytes of freed chunks, kept for requests of their size", SHADOW_GRANULE);
	streams[PARKED].summary = GCS_SUMMARY_TOTAL;
	if (dl_heap_is_there())
		streams[FREE].description = "Bytes of free chunks, with dv and top";
}

struct gcs_tiles *heap_map_add(struct gcs_server *server, struct gcs_error *err)
{
	static const struct heap_granules_hooks hooks = {
	    .inserted = on_inserted, .removed = on_removed, .changed = on_changed};
	const uint32_t stream_count = dl_heap_is_there() ? STREAMS : CHUNKS;
	struct gcs_stream streams[STREAMS];
	describe(streams);
	const struct gcs_space described = {.name = "Heap",
	    .description = "The memory of the program's allocator, in the order of addresses",
	    .tile_title = "Block",
	    .block_info = "64 KiB per tile; a border where addresses are not adjacent",
	    .unused_text = "not mapped",
	    .group = GCS_NONE,
	    .main = true,
	    .block_bytes = SHADOW_GRANULE,
	    .stream_count = stream_count,
	    .streams = streams};
	const struct gcs_zoom_options zooms = {.read = read_zoom};
	if (gcs_server_add_space(server, &described, &space, err) != GCS_OK ||
	    gcs_zooms_enable(server, &zooms, err) != GCS_OK)
		return NULL;
	const struct gcs_tiles_options options = {.space = space,
	    .streams = stream_count,
	    .most = HEAP_GRANULES_MOST,
	    .read = read_tiles};
	tiles = gcs_tiles_create(&options, err);
	if (tiles != NULL)
		heap_granules_hook(&hooks);
	return tiles;
}

void heap_map_fill(struct gcs_snapshot *snapshot)
{
	const struct heap_sums *sums = heap_granules_sums();
	uint64_t mapped = 0;
	for (uint32_t i = 0; i < heap_granules_count(); i++)
		mapped += heap_granules_at(i)->mapped;
	const int64_t whole = (int64_t)(mapped > sums->bytes ? mapped : sums->bytes);
	(void)gcs_blocks_summarize(snapshot, space, (uint64_t)whole);
	/* A block is known by its start: its bytes count before all its tiles are. */
	(void)gcs_snapshot_set_summary(
	    snapshot, space, USED, 2, (const int64_t[]){(int64_t)sums->bytes, whole});
}
