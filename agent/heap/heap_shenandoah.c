/*
 * The heap of the Shenandoah collector: one tile per region, or per group of neighbouring regions.
 *
 * A cycle has up to four short pauses, with the program running between them. What a pause changes
 * shows at its finish; therefore only there the regions are captured, and a start shows them as of
 * the event before.
 */

#include "heap.h"

#include <gcspy/memory.h>

#include "heap_walk_ranges.h"
#include "heavy.h"
#include "region_grid.h"
#include "streams.h"
#include "vm_shenandoah.h"

/* All possible streams; those that this JVM lacks have no id. */
enum {
	STATE,
	USED,
	LIVE,
	AGE,
	TLAB,
	SAMPLED,
	SAMPLED_ERROR,
	CONTROL,
	RANGE_START,
	RANGE_END,
	STREAM_COUNT
};

static const enum vm_capability stream_needs[STREAM_COUNT] = {
    [LIVE] = VM_SHENANDOAH_LIVE, [AGE] = VM_SHENANDOAH_AGE};

enum { MAX_AGE = 15 };

static const char *const state_names[VM_SHENANDOAH_STATE_COUNT] = {
    [VM_SHENANDOAH_EMPTY] = "Empty",
    [VM_SHENANDOAH_REGULAR] = "Regular",
    [VM_SHENANDOAH_HUMONGOUS_START] = "Humongous start",
    [VM_SHENANDOAH_HUMONGOUS_CONT] = "Humongous continuation",
    [VM_SHENANDOAH_PINNED_HUMONGOUS_START] = "Pinned humongous start",
    [VM_SHENANDOAH_COLLECTION_SET] = "Collection set",
    [VM_SHENANDOAH_PINNED] = "Pinned",
    [VM_SHENANDOAH_PINNED_COLLECTION_SET] = "Pinned in collection set",
    [VM_SHENANDOAH_TRASH] = "Trash",
    [VM_SHENANDOAH_UNCOMMITTED] = "Uncommitted",
    [VM_SHENANDOAH_OTHER] = "Other",
};

struct raw {
	struct vm_shenandoah_totals totals;
	uint64_t count; /* 0: of a pause's start */
	struct vm_shenandoah_region regions[];
};

struct shenandoah {
	struct heap_base base;
	struct region_grid grid;
	uint64_t humongous;         /* so are objects above this size */
	uint32_t ids[STREAM_COUNT]; /* or GCS_NONE */
	struct heavy heavy;
};

static void *shenandoah_open(
    const struct vm *vm, const struct heap_limits *limits, struct gcs_error *err)
{
	struct vm_region_layout layout;
	struct shenandoah *h = gcs_zalloc(sizeof *h);
	if (h == NULL) {
		gcs_fail(err, GCS_NOMEM, "no memory for the Shenandoah driver");
		return NULL;
	}
	h->base = (struct heap_base){.vm = vm, .space_count = 1};
	vm_shenandoah_layout(vm, &layout);
	h->grid = region_grid_of(&layout, limits->max_tiles);
	int64_t percent = 100;
	(void)vm_flag_number(vm, "ShenandoahHumongousThreshold", &percent);
	h->humongous = layout.region_bytes * (uint64_t)percent / 100;
	return h;
}

static struct gcs_stream state_stream(void)
{
	return gcs_stream_enumeration("State",
	    "The collector's own state of the region, which also tells whether it is committed, "
	    "pinned by native code, in the collection set or evacuated (trash)",
	    VM_SHENANDOAH_STATE_COUNT, state_names);
}

static struct gcs_stream age_stream(void)
{
	return stream_number(
	    "Age", "Young cycles that the region has survived; 0 without generations", MAX_AGE);
}

