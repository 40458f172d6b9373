/*
 * The heap of the Epsilon collector, which never collects: one space in blocks, filled from its
 * beginning. There are no events; the clock (gc_events.h) shows how it fills.
 *
 * For the heavy volume the clock stops the program. Nothing ever moves or goes: each object is
 * walked over once.
 */

#include "heap.h"

#include <stdio.h>
#include <string.h>

#include <gcspy/format.h>
#include <gcspy/memory.h>

#include "area.h"
#include "heavy.h"
#include "streams.h"
#include "vm_epsilon.h"

enum { USED, TLAB, SAMPLED, CONTROL, RANGE_START, RANGE_END, STREAM_COUNT };

static const char space_name[] = "Epsilon heap";

struct epsilon {
	const struct vm *vm;
	uint64_t block;
	uint32_t space;
	uint32_t tiles;
	struct heavy heavy;
};

static bool epsilon_fits(const struct vm *vm)
{
	return vm_collector(vm) == VM_COLLECTOR_EPSILON;
}

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
	e->vm = vm;
	e->block = area_block(space.high - space.low, limits->block_bytes, limits->max_tiles);
	e->tiles = area_tiles(space.low, space.high, e->block);
	return e;
}

static enum gcs_status epsilon_describe(
    void *self, struct gcs_server *server, uint32_t group, struct gcs_error *err)
{
	struct epsilon *e = self;
	struct gcs_stream streams[STREAM_COUNT + HEAVY_COUNT] = {
	    [USED] = stream_used(e->block),
	    [TLAB] = stream_tlab(e->block),
	    [SAMPLED] = stream_sampled(),
	    [CONTROL] = stream_control(GCS_TILE_UNUSED),
	    [RANGE_START] = stream_range_start(),
	    [RANGE_END] = stream_range_end(),
	};
	uint32_t count =
	    heavy_describe(&e->heavy, e->vm, e->block, 0, CONTROL, streams, STREAM_COUNT);
	char block[32], info[80];
	gcs_format_number(block, sizeof block, (int64_t)e->block, GCS_BYTES);
	snprintf(info, sizeof info, "Blocks of %s", block);
	const struct gcs_space space = {
	    .name = space_name,
	    .description = "The heap in address order. Epsilon never collects and announces no "
			   "events: the clock shows how it fills",
	    .tile_title = "Block",
	    .block_info = info,
	    .unused_text = "uncommitted",
	    .group = group,
	    .kind = GCS_SPACE_ADDRESSES,
	    .main = true,
	    .block_bytes = e->block,
	    .stream_count = count,
	    .streams = streams,
	    .default_stream = USED,
	};
	return gcs_server_add_space(server, &space, &e->space, err);
}

static size_t epsilon_raw_bytes(const void *self)
{
	(void)self;
	return sizeof(struct vm_epsilon);
}

static void epsilon_capture(const void *self, void *raw)
{
	const struct epsilon *e = self;
	vm_epsilon(e->vm, raw);
}

static void epsilon_totals(const void *self, const void *memory, struct heap_totals *totals)
{
	const struct vm_epsilon *raw = memory;
	(void)self;
	totals->used = raw->top - raw->low;
	totals->committed = raw->committed - raw->low;
}

static void epsilon_compare(
    const void *self, const void *before, const void *after, struct heap_change *change)
{
	(void)self;
	(void)before;
	(void)after;
	*change = (struct heap_change){0};
}

static void map_tlabs(
    const struct area *area, const struct heap_event *event, int64_t *values, int64_t *total)
{
	memset(values, 0, area->tiles * sizeof *values);
	area_add_tlabs(area, values, event->tlabs, event->tlab_count);
	for (uint32_t i = 0; i < area->tiles; i++)
		*total += values[i];
}

