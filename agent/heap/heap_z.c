/*
 * The heap of ZGC: one tile per granule of 2 MiB, or per group of granules when there would be
 * more tiles than are allowed.
 *
 * The address range is many times larger than the heap may become. Pages lie at its beginning and,
 * for large ones in some releases, at its end: tiles are shown from both ends up to where a page
 * has ever been seen, with a separator between them. Where even these are too many, a tile stands
 * for twice as much from then on.
 *
 * A cycle has three short pauses in each generation, with the program running between them; the
 * pages are captured at their finishes only, and a start shows them as of the event before.
 */

#include "heap_z.h"

#include <stdio.h>

#include <gcspy/format.h>
#include <gcspy/memory.h>

#include "streams.h"

const char *const heap_z_type_names[TYPE_NAMES] = {"No page", "Small", "Medium", "Large"};
static const char *const generation_names[GENERATION_NAMES] = {"No page", "Young", "Old"};
static const char *const relocation_names[RELOCATION_NAMES] = {"No", "Yes"};

static bool z_fits(const struct vm *vm)
{
	return vm_collector(vm) == VM_COLLECTOR_ZGC;
}

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
	z->vm = vm;
	z->max_tiles = limits->max_tiles;
	vm_z_layout(vm, &z->layout);
	/* Room for a heap at either end. */
	uint32_t per_tile = 1;
	while (z->layout.pages / per_tile > z->max_tiles / 2)
		per_tile *= 2;
	heap_z_set_per_tile(z, per_tile);
	return z;
}

static const char *live_text(const struct heap_z *z)
{
	return vm_has(z->vm, VM_Z_AGE)
		   ? "Bytes of the page that the last marking of its generation found alive, "
		     "counted "
		     "from its start; 0 for pages that it did not see"
		   : "Bytes of the page that this cycle's marking found alive, counted from its "
		     "start; 0 for pages that it has not seen";
}

