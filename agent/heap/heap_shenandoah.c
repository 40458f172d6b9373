/*
 * The heap of the Shenandoah collector: one tile per region, or per group of neighbouring regions
 * when there are more regions than tiles are allowed.
 *
 * A cycle has up to four short pauses, with the program running between them. What a pause changes
 * is to be seen at its finish; therefore the regions are captured there only, and a start shows
 * them as of the event before.
 */

#include "heap.h"

#include <stdio.h>
#include <string.h>

#include <gcspy/format.h>
#include <gcspy/memory.h>

#include "area.h"
#include "heavy.h"
#include "streams.h"
#include "heap_walk_shenandoah.h"
#include "vm_shenandoah.h"

/* All streams that there can be; a JVM that lacks some has fewer, see `ids`. */
enum what { STATE, USED, LIVE, AGE, TLAB, SAMPLED, CONTROL, RANGE_START, RANGE_END, STREAM_COUNT };

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
	const struct vm *vm;
	struct vm_shenandoah_layout layout;
	uint32_t per_tile; /* regions to a tile */
	uint32_t tiles;
	uint32_t space;
	uint32_t ids[STREAM_COUNT]; /* GCS_NONE: not there */
	struct heavy heavy;
};

static bool shenandoah_fits(const struct vm *vm)
{
	return vm_collector(vm) == VM_COLLECTOR_SHENANDOAH;
}

static void *shenandoah_open(
    const struct vm *vm, const struct heap_limits *limits, struct gcs_error *err)
{
	struct shenandoah *h = gcs_zalloc(sizeof *h);
	if (h == NULL) {
		gcs_fail(err, GCS_NOMEM, "no memory for the Shenandoah driver");
		return NULL;
	}
	h->vm = vm;
	vm_shenandoah_layout(vm, &h->layout);
	const size_t regions = h->layout.regions;
	h->per_tile = (uint32_t)((regions + limits->max_tiles - 1) / limits->max_tiles);
	h->per_tile = h->per_tile == 0 ? 1 : h->per_tile;
	h->tiles = (uint32_t)((regions + h->per_tile - 1) / h->per_tile);
	return h;
}

static struct gcs_stream stream_for(const struct shenandoah *h, enum what what)
{
	const uint64_t block = h->layout.region_bytes * h->per_tile;
	switch (what) {
	case STATE:
		return stream_enumeration("State",
		    "What the collector does with the region, as it keeps it itself: also whether "
		    "it "
		    "is committed, pinned by native code, in the collection set or emptied (trash)",
		    VM_SHENANDOAH_STATE_COUNT, state_names);
	case USED:
		return stream_used(block);
	case LIVE:
		return stream_live("Bytes that marking found alive, growing while it goes on; 0 "
				   "between a cycle's beginning and the first of them",
		    block);
	case AGE:
		return stream_number("Age",
		    "Young cycles that the region has survived; 0 without generations", MAX_AGE);
	case TLAB:
		return stream_tlab(block);
	case SAMPLED:
		return stream_sampled();
	case CONTROL:
		return stream_control(GCS_TILE_UNUSED);
	case RANGE_START:
		return stream_range_start();
	default:
		return stream_range_end();
	}
}

static bool available(const struct vm *vm, enum what what)
{
	return what == LIVE  ? vm_has(vm, VM_SHENANDOAH_LIVE)
	       : what == AGE ? vm_has(vm, VM_SHENANDOAH_AGE)
			     : true;
}

