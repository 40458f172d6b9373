#include "tlab_space.h"

#include <stdio.h>
#include <stdlib.h>

#include <gcspy/memory.h>

#include "streams.h"

/* All streams that there can be; a JVM that lacks some has fewer, see `ids`. */
enum what {
	USED,
	SIZE,
	DESIRED,
	REFILLS,
	SLOW,
	REFILL_WASTE,
	GC_WASTE,
	ALLOCATED,
	CONTROL,
	RANGE_START,
	RANGE_END,
	STREAM_COUNT
};

struct tlab_space {
	const struct vm *vm;
	struct threads *threads;
	uint32_t max_tiles;
	uint32_t space;
	uint32_t ids[STREAM_COUNT]; /* GCS_NONE: not there */
	uint64_t *tile_thread;      /* the thread of each tile */
	const struct vm_tlab **tile_tlab;
	uint32_t tiles;
	uint32_t capacity;
};

struct tlab_space *tlab_space_create(
    const struct vm *vm, struct threads *threads, uint32_t max_tiles)
{
	struct tlab_space *t = gcs_zalloc(sizeof *t);
	if (t == NULL)
		return NULL;
	t->vm = vm;
	t->threads = threads;
	t->max_tiles = max_tiles;
	return t;
}

void tlab_space_destroy(struct tlab_space *t)
{
	if (t == NULL)
		return;
	gcs_free(t->tile_thread);
	gcs_free(t->tile_tlab);
	gcs_free(t);
}

uint32_t tlab_space_id(const struct tlab_space *t)
{
	return t->space;
}

static struct gcs_stream count(const char *name, const char *description, const char *suffix)
{
	struct gcs_stream s = stream_bytes(name, description);
	s.suffix = suffix;
	s.format = GCS_DECIMAL;
	s.colour = 0xd55e00;
	return s;
}

static struct gcs_stream stream_for(enum what what)
{
	switch (what) {
	case USED: {
		struct gcs_stream s =
		    stream_bytes("Used", "Bytes allocated in the thread's present buffer");
		s.presentation = GCS_PERCENT;
		s.maximum = GCS_MAX_OF_STREAM;
		return s;
	}
	case SIZE:
		return stream_bytes("Size",
		    "Size of the thread's present buffer; 0 when it has none, as "
		    "after a collection");
	case DESIRED:
		return stream_bytes(
		    "Desired size", "Size that the JVM will give to the thread's next buffer");
	case REFILLS:
		return count("Refills", "New buffers since the last collection", " refills");
	case SLOW:
		return count("Outside", "Allocations outside buffers since the last collection",
		    " allocations");
	case REFILL_WASTE:
		return stream_bytes(
		    "Refill waste", "Bytes thrown away at refills since the last collection");
	case GC_WASTE:
		return stream_bytes("GC waste", "Bytes unused in buffers that collections retired");
	case ALLOCATED:
		return stream_bytes("Allocated",
		    "Bytes in finished buffers and outside buffers, since the thread began");
	case CONTROL:
		return stream_control(GCS_TILE_USED);
	case RANGE_START:
		return stream_range_start();
	default:
		return stream_range_end();
	}
}

static bool available(const struct vm *vm, enum what what)
{
	switch (what) {
	case REFILLS:
	case SLOW:
	case REFILL_WASTE:
	case GC_WASTE:
		return vm_has(vm, VM_TLAB_STATISTICS);
	case ALLOCATED:
		return vm_has(vm, VM_ALLOCATED_BYTES);
	default:
		return true;
	}
}