static enum gcs_status shenandoah_describe(
    void *self, struct gcs_server *server, uint32_t group, struct gcs_error *err)
{
	struct shenandoah *h = self;
	const struct vm *vm = h->base.vm;
	const uint64_t block = region_grid_area(&h->grid).block;
	struct region_info info;
	struct gcs_stream streams[STREAM_COUNT + HEAVY_COUNT] = {
	    [STATE] = state_stream(),
	    [USED] = stream_used(block),
	    [LIVE] = stream_live("Bytes that marking found alive; grows during marking, and is 0 "
				 "from the beginning of a cycle to the first of them",
		block),
	    [AGE] = age_stream(),
	    [TLAB] = stream_tlab(block),
	    [SAMPLED] = stream_sampled(SAMPLED_ERROR),
	    [SAMPLED_ERROR] = stream_sampled_error(),
	    [CONTROL] = gcs_stream_control(GCS_TILE_UNUSED),
	    [RANGE_START] = gcs_stream_range_start(),
	    [RANGE_END] = gcs_stream_range_end(),
	};
	uint32_t count = streams_select(streams, STREAM_COUNT, vm, stream_needs, h->ids);
	count = heavy_describe(&h->heavy, vm, block,
	    vm_has(vm, VM_SHENANDOAH_MARKS) ? HEAVY_ONLY_MARKED : HEAVY_NOT, h->ids[CONTROL],
	    streams, count);
	struct gcs_space space = {
	    .name = "Shenandoah regions",
	    .description = "The heap in address order, as of the finish of each pause. Uncommitted "
			   "memory is unused",
	    .unused_text = "uncommitted",
	    .group = group,
	    .stream_count = count,
	    .streams = streams,
	    .default_stream = h->ids[STATE],
	};
	region_grid_describe(&h->grid, "Region", "state in use", &info, &space);
	return gcs_server_add_space(server, &space, &h->base.spaces[0], err);
}

static size_t shenandoah_raw_bytes(const void *self)
{
	const struct shenandoah *h = self;
	return sizeof(struct raw) + h->grid.layout.regions * sizeof(struct vm_shenandoah_region);
}

static size_t shenandoah_raw_length(const void *memory)
{
	const struct raw *raw = memory;
	return sizeof *raw + (size_t)raw->count * sizeof raw->regions[0];
}

static void shenandoah_capture_start(const void *self, void *memory)
{
	const struct shenandoah *h = self;
	struct raw *raw = memory;
	vm_shenandoah_totals(h->base.vm, &raw->totals);
	raw->count = 0;
}

static void shenandoah_capture(const void *self, void *memory)
{
	const struct shenandoah *h = self;
	struct raw *raw = memory;
	shenandoah_capture_start(self, memory);
	raw->count = vm_shenandoah_regions(h->base.vm, raw->regions, h->grid.layout.regions);
}

/* The collector's own figures, if available: a trash region is no longer used, though its top still
 * says so. */
static void shenandoah_totals(const void *self, const void *memory, struct heap_totals *totals)
{
	const struct shenandoah *h = self;
	const struct raw *raw = memory;
	*totals =
	    (struct heap_totals){.used = raw->totals.used, .committed = raw->totals.committed};
	if (vm_has(h->base.vm, VM_SHENANDOAH_TOTALS))
		return;
	for (uint64_t i = 0; i < raw->count; i++) {
		const struct vm_shenandoah_region *r = &raw->regions[i];
		totals->used += r->state == VM_SHENANDOAH_TRASH ? 0 : r->used;
		if (r->state != VM_SHENANDOAH_UNCOMMITTED)
			totals->committed += h->grid.layout.region_bytes;
	}
}

/* The tiles' values under construction, and what the summaries need. */
struct tile_values {
	int64_t *of[STREAM_COUNT]; /* NULL: no such stream */
	int64_t states[VM_SHENANDOAH_STATE_COUNT];
	int64_t live;
};

static bool is_humongous_cont(const struct raw *raw, uint64_t i)
{
	return i < raw->count && raw->regions[i].state == VM_SHENANDOAH_HUMONGOUS_CONT;
}

/* Of several regions in a tile, neither empty nor uncommitted ones hide one in use, nor uncommitted
 * ones an empty one. */