static enum gcs_status shenandoah_describe(
    void *self, struct gcs_server *server, uint32_t group, struct gcs_error *err)
{
	struct shenandoah *h = self;
	struct gcs_stream streams[STREAM_COUNT + HEAVY_COUNT];
	unsigned special = vm_has(h->vm, VM_SHENANDOAH_MARKS) ? HEAVY_ONLY_MARKED : HEAVY_NOT;
	uint32_t count = 0;
	for (uint32_t i = 0; i < STREAM_COUNT; i++) {
		h->ids[i] = GCS_NONE;
		if (!available(h->vm, (enum what)i))
			continue;
		h->ids[i] = count;
		streams[count++] = stream_for(h, (enum what)i);
	}
	count = heavy_describe(&h->heavy, h->vm, h->layout.region_bytes * h->per_tile, special,
	    h->ids[CONTROL], streams, count);
	char region[32], info[160];
	gcs_format_number(region, sizeof region, (int64_t)h->layout.region_bytes, GCS_BYTES);
	if (h->per_tile == 1)
		snprintf(info, sizeof info, "1 region of %s to a tile", region);
	else
		snprintf(info, sizeof info,
		    "%u regions of %s to a tile; the commonest state in use is shown", h->per_tile,
		    region);
	const struct gcs_space space = {
	    .name = "Shenandoah regions",
	    .description = "The heap in address order, as of the finish of each pause. Uncommitted "
			   "memory is unused",
	    .tile_title = h->per_tile == 1 ? "Region" : "Regions",
	    .block_info = info,
	    .unused_text = "uncommitted",
	    .group = group,
	    .kind = GCS_SPACE_ADDRESSES,
	    .main = true,
	    .block_bytes = h->layout.region_bytes * h->per_tile,
	    .stream_count = count,
	    .streams = streams,
	    .default_stream = h->ids[STATE],
	};
	return gcs_server_add_space(server, &space, &h->space, err);
}

static size_t shenandoah_raw_bytes(const void *self)
{
	const struct shenandoah *h = self;
	return sizeof(struct raw) + h->layout.regions * sizeof(struct vm_shenandoah_region);
}

static size_t shenandoah_raw_length(const void *self, const void *memory)
{
	const struct raw *raw = memory;
	(void)self;
	return sizeof *raw + (size_t)raw->count * sizeof raw->regions[0];
}

static void shenandoah_capture(const void *self, void *memory)
{
	const struct shenandoah *h = self;
	struct raw *raw = memory;
	vm_shenandoah_totals(h->vm, &raw->totals);
	raw->count = vm_shenandoah_regions(h->vm, raw->regions, h->layout.regions);
}

static void shenandoah_capture_start(const void *self, void *memory)
{
	const struct shenandoah *h = self;
	struct raw *raw = memory;
	vm_shenandoah_totals(h->vm, &raw->totals);
	raw->count = 0;
}

/* The collector's own figures: a trash region is not used any more, though its top still says
 * so. */
static void shenandoah_totals(const void *self, const void *memory, struct heap_totals *totals)
{
	const struct shenandoah *h = self;
	const struct raw *raw = memory;
	totals->used = raw->totals.used;
	totals->committed = raw->totals.committed;
	if (vm_has(h->vm, VM_SHENANDOAH_TOTALS))
		return;
	for (uint64_t i = 0; i < raw->count; i++) {
		const struct vm_shenandoah_region *r = &raw->regions[i];
		totals->used += r->state == VM_SHENANDOAH_TRASH ? 0 : r->used;
		if (r->state != VM_SHENANDOAH_UNCOMMITTED)
			totals->committed += h->layout.region_bytes;
	}
}

static void shenandoah_compare(
    const void *self, const void *before, const void *after, struct heap_change *change)
{
	(void)self;
	(void)before;
	(void)after;
	*change = (struct heap_change){0};
}

