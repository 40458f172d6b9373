/*
 * The heap of ZGC: one tile per granule of 2 MiB, or per group of granules.
 *
 * The address range is many times larger than the heap may become. Pages are at its beginning and,
 * large ones in some releases, at its end: tiles are shown from both ends as far as a page has ever
 * been seen, with a separator between them. If even these are too many, each tile stands for twice
 * as much from then on.
 *
 * A cycle has three short pauses in each generation, with the program running between them; the
 * pages are captured at their finishes only, and a start shows them as of the event before.
 */

#include "heap_z.h"

#include <gcspy/memory.h>

#include "region_grid.h"
#include "streams.h"

const char *const heap_z_type_names[TYPE_NAMES] = {"No page", "Small", "Medium", "Large"};
static const char *const generation_names[GENERATION_NAMES] = {"No page", "Young", "Old"};
static const char *const relocation_names[RELOCATION_NAMES] = {"No", "Yes"};

static const enum vm_capability stream_needs[STREAM_COUNT] = {
    [LIVE] = VM_Z_LIVE, [GENERATION] = VM_Z_AGE, [AGE] = VM_Z_AGE, [RELOCATION] = VM_Z_RELOCATION};

void heap_z_set_per_tile(struct heap_z *z, uint32_t per_tile)
{
	z->per_tile = per_tile;
	z->tiles = (uint32_t)((z->layout.granules + per_tile - 1) / per_tile);
	z->front = z->back = 0;
}

static void *z_open(const struct vm *vm, const struct heap_limits *limits, struct gcs_error *err)
{
	struct heap_z *z = gcs_zalloc(sizeof *z);
	if (z == NULL) {
		gcs_fail(err, GCS_NOMEM, "no memory for the ZGC driver");
		return NULL;
	}
	z->base = (struct heap_base){.vm = vm, .space_count = 1};
	z->max_tiles = limits->max_tiles;
	vm_z_layout(vm, &z->layout);
	/* Room for the whole heap at either end. */
	uint32_t per_tile = 1;
	while (z->layout.pages / per_tile > z->max_tiles / 2)
		per_tile *= 2;
	heap_z_set_per_tile(z, per_tile);
	return z;
}

static struct gcs_stream type_stream(void)
{
	return gcs_stream_enumeration("Type",
	    "The kind of page: small for most objects, medium, and large for one object each",
	    TYPE_NAMES, heap_z_type_names);
}

static struct gcs_stream generation_stream(void)
{
	return gcs_stream_enumeration("Generation", "The generation that the page belongs to",
	    GENERATION_NAMES, generation_names);
}

static struct gcs_stream age_stream(void)
{
	return stream_number("Age",
	    "Young collections that the page's objects have survived; 15 in the old generation",
	    MAX_AGE);
}

static void describe_streams(const struct heap_z *z, struct gcs_stream streams[STREAM_COUNT])
{
	const uint64_t block = z->layout.granule_bytes * z->per_tile;
	streams[TYPE] = type_stream();
	streams[USED] = stream_used(block);
	streams[LIVE] =
	    stream_live(vm_has(z->base.vm, VM_Z_AGE)
			    ? "Bytes of the page that the last marking of its "
			      "generation found alive, counted from its start; 0 for "
			      "pages allocated since"
			    : "Bytes of the page that this cycle's marking found alive, "
			      "counted from its start; 0 for pages allocated since",
		block);
	streams[GENERATION] = generation_stream();
	streams[AGE] = age_stream();
	streams[CYCLE] = stream_number("Cycle",
	    "Number of the collection cycle, of the page's generation, in which the page was "
	    "allocated",
	    UINT32_MAX);
	streams[RELOCATION] = gcs_stream_enumeration("Relocation set",
	    "Whether the page is being evacuated in this cycle", RELOCATION_NAMES,
	    relocation_names);
	streams[TLAB] = stream_tlab(block);
	streams[SAMPLED] = stream_sampled(SAMPLED_ERROR);
	streams[SAMPLED_ERROR] = stream_sampled_error();
	streams[CONTROL] = gcs_stream_control(GCS_TILE_UNUSED);
	streams[RANGE_START] = gcs_stream_range_start();
	streams[RANGE_END] = gcs_stream_range_end();
}

/* Adds the space, or describes it again. */
enum gcs_status heap_z_describe(
    struct heap_z *z, struct gcs_server *server, bool anew, struct gcs_error *err)
{
	struct gcs_stream streams[STREAM_COUNT];
	const struct region_grid grid = {
	    .layout = {z->layout.heap, z->layout.granule_bytes, z->layout.granules},
	    .per_tile = z->per_tile};
	struct region_info info;
	describe_streams(z, streams);
	struct gcs_space space = {
	    .name = "ZGC pages",
	    .description =
		"The heap in address order, as of the finish of each pause; the end of the address "
		"range follows after a separator. A page that covers several tiles links them; a "
		"tile without a page is unused",
	    .unused_text = "no page",
	    .group = z->group,
	    .stream_count = streams_select(streams, STREAM_COUNT, z->base.vm, stream_needs, z->ids),
	    .streams = streams,
	    .default_stream = TYPE,
	};
	region_grid_describe(&grid, "Granule", "type of page", &info, &space);
	return anew ? gcs_server_set_space(server, z->base.spaces[0], &space, err)
		    : gcs_server_add_space(server, &space, &z->base.spaces[0], err);
}

static enum gcs_status z_describe(
    void *self, struct gcs_server *server, uint32_t group, struct gcs_error *err)
{
	struct heap_z *z = self;
	z->group = group;
	return heap_z_describe(z, server, false, err);
}

static size_t z_raw_bytes(const void *self)
{
	const struct heap_z *z = self;
	return sizeof(struct heap_z_raw) + z->layout.pages * sizeof(struct vm_z_page);
}

