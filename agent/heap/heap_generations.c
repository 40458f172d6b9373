/*
 * The heaps of the Serial and Parallel collectors: eden, two survivor spaces and the old
 * generation, each cut into blocks in address order. Reserved memory that is not committed shows as
 * unused tiles behind eden and the old space.
 */

#include "heap.h"

#include <string.h>

#include <gcspy/memory.h>

#include "area.h"
#include "heap_walk_ranges.h"
#include "heavy.h"
#include "streams.h"

enum { USED, TLAB, SAMPLED, SAMPLED_ERROR, CONTROL, RANGE_START, RANGE_END, STREAM_COUNT };
enum { EDEN, FROM, TO, OLD, SPACE_COUNT };

_Static_assert((int)SPACE_COUNT <= (int)HEAP_SPACES, "a base has room for the spaces");

static const char *const space_names[SPACE_COUNT] = {"Eden", "From", "To", "Old"};

static const char *const space_texts[SPACE_COUNT] = {
    "New objects, followed by the young generation's uncommitted memory",
    "The survivor space in use. It swaps roles with To at each young collection",
    "The empty survivor space, into which the next young collection copies",
    "Objects that have survived several collections, followed by uncommitted memory",
};

struct generations {
	struct heap_base base;
	uint64_t block;
	uint32_t max_tiles;
	struct heap_walk_plan plan;
	struct heavy heavy[SPACE_COUNT];
};

/* Of the whole reserved heap. */
static uint64_t heap_bytes(const struct vm *vm)
{
	struct vm_range heap = vm_heap_range(vm);
	return heap.high > heap.low ? heap.high - heap.low : vm_max_heap(vm);
}

static void *gen_open(const struct vm *vm, const struct heap_limits *limits, struct gcs_error *err)
{
	struct generations *g = gcs_zalloc(sizeof *g);
	if (g == NULL) {
		gcs_fail(err, GCS_NOMEM, "no memory for the driver of the generations");
		return NULL;
	}
	g->base = (struct heap_base){.vm = vm, .space_count = SPACE_COUNT};
	g->block = area_block(heap_bytes(vm), limits->block_bytes, limits->max_tiles);
	g->max_tiles = limits->max_tiles;
	g->plan = heap_walk_generations_plan(heap_bytes(vm), g->block, g->max_tiles);
	return g;
}

static enum gcs_status gen_describe(
    void *self, struct gcs_server *server, uint32_t group, struct gcs_error *err)
{
	struct generations *g = self;
	struct gcs_stream streams[STREAM_COUNT + HEAVY_COUNT] = {
	    [USED] = stream_used(g->block),
	    [TLAB] = stream_tlab(g->block),
	    [SAMPLED] = stream_sampled(SAMPLED_ERROR),
	    [SAMPLED_ERROR] = stream_sampled_error(),
	    [CONTROL] = gcs_stream_control(GCS_TILE_USED),
	    [RANGE_START] = gcs_stream_range_start(),
	    [RANGE_END] = gcs_stream_range_end(),
	};
	struct block_info info;
	uint32_t groups[2];
	const char *const group_names[2] = {"Young generation", "Old generation"};
	enum gcs_status status = GCS_OK;
	for (int i = 0; status == GCS_OK && i < 2; i++)
		status = gcs_server_add_group(server,
		    &(struct gcs_group){.name = group_names[i], .parent = group}, &groups[i], err);
	for (int i = 0; status == GCS_OK && i < SPACE_COUNT; i++) {
		struct gcs_space space = space_of_blocks(
		    space_names[i], space_texts[i], groups[i == OLD], g->block, &info);
		space.main = i == OLD;
		space.streams = streams;
		/* Cards of young generations are never cleaned, and mean nothing. */
		space.stream_count = heavy_describe(&g->heavy[i], g->base.vm, g->block,
		    i == OLD ? HEAVY_HAS_CARDS : 0, CONTROL, streams, STREAM_COUNT);
		status = gcs_server_add_space(server, &space, &g->base.spaces[i], err);
	}
	return status;
}

