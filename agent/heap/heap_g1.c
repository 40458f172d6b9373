/* The heap of the G1 collector: one tile per region, or per group of neighbouring regions. */

#include "heap.h"

#include <gcspy/memory.h>

#include "heap_walk_ranges.h"
#include "heavy.h"
#include "region_grid.h"
#include "streams.h"
#include "vm_g1.h"

enum {
	TYPE,
	USED,
	COLLECTION,
	HUMONGOUS,
	TLAB,
	SAMPLED,
	SAMPLED_ERROR,
	CONTROL,
	RANGE_START,
	RANGE_END,
	STREAM_COUNT
};

enum region_kind { FREE, EDEN, SURVIVOR, OLD, HUMONGOUS_REGION, ARCHIVE, OTHER, KIND_COUNT };

static const char *const kind_names[KIND_COUNT] = {
    "Free", "Eden", "Survivor", "Old", "Humongous", "Archive", "Other"};

/* What a collection did to a region, from its start to its finish. */
enum region_transition { UNTOUCHED, FREED, FILLED, GREW, SHRANK, KEPT, TRANSITION_COUNT };

static const char *const transition_names[TRANSITION_COUNT] = {
    "Untouched", "Freed", "Filled", "Grew", "Shrank", "Kept in place"};

enum { HUMONGOUS_COUNT = 3 };
static const char *const humongous_names[HUMONGOUS_COUNT] = {"No", "Starts here", "Continues"};

struct raw {
	uint64_t committed;
	uint64_t count;
	struct vm_g1_region regions[];
};

struct g1 {
	struct heap_base base;
	struct region_grid grid;
	struct heavy heavy;
};

static void *g1_open(const struct vm *vm, const struct heap_limits *limits, struct gcs_error *err)
{
	struct vm_region_layout layout;
	struct g1 *g = gcs_zalloc(sizeof *g);
	if (g == NULL) {
		gcs_fail(err, GCS_NOMEM, "no memory for the G1 driver");
		return NULL;
	}
	g->base = (struct heap_base){.vm = vm, .space_count = 1};
	vm_g1_layout(vm, &layout);
	g->grid = region_grid_of(&layout, limits->max_tiles);
	return g;
}

static struct gcs_stream type_stream(void)
{
	return gcs_stream_enumeration(
	    "Type", "What the region is used for", KIND_COUNT, kind_names);
}

static enum gcs_status g1_describe(
    void *self, struct gcs_server *server, uint32_t group, struct gcs_error *err)
{
	struct g1 *g = self;
	struct region_info info;
	const uint64_t block = region_grid_area(&g->grid).block;
	struct gcs_stream streams[STREAM_COUNT + HEAVY_COUNT] = {
	    [TYPE] = type_stream(),
	    [USED] = stream_used(block),
	    [COLLECTION] = gcs_stream_enumeration("Collection",
		"What the collection that just finished did to the region: freed it, filled it "
		"with evacuated objects, let it grow or shrink, or kept a young region in place as "
		"an old one",
		TRANSITION_COUNT, transition_names),
	    [HUMONGOUS] = gcs_stream_enumeration("Humongous",
		"Whether a humongous object begins in the region or goes on in it", HUMONGOUS_COUNT,
		humongous_names),
	    [TLAB] = stream_tlab(block),
	    [SAMPLED] = stream_sampled(SAMPLED_ERROR),
	    [SAMPLED_ERROR] = stream_sampled_error(),
	    [CONTROL] = gcs_stream_control(GCS_TILE_UNUSED),
	    [RANGE_START] = gcs_stream_range_start(),
	    [RANGE_END] = gcs_stream_range_end(),
	};
	struct gcs_space space = {
	    .name = "G1 regions",
	    .description = "The heap in address order. Memory that was never committed is unused; "
			   "a free region may have been given back to the system",
	    .unused_text = "uncommitted",
	    .group = group,
	    .stream_count = heavy_describe(
		&g->heavy, g->base.vm, block, HEAVY_HAS_CARDS, CONTROL, streams, STREAM_COUNT),
	    .streams = streams,
	    .default_stream = TYPE,
	};
	region_grid_describe(&g->grid, "Region", "type in use", &info, &space);
	return gcs_server_add_space(server, &space, &g->base.spaces[0], err);
}

static size_t g1_raw_bytes(const void *self)
{
	const struct g1 *g = self;
	return sizeof(struct raw) + g->grid.layout.regions * sizeof(struct vm_g1_region);
}

