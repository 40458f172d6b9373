/*
 * The heap of the G1 collector: one tile per region, or per group of neighbouring regions when
 * there are more regions than tiles are allowed.
 */

#include "heap.h"

#include <stdio.h>
#include <string.h>

#include <gcspy/format.h>
#include <gcspy/memory.h>

#include "area.h"
#include "heavy.h"
#include "streams.h"
#include "heap_walk_g1.h"
#include "vm_g1.h"

enum {
	TYPE,
	USED,
	COLLECTION,
	HUMONGOUS,
	TLAB,
	SAMPLED,
	CONTROL,
	RANGE_START,
	RANGE_END,
	STREAM_COUNT
};

enum region_kind { FREE, EDEN, SURVIVOR, OLD, HUMONGOUS_REGION, ARCHIVE, OTHER, KIND_COUNT };

static const char *const kind_names[KIND_COUNT] = {
    "Free", "Eden", "Survivor", "Old", "Humongous", "Archive", "Other"};

/* What a collection did to a region, from its start to its finish. */
enum region_transition { UNTOUCHED, FREED, FILLED, GREW, SHRANK, KEPT, REGION_TRANSITION_COUNT };

static const char *const region_transition_names[REGION_TRANSITION_COUNT] = {
    "Untouched", "Freed", "Filled", "Grew", "Shrank", "Kept in place"};

static const char *const humongous_names[] = {"No", "Starts here", "Continues"};

struct raw {
	uint64_t committed;
	uint64_t count;
	struct vm_g1_region regions[];
};

struct g1 {
	const struct vm *vm;
	struct vm_g1_layout layout;
	uint32_t per_tile; /* regions to a tile */
	uint32_t tiles;
	uint32_t space;
	struct heavy heavy;
};

static bool g1_fits(const struct vm *vm)
{
	return vm_collector(vm) == VM_COLLECTOR_G1;
}

static void *g1_open(const struct vm *vm, const struct heap_limits *limits, struct gcs_error *err)
{
	struct g1 *g = gcs_zalloc(sizeof *g);
	if (g == NULL) {
		gcs_fail(err, GCS_NOMEM, "no memory for the G1 driver");
		return NULL;
	}
	g->vm = vm;
	vm_g1_layout(vm, &g->layout);
	size_t regions = g->layout.regions;
	g->per_tile = (uint32_t)((regions + limits->max_tiles - 1) / limits->max_tiles);
	g->per_tile = g->per_tile == 0 ? 1 : g->per_tile;
	g->tiles = (uint32_t)((regions + g->per_tile - 1) / g->per_tile);
	return g;
}

static struct gcs_stream type_stream(void)
{
	return stream_enumeration("Type", "What the region is used for", KIND_COUNT, kind_names);
}

static enum gcs_status g1_describe(
    void *self, struct gcs_server *server, uint32_t group, struct gcs_error *err)
{
	struct g1 *g = self;
	uint64_t block = g->layout.region_bytes * g->per_tile;
	struct gcs_stream streams[STREAM_COUNT + HEAVY_COUNT] = {
	    [TYPE] = type_stream(),
	    [USED] = stream_used(block),
	    [COLLECTION] = stream_enumeration("Collection",
		"What the collection that just finished did to the region: freed it, filled it "
		"with evacuated objects, "
		"let it grow or shrink, or kept a young region in place as an old one",
		REGION_TRANSITION_COUNT, region_transition_names),
	    [HUMONGOUS] = stream_enumeration("Humongous",
		"Whether a humongous object begins in the region or goes on in it", 3,
		humongous_names),
	    [TLAB] = stream_tlab(block),
	    [SAMPLED] = stream_sampled(),
	    [CONTROL] = stream_control(GCS_TILE_UNUSED),
	    [RANGE_START] = stream_range_start(),
	    [RANGE_END] = stream_range_end(),
	};
	uint32_t count = heavy_describe(
	    &g->heavy, g->vm, block, HEAVY_HAS_CARDS, CONTROL, streams, STREAM_COUNT);
	char region[32], info[160];
	gcs_format_number(region, sizeof region, (int64_t)g->layout.region_bytes, GCS_BYTES);
	if (g->per_tile == 1)
		snprintf(info, sizeof info, "1 region of %s to a tile", region);
	else
		snprintf(info, sizeof info,
		    "%u regions of %s to a tile; the commonest type in use is shown", g->per_tile,
		    region);
	struct gcs_space space = {
	    .name = "G1 regions",
	    .description = "The heap in address order. Memory that was never committed is unused; "
			   "a free region may have "
			   "been given back to the system",
	    .tile_title = g->per_tile == 1 ? "Region" : "Regions",
	    .block_info = info,
	    .unused_text = "uncommitted",
	    .group = group,
	    .kind = GCS_SPACE_ADDRESSES,
	    .main = true,
	    .block_bytes = block,
	    .stream_count = count,
	    .streams = streams,
	    .default_stream = TYPE,
	};
	return gcs_server_add_space(server, &space, &g->space, err);
}

