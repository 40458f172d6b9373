/*
 * The gaps between blocks by their sizes, and how fragmented the heap is: 1 less the share of the largest gap.
 *
 * Gaps within granules are in the sums; here those that reach over a granule's border are joined, and cut
 * to what is mapped of them.
 */
#include <stdio.h>

#include <gcspy/format.h>

#include "class_space.h"
#include "dl_spaces.h"
#include "heap_granules.h"
#include "malloc_spaces.h"
#include "real_malloc.h"

struct gaps {
	uint64_t count[GAP_CLASSES], units[GAP_CLASSES];
	uint64_t bytes;
	uint64_t largest, largest_at;
	uint64_t open, open_at; /* bytes of the gap up to here, where it began */
};

static struct class_space space = {.name = "Gaps",
    .description = "Memory between the program's blocks, by the size of the gap",
    .things = "Gaps",
    .things_description = "Gaps between blocks, in mapped memory",
    .bytes_description = "Their bytes",
    .classes = GAP_CLASSES,
    .limit = gap_class_limit};

enum gcs_status gaps_add(struct gcs_server *server, struct gcs_error *err)
{
	return class_space_add(&space, server, err);
}

static void close_gap(struct gaps *gaps)
{
	if (gaps->open != 0) {
		const uint64_t units = gaps->open / SHADOW_UNIT;
		const uint32_t class = gap_class_of(units);
		gaps->count[class]++;
		gaps->units[class] += units;
		gaps->bytes += gaps->open;
		if (gaps->open > gaps->largest) {
			gaps->largest = gaps->open;
			gaps->largest_at = gaps->open_at;
		}
	}
	gaps->open = 0;
}

/* Adds what is mapped of it, which may go on from the granule before. */
static void extend(struct gaps *gaps, const struct heap_granule *g, uint64_t from, uint64_t limit)
{
	uint64_t to = limit;
	while (from < to && (g->mapped == SHADOW_GRANULE || heap_map_clip(&from, &to))) {
		if (gaps->open_at + gaps->open != from)
			close_gap(gaps);
		if (gaps->open == 0)
			gaps->open_at = from;
		gaps->open += to - from;
		from = to;
		to = limit;
	}
}

static void add_granule(struct gaps *gaps, const struct heap_granule *g)
{
	const uint64_t limit = g->start + SHADOW_GRANULE;
	if (g->blocks == 0) {
		extend(gaps, g, g->start + g->spill, limit);
	} else {
		extend(gaps, g, g->start + g->spill, g->start + (uint64_t)g->first * SHADOW_UNIT);
		extend(gaps, g, g->end, limit);
	}
}

static void gather(struct gaps *gaps)
{
	const struct heap_sums *sums = heap_granules_sums();
	for (uint32_t i = 0; i < GAP_CLASSES; i++) {
		gaps->count[i] = sums->gaps[i];
		gaps->units[i] = sums->gap_units[i];
		gaps->bytes += sums->gap_units[i] * SHADOW_UNIT;
	}
	for (uint32_t i = 0; i < heap_granules_count(); i++) {
		const struct heap_granule *g = heap_granules_at(i);
		if ((uint64_t)g->gap * SHADOW_UNIT > gaps->largest) {
			gaps->largest = (uint64_t)g->gap * SHADOW_UNIT;
			gaps->largest_at = g->start;
		}
		add_granule(gaps, g);
	}
	close_gap(gaps);
}

/* Rounded down: 100 % would say that there is no gap at all. */
static void set_info(struct gcs_snapshot *snapshot, const struct gaps *gaps)
{
	char largest[32], all[32], line[200];
	const uint64_t permille =
	    gaps->bytes == 0 ? 0 : (gaps->bytes - gaps->largest) * 1000 / gaps->bytes;
	gcs_format_number(largest, sizeof largest, (int64_t)gaps->largest, GCS_BYTES);
	gcs_format_number(all, sizeof all, (int64_t)gaps->bytes, GCS_BYTES);
	if (gaps->bytes == 0)
		snprintf(line, sizeof line, "no gaps");
	else
		snprintf(line, sizeof line,
		    "largest gap %s, near 0x%llx; fragmentation %u.%u %% of %s%s", largest,
		    (unsigned long long)gaps->largest_at, (unsigned)(permille / 10),
		    (unsigned)(permille % 10), all,
		    real_malloc_has_headers || dl_inside() != NULL
			? ""
			: ", only in tiles that had a block");
	(void)gcs_snapshot_set_space_info(snapshot, space.id, line);
}

void gaps_fill(struct gcs_snapshot *snapshot)
{
	struct gaps gathered = {.count = {0}};
	gather(&gathered);
	class_space_fill(&space, snapshot, gathered.count, gathered.units);
	set_info(snapshot, &gathered);
}