static void g1_capture(const void *self, void *memory)
{
	const struct g1 *g = self;
	struct raw *raw = memory;
	raw->count = vm_g1_regions(g->base.vm, raw->regions, g->grid.layout.regions);
	raw->committed = vm_g1_committed(g->base.vm);
}

/* Committed bytes: the collector's own figure if available, but at least the regions in use, because
 * that figure may lag by a region or two. */
static void g1_totals(const void *self, const void *memory, struct heap_totals *totals)
{
	const struct g1 *g = self;
	const struct raw *raw = memory;
	uint64_t in_use = 0, known = 0;
	*totals = (struct heap_totals){.has_old = true, .has_humongous = true};
	for (uint64_t i = 0; i < raw->count; i++) {
		const uint64_t type = raw->regions[i].type;
		totals->used += raw->regions[i].used;
		totals->old += type == VM_G1_OLD ? raw->regions[i].used : 0;
		totals->humongous += type == VM_G1_HUMONGOUS_START || type == VM_G1_HUMONGOUS_CONT;
		known += type != VM_G1_UNCOMMITTED;
		in_use += type != VM_G1_UNCOMMITTED && type != VM_G1_FREE;
	}
	uint64_t least = (raw->committed == 0 ? known : in_use) * g->grid.layout.region_bytes;
	totals->committed = raw->committed > least ? raw->committed : least;
}

static bool g1_old_freed(const void *before, const void *after)
{
	const struct raw *b = before, *a = after;
	bool freed = false;
	for (uint64_t i = 0; !freed && i < b->count && i < a->count; i++)
		freed = b->regions[i].type == VM_G1_OLD && a->regions[i].type == VM_G1_FREE;
	return freed;
}

static enum region_kind kind_of(const struct vm_g1_region *r)
{
	static const enum region_kind kinds[VM_G1_TYPE_COUNT] = {
	    [VM_G1_UNCOMMITTED] = FREE,
	    [VM_G1_FREE] = FREE,
	    [VM_G1_EDEN] = EDEN,
	    [VM_G1_SURVIVOR] = SURVIVOR,
	    [VM_G1_OLD] = OLD,
	    [VM_G1_HUMONGOUS_START] = HUMONGOUS_REGION,
	    [VM_G1_HUMONGOUS_CONT] = HUMONGOUS_REGION,
	    [VM_G1_ARCHIVE] = ARCHIVE,
	    [VM_G1_OTHER] = OTHER,
	};
	return r->type < VM_G1_TYPE_COUNT ? kinds[r->type] : OTHER;
}

static bool is_young(const struct vm_g1_region *r)
{
	return r->type == VM_G1_EDEN || r->type == VM_G1_SURVIVOR;
}

static enum region_transition transition_of(
    const struct vm_g1_region *before, const struct vm_g1_region *after)
{
	bool was_free = kind_of(before) == FREE, is_free = kind_of(after) == FREE;
	if (was_free || is_free)
		return was_free && is_free ? UNTOUCHED : was_free ? FILLED : FREED;
	if (is_young(before) && kind_of(after) == OLD)
		return KEPT;
	if (after->used != before->used)
		return after->used > before->used ? GREW : SHRANK;
	return UNTOUCHED;
}

/* The tiles' values under construction, and what the summaries need. */
struct tile_values {
	int64_t *of[STREAM_COUNT];
	int64_t kinds[KIND_COUNT], transitions[TRANSITION_COUNT], humongous[HUMONGOUS_COUNT];
};

/* What one region is in the three enumerations. */
struct region_view {
	uint32_t kind, transition, humongous;
};

/* Classifies a committed region and counts it for the summaries. */
static struct region_view view_region(
    const struct heap_event *e, struct tile_values *values, uint64_t i)
{
	const struct raw *raw = e->raw, *before = e->before;
	const struct vm_g1_region *r = &raw->regions[i];
	struct region_view view = {
	    .kind = kind_of(r),
	    .transition = before != NULL && i < before->count
			      ? transition_of(&before->regions[i], r)
			      : UNTOUCHED,
	    .humongous = r->type == VM_G1_HUMONGOUS_START  ? 1
			 : r->type == VM_G1_HUMONGOUS_CONT ? 2
							   : 0,
	};
	values->kinds[view.kind]++;
	values->transitions[view.transition]++;
	values->humongous[view.humongous]++;
	return view;
}