static size_t z_raw_length(const void *memory)
{
	const struct heap_z_raw *raw = memory;
	return sizeof *raw + (size_t)raw->count * sizeof raw->pages[0];
}

static void z_capture(const void *self, void *memory)
{
	const struct heap_z *z = self;
	struct heap_z_raw *raw = memory;
	vm_z_totals(z->base.vm, &raw->totals);
	raw->count = vm_z_pages(z->base.vm, raw->pages, z->layout.pages);
	raw->complete = 1;
}

static void z_capture_safely(const void *self, void *memory)
{
	const struct heap_z *z = self;
	struct heap_z_raw *raw = memory;
	vm_z_totals(z->base.vm, &raw->totals);
	raw->count = vm_z_pages_safely(z->base.vm, raw->pages, z->layout.pages);
	raw->complete = 1;
}

/* Iterating over the table of a heap of 32 GiB takes a tenth of a millisecond. */
static bool z_large(const void *self)
{
	enum { MAX_GRANULES = 1 << 18 };
	const struct heap_z *z = self;
	return z->layout.granules > MAX_GRANULES;
}

static void z_capture_start(const void *self, void *memory)
{
	const struct heap_z *z = self;
	struct heap_z_raw *raw = memory;
	vm_z_totals(z->base.vm, &raw->totals);
	raw->complete = raw->count = 0;
}

/* The collector counts whole pages as used, also those that it is just handing out. */
void heap_z_totals(const void *self, const void *memory, struct heap_totals *totals)
{
	const struct heap_z *z = self;
	const struct heap_z_raw *raw = memory;
	*totals = (struct heap_totals){.used = raw->totals.used, .committed = raw->totals.capacity};
	if (vm_has(z->base.vm, VM_Z_TOTALS))
		return;
	for (uint64_t i = 0; i < raw->count; i++)
		totals->used += raw->pages[i].granules * z->layout.granule_bytes;
	totals->committed = totals->used;
}

static uint32_t z_region_attributes(const void *self, struct gcs_stream *streams)
{
	const struct heap_z *z = self;
	streams[0] = type_stream();
	streams[1] = generation_stream();
	streams[2] = age_stream();
	return vm_has(z->base.vm, VM_Z_AGE) ? 3 : 1;
}

static void z_visit(const void *self, const void *memory, uint64_t start, uint64_t end,
    heap_visitor *visitor, void *context)
{
	const struct heap_z *z = self;
	const struct heap_z_raw *raw = memory;
	const uint64_t bytes = z->layout.granule_bytes;
	for (uint64_t i = 0; i < raw->count; i++) {
		const struct vm_z_page *page = &raw->pages[i];
		const uint64_t low = z->layout.heap + page->granule * bytes;
		const struct heap_extent x = {
		    .start = low,
		    .top = low + page->used,
		    .end = low + page->granules * bytes,
		    .committed = true,
		    .one_object = page->type == VM_Z_LARGE,
		    .region_attributes = {page->type + 1, page->old + 1,
			page->age < MAX_AGE ? page->age : MAX_AGE},
		};
		if (x.start < end && x.end > start)
			visitor(context, &x);
	}
}

/* An object takes at most an eighth of a small or medium page; medium pages are a 32nd of the heap, at
 * most 32 MiB, and only if that is more than a small one (zHeuristics.cpp). */
static const struct heap_birthplace *z_birthplace(const void *self, uint64_t size)
{
	enum { SMALL = 2 << 20, MEDIUM = 32 << 20, HEAP_SHARE = 32, PAGE_SHARE = 8 };
	enum { EDEN_PARTS = HEAP_YOUNG | HEAP_EDEN };
	static const struct heap_birthplace places[2][VM_Z_TYPE_COUNT] = {
	    {{.type = "Small"}, {.type = "Medium"}, {.type = "Large", .parts = HEAP_HUMONGOUS}},
	    {{"Small", "Small, eden", EDEN_PARTS, false},
		{"Medium", "Medium, eden", EDEN_PARTS, false},
		{"Large", "Large, eden", EDEN_PARTS | HEAP_HUMONGOUS, false}},
	};
	const struct heap_z *z = self;
	uint64_t medium = MEDIUM;
	while (medium > vm_max_heap(z->base.vm) / HEAP_SHARE)
		medium /= 2;
	enum vm_z_type type = size <= SMALL / PAGE_SHARE                      ? VM_Z_SMALL
			      : medium > SMALL && size <= medium / PAGE_SHARE ? VM_Z_MEDIUM
									      : VM_Z_LARGE;
	return &places[vm_has(z->base.vm, VM_Z_AGE)][type];
}

static bool z_has_heap(const void *memory)
{
	const struct heap_z_raw *raw = memory;
	return raw->complete != 0;
}

const struct heap_driver heap_z = {
    .collectors = 1 << VM_COLLECTOR_ZGC,
    .needs = VM_Z_PAGES,
    .open = z_open,
    .describe = z_describe,
    .raw_bytes = z_raw_bytes,
    .raw_length = z_raw_length,
    .capture = z_capture,
    .capture_start = z_capture_start,
    .capture_safely = z_capture_safely,
    .large = z_large,
    .totals = heap_z_totals,
    .map = heap_z_map,
    .region_attributes = z_region_attributes,
    .visit = z_visit,
    .has_heap = z_has_heap,
    .names = {heap_z_type_names, TYPE_NAMES, HEAP_HUMONGOUS},
    .ages = VM_Z_AGE,
    .aged_parts = HEAP_OLD | HEAP_YOUNG | HEAP_EDEN | HEAP_SURVIVOR,
    .locate = heap_z_locate,
    .birthplace = z_birthplace,
};
