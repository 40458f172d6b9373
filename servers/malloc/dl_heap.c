#include "dl_heap.h"

#include <gcspy/blocks.h>

#include "dl_spaces.h"
#include "heap_granules.h"

/* A walk holds the allocator's lock. At its ends a segment has bytes that are no chunk's: SLACK at most. */
enum { SEGMENTS = 256, RUN = 16, SLACK = 1024 };
static const uint64_t piece_bytes = 1 << 20;

bool dl_heap_is_there(void)
{
	return dl_inside() != NULL;
}

/* What a walk adds to: the chunks' parts in low .. high - 1. */
struct target {
	const struct gcs_blocks *blocks;
	uint64_t low, high;
	int64_t *values[DL_HEAP_COLUMNS]; /* NULL: not wanted */
	int64_t *visited;                 /* bytes of all chunks; NULL: not wanted */
};

static void raise_largest(const struct target *t, uint64_t start, uint64_t end)
{
	const struct gcs_blocks *b = t->blocks;
	while (start < end) {
		const uint64_t tile = (start - b->low) / b->block;
		const uint64_t edge = b->low + (tile + 1) * b->block;
		const uint64_t stop = edge < end ? edge : end;
		if ((int64_t)(stop - start) > t->values[DL_HEAP_LARGEST][tile])
			t->values[DL_HEAP_LARGEST][tile] = (int64_t)(stop - start);
		start = stop;
	}
}

static bool visit(void *context, uint64_t address, uint64_t size, enum dlmalloc_use use)
{
	const struct target *t = context;
	const uint64_t start = address > t->low ? address : t->low;
	const uint64_t end = address + size < t->high ? address + size : t->high;
	int64_t *bytes = t->values[use == DLMALLOC_PARKED ? DL_HEAP_PARKED : DL_HEAP_FREE];
	if (t->visited != NULL && start < end)
		gcs_blocks_add(t->blocks, t->visited, start, end, 1);
	if (use == DLMALLOC_USED || start >= end)
		return true;
	if (bytes != NULL)
		gcs_blocks_add(t->blocks, bytes, start, end, 1);
	if (t->values[DL_HEAP_CHUNKS] != NULL && address >= t->low)
		t->values[DL_HEAP_CHUNKS][gcs_blocks_tile(t->blocks, address)]++;
	if (t->values[DL_HEAP_LARGEST] != NULL)
		raise_largest(t, start, end);
	return true;
}

void dl_heap_read_zoom(enum dl_heap_column column, const struct gcs_blocks *blocks, int64_t *values)
{
	struct target target = {.blocks = blocks};
	/* Whole blocks: the largest part of one is not joined from two walks. */
	const uint64_t step = blocks->block > piece_bytes
				  ? blocks->block
				  : piece_bytes / blocks->block * blocks->block;
	target.values[column] = values;
	for (uint64_t at = blocks->low; dl_inside() != NULL && at < blocks->high; at += step) {
		target.low = at;
		target.high = blocks->high - at < step ? blocks->high : at + step;
		dl_inside()->walk(target.low, target.high, visit, &target);
	}
}

struct list {
	struct dlmalloc_segment segments[SEGMENTS];
	uint32_t count;
};
static struct list known, now;

/* Bytes of a granule that are in the segments. */
static int64_t inside_segments(const struct list *list, uint64_t start)
{
	int64_t bytes = 0;
	for (uint32_t i = 0; i < list->count; i++) {
		const struct dlmalloc_segment *s = &list->segments[i];
		const uint64_t from = s->start > start ? s->start : start;
		const uint64_t end = start + SHADOW_GRANULE;
		const uint64_t to = s->end < end ? s->end : end;
		bytes += from < to ? (int64_t)(to - from) : 0;
	}
	return bytes;
}

/*
 * Adjacent granules, at most RUN. Segments may have shrunk or grown since they were listed, and may be as they
 * were by the next update, and no mark tells: what has been visited of a granule does then not fill its part
 * of them, and the next update walks it again.
 */
static void walk_run(uint32_t tile, uint32_t count)
{
	int64_t columns[DL_HEAP_COLUMNS][RUN] = {{0}}, visited[RUN] = {0};
	const uint64_t low = heap_granules_at(tile)->start;
	const struct gcs_blocks blocks = {
	    .low = low, .high = low + (uint64_t)count * SHADOW_GRANULE, .block = SHADOW_GRANULE};
	struct target target = {
	    .blocks = &blocks, .low = blocks.low, .high = blocks.high, .visited = visited};
	for (uint32_t k = 0; k < DL_HEAP_COLUMNS; k++)
		target.values[k] = columns[k];
	dl_inside()->walk(blocks.low, blocks.high, visit, &target);
	for (uint32_t i = 0; i < count; i++) {
		const int64_t missing =
		    inside_segments(&now, low + (uint64_t)i * SHADOW_GRANULE) - visited[i];
		const struct heap_free found = {.bytes = (uint32_t)columns[DL_HEAP_FREE][i],
		    .parked = (uint32_t)columns[DL_HEAP_PARKED][i],
		    .chunks = (uint32_t)columns[DL_HEAP_CHUNKS][i],
		    .largest = (uint32_t)columns[DL_HEAP_LARGEST][i],
		    .known = true,
		    .again = missing < -SLACK || missing > SLACK};
		heap_granules_set_free(tile + i, &found);
	}
}

/* True if the tile is to be walked, which is then to be done. */
static bool take(uint32_t tile)
{
	const struct heap_granule *g = heap_granules_at(tile);
	return dl_inside()->take_touched(g->start) || !g->free.known || g->free.again;
}

static void follow_segment(const struct dlmalloc_segment *s)
{
	uint32_t i = heap_granules_find(s->start);
	while (i < heap_granules_count() && heap_granules_at(i)->start < s->end) {
		uint32_t run = 0;
		while (run < RUN && i + run < heap_granules_count() &&
		       heap_granules_at(i + run)->start < s->end &&
		       heap_granules_at(i + run)->start ==
			   heap_granules_at(i)->start + (uint64_t)run * SHADOW_GRANULE &&
		       take(i + run))
			run++;
		if (run != 0)
			walk_run(i, run);
		i += run == 0 ? 1 : run;
	}
}

static void forget(uint64_t start, uint64_t end)
{
	const struct heap_free unknown = {0};
	for (uint32_t i = heap_granules_find(start);
	     i < heap_granules_count() && heap_granules_at(i)->start < end; i++)
		heap_granules_set_free(i, &unknown);
}

/* Forgets what `a` has and `b` has not, with the granule before: top's end is not told. */
static void forget_difference(const struct list *a, const struct list *b)
{
	for (uint32_t i = 0; i < a->count; i++) {
		const struct dlmalloc_segment *s = &a->segments[i];
		uint64_t from = s->start;
		for (uint32_t k = 0; k < b->count; k++)
			if (b->segments[k].start == s->start)
				from = b->segments[k].end - SHADOW_GRANULE;
		if (from != s->end - SHADOW_GRANULE)
			forget(from, s->end);
	}
}

bool dl_heap_update(void)
{
	bool fresh = false;
	if (dl_inside() == NULL)
		return false;
	now.count = dl_inside()->segments(now.segments, SEGMENTS);
	forget_difference(&known, &now);
	forget_difference(&now, &known);
	for (uint32_t i = 0; i < now.count; i++)
		fresh = heap_granules_cover(now.segments[i].start, now.segments[i].end) || fresh;
	known = now;
	for (uint32_t i = 0; i < now.count; i++)
		follow_segment(&now.segments[i]);
	return fresh;
}
