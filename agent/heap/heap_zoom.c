#include "heap_zoom.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <gcspy/format.h>
#include <gcspy/memory.h>

#include "area.h"
#include "streams.h"

/* The system streams follow the attributes, of which there may be fewer. */
enum {
	USED,
	TLAB,
	REGION_ATTRIBUTES,
	SYSTEM_STREAMS = 3,
	STREAM_COUNT = REGION_ATTRIBUTES + HEAP_REGION_ATTRIBUTES + SYSTEM_STREAMS
};

/* Room for all zooms and their ends that the server can have. */
enum { REQUESTS = 2 * GCS_MAX_ZOOMS };

struct request {
	uint64_t ticket; /* 0: the space is no longer wanted */
	uint32_t space;
	uint32_t group;
	uint64_t start, end, block;
	char name[GCS_MAX_NAME + 1], unused[GCS_MAX_NAME + 1]; /* of the zoomed space */
};

struct zoom {
	uint32_t space; /* GCS_NONE: never described */
	bool there;
	uint64_t start, end, block;
};

struct heap_zooms {
	const struct heap_driver *driver;
	const void *heap;
	struct gcs_server *server;
	uint32_t attribute_count;
	struct gcs_stream region_attributes[HEAP_REGION_ATTRIBUTES];
	struct zoom zooms[GCS_MAX_ZOOMS];
	uint64_t most[GCS_MAX_ZOOM_TILES]; /* of the zoom being filled: see paint */

	pthread_mutex_t lock; /* of the requests */
	struct request requests[REQUESTS];
	uint32_t first, count;
};

struct heap_zooms *heap_zooms_create(
    const struct heap_driver *driver, const void *heap, struct gcs_server *server)
{
	struct heap_zooms *z = gcs_zalloc(sizeof *z);
	if (z == NULL || pthread_mutex_init(&z->lock, NULL) != 0) {
		gcs_free(z);
		return NULL;
	}
	z->driver = driver;
	z->heap = heap;
	z->server = server;
	if (driver->region_attributes != NULL)
		z->attribute_count = driver->region_attributes(heap, z->region_attributes);
	for (uint32_t i = 0; i < GCS_MAX_ZOOMS; i++)
		z->zooms[i].space = GCS_NONE;
	return z;
}

void heap_zooms_destroy(struct heap_zooms *z)
{
	if (z == NULL)
		return;
	pthread_mutex_destroy(&z->lock);
	gcs_free(z);
}

/* Requests. */

static bool put(struct heap_zooms *z, const struct request *request)
{
	pthread_mutex_lock(&z->lock);
	bool room = z->count < REQUESTS;
	if (room)
		z->requests[(z->first + z->count++) % REQUESTS] = *request;
	pthread_mutex_unlock(&z->lock);
	return room;
}

static bool take(struct heap_zooms *z, struct request *request)
{
	pthread_mutex_lock(&z->lock);
	bool any = z->count != 0;
	if (any) {
		*request = z->requests[z->first];
		z->first = (z->first + 1) % REQUESTS;
		z->count--;
	}
	pthread_mutex_unlock(&z->lock);
	return any;
}

void heap_zooms_request(struct heap_zooms *z, const struct gcs_zoom *zoom)
{
	struct request request = {.ticket = zoom->ticket,
	    .space = zoom->space,
	    .group = zoom->of->group,
	    .start = zoom->start,
	    .end = zoom->end,
	    .block = zoom->block_bytes};
	/* A zoom of a zoom is named after the space that both show. */
	const char *range = strstr(zoom->of->name, " 0x");
	size_t length = range == NULL ? strlen(zoom->of->name) : (size_t)(range - zoom->of->name);
	snprintf(request.name, sizeof request.name, "%.*s", (int)length, zoom->of->name);
	snprintf(request.unused, sizeof request.unused, "%s", zoom->of->unused_text);
	if (!put(z, &request))
		gcs_server_answer(
		    z->server, zoom->ticket, GCS_LIMIT, "too many zooms wait", NULL, 0);
}

void heap_zooms_end(struct heap_zooms *z, uint32_t space)
{
	(void)put(z, &(struct request){.space = space});
}

/* Describing. */

static uint32_t control_of(const struct heap_zooms *z)
{
	return REGION_ATTRIBUTES + z->attribute_count;
}

