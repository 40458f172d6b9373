/* Maps a capture of ZGC's pages to tiles: see heap_z.c. */
#include "heap_z.h"

#include <string.h>

#include "area.h"
#include "streams.h"

enum { STEP = 16 }; /* tiles that come into view at a time */

static uint32_t round_up(uint32_t tiles, uint32_t most)
{
	const uint32_t rounded = (tiles + STEP - 1) / STEP * STEP;
	return rounded < most ? rounded : most;
}

/* Brings granules from `first` up to `last` into view. */
static void widen_to(struct heap_z *z, uint64_t first, uint64_t last)
{
	const uint32_t tile = (uint32_t)(first / z->per_tile);
	const uint32_t end = (uint32_t)(last / z->per_tile) + 1;
	if (tile < z->tiles / 2 && end > z->front)
		z->front = round_up(end, z->tiles);
	else if (tile >= z->tiles / 2 && z->tiles - tile > z->back)
		z->back = round_up(z->tiles - tile, z->tiles);
}

/* Brings every page and TLAB into view. */
static void widen(struct heap_z *z, const struct heap_event *e)
{
	const struct heap_z_raw *raw = e->raw;
	const uint64_t low = z->layout.heap, granule = z->layout.granule_bytes;
	const uint64_t high = low + z->layout.granules * granule;
	for (uint64_t i = 0; i < raw->count; i++)
		widen_to(
		    z, raw->pages[i].granule, raw->pages[i].granule + raw->pages[i].granules - 1);
	for (size_t i = 0; i < e->tlab_count; i++)
		if (e->tlabs[i].start >= low && e->tlabs[i].start < e->tlabs[i].hard_end &&
		    e->tlabs[i].hard_end <= high)
			widen_to(z, (e->tlabs[i].start - low) / granule,
			    (e->tlabs[i].hard_end - 1 - low) / granule);
	if (z->front + z->back > z->tiles)
		z->back = z->tiles - z->front;
}

/* The two parts of the address range that are in view. */
struct view {
	struct area front, back;
	uint64_t high; /* the end of the whole range */
};

static struct view view_of(const struct heap_z *z)
{
	const uint64_t block = z->layout.granule_bytes * z->per_tile;
	const uint64_t low = z->layout.heap;
	return (struct view){
	    .front = {low, block, z->front},
	    .back = {low + (uint64_t)(z->tiles - z->back) * block, block, z->back},
	    .high = low + z->layout.granules * z->layout.granule_bytes,
	};
}

static void add(const struct view *v, int64_t *values, uint64_t start, uint64_t end)
{
	area_add(&v->front, values, start, end);
	area_add(&v->back, values + v->front.tiles, start, end);
}

/* The newest cycle that any page of each generation has a number of. */
static void newest_cycles(const struct heap_z_raw *raw, uint32_t newest[2])
{
	newest[0] = newest[1] = 0;
	for (uint64_t i = 0; i < raw->count; i++) {
		const struct vm_z_page *page = &raw->pages[i];
		uint32_t *of = &newest[page->old];
		*of = page->seqnum > *of ? page->seqnum : *of;
		*of = page->live_seqnum > *of ? page->live_seqnum : *of;
	}
	if (raw->totals.seqnum != 0)
		newest[0] = raw->totals.seqnum;
}

/* The tiles' values under construction, and what the summaries need. */
struct tile_values {
	struct view view;
	int64_t *of[STREAM_COUNT]; /* NULL: no such stream */
	int64_t types[TYPE_NAMES], generations[GENERATION_NAMES], relocations[RELOCATION_NAMES];
	int64_t live, in_tlabs;
	uint32_t newest[2];
	/* The tile under construction: how many granules of each type and generation. */
	uint32_t tile, type_counts[TYPE_NAMES], generation_counts[GENERATION_NAMES];
};

static void raise_to(int64_t *values, uint32_t tile, int64_t value)
{
	if (values != NULL && values[tile] < value)
		values[tile] = value;
}