static bool epsilon_map(void *self, const struct heap_event *event, struct gcs_snapshot *s)
{
	struct epsilon *e = self;
	const struct vm_epsilon *raw = event->raw;
	if (!gcs_server_wants_space(event->server, event->ticket, e->space))
		return true;
	const uint32_t tiles = area_tiles(raw->low, raw->high, e->block);
	const struct area area = {raw->low, e->block, tiles};
	int64_t *values[STREAM_COUNT];
	if (!gcs_snapshot_resize(s, e->space, tiles))
		return false;
	for (uint32_t i = 0; i < STREAM_COUNT; i++)
		if ((values[i] = gcs_snapshot_write(s, e->space, i)) == NULL)
			return tiles == 0;
	memset(values[USED], 0, tiles * sizeof *values[USED]);
	area_add(&area, values[USED], raw->low, raw->top);
	for (uint32_t i = 0; i < tiles; i++)
		values[CONTROL][i] =
		    raw->low + i * e->block < raw->committed ? GCS_TILE_USED : GCS_TILE_UNUSED;
	area_ranges(&area, raw->high, values[RANGE_START], values[RANGE_END]);
	int64_t in_buffers = 0;
	map_tlabs(&area, event, values[TLAB], &in_buffers);

	struct heap_totals totals;
	epsilon_totals(e, raw, &totals);
	const int64_t share[2] = {(int64_t)totals.used, (int64_t)totals.committed};
	gcs_snapshot_set_summary(s, e->space, USED, 2, share);
	gcs_snapshot_set_summary(s, e->space, TLAB, 1, &in_buffers);
	const struct heavy_cells cells = {.count = e->tiles, .per_tile = 1, .tiles = tiles};
	if (!heavy_write(&e->heavy, event, s, e->space, &cells))
		return false;
	return gcs_snapshot_set_gathered(s, e->space, true);
}

static uint32_t epsilon_region_attributes(const void *self, struct gcs_stream *streams)
{
	(void)self;
	(void)streams;
	return 0;
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

static void epsilon_words(const void *self, struct heap_words *words)
{
	(void)self;
	*words = (struct heap_words){0};
}

static bool epsilon_place(
    const void *self, const void *memory, uint64_t address, struct heap_place *place)
{
	const struct epsilon *e = self;
	const struct vm_epsilon *raw = memory;
	const struct area area = {raw->low, e->block, 0};
	if (address < raw->low || address >= raw->committed)
		return false;
	*place = (struct heap_place){.type = space_name};
	area_tile_of(&area, raw->high, address, &place->low, &place->high);
	return true;
}

static struct heap_walk_size epsilon_sweep_size(const void *self)
{
	const struct epsilon *e = self;
	return (struct heap_walk_size){.ranges = 1, .cells = e->tiles};
}

/* All that is allocated lies below the top, and is complete but for the free parts of buffers. */
static uint32_t epsilon_sweep_ranges(const void *self, const void *memory,
    const struct heap_walk_moment *moment, struct heap_walk_range *range)
{
	const struct epsilon *e = self;
	const struct vm_epsilon *raw = memory;
	*range = (struct heap_walk_range){
	    .low = raw->low,
	    .top = raw->top,
	    .from = raw->low,
	    .block = e->block,
	    .way = moment->buffers ? HEAP_WALK_OBJECTS : HEAP_WALK_NEVER,
	    .grows = true,
	};
	return 1;
}

static bool epsilon_sweep_wanted(
    const void *self, struct gcs_server *server, const struct gcs_ticket *ticket)
{
	const struct epsilon *e = self;
	return gcs_server_wants_space(server, ticket, e->space);
}

static void epsilon_close(void *self)
{
	gcs_free(self);
}

const struct heap_driver heap_epsilon = {
    .name = "Epsilon heap",
    .fits = epsilon_fits,
    .needs = VM_EPSILON_SPACE,
    .open = epsilon_open,
    .describe = epsilon_describe,
    .raw_bytes = epsilon_raw_bytes,
    .capture = epsilon_capture,
    .totals = epsilon_totals,
    .compare = epsilon_compare,
    .map = epsilon_map,
    .region_attributes = epsilon_region_attributes,
    .visit = epsilon_visit,
    .words = epsilon_words,
    .place = epsilon_place,
    .close = epsilon_close,
    .heap_walk_needs = VM_OBJECTS,
    .heap_walk_size = epsilon_sweep_size,
    .heap_walk_ranges = epsilon_sweep_ranges,
    .heap_walk_wanted = epsilon_sweep_wanted,
    .stops_at_clock = true,
};