static size_t gen_raw_bytes(const void *self)
{
	(void)self;
	return sizeof(struct vm_generations);
}

static void gen_capture(const void *self, void *raw)
{
	const struct generations *g = self;
	vm_generations(g->base.vm, raw);
}

static const struct vm_space *space_of(const struct vm_generations *raw, int space)
{
	const struct vm_space *spaces[SPACE_COUNT] = {&raw->eden, &raw->from, &raw->to, &raw->old};
	return spaces[space];
}

static void gen_totals(const void *self, const void *memory, struct heap_totals *totals)
{
	(void)self;
	*totals = (struct heap_totals){.has_old = true};
	for (int i = 0; i < SPACE_COUNT; i++) {
		const struct vm_space *s = space_of(memory, i);
		totals->used += s->top - s->bottom;
		totals->old += i == OLD ? s->top - s->bottom : 0;
		totals->committed += s->end - s->bottom;
	}
}

/* Reserved memory after the committed memory, shown after eden and after the old space. */
static struct vm_range uncommitted(const struct vm_generations *raw, int space)
{
	const struct vm_range *reserved = space == OLD ? &raw->old_reserved : &raw->young_reserved;
	const struct vm_range *committed =
	    space == OLD ? &raw->old_committed : &raw->young_committed;
	if ((space != EDEN && space != OLD) || committed->high == 0 ||
	    committed->high >= reserved->high)
		return (struct vm_range){0, 0};
	return (struct vm_range){committed->high, reserved->high};
}

/* The parts of one space: its own memory first, then uncommitted memory. */
struct parts {
	struct area own, rest;
	uint64_t own_high, rest_high;
};

static struct parts cut(const struct generations *g, const struct vm_space *s, struct vm_range rest)
{
	struct parts p = {.own = {s->bottom, g->block, area_tiles(s->bottom, s->end, g->block)},
	    .rest = {rest.low, g->block, area_tiles(rest.low, rest.high, g->block)},
	    .own_high = s->end,
	    .rest_high = rest.high};
	/* The block size keeps to the limit of tiles; this guards against impossible values. */
	uint32_t limit = g->max_tiles + SPACE_COUNT;
	p.own.tiles = p.own.tiles > limit ? limit : p.own.tiles;
	p.rest.tiles = p.rest.tiles > limit - p.own.tiles ? limit - p.own.tiles : p.rest.tiles;
	return p;
}

static int64_t control_of(const struct parts *p, uint32_t tile)
{
	if (tile < p->own.tiles)
		return GCS_TILE_USED;
	bool border = tile == p->own.tiles && tile != 0;
	return GCS_TILE_UNUSED | (border ? GCS_TILE_SEPARATOR : 0);
}

/* True if the snapshot already has the tiles' control bits and ranges, from the event before. */
static bool has_layout(const struct parts *p, const struct gcs_snapshot *s, uint32_t space)
{
	const int64_t *control = gcs_snapshot_values(s, space, CONTROL);
	const int64_t *starts = gcs_snapshot_values(s, space, RANGE_START);
	const int64_t *ends = gcs_snapshot_values(s, space, RANGE_END);
	uint32_t own = p->own.tiles;
	bool same = area_has_ranges(&p->own, p->own_high, starts, ends) &&
		    area_has_ranges(&p->rest, p->rest_high, starts + own, ends + own);
	for (uint32_t i = 0; same && i < own + p->rest.tiles; i++)
		same = (control[i] & ~(int64_t)GCS_TILE_STALE) == control_of(p, i);
	return same;
}

/* Spaces rarely move or change their committed memory; writing these columns at every event would
 * take a third of the time of mapping. */