/* Adds a page's share of one tile. */
static void paint(
    struct tile_values *p, const struct vm_z_page *page, uint32_t tile, uint32_t granules)
{
	if (tile != p->tile) {
		memset(p->type_counts, 0, sizeof p->type_counts);
		memset(p->generation_counts, 0, sizeof p->generation_counts);
		p->tile = tile;
	}
	p->type_counts[page->type + 1] += granules;
	p->generation_counts[page->old + 1] += granules;
	p->of[TYPE][tile] = stream_commonest(p->type_counts, TYPE_NAMES);
	if (p->of[GENERATION] != NULL)
		p->of[GENERATION][tile] = stream_commonest(p->generation_counts, GENERATION_NAMES);
	raise_to(p->of[AGE], tile, page->age < MAX_AGE ? page->age : MAX_AGE);
	raise_to(p->of[CYCLE], tile, page->seqnum);
	raise_to(p->of[RELOCATION], tile, page->relocating);
	p->of[CONTROL][tile] |= GCS_TILE_USED;
	p->of[CONTROL][tile] &= ~(int64_t)GCS_TILE_UNUSED;
}

static void map_page(const struct heap_z *z, struct tile_values *p, const struct vm_z_page *page)
{
	const uint64_t start = z->layout.heap + page->granule * z->layout.granule_bytes;
	const uint32_t end = page->granule + page->granules;
	for (uint32_t at = page->granule; at < end;) {
		const uint32_t in_range = at / z->per_tile;
		const uint32_t next = (in_range + 1) * z->per_tile;
		const uint32_t tile =
		    in_range < z->front ? in_range : in_range - (z->tiles - z->back) + z->front;
		paint(p, page, tile, (next < end ? next : end) - at);
		if (next < end)
			p->of[CONTROL][tile] |= GCS_TILE_LINK;
		at = next;
	}
	add(&p->view, p->of[USED], start, start + page->used);
	p->types[page->type + 1]++;
	p->generations[page->old + 1]++;
	p->relocations[page->relocating]++;
	if (p->of[LIVE] != NULL && page->live_seqnum == p->newest[page->old]) {
		add(&p->view, p->of[LIVE], start, start + page->live);
		p->live += (int64_t)page->live;
	}
}

static void set_summaries(const struct heap_z *z, const struct heap_event *e,
    const struct tile_values *p, struct gcs_snapshot *s)
{
	struct heap_totals totals;
	heap_z_totals(z, e->raw, &totals);
	gcs_snapshot_set_summary(s, z->base.spaces[0], z->ids[TYPE], TYPE_NAMES, p->types);
	stream_set_used(s, z->base.spaces[0], z->ids[USED], totals.used, totals.committed);
	gcs_snapshot_set_summary(s, z->base.spaces[0], z->ids[TLAB], 1, &p->in_tlabs);
	if (z->ids[LIVE] != GCS_NONE)
		gcs_snapshot_set_summary(s, z->base.spaces[0], z->ids[LIVE], 1, &p->live);
	if (z->ids[GENERATION] != GCS_NONE)
		gcs_snapshot_set_summary(
		    s, z->base.spaces[0], z->ids[GENERATION], GENERATION_NAMES, p->generations);
	if (z->ids[RELOCATION] != GCS_NONE)
		gcs_snapshot_set_summary(
		    s, z->base.spaces[0], z->ids[RELOCATION], RELOCATION_NAMES, p->relocations);
}

/* Resets all tiles to "no page". */
static bool clear(const struct heap_z *z, struct tile_values *p, struct gcs_snapshot *s)
{
	const uint32_t tiles = z->front + z->back;
	if (!gcs_snapshot_resize(s, z->base.spaces[0], tiles))
		return false;
	if (!streams_write(s, z->base.spaces[0], z->ids, STREAM_COUNT, p->of))
		return false;
	for (uint32_t i = 0; i < STREAM_COUNT; i++)
		if (p->of[i] != NULL)
			memset(p->of[i], 0, tiles * sizeof *p->of[i]);
	for (uint32_t i = 0; i < tiles; i++)
		p->of[CONTROL][i] = GCS_TILE_UNUSED;
	if (z->back != 0 && z->tiles > z->front + z->back)
		p->of[CONTROL][z->front] |= GCS_TILE_SEPARATOR;
	area_ranges(&p->view.front, p->view.high, p->of[RANGE_START], p->of[RANGE_END]);
	area_ranges(&p->view.back, p->view.high, p->of[RANGE_START] + z->front,
	    p->of[RANGE_END] + z->front);
	return true;
}

/* Pages that are read after the pause may have been freed since then; where a TLAB was, there was
 * one. */