static uint32_t state_of(uint32_t *counts)
{
	const uint32_t uncommitted = counts[VM_SHENANDOAH_UNCOMMITTED];
	counts[VM_SHENANDOAH_UNCOMMITTED] = 0;
	const uint32_t state = stream_commonest(counts, VM_SHENANDOAH_STATE_COUNT);
	const bool nothing = state == VM_SHENANDOAH_EMPTY && counts[VM_SHENANDOAH_EMPTY] == 0;
	counts[VM_SHENANDOAH_UNCOMMITTED] = uncommitted;
	return nothing ? VM_SHENANDOAH_UNCOMMITTED : state;
}

static int64_t age_of(const struct vm_shenandoah_region *r)
{
	return r->age < MAX_AGE ? r->age : MAX_AGE;
}

static void map_tile(
    const struct region_grid *g, const struct raw *raw, struct tile_values *values, uint32_t tile)
{
	const uint64_t first = (uint64_t)tile * g->per_tile;
	const uint64_t end = first + g->per_tile < raw->count ? first + g->per_tile : raw->count;
	uint32_t counts[VM_SHENANDOAH_STATE_COUNT] = {0};
	int64_t used = 0, live = 0, age = 0;
	for (uint64_t i = first; i < end; i++) {
		const struct vm_shenandoah_region *r = &raw->regions[i];
		used += r->used;
		live += r->live;
		age = age_of(r) > age ? age_of(r) : age;
		counts[r->state]++;
		values->states[r->state]++;
	}
	const bool committed = counts[VM_SHENANDOAH_UNCOMMITTED] != end - first;
	values->of[USED][tile] = used;
	values->of[STATE][tile] = state_of(counts);
	if (values->of[LIVE] != NULL)
		values->of[LIVE][tile] = live;
	if (values->of[AGE] != NULL)
		values->of[AGE][tile] = age;
	values->of[CONTROL][tile] = (committed ? GCS_TILE_USED : GCS_TILE_UNUSED) |
				    (is_humongous_cont(raw, end) ? GCS_TILE_LINK : 0);
	values->live += live;
}

static bool shenandoah_map(void *self, const struct heap_event *e, struct gcs_snapshot *s)
{
	struct shenandoah *h = self;
	const struct raw *raw = e->raw;
	const uint32_t space = h->base.spaces[0], tiles = h->grid.tiles;
	const struct area area = region_grid_area(&h->grid);
	struct tile_values values = {0};
	struct heap_totals totals;
	if (raw->count == 0 || !gcs_server_wants_space(e->server, e->ticket, space))
		return true;
	if (!gcs_snapshot_resize(s, space, tiles) ||
	    !streams_write(s, space, h->ids, STREAM_COUNT, values.of))
		return false;
	for (uint32_t i = 0; i < tiles; i++)
		map_tile(&h->grid, raw, &values, i);
	const int64_t in_tlabs = area_set_tlabs(&area, values.of[TLAB], e->tlabs, e->tlab_count);
	area_ranges(&area, region_grid_end(&h->grid), values.of[RANGE_START], values.of[RANGE_END]);
	shenandoah_totals(h, e->raw, &totals);
	stream_set_used(s, space, h->ids[USED], totals.used, totals.committed);
	gcs_snapshot_set_summary(s, space, h->ids[STATE], VM_SHENANDOAH_STATE_COUNT, values.states);
	gcs_snapshot_set_summary(s, space, h->ids[TLAB], 1, &in_tlabs);
	if (h->ids[LIVE] != GCS_NONE)
		gcs_snapshot_set_summary(s, space, h->ids[LIVE], 1, &values.live);
	const struct heavy_cells cells = {
	    .count = (uint32_t)raw->count, .per_tile = h->grid.per_tile, .tiles = tiles};
	return heavy_write(&h->heavy, e, s, space, &cells) &&
	       gcs_snapshot_set_gathered(s, space, true);
}

static uint32_t shenandoah_region_attributes(const void *self, struct gcs_stream *streams)
{
	const struct shenandoah *h = self;
	streams[0] = state_stream();
	streams[1] = age_stream();
	return vm_has(h->base.vm, stream_needs[AGE]) ? 2 : 1;
}

