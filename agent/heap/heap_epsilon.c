/*
 * The heap of the Epsilon collector, which never collects: one space in blocks, filled from its
 * beginning. There are no events; clock ticks (gc_events.h) show how it fills.
 *
 * For the heavy volume a tick stops the program. Nothing ever moves or dies: each object is walked
 * over once.
 */

#include "heap.h"

#include <string.h>

#include <gcspy/memory.h>

#include "area.h"
#include "heavy.h"
#include "streams.h"
#include "vm_epsilon.h"

enum { USED, TLAB, SAMPLED, SAMPLED_ERROR, CONTROL, RANGE_START, RANGE_END, STREAM_COUNT };

static const char space_name[] = "Epsilon heap";

struct epsilon {
	struct heap_base base;
	uint64_t block;
	uint32_t tiles;
	struct heavy heavy;
};

static void *epsilon_open(
    const struct vm *vm, const struct heap_limits *limits, struct gcs_error *err)
{
	struct epsilon *e = gcs_zalloc(sizeof *e);
	struct vm_epsilon space;
	if (e == NULL) {
		gcs_fail(err, GCS_NOMEM, "no memory for the Epsilon driver");
		return NULL;
	}
	vm_epsilon(vm, &space);
	e->base = (struct heap_base){.vm = vm, .space_count = 1};
	e->block = area_block(space.high - space.low, limits->block_bytes, limits->max_tiles);
	e->tiles = area_tiles(space.low, space.high, e->block);
	return e;
}

static enum gcs_status epsilon_describe(
    void *self, struct gcs_server *server, uint32_t group, struct gcs_error *err)
{
	struct epsilon *e = self;
	struct block_info info;
	struct gcs_stream streams[STREAM_COUNT + HEAVY_COUNT] = {
	    [USED] = stream_used(e->block),
	    [TLAB] = stream_tlab(e->block),
	    [SAMPLED] = stream_sampled(SAMPLED_ERROR),
	    [SAMPLED_ERROR] = stream_sampled_error(),
	    [CONTROL] = gcs_stream_control(GCS_TILE_UNUSED),
	    [RANGE_START] = gcs_stream_range_start(),
	    [RANGE_END] = gcs_stream_range_end(),
	};
	struct gcs_space space = space_of_blocks(space_name,
	    "The heap in address order. Epsilon never collects and announces no events: clock "
	    "ticks show how it fills",
	    group, e->block, &info);
	space.main = true;
	space.streams = streams;
	space.stream_count =
	    heavy_describe(&e->heavy, e->base.vm, e->block, 0, CONTROL, streams, STREAM_COUNT);
	return gcs_server_add_space(server, &space, &e->base.spaces[0], err);
}

static size_t epsilon_raw_bytes(const void *self)
{
	(void)self;
	return sizeof(struct vm_epsilon);
}

static void epsilon_capture(const void *self, void *raw)
{
	const struct epsilon *e = self;
	vm_epsilon(e->base.vm, raw);
}

static void epsilon_totals(const void *self, const void *memory, struct heap_totals *totals)
{
	const struct vm_epsilon *raw = memory;
	(void)self;
	*totals = (struct heap_totals){
	    .used = raw->top - raw->low, .committed = raw->committed - raw->low};
}

static bool epsilon_map(void *self, const struct heap_event *event, struct gcs_snapshot *s)
{
	struct epsilon *e = self;
	const struct vm_epsilon *raw = event->raw;
	const uint32_t space = e->base.spaces[0];
	const uint32_t tiles = area_tiles(raw->low, raw->high, e->block);
	const struct area area = {raw->low, e->block, tiles};
	int64_t *values[STREAM_COUNT];
	if (!gcs_server_wants_space(event->server, event->ticket, space))
		return true;
	if (!gcs_snapshot_resize(s, space, tiles))
		return false;
	if (!streams_write(s, space, NULL, STREAM_COUNT, values))
		return tiles == 0;
	memset(values[USED], 0, tiles * sizeof *values[USED]);
	area_add(&area, values[USED], raw->low, raw->top);
	for (uint32_t i = 0; i < tiles; i++)
		values[CONTROL][i] =
		    raw->low + i * e->block < raw->committed ? GCS_TILE_USED : GCS_TILE_UNUSED;
	area_ranges(&area, raw->high, values[RANGE_START], values[RANGE_END]);
	const int64_t in_tlabs =
	    area_set_tlabs(&area, values[TLAB], event->tlabs, event->tlab_count);
	gcs_snapshot_set_summary(s, space, TLAB, 1, &in_tlabs);
	stream_set_used(s, space, USED, raw->top - raw->low, raw->committed - raw->low);
	const struct heavy_cells cells = {.count = e->tiles, .per_tile = 1, .tiles = tiles};
	return heavy_write(&e->heavy, event, s, space, &cells) &&
	       gcs_snapshot_set_gathered(s, space, true);
}

static void epsilon_visit(const void *self, const void *memory, uint64_t start, uint64_t end,
    heap_visitor *visitor, void *context)
{
	const struct vm_epsilon *raw = memory;
	const struct heap_extent extents[2] = {
	    {.start = raw->low, .top = raw->top, .end = raw->committed, .committed = true},
	    {.start = raw->committed, .top = raw->committed, .end = raw->high},
	};
	(void)self;
	for (int i = 0; i < 2; i++)
		if (extents[i].start < end && extents[i].end > start)
			visitor(context, &extents[i]);
}

static bool epsilon_locate(
    const void *self, const void *memory, uint64_t address, struct heap_location *location)
{
	const struct epsilon *e = self;
	const struct vm_epsilon *raw = memory;
	const struct area area = {raw->low, e->block, 0};
	if (address < raw->low || address >= raw->committed)
		return false;
	*location = (struct heap_location){.type = space_name};
	area_tile_of(&area, raw->high, address, &location->low, &location->high);
	return true;
}

static const struct heap_birthplace *epsilon_birthplace(const void *self, uint64_t size)
{
	static const struct heap_birthplace all = {.type = space_name};
	(void)self, (void)size;
	return &all;
}

static struct heap_walk_size epsilon_walk_size(const void *self)
{
	const struct epsilon *e = self;
	return (struct heap_walk_size){.ranges = 1, .cells = e->tiles};
}

/* All allocated memory is below the top, and holds complete objects but for the free parts of
 * buffers. */
static uint32_t epsilon_walk_ranges(const void *self, const void *memory,
    const struct heap_walk_pause *pause, struct heap_walk_range *range)
{
	const struct epsilon *e = self;
	const struct vm_epsilon *raw = memory;
	*range = (struct heap_walk_range){
	    .low = raw->low,
	    .top = raw->top,
	    .from = raw->low,
	    .block = e->block,
	    .way = pause->buffers ? HEAP_WALK_OBJECTS : HEAP_WALK_NEVER,
	    .grows = true,
	};
	return 1;
}

const struct heap_driver heap_epsilon = {
    .collectors = 1 << VM_COLLECTOR_EPSILON,
    .needs = VM_EPSILON_SPACE,
    .open = epsilon_open,
    .describe = epsilon_describe,
    .raw_bytes = epsilon_raw_bytes,
    .capture = epsilon_capture,
    .totals = epsilon_totals,
    .map = epsilon_map,
    .visit = epsilon_visit,
    .locate = epsilon_locate,
    .birthplace = epsilon_birthplace,
    .heap_walk_needs = VM_OBJECTS,
    .heap_walk_size = epsilon_walk_size,
    .heap_walk_ranges = epsilon_walk_ranges,
    .stops_at_clock = true,
};