/* The commonest values of the committed regions in [first, end). Counting takes longer than all the
 * rest: the caller does not ask for a single region. */
static struct region_view view_regions(
    const struct heap_event *e, struct tile_values *values, uint64_t first, uint64_t end)
{
	const struct raw *raw = e->raw;
	uint32_t kinds[KIND_COUNT] = {0}, transitions[TRANSITION_COUNT] = {0};
	uint32_t humongous[HUMONGOUS_COUNT] = {0};
	for (uint64_t i = first; i < end; i++) {
		if (raw->regions[i].type == VM_G1_UNCOMMITTED)
			continue;
		struct region_view view = view_region(e, values, i);
		kinds[view.kind]++;
		transitions[view.transition]++;
		humongous[view.humongous]++;
	}
	return (struct region_view){.kind = stream_commonest(kinds, KIND_COUNT),
	    .transition = stream_commonest(transitions, TRANSITION_COUNT),
	    .humongous = stream_commonest(humongous, HUMONGOUS_COUNT)};
}

static bool continues(const struct raw *raw, uint64_t i)
{
	return i < raw->count && raw->regions[i].type == VM_G1_HUMONGOUS_CONT;
}

static void map_tile(
    const struct g1 *g, const struct heap_event *e, struct tile_values *values, uint32_t tile)
{
	const struct raw *raw = e->raw;
	const uint32_t per_tile = g->grid.per_tile;
	uint64_t first = (uint64_t)tile * per_tile;
	uint64_t end = first + per_tile < raw->count ? first + per_tile : raw->count;
	int64_t used = 0;
	bool committed = false;
	for (uint64_t i = first; i < end; i++) {
		committed = committed || raw->regions[i].type != VM_G1_UNCOMMITTED;
		used += raw->regions[i].used;
	}
	struct region_view view = {FREE, UNTOUCHED, 0};
	if (committed)
		view = end - first == 1 ? view_region(e, values, first)
					: view_regions(e, values, first, end);
	values->of[TYPE][tile] = view.kind;
	values->of[USED][tile] = used;
	values->of[COLLECTION][tile] = view.transition;
	values->of[HUMONGOUS][tile] = view.humongous;
	values->of[CONTROL][tile] = (committed ? GCS_TILE_USED : GCS_TILE_UNUSED) |
				    (continues(raw, end) ? GCS_TILE_LINK : 0);
}

static void map_ranges(const struct g1 *g, struct gcs_snapshot *s)
{
	/* The reserved heap does not move: once the first range is there, all are. */
	const uint32_t space = g->base.spaces[0];
	const int64_t *written = gcs_snapshot_values(s, space, RANGE_START);
	const struct area area = region_grid_area(&g->grid);
	if (written != NULL && written[0] == (int64_t)area.low)
		return;
	int64_t *starts = gcs_snapshot_write(s, space, RANGE_START);
	int64_t *ends = gcs_snapshot_write(s, space, RANGE_END);
	if (starts != NULL && ends != NULL)
		area_ranges(&area, region_grid_end(&g->grid), starts, ends);
}

static bool g1_map(void *self, const struct heap_event *e, struct gcs_snapshot *s)
{
	struct g1 *g = self;
	const uint32_t space = g->base.spaces[0], tiles = g->grid.tiles;
	const struct area area = region_grid_area(&g->grid);
	struct tile_values values = {0};
	struct heap_totals totals;
	if (!gcs_server_wants_space(e->server, e->ticket, space))
		return true;
	if (!gcs_snapshot_resize(s, space, tiles))
		return false;
	for (uint32_t i = 0; i <= CONTROL; i++)
		if (i != SAMPLED && i != SAMPLED_ERROR &&
		    (values.of[i] = gcs_snapshot_write(s, space, i)) == NULL)
			return false;
	for (uint32_t i = 0; i < tiles; i++)
		map_tile(g, e, &values, i);
	const int64_t in_tlabs = area_set_tlabs(&area, values.of[TLAB], e->tlabs, e->tlab_count);
	map_ranges(g, s);
	g1_totals(g, e->raw, &totals);
	gcs_snapshot_set_summary(s, space, TLAB, 1, &in_tlabs);
	stream_set_used(s, space, USED, totals.used, totals.committed);
	gcs_snapshot_set_summary(s, space, TYPE, KIND_COUNT, values.kinds);
	gcs_snapshot_set_summary(s, space, COLLECTION, TRANSITION_COUNT, values.transitions);
	gcs_snapshot_set_summary(s, space, HUMONGOUS, HUMONGOUS_COUNT, values.humongous);
	const struct heavy_cells cells = {.count = (uint32_t)g->grid.layout.regions,
	    .per_tile = g->grid.per_tile,
	    .tiles = tiles};
	return heavy_write(&g->heavy, e, s, space, &cells) &&
	       gcs_snapshot_set_gathered(s, space, true);
}