static void shenandoah_visit(const void *self, const void *memory, uint64_t start, uint64_t end,
    heap_visitor *visitor, void *context)
{
	const struct shenandoah *h = self;
	const struct raw *raw = memory;
	const uint64_t bytes = h->grid.layout.region_bytes, heap = h->grid.layout.heap;
	for (uint64_t i = start > heap ? (start - heap) / bytes : 0;
	     i < raw->count && heap + i * bytes < end; i++) {
		const struct vm_shenandoah_region *r = &raw->regions[i];
		const struct heap_extent x = {
		    .start = heap + i * bytes,
		    .top = heap + i * bytes + r->used,
		    .end = heap + (i + 1) * bytes,
		    .committed = r->state != VM_SHENANDOAH_UNCOMMITTED,
		    .one_object = is_humongous_cont(raw, i) || is_humongous_cont(raw, i + 1),
		    .follows = is_humongous_cont(raw, i),
		    .goes_on = is_humongous_cont(raw, i + 1),
		    .region_attributes = {r->state, age_of(r)},
		};
		visitor(context, &x);
	}
}

static bool shenandoah_has_heap(const void *memory)
{
	const struct raw *raw = memory;
	return raw->count != 0;
}

static bool shenandoah_locate(
    const void *self, const void *memory, uint64_t address, struct heap_location *location)
{
	const struct shenandoah *h = self;
	const struct raw *raw = memory;
	uint64_t region;
	if (!region_grid_locate(&h->grid, raw->count, address, &region, location))
		return false;
	const uint8_t state = raw->regions[region].state;
	location->type = state_names[state];
	if (state == VM_SHENANDOAH_HUMONGOUS_START || state == VM_SHENANDOAH_HUMONGOUS_CONT ||
	    state == VM_SHENANDOAH_PINNED_HUMONGOUS_START)
		location->parts = HEAP_HUMONGOUS;
	location->moving =
	    state == VM_SHENANDOAH_COLLECTION_SET || state == VM_SHENANDOAH_PINNED_COLLECTION_SET;
	return true;
}

/* More than a region, or than a part of it up to JDK 23, is humongous (shenandoahHeapRegion.cpp). All
 * objects are young ones. */
static const struct heap_birthplace *shenandoah_birthplace(const void *self, uint64_t size)
{
	static const struct heap_birthplace regular = {.type = "Regular"};
	static const struct heap_birthplace humongous = {
	    .type = "Humongous start", .parts = HEAP_HUMONGOUS};
	const struct shenandoah *h = self;
	return size > h->humongous ? &humongous : &regular;
}

static struct heap_walk_size shenandoah_walk_size(const void *self)
{
	const struct shenandoah *h = self;
	return region_grid_walk_size(&h->grid);
}

static uint32_t shenandoah_walk_ranges(const void *self, const void *memory,
    const struct heap_walk_pause *pause, struct heap_walk_range *ranges)
{
	const struct shenandoah *h = self;
	const struct raw *raw = memory;
	return heap_walk_shenandoah(
	    h->base.vm, &h->grid.layout, raw->regions, raw->count, pause, ranges);
}

const struct heap_driver heap_shenandoah = {
    .collectors = 1 << VM_COLLECTOR_SHENANDOAH,
    .needs = VM_SHENANDOAH_REGIONS,
    .open = shenandoah_open,
    .describe = shenandoah_describe,
    .raw_bytes = shenandoah_raw_bytes,
    .raw_length = shenandoah_raw_length,
    .capture = shenandoah_capture,
    .capture_start = shenandoah_capture_start,
    .totals = shenandoah_totals,
    .map = shenandoah_map,
    .region_attributes = shenandoah_region_attributes,
    .visit = shenandoah_visit,
    .has_heap = shenandoah_has_heap,
    .names = {state_names, VM_SHENANDOAH_STATE_COUNT, HEAP_HUMONGOUS},
    .locate = shenandoah_locate,
    .birthplace = shenandoah_birthplace,
    .heap_walk_needs = VM_SHENANDOAH_MARKS,
    .heap_walk_size = shenandoah_walk_size,
    .heap_walk_ranges = shenandoah_walk_ranges,
};
