/* The process's memory by what is mapped: a tile for each mapping, or for all mappings of a file that are
 * next to each other. */
#include <stdio.h>
#include <string.h>

#include <gcspy/blocks.h>
#include <gcspy/memory.h>

#include "heap_granules.h"
#include "malloc_spaces.h"
#include "malloc_thread.h"

enum { SIZE, RESIDENT, KIND, START, END, STREAMS };
enum { HEAP, ALLOCATOR, STACK, LIBRARY, FILE_KIND, KERNEL, OTHER, NONE, KINDS };

static const char *const kinds[KINDS] = {"heap", "allocator's mapping", "stack",
    "library or program", "other file", "kernel", "anonymous", "not accessible"};

static uint32_t space;

enum gcs_status mappings_add(struct gcs_server *server, struct gcs_error *err)
{
	struct gcs_stream streams[STREAMS] = {[SIZE] = {.name = "Size",
						  .description = "Bytes of address space",
						  .type = GCS_TYPE_I64,
						  .maximum = GCS_MAX_OF_EVENT,
						  .format = GCS_BYTES,
						  .summary = GCS_SUMMARY_TOTAL,
						  .max = INT64_MAX},
	    [RESIDENT] = {.name = "Resident",
		.description = "Bytes in memory, at the last look every two seconds",
		.type = GCS_TYPE_I64,
		.maximum = GCS_MAX_OF_EVENT,
		.paint = GCS_PAINT_ZERO,
		.format = GCS_BYTES,
		.summary = GCS_SUMMARY_TOTAL,
		.max = INT64_MAX},
	    [KIND] = gcs_stream_enumeration("Kind", "What is mapped", KINDS, kinds),
	    [START] = gcs_stream_range_start(),
	    [END] = gcs_stream_range_end()};
	streams[KIND].paint = GCS_PAINT_PLAIN;
	const struct gcs_space described = {.name = "Mappings",
	    .description = "What the process has mapped, without GCspy's own memory",
	    .tile_title = "Mapping",
	    .group = GCS_NONE,
	    .kind = GCS_SPACE_ADDRESSES,
	    .stream_count = STREAMS,
	    .streams = streams,
	    .default_stream = RESIDENT};
	return gcs_server_add_space(server, &described, &space, err);
}

struct stacks {
	const struct process_maps *maps;
	uint8_t *kinds;
};

static void note_stack(void *context, uintptr_t address)
{
	struct stacks *s = context;
	uint32_t low = 0, high = s->maps->count;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		if (s->maps->mappings[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < s->maps->count && s->maps->mappings[low].start <= address)
		s->kinds[low] = STACK;
}

static uint8_t kind_of(const struct mapping *m)
{
	const uint32_t tile = heap_granules_find(m->start);
	const bool has_blocks =
	    tile < heap_granules_count() && heap_granules_at(tile)->start < m->end;
	if (strcmp(m->name, "[heap]") == 0)
		return HEAP;
	if (strncmp(m->name, "[stack", 6) == 0)
		return STACK;
	if (m->name[0] == '/')
		return strstr(m->name, ".so") != NULL || m->executable ? LIBRARY : FILE_KIND;
	if (m->name[0] == '[' && strncmp(m->name, "[anon", 5) != 0)
		return KERNEL;
	if (!m->accessible && !m->writable)
		return NONE;
	return has_blocks && mapping_is_heap(m) ? ALLOCATOR : OTHER;
}

/* A file's mappings are one tile; a program's file is the one with an executable mapping. */
static bool joins(const struct mapping *a, const struct mapping *b)
{
	return a->name[0] == '/' && strcmp(a->name, b->name) == 0;
}

static void fill_tile(struct gcs_snapshot *snapshot, uint32_t tile, int64_t *columns[],
    const struct process_maps *maps, const uint8_t *mapping_kinds, uint32_t first, uint32_t end)
{
	const struct mapping *m = &maps->mappings[first];
	const char *base = strrchr(m->name, '/');
	int64_t values[STREAMS] = {[KIND] = mapping_kinds[first]};
	for (uint32_t i = first; i < end; i++) {
		const struct mapping *part = &maps->mappings[i];
		values[SIZE] += (int64_t)(part->end - part->start);
		values[RESIDENT] += (int64_t)part->resident;
		if (mapping_kinds[i] == LIBRARY)
			values[KIND] = LIBRARY;
	}
	values[START] = (int64_t)m->start;
	values[END] = (int64_t)maps->mappings[end - 1].end;
	for (uint32_t k = 0; k < STREAMS; k++)
		columns[k][tile] = values[k];
	(void)gcs_snapshot_set_name(
	    snapshot, space, tile, base != NULL && base[1] != '\0' ? base + 1 : m->name);
}

static void summarise(struct gcs_snapshot *snapshot, uint32_t tiles, int64_t *columns[])
{
	int64_t totals[2] = {0}, counts[KINDS] = {0};
	for (uint32_t i = 0; i < tiles; i++) {
		totals[SIZE] += columns[SIZE][i];
		totals[RESIDENT] += columns[RESIDENT][i];
		counts[columns[KIND][i]]++;
	}
	(void)gcs_snapshot_set_summary(snapshot, space, SIZE, 1, &totals[SIZE]);
	(void)gcs_snapshot_set_summary(snapshot, space, RESIDENT, 1, &totals[RESIDENT]);
	(void)gcs_snapshot_set_summary(snapshot, space, KIND, KINDS, counts);
}

bool mappings_are_missing(const struct gcs_snapshot *snapshot)
{
	return gcs_snapshot_tiles(snapshot, space) == 0;
}

void mappings_fill(struct gcs_snapshot *snapshot, const struct process_maps *maps)
{
	uint8_t *mapping_kinds = gcs_zalloc(maps->count + 1);
	struct stacks stacks = {maps, mapping_kinds};
	int64_t *columns[STREAMS];
	uint32_t tiles = 0, tile = 0;
	if (mapping_kinds == NULL)
		return;
	for (uint32_t i = 0; i < maps->count; i++) {
		mapping_kinds[i] = kind_of(&maps->mappings[i]);
		tiles += i == 0 || !joins(&maps->mappings[i - 1], &maps->mappings[i]);
	}
	malloc_threads_visit(note_stack, &stacks);
	bool good = gcs_snapshot_resize(snapshot, space, tiles);
	for (uint32_t k = 0; k < STREAMS; k++)
		good = (columns[k] = gcs_snapshot_write(snapshot, space, k)) != NULL && good;
	for (uint32_t i = 0; good && i < maps->count;) {
		uint32_t end = i + 1;
		while (end < maps->count && joins(&maps->mappings[i], &maps->mappings[end]))
			end++;
		fill_tile(snapshot, tile++, columns, maps, mapping_kinds, i, end);
		i = end;
	}
	if (good) {
		summarise(snapshot, tiles, columns);
		(void)gcs_snapshot_set_gathered(snapshot, space, true);
	}
	gcs_free(mapping_kinds);
}