static void keep_pages_of_tlabs(struct tile_values *p)
{
	for (uint32_t i = 0; i < p->view.front.tiles + p->view.back.tiles; i++)
		if (p->of[TLAB][i] != 0 && (p->of[CONTROL][i] & GCS_TILE_USED) == 0) {
			p->of[CONTROL][i] &= ~(int64_t)GCS_TILE_UNUSED;
			p->of[CONTROL][i] |= GCS_TILE_USED | GCS_TILE_STALE;
		}
}

bool heap_z_map(void *self, const struct heap_event *e, struct gcs_snapshot *s)
{
	struct heap_z *z = self;
	const struct heap_z_raw *raw = e->raw;
	if (raw->complete == 0 || !gcs_server_wants_space(e->server, e->ticket, z->base.spaces[0]))
		return true;
	widen(z, e);
	if (z->front + z->back > z->max_tiles) {
		/* This snapshot has the old description; the next one will fit. */
		heap_z_set_per_tile(z, z->per_tile * 2);
		(void)heap_z_describe(z, e->server, true, NULL);
		return false;
	}
	if (z->front + z->back == 0)
		z->front = round_up(1, z->tiles);
	struct tile_values p = {.view = view_of(z), .tile = UINT32_MAX};
	if (!clear(z, &p, s))
		return false;
	newest_cycles(raw, p.newest);
	for (uint64_t i = 0; i < raw->count; i++)
		map_page(z, &p, &raw->pages[i]);
	p.in_tlabs = area_set_tlabs(&p.view.front, p.of[TLAB], e->tlabs, e->tlab_count) +
		     area_set_tlabs(&p.view.back, p.of[TLAB] + z->front, e->tlabs, e->tlab_count);
	keep_pages_of_tlabs(&p);
	set_summaries(z, e, &p, s);
	return gcs_snapshot_set_gathered(s, z->base.spaces[0], true);
}

/* The page of a granule, or NULL; a capture is in address order. */
static const struct vm_z_page *page_of(const struct heap_z_raw *raw, uint64_t granule)
{
	uint64_t low = 0, high = raw->count;
	while (low < high) {
		const uint64_t middle = low + (high - low) / 2;
		const struct vm_z_page *page = &raw->pages[middle];
		if (granule < page->granule)
			high = middle;
		else if (granule >= (uint64_t)page->granule + page->granules)
			low = middle + 1;
		else
			return page;
	}
	return NULL;
}

/* A large page holds a single object, like a humongous region of other collectors. */
static unsigned parts_of(const struct heap_z *z, const struct vm_z_page *page)
{
	const unsigned large = page->type == VM_Z_LARGE ? HEAP_HUMONGOUS : 0;
	if (!vm_has(z->base.vm, VM_Z_AGE))
		return large;
	return large | (page->old           ? HEAP_OLD
			   : page->age == 0 ? HEAP_YOUNG | HEAP_EDEN
					    : HEAP_YOUNG | HEAP_SURVIVOR);
}

/* Of a page with a generation. */
static const char *region_of(const struct vm_z_page *page)
{
	static const char *const names[VM_Z_TYPE_COUNT][3] = {
	    {"Small, eden", "Small, survivor", "Small, old"},
	    {"Medium, eden", "Medium, survivor", "Medium, old"},
	    {"Large, eden", "Large, survivor", "Large, old"},
	};
	return names[page->type][page->old ? 2 : page->age != 0];
}

bool heap_z_locate(
    const void *self, const void *memory, uint64_t address, struct heap_location *location)
{
	const struct heap_z *z = self;
	const uint64_t granule_bytes = z->layout.granule_bytes;
	const struct area area = {z->layout.heap, granule_bytes * z->per_tile, 0};
	if (address < area.low)
		return false;
	const struct vm_z_page *page = page_of(memory, (address - area.low) / granule_bytes);
	if (page == NULL)
		return false;
	*location = (struct heap_location){.type = heap_z_type_names[page->type + 1],
	    .region = vm_has(z->base.vm, VM_Z_AGE) ? region_of(page) : NULL,
	    .parts = parts_of(z, page),
	    .marked = page->old != 0 && page->live_seqnum > page->seqnum};
	area_tile_of(&area, area.low + z->layout.granules * granule_bytes, address, &location->low,
	    &location->high);
	return true;
}