static size_t g1_raw_bytes(const void *self)
{
	const struct g1 *g = self;
	return sizeof(struct raw) + g->layout.regions * sizeof(struct vm_g1_region);
}

static void g1_capture(const void *self, void *memory)
{
	const struct g1 *g = self;
	struct raw *raw = memory;
	raw->count = vm_g1_regions(g->vm, raw->regions, g->layout.regions);
	raw->committed = vm_g1_committed(g->vm);
}

/*
 * Committed bytes: the collector's own figure where there is one, but at least the regions in use,
 * because that figure may be a region or two behind.
 */
static void g1_totals(const void *self, const void *memory, struct heap_totals *totals)
{
	const struct g1 *g = self;
	const struct raw *raw = memory;
	uint64_t in_use = 0, known = 0;
	*totals = (struct heap_totals){0};
	for (uint64_t i = 0; i < raw->count; i++) {
		totals->used += raw->regions[i].used;
		known += raw->regions[i].type != VM_G1_UNCOMMITTED;
		in_use +=
		    raw->regions[i].type != VM_G1_UNCOMMITTED && raw->regions[i].type != VM_G1_FREE;
	}
	uint64_t least = (raw->committed == 0 ? known : in_use) * g->layout.region_bytes;
	totals->committed = raw->committed > least ? raw->committed : least;
}