enum gcs_status tlab_space_describe(
    struct tlab_space *t, struct gcs_server *server, struct gcs_error *err)
{
	struct gcs_stream streams[STREAM_COUNT];
	uint32_t streams_here = 0;
	for (uint32_t i = 0; i < STREAM_COUNT; i++) {
		t->ids[i] = GCS_NONE;
		if (!available(t->vm, (enum what)i))
			continue;
		t->ids[i] = streams_here;
		streams[streams_here++] = stream_for((enum what)i);
	}
	streams[t->ids[USED]].max_stream = t->ids[SIZE];
	uint32_t group;
	enum gcs_status status = gcs_server_add_group(
	    server, &(struct gcs_group){.name = "Threads", .parent = GCS_NONE}, &group, err);
	if (status != GCS_OK)
		return status;
	struct gcs_space space = {
	    .name = "TLABs",
	    .description = "The buffer from which each Java thread allocates. Most are retired "
			   "when a collection finishes: "
			   "look at a collection's start",
	    .tile_title = "Thread",
	    .block_info = "1 thread to a tile",
	    .unused_text = "no buffer",
	    .group = group,
	    .kind = GCS_SPACE_LIST,
	    .stream_count = streams_here,
	    .streams = streams,
	    .default_stream = t->ids[USED],
	};
	return gcs_server_add_space(server, &space, &t->space, err);
}

static bool reserve(struct tlab_space *t, uint32_t tiles)
{
	if (tiles <= t->capacity)
		return true;
	uint32_t capacity = t->capacity == 0 ? 64 : t->capacity;
	while (capacity < tiles)
		capacity *= 2;
	uint64_t *threads = gcs_realloc(t->tile_thread, capacity * sizeof *threads);
	if (threads == NULL)
		return false;
	t->tile_thread = threads;
	const struct vm_tlab **tlabs = gcs_realloc((void *)t->tile_tlab, capacity * sizeof *tlabs);
	if (tlabs == NULL)
		return false;
	t->tile_tlab = tlabs;
	t->capacity = capacity;
	return true;
}

static int by_thread(const void *a, const void *b)
{
	uint64_t x = (*(const struct vm_tlab *const *)a)->thread,
		 y = (*(const struct vm_tlab *const *)b)->thread;
	return x < y ? -1 : x > y;
}

/* The buffers by thread, to find one fast, and which of them have a tile already. */
struct index {
	const struct vm_tlab **sorted;
	bool *placed;
	size_t count;
};

/* Where the thread stands, or count. */
static size_t find(const struct index *x, uint64_t thread)
{
	size_t low = 0, high = x->count;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (x->sorted[middle]->thread < thread)
			low = middle + 1;
		else
			high = middle;
	}
	return low < x->count && x->sorted[low]->thread == thread ? low : x->count;
}

static bool index_init(struct index *x, const struct vm_tlab *tlabs, size_t count)
{
	*x = (struct index){.count = count};
	x->sorted = gcs_alloc((count + 1) * sizeof *x->sorted);
	x->placed = gcs_zalloc(count + 1);
	if (x->sorted == NULL || x->placed == NULL)
		return false;
	for (size_t i = 0; i < count; i++)
		x->sorted[i] = &tlabs[i];
	qsort((void *)x->sorted, count, sizeof *x->sorted, by_thread);
	return true;
}

static void index_fini(struct index *x)
{
	gcs_free((void *)x->sorted);
	gcs_free(x->placed);
}

/*
 * Takes the tiles of ended threads out of the snapshot, runs of neighbours at once; when there are
 * many of them all tiles are laid anew, which costs less than moving the rest again and again.
 */
static bool drop_ended(struct tlab_space *t, struct gcs_snapshot *s, struct index *x)
{
	enum { MANY_RUNS = 32 };
	uint32_t kept = 0, run = 0, runs = 0;
	bool anew = false;
	for (uint32_t i = 0; i <= t->tiles; i++) {
		size_t at = i < t->tiles ? find(x, t->tile_thread[i]) : 0;
		bool ended = i < t->tiles && at == x->count;
		if (ended) {
			run++;
			continue;
		}
		if (run != 0) {
			anew = anew || ++runs > MANY_RUNS;
			if (!anew && !gcs_snapshot_remove_tiles(s, t->space, kept, run))
				return false;
			run = 0;
		}
		if (i == t->tiles)
			break;
		x->placed[at] = true;
		t->tile_tlab[kept] = x->sorted[at];
		t->tile_thread[kept++] = t->tile_thread[i];
	}
	t->tiles = kept;
	return !anew || gcs_snapshot_resize(s, t->space, 0);
}