static uint32_t describe_streams(
    const struct heap_zooms *z, uint64_t block, struct gcs_stream *streams)
{
	uint32_t count = 0;
	streams[count++] = stream_used(block);
	streams[count++] = stream_tlab(block);
	for (uint32_t i = 0; i < z->attribute_count; i++)
		streams[count++] = z->region_attributes[i];
	streams[count++] = gcs_stream_control(GCS_TILE_UNUSED);
	streams[count++] = gcs_stream_range_start();
	streams[count++] = gcs_stream_range_end();
	return count;
}

/* Adds the space, or reuses a withdrawn one. */
static enum gcs_status describe(
    struct heap_zooms *z, struct zoom *zoom, const struct request *request, struct gcs_error *err)
{
	struct gcs_stream streams[STREAM_COUNT];
	char block[32], info[80], name[GCS_MAX_NAME + 1];
	gcs_format_number(block, sizeof block, (int64_t)request->block, GCS_BYTES);
	snprintf(info, sizeof info, "Blocks of %s", block);
	snprintf(name, sizeof name, "%.150s 0x%llx-0x%llx at %s", request->name,
	    (unsigned long long)request->start, (unsigned long long)request->end, block);
	const struct gcs_space space = {
	    .name = name,
	    .description =
		"A part of the heap in finer blocks. A separator stands before what a new "
		"region, page or space begins with",
	    .tile_title = "Block",
	    .block_info = info,
	    .unused_text = request->unused,
	    .group = request->group,
	    .kind = GCS_SPACE_ADDRESSES,
	    .block_bytes = request->block,
	    .stream_count = describe_streams(z, request->block, streams),
	    .streams = streams,
	    .default_stream = USED,
	};
	return zoom->space != GCS_NONE ? gcs_server_set_space(z->server, zoom->space, &space, err)
				       : gcs_server_add_space(z->server, &space, &zoom->space, err);
}

static void withdraw(struct heap_zooms *z, struct zoom *zoom)
{
	zoom->there = false;
	(void)gcs_server_remove_space(z->server, zoom->space, NULL);
}

static void begin_zoom(struct heap_zooms *z, const struct request *request)
{
	struct gcs_error err = {.status = GCS_LIMIT, .text = "there are too many zooms"};
	struct zoom *zoom = NULL;
	for (uint32_t i = GCS_MAX_ZOOMS; i-- > 0;)
		if (!z->zooms[i].there)
			zoom = &z->zooms[i];
	if (zoom == NULL || describe(z, zoom, request, &err) != GCS_OK) {
		gcs_server_answer(z->server, request->ticket, err.status, err.text, NULL, 0);
		return;
	}
	zoom->there = true;
	zoom->start = request->start;
	zoom->end = request->end;
	zoom->block = request->block;
	if (!gcs_server_zoomed(z->server, request->ticket, zoom->space))
		withdraw(z, zoom);
}

static void end_zoom(struct heap_zooms *z, uint32_t space)
{
	for (uint32_t i = 0; i < GCS_MAX_ZOOMS; i++)
		if (z->zooms[i].there && z->zooms[i].space == space)
			withdraw(z, &z->zooms[i]);
}

void heap_zooms_work(struct heap_zooms *z)
{
	struct request request;
	while (take(z, &request)) {
		if (request.ticket == 0)
			end_zoom(z, request.space);
		else
			begin_zoom(z, &request);
	}
}

/* Filling. */

/* A zoom's tiles under construction, and what the summaries need. */
struct tile_values {
	struct heap_zooms *z;
	const struct zoom *zoom;
	struct area area;
	int64_t *of[STREAM_COUNT];
	int64_t committed;
};

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Adds the zoom's part of [start, end) to its tiles. */
static void add(const struct tile_values *p, int64_t *values, uint64_t start, uint64_t end)
{
	/* The last tile may reach beyond the zoom. */
	area_add(&p->area, values, start, least(end, p->zoom->end));
}

/* Adds one extent's share of the tile [start, end). */
static void paint(const struct tile_values *p, const struct heap_extent *x, uint32_t tile,
    uint64_t start, uint64_t end)
{
	int64_t *control = &p->of[control_of(p->z)][tile];
	const uint64_t low = start > x->start ? start : x->start;
	const uint64_t part = least(end, x->end) - low;
	if (x->committed)
		*control = (*control & ~(int64_t)GCS_TILE_UNUSED) | GCS_TILE_USED;
	const bool linked = end < x->end ? x->one_object : end == x->end && x->goes_on;
	if (linked && tile + 1 < p->area.tiles)
		*control |= GCS_TILE_LINK;
	if (start == x->start && tile != 0 && !x->follows && x->end - x->start > p->area.block)
		*control |= GCS_TILE_SEPARATOR;
	/* A tile shows the extent with the largest share of it. */
	if (part <= p->z->most[tile])
		return;
	p->z->most[tile] = part;
	for (uint32_t i = 0; i < p->z->attribute_count; i++)
		p->of[REGION_ATTRIBUTES + i][tile] = x->region_attributes[i];
}