static bool write_layout(const struct parts *p, struct gcs_snapshot *s, uint32_t space)
{
	uint32_t own = p->own.tiles;
	if (has_layout(p, s, space))
		return true;
	int64_t *control = gcs_snapshot_write(s, space, CONTROL);
	int64_t *starts = gcs_snapshot_write(s, space, RANGE_START);
	int64_t *ends = gcs_snapshot_write(s, space, RANGE_END);
	if (control == NULL || starts == NULL || ends == NULL)
		return false;
	for (uint32_t i = 0; i < own + p->rest.tiles; i++)
		control[i] = control_of(p, i);
	area_ranges(&p->own, p->own_high, starts, ends);
	area_ranges(&p->rest, p->rest_high, starts + own, ends + own);
	return true;
}

static bool write_tiles(const struct generations *g, int index, const struct parts *p,
    const struct heap_event *e, struct gcs_snapshot *s)
{
	const struct vm_space *space = space_of(e->raw, index);
	uint32_t id = g->base.spaces[index];
	uint32_t tiles = p->own.tiles + p->rest.tiles;
	int64_t *used = gcs_snapshot_write(s, id, USED);
	int64_t *tlab = gcs_snapshot_write(s, id, TLAB);
	if (used == NULL || tlab == NULL || !write_layout(p, s, id))
		return false;
	memset(used, 0, tiles * sizeof(int64_t));
	area_add(&p->own, used, space->bottom, space->top);
	memset(tlab + p->own.tiles, 0, p->rest.tiles * sizeof(int64_t));
	const int64_t total = area_set_tlabs(&p->own, tlab, e->tlabs, e->tlab_count);
	return gcs_snapshot_set_summary(s, id, TLAB, 1, &total);
}

/* The index of each space among the ranges of a heap walk. */
static const enum heap_walk_generation heap_walk_index[SPACE_COUNT] = {
    HEAP_WALK_EDEN, HEAP_WALK_FROM, HEAP_WALK_TO, HEAP_WALK_OLD};

static bool write_heavy(struct generations *g, int index, const struct parts *p,
    const struct heap_event *e, struct gcs_snapshot *s)
{
	struct heavy_cells cells = {.tiles = p->own.tiles + p->rest.tiles, .per_tile = 1};
	if (e->heap_walk != NULL) {
		const struct heap_walk_range *r = &e->heap_walk->ranges[heap_walk_index[index]];
		/* The parts of the old generation are contiguous. */
		const uint32_t last = index == OLD ? g->plan.parts - 1 : 0;
		cells.first = r->cell;
		cells.count = area_tiles(r->low, r[last].top, r->block);
	}
	return heavy_write(&g->heavy[index], e, s, g->base.spaces[index], &cells);
}

static bool map_space(
    struct generations *g, int index, const struct heap_event *e, struct gcs_snapshot *s)
{
	const struct vm_space *space = space_of(e->raw, index);
	struct parts p = cut(g, space, uncommitted(e->raw, index));
	uint32_t id = g->base.spaces[index];
	if (!gcs_server_wants_space(e->server, e->ticket, id))
		return true;
	uint32_t tiles = p.own.tiles + p.rest.tiles;
	if (!gcs_snapshot_resize(s, id, tiles) ||
	    (tiles != 0 && !write_tiles(g, index, &p, e, s)) || !write_heavy(g, index, &p, e, s))
		return false;
	stream_set_used(s, id, USED, space->top - space->bottom, space->end - space->bottom);
	if (tiles == 0)
		gcs_snapshot_set_summary(s, id, TLAB, 1, &(int64_t){0});
	return gcs_snapshot_set_gathered(s, id, true);
}

static bool gen_map(void *self, const struct heap_event *e, struct gcs_snapshot *s)
{
	bool ok = true;
	for (int i = 0; i < SPACE_COUNT; i++)
		ok = map_space(self, i, e, s) && ok;
	return ok;
}

static uint32_t gen_region_attributes(const void *self, struct gcs_stream *streams)
{
	static const char *const names[SPACE_COUNT + 1] = {"None", "Eden", "From", "To", "Old"};
	(void)self;
	streams[0] =
	    gcs_stream_enumeration("Space", "The space of the block", SPACE_COUNT + 1, names);
	return 1;
}

