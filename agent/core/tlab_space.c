#include "tlab_space.h"

#include <stdio.h>
#include <stdlib.h>

#include <gcspy/memory.h>

#include "streams.h"

/* All possible streams; those that this JVM lacks have no id. */
enum {
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

static const enum vm_capability stream_needs[STREAM_COUNT] = {
    [REFILLS] = VM_TLAB_STATISTICS,
    [SLOW] = VM_TLAB_STATISTICS,
    [REFILL_WASTE] = VM_TLAB_STATISTICS,
    [GC_WASTE] = VM_TLAB_STATISTICS,
    [ALLOCATED] = VM_ALLOCATED_BYTES,
};

struct tlab_space {
	const struct vm *vm;
	struct threads *threads;
	uint32_t max_tiles;
	uint32_t space;
	uint32_t ids[STREAM_COUNT]; /* or GCS_NONE */
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

enum gcs_status tlab_space_describe(
    struct tlab_space *t, struct gcs_server *server, struct gcs_error *err)
{
	struct gcs_stream streams[STREAM_COUNT] = {
	    [USED] = stream_bytes("Used", "Bytes allocated in the thread's current buffer"),
	    [SIZE] = stream_bytes("Size",
		"Size of the thread's current buffer; 0 without one, as after a collection"),
	    [DESIRED] = stream_bytes(
		"Desired size", "Size that the JVM will give the thread's next buffer"),
	    [REFILLS] =
		stream_count("Refills", "New buffers since the last collection", " refills"),
	    [SLOW] = stream_count(
		"Outside", "Allocations outside buffers since the last collection", " allocations"),
	    [REFILL_WASTE] = stream_bytes(
		"Refill waste", "Bytes discarded at refills since the last collection"),
	    [GC_WASTE] = stream_bytes("GC waste", "Unused bytes in buffers retired by collections"),
	    [ALLOCATED] = stream_bytes("Allocated",
		"Bytes in finished buffers and outside buffers, since the thread started"),
	    [CONTROL] = gcs_stream_control(GCS_TILE_USED),
	    [RANGE_START] = gcs_stream_range_start(),
	    [RANGE_END] = gcs_stream_range_end(),
	};
	streams[USED].presentation = GCS_PERCENT;
	streams[USED].maximum = GCS_MAX_OF_STREAM;
	streams[USED].max_stream = SIZE;
	uint32_t group;
	enum gcs_status status = gcs_server_add_group(
	    server, &(struct gcs_group){.name = "Threads", .parent = GCS_NONE}, &group, err);
	if (status != GCS_OK)
		return status;
	struct gcs_space space = {
	    .name = "TLABs",
	    .description = "The buffer from which each Java thread allocates. Most are retired "
			   "when a collection finishes: look at a collection's start",
	    .tile_title = "Thread",
	    .block_info = "1 thread per tile",
	    .unused_text = "no buffer",
	    .group = group,
	    .kind = GCS_SPACE_LIST,
	    .stream_count = streams_select(streams, STREAM_COUNT, t->vm, stream_needs, t->ids),
	    .streams = streams,
	    .default_stream = USED,
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

/* The buffers by thread, and which of them have a tile already. */
struct index {
	const struct vm_tlab **sorted;
	bool *placed;
	size_t count;
};

/* The index of the thread, or count. */
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

/* Removes the tiles of ended threads from the snapshot, in runs of neighbours. With many runs all
 * tiles are rewritten, which costs less than moving the rest again and again. */
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

/* Updates the tiles to the current threads: removes ended ones, appends new ones. */
static bool place(
    struct tlab_space *t, struct gcs_snapshot *s, const struct vm_tlab *tlabs, struct index *x)
{
	/* If the snapshot lost the earlier tiles, because no client was attached, start over. */
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

static int64_t value_of(const struct vm_tlab *b, int what)
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
	int64_t *values[STREAM_COUNT];
	if (!streams_write(s, t->space, t->ids, STREAM_COUNT, values) && t->tiles != 0)
		return false;
	for (uint32_t i = 0; i < STREAM_COUNT; i++) {
		int64_t total = 0;
		if (t->ids[i] == GCS_NONE)
			continue;
		for (uint32_t k = 0; k < t->tiles; k++)
			total += values[i][k] = value_of(t->tile_tlab[k], (int)i);
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