/* Makes the tiles those of the threads that are there: ended ones leave their places, new ones come
 * at the end. */
static bool place(
    struct tlab_space *t, struct gcs_snapshot *s, const struct vm_tlab *tlabs, struct index *x)
{
	/* Without the earlier tiles in the snapshot (nobody was attached meanwhile) start anew. */
	if (gcs_snapshot_tiles(s, t->space) != t->tiles) {
		t->tiles = 0;
		if (!gcs_snapshot_resize(s, t->space, 0))
			return false;
	}
	if (!drop_ended(t, s, x))
		return false;
	for (size_t i = 0; i < x->count && t->tiles < t->max_tiles; i++) {
		size_t at = find(x, tlabs[i].thread);
		if (at == x->count || x->placed[at])
			continue;
		if (!reserve(t, t->tiles + 1))
			return false;
		x->placed[at] = true;
		t->tile_thread[t->tiles] = tlabs[i].thread;
		t->tile_tlab[t->tiles++] = &tlabs[i];
	}
	return gcs_snapshot_resize(s, t->space, t->tiles);
}

static int64_t value_of(const struct vm_tlab *b, enum what what)
{
	switch (what) {
	case USED:
		return (int64_t)(b->top - b->start);
	case SIZE:
		return (int64_t)(b->hard_end - b->start);
	case DESIRED:
		return (int64_t)b->desired_bytes;
	case REFILLS:
		return b->refills;
	case SLOW:
		return b->slow_allocations;
	case REFILL_WASTE:
		return (int64_t)b->refill_waste_bytes;
	case GC_WASTE:
		return (int64_t)b->gc_waste_bytes;
	case ALLOCATED:
		return (int64_t)b->allocated_bytes;
	case CONTROL:
		return GCS_TILE_USED; /* a thread without a buffer is a tile of size 0 */
	case RANGE_START:
		return (int64_t)b->start;
	default:
		return (int64_t)b->hard_end;
	}
}

static bool fill(struct tlab_space *t, struct gcs_snapshot *s)
{
	for (uint32_t i = 0; i < STREAM_COUNT; i++) {
		int64_t total = 0;
		int64_t *values = gcs_snapshot_write(s, t->space, t->ids[i]);
		if (t->ids[i] == GCS_NONE)
			continue;
		if (values == NULL && t->tiles != 0)
			return false;
		for (uint32_t k = 0; k < t->tiles; k++)
			total += values[k] = value_of(t->tile_tlab[k], (enum what)i);
		gcs_snapshot_set_summary(s, t->space, t->ids[i], 1, &total);
	}
	for (uint32_t k = 0; k < t->tiles; k++) {
		char name[GCS_MAX_NAME + 1];
		if (!threads_name(t->threads, t->tile_thread[k], name, sizeof name))
			snprintf(name, sizeof name, "(thread of the JVM)");
		gcs_snapshot_set_name(s, t->space, k, name);
	}
	return true;
}

bool tlab_space_map(struct tlab_space *t, struct gcs_snapshot *s, const struct vm_tlab *tlabs,
    size_t count, size_t total)
{
	struct index x;
	bool ok = index_init(&x, tlabs, count) && place(t, s, tlabs, &x) && fill(t, s);
	index_fini(&x);
	if (!ok)
		return false;
	char info[80];
	if (total > t->tiles)
		snprintf(info, sizeof info, "%u of %zu threads", t->tiles, total);
	else
		snprintf(info, sizeof info, "%zu threads", total);
	gcs_snapshot_set_space_info(s, t->space, info);
	return gcs_snapshot_set_gathered(s, t->space, true);
}