static uint32_t g1_region_attributes(const void *self, struct gcs_stream *streams)
{
	(void)self;
	streams[0] = type_stream();
	return 1;
}

static void g1_visit(const void *self, const void *memory, uint64_t start, uint64_t end,
    heap_visitor *visitor, void *context)
{
	const struct g1 *g = self;
	const struct raw *raw = memory;
	const uint64_t bytes = g->grid.layout.region_bytes, heap = g->grid.layout.heap;
	for (uint64_t i = start > heap ? (start - heap) / bytes : 0;
	     i < raw->count && heap + i * bytes < end; i++) {
		const struct vm_g1_region *r = &raw->regions[i];
		const struct heap_extent x = {
		    .start = heap + i * bytes,
		    .top = heap + i * bytes + r->used,
		    .end = heap + (i + 1) * bytes,
		    .committed = r->type != VM_G1_UNCOMMITTED,
		    .one_object = kind_of(r) == HUMONGOUS_REGION,
		    .follows = continues(raw, i),
		    .goes_on = continues(raw, i + 1),
		    .region_attributes = {kind_of(r)},
		};
		visitor(context, &x);
	}
}

static bool g1_locate(
    const void *self, const void *memory, uint64_t address, struct heap_location *location)
{
	static const unsigned parts[KIND_COUNT] = {[EDEN] = HEAP_YOUNG | HEAP_EDEN,
	    [SURVIVOR] = HEAP_YOUNG | HEAP_SURVIVOR,
	    [OLD] = HEAP_OLD,
	    [HUMONGOUS_REGION] = HEAP_HUMONGOUS};
	const struct g1 *g = self;
	const struct raw *raw = memory;
	uint64_t region;
	if (!region_grid_locate(&g->grid, raw->count, address, &region, location))
		return false;
	const enum region_kind kind = kind_of(&raw->regions[region]);
	location->type = kind_names[kind];
	location->parts = parts[kind];
	return true;
}

/* More than half a region is humongous (g1CollectedHeap.hpp, is_humongous). */
static const struct heap_birthplace *g1_birthplace(const void *self, uint64_t size)
{
	static const struct heap_birthplace eden = {
	    .type = "Eden", .parts = HEAP_YOUNG | HEAP_EDEN};
	static const struct heap_birthplace humongous = {
	    .type = "Humongous", .parts = HEAP_HUMONGOUS, .old = true};
	const struct g1 *g = self;
	return size > g->grid.layout.region_bytes / 2 ? &humongous : &eden;
}

static struct heap_walk_size g1_walk_size(const void *self)
{
	const struct g1 *g = self;
	return region_grid_walk_size(&g->grid);
}

static uint32_t g1_walk_ranges(const void *self, const void *memory,
    const struct heap_walk_pause *pause, struct heap_walk_range *ranges)
{
	const struct g1 *g = self;
	const struct raw *raw = memory;
	return heap_walk_g1(g->base.vm, &g->grid.layout, raw->regions, raw->count, pause, ranges);
}

const struct heap_driver heap_g1 = {
    .collectors = 1 << VM_COLLECTOR_G1,
    .needs = VM_G1_REGIONS,
    .open = g1_open,
    .describe = g1_describe,
    .raw_bytes = g1_raw_bytes,
    .capture = g1_capture,
    .totals = g1_totals,
    .old_freed = g1_old_freed,
    .map = g1_map,
    .region_attributes = g1_region_attributes,
    .visit = g1_visit,
    .names = {kind_names, KIND_COUNT,
	HEAP_OLD | HEAP_YOUNG | HEAP_EDEN | HEAP_SURVIVOR | HEAP_HUMONGOUS},
    .locate = g1_locate,
    .birthplace = g1_birthplace,
    .heap_walk_needs = VM_OBJECTS,
    .heap_walk_size = g1_walk_size,
    .heap_walk_ranges = g1_walk_ranges,
};
