/*
 * The C library's arenas: what the blocks of each of them come to.
 *
 * Only glibc has them, and tells them to nobody; so what can be known from outside is shown. The main arena is
 * the mapping "[heap]". The others have heaps of at most 64 MiB, at multiples of that, which begin with the
 * address of their arena (struct heap_info in glibc's malloc/arena.c); the arena itself is after the head of its first
 * heap. What is read there is checked, and read by the kernel, because a heap may go at any time. All else
 * are blocks with a mapping of their own, and what the main arena has where the program break cannot move.
 * Granules have the figures, so that the sums are those of the space Heap.
 */
/* process_vm_readv. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier) */
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "class_space.h"
#include "dl_spaces.h"
#include "heap_granules.h"
#include "malloc_spaces.h"
#include "real_malloc.h"

enum { USED, FREE, BLOCKS, HEAPS, STREAMS };
enum { HEAP_SHIFT = 26, MOST_REGIONS = 4096, MOST_ARENAS = 1024, LEAST_HEAD = 32, MOST_HEAD = 64 };

/* The rows without an arena of their own. */
enum { MAIN, MAPPED, FIRST_ARENA };

struct region {
	uint64_t start, end;
	uint32_t row;
};

static bool there;
static uint32_t space;
static struct region regions[MOST_REGIONS]; /* in the order of addresses */
static uint32_t region_count, rows = FIRST_ARENA;
static uint64_t arenas[MOST_ARENAS]; /* addresses of rows FIRST_ARENA … */

enum gcs_status arenas_add(struct gcs_server *server, struct gcs_error *err)
{
	struct gcs_stream streams[STREAMS] = {
	    [USED] = bytes_stream("Used", "Bytes of its blocks, with headers"),
	    [FREE] = bytes_stream("Free", "Mapped bytes that are in no block"),
	    [BLOCKS] = count_stream("Blocks", "Blocks that the program has"),
	    [HEAPS] =
		count_stream("Heaps", "Parts of the address space that it has, in which there are "
				      "blocks")};
	const struct gcs_space described = {.name = "Arenas",
	    .description =
		"The C library's arenas, of which each thread uses one; those of other threads "
		"than the first are told by their heaps",
	    .tile_title = "Arena",
	    .group = GCS_NONE,
	    .kind = GCS_SPACE_LIST,
	    .stream_count = STREAMS,
	    .streams = streams,
	    .default_stream = USED};
	there = real_malloc_has_headers && dl_inside() == NULL;
	return there ? gcs_server_add_space(server, &described, &space, err) : GCS_OK;
}

struct heap_head {
	uint64_t arena, previous, size;
};

/* The program's memory as it is now; false if it is no longer mapped. */
static bool read_head(uint64_t address, struct heap_head *head)
{
	const struct iovec to = {head, sizeof *head};
	const struct iovec from = {(void *)(uintptr_t)address, sizeof *head};
	return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)sizeof *head;
}

static uint64_t heap_of(uint64_t address)
{
	return address >> HEAP_SHIFT << HEAP_SHIFT;
}

/* The address of the arena whose heap starts there; 0: it is none. */
static uint64_t arena_of(uint64_t heap, uint64_t mapped)
{
	struct heap_head head;
	if (!read_head(heap, &head))
		return 0;
	const uint64_t at = head.arena - heap_of(head.arena);
	const bool first = heap_of(head.arena) == heap;
	const bool good = at >= LEAST_HEAD && at <= MOST_HEAD && at % 16 == 0 &&
			  heap_of(head.previous) == head.previous &&
			  first == (head.previous == 0) && head.size != 0 && head.size <= mapped;
	return good ? head.arena : 0;
}

static uint32_t row_of(uint64_t arena)
{
	for (uint32_t row = FIRST_ARENA; row < rows; row++)
		if (arenas[row] == arena)
			return row;
	if (rows == MOST_ARENAS)
		return MAPPED;
	arenas[rows] = arena;
	return rows++;
}

/* All of it is the heap's, also what has had no block yet: the memory that the arena keeps at its end. */
static void add_region(uint64_t start, uint64_t end, uint32_t row)
{
	(void)heap_granules_cover(start, end);
	if (region_count != MOST_REGIONS)
		regions[region_count++] = (struct region){start, end, row};
}

void arenas_set_mappings(const struct process_maps *maps)
{
	region_count = 0;
	rows = FIRST_ARENA;
	for (uint32_t i = 0; there && i < maps->count; i++) {
		const struct mapping *m = &maps->mappings[i];
		const uint64_t heap_bytes = (uint64_t)1 << HEAP_SHIFT;
		uint64_t heap = heap_of(m->start + heap_bytes - 1);
		if (strcmp(m->name, "[heap]") == 0)
			add_region(m->start, m->end, MAIN);
		/* Heaps that are next to each other are one mapping. */
		for (; m->name[0] == '\0' && mapping_is_heap(m) && heap < m->end;
		     heap += heap_bytes) {
			const uint64_t left = m->end - heap;
			const uint64_t mapped = left < heap_bytes ? left : heap_bytes;
			const uint64_t arena = arena_of(heap, mapped);
			if (arena != 0)
				add_region(heap, heap + mapped, row_of(arena));
		}
	}
}

static void name_row(struct gcs_snapshot *snapshot, uint32_t row)
{
	char name[64];
	if (row < FIRST_ARENA)
		snprintf(name, sizeof name, row == MAIN ? "main arena" : "other mappings");
	else
		snprintf(name, sizeof name, "arena at 0x%llx", (unsigned long long)arenas[row]);
	(void)gcs_snapshot_set_name(snapshot, space, row, name);
}

static void add_granules(int64_t *columns[])
{
	uint32_t at = 0, last = MOST_REGIONS;
	uint64_t last_end = 0;
	for (uint32_t i = 0; i < heap_granules_count(); i++) {
		const struct heap_granule *g = heap_granules_at(i);
		const int64_t used = heap_granule_used(g);
		while (at < region_count && regions[at].end <= g->start)
			at++;
		const bool inside =
		    at < region_count && regions[at].start < g->start + SHADOW_GRANULE;
		const uint32_t row = inside ? regions[at].row : MAPPED;
		columns[USED][row] += used;
		columns[FREE][row] += g->mapped > used ? g->mapped - used : 0;
		columns[BLOCKS][row] += g->blocks;
		/* Of single blocks, the parts that are not adjacent. */
		columns[HEAPS][row] += inside ? at != last : used != 0 && g->start != last_end;
		last = inside ? at : MOST_REGIONS;
		last_end = inside ? 0 : g->start + SHADOW_GRANULE;
	}
}

void arenas_fill(struct gcs_snapshot *snapshot)
{
	int64_t *columns[STREAMS], totals[STREAMS] = {0};
	bool good = there && gcs_snapshot_resize(snapshot, space, rows);
	for (uint32_t k = 0; good && k < STREAMS; k++)
		good = (columns[k] = gcs_snapshot_write(snapshot, space, k)) != NULL;
	if (!good)
		return;
	for (uint32_t k = 0; k < STREAMS; k++)
		memset(columns[k], 0, rows * sizeof *columns[k]);
	add_granules(columns);
	for (uint32_t row = 0; row < rows; row++) {
		name_row(snapshot, row);
		for (uint32_t k = 0; k < STREAMS; k++)
			totals[k] += columns[k][row];
	}
	for (uint32_t k = 0; k < STREAMS; k++)
		(void)gcs_snapshot_set_summary(snapshot, space, k, 1, &totals[k]);
	(void)gcs_snapshot_set_gathered(snapshot, space, true);
}