static void g1_compare(
    const void *self, const void *before, const void *after, struct heap_change *change)
{
	const struct raw *b = before, *a = after;
	(void)self;
	*change = (struct heap_change){0};
	for (uint64_t i = 0; i < b->count && i < a->count; i++)
		if (b->regions[i].type == VM_G1_OLD && a->regions[i].type == VM_G1_FREE)
			change->old_freed = true;
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

static enum region_transition region_transition_of(
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
struct picture {
	int64_t *values[STREAM_COUNT];
	int64_t kinds[KIND_COUNT], fates[REGION_TRANSITION_COUNT], humongous[3];
};

/* What one region is in the three enumerations. */
struct sight {
	uint32_t kind, region_transition, humongous;
};

/* Looks at a committed region and counts it for the summaries. */
static struct sight look_at(const struct heap_event *e, struct picture *p, uint64_t i)
{
	const struct raw *raw = e->raw, *before = e->before;
	const struct vm_g1_region *r = &raw->regions[i];
	bool starts = r->type == VM_G1_HUMONGOUS_START;
	struct sight s = {
	    .kind = kind_of(r),
	    .region_transition = before != NULL && i < before->count
				     ? region_transition_of(&before->regions[i], r)
				     : UNTOUCHED,
	    .humongous = starts                            ? 1
			 : r->type == VM_G1_HUMONGOUS_CONT ? 2
							   : 0,
	};
	p->kinds[s.kind]++;
	p->fates[s.region_transition]++;
	p->humongous[s.humongous]++;
	return s;
}

/* The commonest of the committed regions in [first, end); counting takes longer than all the rest,
 * so that the caller does not ask for one region. */
static struct sight look_at_many(
    const struct heap_event *e, struct picture *p, uint64_t first, uint64_t end)
{
	const struct raw *raw = e->raw;
	uint32_t kinds[KIND_COUNT] = {0}, fates[REGION_TRANSITION_COUNT] = {0}, humongous[3] = {0};
	for (uint64_t i = first; i < end; i++) {
		if (raw->regions[i].type == VM_G1_UNCOMMITTED)
			continue;
		struct sight s = look_at(e, p, i);
		kinds[s.kind]++;
		fates[s.region_transition]++;
		humongous[s.humongous]++;
	}
	return (struct sight){.kind = stream_commonest(kinds, KIND_COUNT),
	    .region_transition = stream_commonest(fates, REGION_TRANSITION_COUNT),
	    .humongous = stream_commonest(humongous, 3)};
}

static bool continues(const struct raw *raw, uint64_t i)
{
	return i < raw->count && raw->regions[i].type == VM_G1_HUMONGOUS_CONT;
}

static void map_tile(
    const struct g1 *g, const struct heap_event *e, struct picture *p, uint32_t tile)
{
	const struct raw *raw = e->raw;
	uint64_t first = (uint64_t)tile * g->per_tile;
	uint64_t end = first + g->per_tile < raw->count ? first + g->per_tile : raw->count;
	int64_t used = 0;
	bool committed = false;
	for (uint64_t i = first; i < end; i++) {
		committed = committed || raw->regions[i].type != VM_G1_UNCOMMITTED;
		used += raw->regions[i].used;
	}
	struct sight s = {FREE, UNTOUCHED, 0};
	if (committed)
		s = end - first == 1 ? look_at(e, p, first) : look_at_many(e, p, first, end);
	p->values[TYPE][tile] = s.kind;
	p->values[USED][tile] = used;
	p->values[COLLECTION][tile] = s.region_transition;
	p->values[HUMONGOUS][tile] = s.humongous;
	p->values[CONTROL][tile] = (committed ? GCS_TILE_USED : GCS_TILE_UNUSED) |
				   (continues(raw, end) ? GCS_TILE_LINK : 0);
}

static void map_tlabs(
    const struct g1 *g, const struct heap_event *e, struct picture *p, struct gcs_snapshot *s)
{
	struct area area = {g->layout.heap, g->layout.region_bytes * g->per_tile, g->tiles};
	int64_t total = 0;
	memset(p->values[TLAB], 0, g->tiles * sizeof(int64_t));
	area_add_tlabs(&area, p->values[TLAB], e->tlabs, e->tlab_count);
	for (uint32_t i = 0; i < g->tiles; i++)
		total += p->values[TLAB][i];
	gcs_snapshot_set_summary(s, g->space, TLAB, 1, &total);
}

static void map_ranges(const struct g1 *g, struct gcs_snapshot *s, struct picture *p)
{
	/* The reserved heap does not move: once the first range is there, all are. */
	const int64_t *starts = gcs_snapshot_values(s, g->space, RANGE_START);
	if (starts != NULL && starts[0] == (int64_t)g->layout.heap)
		return;
	p->values[RANGE_START] = gcs_snapshot_write(s, g->space, RANGE_START);
	p->values[RANGE_END] = gcs_snapshot_write(s, g->space, RANGE_END);
	if (p->values[RANGE_START] == NULL || p->values[RANGE_END] == NULL)
		return;
	struct area area = {g->layout.heap, g->layout.region_bytes * g->per_tile, g->tiles};
	uint64_t high = g->layout.heap + g->layout.region_bytes * g->layout.regions;
	area_ranges(&area, high, p->values[RANGE_START], p->values[RANGE_END]);
}

static bool g1_map(void *self, const struct heap_event *e, struct gcs_snapshot *s)
{
	struct g1 *g = self;
	struct picture p = {0};
	if (!gcs_server_wants_space(e->server, e->ticket, g->space))
		return true;
	if (!gcs_snapshot_resize(s, g->space, g->tiles))
		return false;
	for (uint32_t i = 0; i <= CONTROL; i++)
		if (i != SAMPLED && (p.values[i] = gcs_snapshot_write(s, g->space, i)) == NULL)
			return false;
	for (uint32_t i = 0; i < g->tiles; i++)
		map_tile(g, e, &p, i);
	map_tlabs(g, e, &p, s);
	map_ranges(g, s, &p);

	struct heap_totals totals;
	g1_totals(g, e->raw, &totals);
	const int64_t share[2] = {(int64_t)totals.used, (int64_t)totals.committed};
	gcs_snapshot_set_summary(s, g->space, USED, 2, share);
	gcs_snapshot_set_summary(s, g->space, TYPE, KIND_COUNT, p.kinds);
	gcs_snapshot_set_summary(s, g->space, COLLECTION, REGION_TRANSITION_COUNT, p.fates);
	gcs_snapshot_set_summary(s, g->space, HUMONGOUS, 3, p.humongous);
	struct heavy_cells cells = {
	    .count = (uint32_t)g->layout.regions, .per_tile = g->per_tile, .tiles = g->tiles};
	if (!heavy_write(&g->heavy, e, s, g->space, &cells))
		return false;
	return gcs_snapshot_set_gathered(s, g->space, true);
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
	const uint64_t bytes = g->layout.region_bytes, heap = g->layout.heap;
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

static void g1_words(const void *self, struct heap_words *words)
{
	(void)self;
	*words = (struct heap_words){.types = kind_names,
	    .type_count = KIND_COUNT,
	    .parts = HEAP_OLD | HEAP_YOUNG | HEAP_EDEN | HEAP_SURVIVOR | HEAP_HUMONGOUS};
}

static bool g1_place(
    const void *self, const void *memory, uint64_t address, struct heap_place *place)
{
	static const unsigned parts[KIND_COUNT] = {[EDEN] = HEAP_YOUNG | HEAP_EDEN,
	    [SURVIVOR] = HEAP_YOUNG | HEAP_SURVIVOR,
	    [OLD] = HEAP_OLD,
	    [HUMONGOUS_REGION] = HEAP_HUMONGOUS};
	const struct g1 *g = self;
	const struct raw *raw = memory;
	const uint64_t region = (address - g->layout.heap) / g->layout.region_bytes;
	const struct area area = {g->layout.heap, g->layout.region_bytes * g->per_tile, 0};
	if (address < g->layout.heap || region >= raw->count)
		return false;
	const enum region_kind kind = kind_of(&raw->regions[region]);
	*place = (struct heap_place){.type = kind_names[kind], .parts = parts[kind]};
	area_tile_of(&area, g->layout.heap + g->layout.region_bytes * g->layout.regions, address,
	    &place->low, &place->high);
	return true;
}

static struct heap_walk_size g1_sweep_size(const void *self)
{
	const struct g1 *g = self;
	return heap_walk_g1_size(&g->layout);
}

static uint32_t g1_sweep_ranges(const void *self, const void *memory,
    const struct heap_walk_moment *moment, struct heap_walk_range *ranges)
{
	const struct g1 *g = self;
	const struct raw *raw = memory;
	return heap_walk_g1(g->vm, &g->layout, raw->regions, raw->count, moment, ranges);
}

static bool g1_sweep_wanted(
    const void *self, struct gcs_server *server, const struct gcs_ticket *ticket)
{
	const struct g1 *g = self;
	return gcs_server_wants_space(server, ticket, g->space);
}

static void g1_close(void *self)
{
	gcs_free(self);
}

const struct heap_driver heap_g1 = {
    .name = "G1 regions",
    .fits = g1_fits,
    .needs = VM_G1_REGIONS,
    .open = g1_open,
    .describe = g1_describe,
    .raw_bytes = g1_raw_bytes,
    .capture = g1_capture,
    .totals = g1_totals,
    .compare = g1_compare,
    .map = g1_map,
    .region_attributes = g1_region_attributes,
    .visit = g1_visit,
    .words = g1_words,
    .place = g1_place,
    .close = g1_close,
    .heap_walk_needs = VM_OBJECTS,
    .heap_walk_size = g1_sweep_size,
    .heap_walk_ranges = g1_sweep_ranges,
    .heap_walk_wanted = g1_sweep_wanted,
};