/* The tiles' values under construction, and what the summaries need. */
struct picture {
	int64_t *values[STREAM_COUNT]; /* NULL: no such stream */
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

static void map_tile(
    const struct shenandoah *h, const struct raw *raw, struct picture *p, uint32_t tile)
{
	const uint64_t first = (uint64_t)tile * h->per_tile;
	const uint64_t end = first + h->per_tile < raw->count ? first + h->per_tile : raw->count;
	uint32_t counts[VM_SHENANDOAH_STATE_COUNT] = {0};
	int64_t used = 0, live = 0, age = 0;
	for (uint64_t i = first; i < end; i++) {
		const struct vm_shenandoah_region *r = &raw->regions[i];
		used += r->used;
		live += r->live;
		age = r->age > age ? r->age : age;
		counts[r->state]++;
		p->states[r->state]++;
	}
	const bool committed = counts[VM_SHENANDOAH_UNCOMMITTED] != end - first;
	p->values[USED][tile] = used;
	p->values[STATE][tile] = state_of(counts);
	if (p->values[LIVE] != NULL)
		p->values[LIVE][tile] = live;
	if (p->values[AGE] != NULL)
		p->values[AGE][tile] = age < MAX_AGE ? age : MAX_AGE;
	p->values[CONTROL][tile] = (committed ? GCS_TILE_USED : GCS_TILE_UNUSED) |
				   (is_humongous_cont(raw, end) ? GCS_TILE_LINK : 0);
	p->live += live;
}

static void set_summaries(const struct shenandoah *h, const struct heap_event *e,
    const struct picture *p, struct gcs_snapshot *s)
{
	struct heap_totals totals;
	int64_t in_buffers = 0;
	shenandoah_totals(h, e->raw, &totals);
	const int64_t share[2] = {(int64_t)totals.used, (int64_t)totals.committed};
	for (uint32_t i = 0; i < h->tiles; i++)
		in_buffers += p->values[TLAB][i];
	gcs_snapshot_set_summary(s, h->space, h->ids[USED], 2, share);
	gcs_snapshot_set_summary(s, h->space, h->ids[STATE], VM_SHENANDOAH_STATE_COUNT, p->states);
	gcs_snapshot_set_summary(s, h->space, h->ids[TLAB], 1, &in_buffers);
	if (h->ids[LIVE] != GCS_NONE)
		gcs_snapshot_set_summary(s, h->space, h->ids[LIVE], 1, &p->live);
}

static bool shenandoah_map(void *self, const struct heap_event *e, struct gcs_snapshot *s)
{
	struct shenandoah *h = self;
	const struct raw *raw = e->raw;
	const struct area area = {h->layout.heap, h->layout.region_bytes * h->per_tile, h->tiles};
	struct picture p = {0};
	if (raw->count == 0 || !gcs_server_wants_space(e->server, e->ticket, h->space))
		return true;
	if (!gcs_snapshot_resize(s, h->space, h->tiles))
		return false;
	for (uint32_t i = 0; i < STREAM_COUNT; i++) {
		p.values[i] = gcs_snapshot_write(s, h->space, h->ids[i]);
		if (p.values[i] == NULL && h->ids[i] != GCS_NONE)
			return false;
	}
	for (uint32_t i = 0; i < h->tiles; i++)
		map_tile(h, raw, &p, i);
	memset(p.values[TLAB], 0, h->tiles * sizeof *p.values[TLAB]);
	area_add_tlabs(&area, p.values[TLAB], e->tlabs, e->tlab_count);
	area_ranges(&area, area.low + h->layout.region_bytes * h->layout.regions,
	    p.values[RANGE_START], p.values[RANGE_END]);
	set_summaries(h, e, &p, s);
	struct heavy_cells cells = {
	    .count = (uint32_t)raw->count, .per_tile = h->per_tile, .tiles = h->tiles};
	if (!heavy_write(&h->heavy, e, s, h->space, &cells))
		return false;
	return gcs_snapshot_set_gathered(s, h->space, true);
}

static uint32_t shenandoah_region_attributes(const void *self, struct gcs_stream *streams)
{
	const struct shenandoah *h = self;
	uint32_t count = 0;
	streams[count++] = stream_for(h, STATE);
	if (available(h->vm, AGE))
		streams[count++] = stream_for(h, AGE);
	return count;
}

static void shenandoah_visit(const void *self, const void *memory, uint64_t start, uint64_t end,
    heap_visitor *visitor, void *context)
{
	const struct shenandoah *h = self;
	const struct raw *raw = memory;
	const uint64_t bytes = h->layout.region_bytes, heap = h->layout.heap;
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
		    .region_attributes = {r->state, r->age < MAX_AGE ? r->age : MAX_AGE},
		};
		visitor(context, &x);
	}
}