static void add_extent(void *context, const struct heap_extent *x)
{
	struct tile_values *p = context;
	const struct zoom *zoom = p->zoom;
	const uint64_t low = x->start > zoom->start ? x->start : zoom->start;
	const uint64_t high = least(x->end, zoom->end);
	if (low >= high)
		return;
	add(p, p->of[USED], x->start, x->top);
	if (x->committed)
		p->committed += (int64_t)(high - low);
	const uint64_t last = (high - 1 - zoom->start) / zoom->block;
	for (uint64_t tile = (low - zoom->start) / zoom->block; tile <= last; tile++) {
		const uint64_t start = zoom->start + tile * zoom->block;
		paint(p, x, (uint32_t)tile, start, least(start + zoom->block, zoom->end));
	}
}

static int64_t sum(const int64_t *values, uint32_t count)
{
	int64_t total = 0;
	for (uint32_t i = 0; i < count; i++)
		total += values[i];
	return total;
}

static void set_summaries(const struct tile_values *p, struct gcs_snapshot *s)
{
	const uint32_t tiles = p->area.tiles, space = p->zoom->space;
	const int64_t share[2] = {sum(p->of[USED], tiles), p->committed};
	const int64_t in_buffers = sum(p->of[TLAB], tiles);
	gcs_snapshot_set_summary(s, space, USED, 2, share);
	gcs_snapshot_set_summary(s, space, TLAB, 1, &in_buffers);
	for (uint32_t i = 0; i < p->z->attribute_count; i++) {
		const struct gcs_stream *attribute = &p->z->region_attributes[i];
		int64_t counts[GCS_MAX_ENUM] = {0};
		if (attribute->summary != GCS_SUMMARY_COUNTS)
			continue;
		for (uint32_t k = 0; k < tiles; k++)
			counts[p->of[REGION_ATTRIBUTES + i][k]]++;
		gcs_snapshot_set_summary(
		    s, space, REGION_ATTRIBUTES + i, attribute->enum_count, counts);
	}
}

/* Resets all tiles to "unused". */
static bool clear(struct tile_values *p, struct gcs_snapshot *s)
{
	const uint32_t tiles = p->area.tiles, control = control_of(p->z);
	if (!gcs_snapshot_resize(s, p->zoom->space, tiles))
		return false;
	for (uint32_t i = 0; i < control + SYSTEM_STREAMS; i++) {
		p->of[i] = gcs_snapshot_write(s, p->zoom->space, i);
		if (p->of[i] == NULL)
			return false;
		memset(p->of[i], 0, tiles * sizeof *p->of[i]);
	}
	for (uint32_t i = 0; i < tiles; i++)
		p->of[control][i] = GCS_TILE_UNUSED;
	area_ranges(&p->area, p->zoom->end, p->of[control + 1], p->of[control + 2]);
	memset(p->z->most, 0, tiles * sizeof p->z->most[0]);
	return true;
}

static bool map(struct heap_zooms *z, const struct zoom *zoom, const struct heap_event *e,
    struct gcs_snapshot *s)
{
	struct tile_values p = {.z = z, .zoom = zoom};
	p.area = (struct area){
	    zoom->start, zoom->block, area_tiles(zoom->start, zoom->end, zoom->block)};
	if (!clear(&p, s))
		return false;
	z->driver->visit(z->heap, e->raw, zoom->start, zoom->end, add_extent, &p);
	for (size_t i = 0; i < e->tlab_count; i++)
		add(&p, p.of[TLAB], e->tlabs[i].start, e->tlabs[i].hard_end);
	set_summaries(&p, s);
	return gcs_snapshot_set_gathered(s, zoom->space, true);
}

bool heap_zooms_map(struct heap_zooms *z, const struct heap_event *e, struct gcs_snapshot *s)
{
	bool ok = true;
	if (z->driver->has_heap != NULL && !z->driver->has_heap(e->raw))
		return true;
	for (uint32_t i = 0; i < GCS_MAX_ZOOMS; i++) {
		const struct zoom *zoom = &z->zooms[i];
		if (zoom->there && gcs_server_wants_space(e->server, e->ticket, zoom->space))
			ok = map(z, zoom, e, s) && ok;
	}
	return ok;
}