static void gen_visit(const void *self, const void *raw, uint64_t start, uint64_t end,
    heap_visitor *visitor, void *context)
{
	(void)self;
	for (int i = 0; i < SPACE_COUNT; i++) {
		const struct vm_space *s = space_of(raw, i);
		const struct vm_range rest = uncommitted(raw, i);
		const struct heap_extent extents[2] = {
		    {.start = s->bottom,
			.top = s->top,
			.end = s->end,
			.committed = true,
			.region_attributes = {i + 1}},
		    {.start = rest.low,
			.top = rest.low,
			.end = rest.high,
			.region_attributes = {i + 1}},
		};
		for (int k = 0; k < 2; k++)
			if (extents[k].start < end && extents[k].end > start)
				visitor(context, &extents[k]);
	}
}

static bool gen_locate(
    const void *self, const void *raw, uint64_t address, struct heap_location *location)
{
	static const unsigned parts[SPACE_COUNT] = {HEAP_YOUNG | HEAP_EDEN,
	    HEAP_YOUNG | HEAP_SURVIVOR, HEAP_YOUNG | HEAP_SURVIVOR, HEAP_OLD};
	const struct generations *g = self;
	for (int i = 0; i < SPACE_COUNT; i++) {
		const struct vm_space *s = space_of(raw, i);
		if (address < s->bottom || address >= s->end)
			continue;
		const struct area area = {s->bottom, g->block, 0};
		*location = (struct heap_location){.type = space_names[i], .parts = parts[i]};
		area_tile_of(&area, s->end, address, &location->low, &location->high);
		return true;
	}
	return false;
}

/* Parallel puts into eden what is smaller than half of it (parallelScavengeHeap.cpp,
 * should_alloc_in_eden), Serial what fits. */
static const struct heap_birthplace *gen_birthplace(const void *self, uint64_t size)
{
	enum { SMALL = 64 << 10 };
	static const struct heap_birthplace eden = {
	    .type = "Eden", .parts = HEAP_YOUNG | HEAP_EDEN};
	static const struct heap_birthplace old = {.type = "Old", .parts = HEAP_OLD, .old = true};
	const struct generations *g = self;
	struct vm_generations now;
	if (size < SMALL)
		return &eden;
	vm_generations(g->base.vm, &now);
	const uint64_t capacity = now.eden.end - now.eden.bottom;
	const bool parallel = vm_collector(g->base.vm) == VM_COLLECTOR_PARALLEL;
	return size > capacity || (parallel && size >= capacity / 2) ? &old : &eden;
}

static struct heap_walk_size gen_walk_size(const void *self)
{
	const struct generations *g = self;
	return heap_walk_generations_size(&g->plan);
}

static uint32_t gen_walk_ranges(const void *self, const void *raw,
    const struct heap_walk_pause *pause, struct heap_walk_range *ranges)
{
	const struct generations *g = self;
	return heap_walk_generations(raw, &g->plan, pause, ranges);
}

const struct heap_driver heap_generations = {
    .collectors = 1 << VM_COLLECTOR_SERIAL | 1 << VM_COLLECTOR_PARALLEL,
    .needs = VM_GENERATION_SPACES,
    .open = gen_open,
    .describe = gen_describe,
    .raw_bytes = gen_raw_bytes,
    .capture = gen_capture,
    .totals = gen_totals,
    .map = gen_map,
    .region_attributes = gen_region_attributes,
    .visit = gen_visit,
    .names = {space_names, SPACE_COUNT, HEAP_OLD | HEAP_YOUNG | HEAP_EDEN | HEAP_SURVIVOR},
    .locate = gen_locate,
    .birthplace = gen_birthplace,
    .heap_walk_needs = VM_OBJECTS,
    .heap_walk_size = gen_walk_size,
    .heap_walk_ranges = gen_walk_ranges,
};