static bool shenandoah_has_heap(const void *self, const void *memory)
{
	const struct raw *raw = memory;
	(void)self;
	return raw->count != 0;
}

static void shenandoah_words(const void *self, struct heap_words *words)
{
	(void)self;
	*words = (struct heap_words){
	    .types = state_names, .type_count = VM_SHENANDOAH_STATE_COUNT, .parts = HEAP_HUMONGOUS};
}

static bool shenandoah_place(
    const void *self, const void *memory, uint64_t address, struct heap_place *place)
{
	const struct shenandoah *h = self;
	const struct raw *raw = memory;
	const uint64_t region = (address - h->layout.heap) / h->layout.region_bytes;
	const struct area area = {h->layout.heap, h->layout.region_bytes * h->per_tile, 0};
	if (address < h->layout.heap || region >= raw->count)
		return false;
	const uint8_t state = raw->regions[region].state;
	*place = (struct heap_place){
	    .type = state_names[state],
	    .parts = state == VM_SHENANDOAH_HUMONGOUS_START ||
			     state == VM_SHENANDOAH_PINNED_HUMONGOUS_START ||
			     state == VM_SHENANDOAH_HUMONGOUS_CONT
			 ? HEAP_HUMONGOUS
			 : 0,
	    .moving = state == VM_SHENANDOAH_COLLECTION_SET ||
		      state == VM_SHENANDOAH_PINNED_COLLECTION_SET,
	};
	area_tile_of(&area, h->layout.heap + h->layout.region_bytes * h->layout.regions, address,
	    &place->low, &place->high);
	return true;
}

static struct heap_walk_size shenandoah_sweep_size(const void *self)
{
	const struct shenandoah *h = self;
	return heap_walk_shenandoah_size(&h->layout);
}

static uint32_t shenandoah_sweep_ranges(const void *self, const void *memory,
    const struct heap_walk_moment *moment, struct heap_walk_range *ranges)
{
	const struct shenandoah *h = self;
	const struct raw *raw = memory;
	return heap_walk_shenandoah(h->vm, &h->layout, raw->regions, raw->count, moment, ranges);
}

static bool shenandoah_sweep_wanted(
    const void *self, struct gcs_server *server, const struct gcs_ticket *ticket)
{
	const struct shenandoah *h = self;
	return gcs_server_wants_space(server, ticket, h->space);
}

static void shenandoah_close(void *self)
{
	gcs_free(self);
}

const struct heap_driver heap_shenandoah = {
    .name = "Shenandoah regions",
    .fits = shenandoah_fits,
    .needs = VM_SHENANDOAH_REGIONS,
    .open = shenandoah_open,
    .describe = shenandoah_describe,
    .raw_bytes = shenandoah_raw_bytes,
    .raw_length = shenandoah_raw_length,
    .capture = shenandoah_capture,
    .capture_start = shenandoah_capture_start,
    .totals = shenandoah_totals,
    .compare = shenandoah_compare,
    .map = shenandoah_map,
    .region_attributes = shenandoah_region_attributes,
    .visit = shenandoah_visit,
    .has_heap = shenandoah_has_heap,
    .words = shenandoah_words,
    .place = shenandoah_place,
    .close = shenandoah_close,
    .heap_walk_needs = VM_SHENANDOAH_MARKS,
    .heap_walk_size = shenandoah_sweep_size,
    .heap_walk_ranges = shenandoah_sweep_ranges,
    .heap_walk_wanted = shenandoah_sweep_wanted,
};