static struct gcs_stream stream_for(const struct heap_z *z, enum what what)
{
	const uint64_t block = z->layout.granule_bytes * z->per_tile;
	switch (what) {
	case TYPE:
		return stream_enumeration("Type",
		    "The kind of page: small ones for most objects, medium ones, and large ones "
		    "for "
		    "one object each",
		    TYPE_NAMES, heap_z_type_names);
	case USED:
		return stream_used(block);
	case LIVE:
		return stream_live(live_text(z), block);
	case GENERATION:
		return stream_enumeration("Generation", "The generation that the page belongs to",
		    GENERATION_NAMES, generation_names);
	case AGE:
		return stream_number("Age",
		    "Young collections that the page's objects have survived; 15 in the old "
		    "generation",
		    MAX_AGE);
	case CYCLE:
		return stream_number("Cycle",
		    "Number of the collection cycle, of the page's generation, in which the page "
		    "was allocated",
		    UINT32_MAX);
	case RELOCATION:
		return stream_enumeration("Relocation set",
		    "Whether the page was chosen to be emptied in this cycle", RELOCATION_NAMES,
		    relocation_names);
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
	switch (what) {
	case LIVE:
		return vm_has(vm, VM_Z_LIVE);
	case GENERATION:
	case AGE:
		return vm_has(vm, VM_Z_AGE);
	case RELOCATION:
		return vm_has(vm, VM_Z_RELOCATION);
	default:
		return true;
	}
}

/* Adds the space, or describes it anew. */
enum gcs_status heap_z_describe(
    struct heap_z *z, struct gcs_server *server, bool anew, struct gcs_error *err)
{
	struct gcs_stream streams[STREAM_COUNT];
	uint32_t count = 0;
	for (uint32_t i = 0; i < STREAM_COUNT; i++) {
		z->ids[i] = GCS_NONE;
		if (!available(z->vm, (enum what)i))
			continue;
		z->ids[i] = count;
		streams[count++] = stream_for(z, (enum what)i);
	}
	char granule[32], info[160];
	gcs_format_number(granule, sizeof granule, (int64_t)z->layout.granule_bytes, GCS_BYTES);
	if (z->per_tile == 1)
		snprintf(info, sizeof info, "1 granule of %s to a tile", granule);
	else
		snprintf(info, sizeof info,
		    "%u granules of %s to a tile; the commonest type of page is shown", z->per_tile,
		    granule);
	const struct gcs_space space = {
	    .name = "ZGC pages",
	    .description =
		"The heap in address order, as of the finish of each pause, with what lies "
		"at the end of the address range behind a separator. A page over several "
		"tiles links them; without a page a tile is unused",
	    .tile_title = z->per_tile == 1 ? "Granule" : "Granules",
	    .block_info = info,
	    .unused_text = "no page",
	    .group = z->group,
	    .kind = GCS_SPACE_ADDRESSES,
	    .main = true,
	    .block_bytes = z->layout.granule_bytes * z->per_tile,
	    .stream_count = count,
	    .streams = streams,
	    .default_stream = z->ids[TYPE],
	};
	return anew ? gcs_server_set_space(server, z->space, &space, err)
		    : gcs_server_add_space(server, &space, &z->space, err);
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

static size_t z_raw_length(const void *self, const void *memory)
{
	const struct heap_z_raw *raw = memory;
	(void)self;
	return sizeof *raw + (size_t)raw->count * sizeof raw->pages[0];
}

static void z_capture(const void *self, void *memory)
{
	const struct heap_z *z = self;
	struct heap_z_raw *raw = memory;
	vm_z_totals(z->vm, &raw->totals);
	raw->count = vm_z_pages(z->vm, raw->pages, z->layout.pages);
	raw->complete = 1;
}

static void z_look(const void *self, void *memory)
{
	const struct heap_z *z = self;
	struct heap_z_raw *raw = memory;
	vm_z_totals(z->vm, &raw->totals);
	raw->count = vm_z_look(z->vm, raw->pages, z->layout.pages);
	raw->complete = 1;
}

/* To pass over the table of a heap of 32 GiB takes a tenth of a millisecond. */
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
	vm_z_totals(z->vm, &raw->totals);
	raw->complete = raw->count = 0;
}

/* The collector counts whole pages as used, also those that it is just giving out. */
void heap_z_totals(const void *self, const void *memory, struct heap_totals *totals)
{
	const struct heap_z *z = self;
	const struct heap_z_raw *raw = memory;
	totals->used = raw->totals.used;
	totals->committed = raw->totals.capacity;
	if (vm_has(z->vm, VM_Z_TOTALS))
		return;
	for (uint64_t i = 0; i < raw->count; i++)
		totals->used += raw->pages[i].granules * z->layout.granule_bytes;
	totals->committed = totals->used;
}

static void z_compare(
    const void *self, const void *before, const void *after, struct heap_change *change)
{
	(void)self;
	(void)before;
	(void)after;
	*change = (struct heap_change){0};
}

static uint32_t z_region_attributes(const void *self, struct gcs_stream *streams)
{
	const struct heap_z *z = self;
	uint32_t count = 0;
	streams[count++] = stream_for(z, TYPE);
	if (available(z->vm, GENERATION))
		streams[count++] = stream_for(z, GENERATION);
	if (available(z->vm, AGE))
		streams[count++] = stream_for(z, AGE);
	return count;
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

static bool z_has_heap(const void *self, const void *memory)
{
	const struct heap_z_raw *raw = memory;
	(void)self;
	return raw->complete != 0;
}

static void z_words(const void *self, struct heap_words *words)
{
	const struct heap_z *z = self;
	*words = (struct heap_words){
	    .types = heap_z_type_names,
	    .type_count = TYPE_NAMES,
	    .parts =
		HEAP_HUMONGOUS |
		(vm_has(z->vm, VM_Z_AGE) ? HEAP_OLD | HEAP_YOUNG | HEAP_EDEN | HEAP_SURVIVOR : 0),
	};
}

static void z_close(void *self)
{
	gcs_free(self);
}

const struct heap_driver heap_z = {
    .name = "ZGC pages",
    .fits = z_fits,
    .needs = VM_Z_PAGES,
    .open = z_open,
    .describe = z_describe,
    .raw_bytes = z_raw_bytes,
    .raw_length = z_raw_length,
    .capture = z_capture,
    .capture_start = z_capture_start,
    .look = z_look,
    .large = z_large,
    .totals = heap_z_totals,
    .compare = z_compare,
    .map = heap_z_map,
    .region_attributes = z_region_attributes,
    .visit = z_visit,
    .has_heap = z_has_heap,
    .words = z_words,
    .place = heap_z_place,
    .close = z_close,
};
