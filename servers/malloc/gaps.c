/*
 * The gaps between blocks by their sizes, and how fragmented the heap is: 1 less the share of the largest gap.
 *
 * Gaps within granules are in the sums; here those that reach over a granule's border are joined. Of a
 * granule that is mapped only in part, that part is taken to be where the heap goes on: at its start, or
 * at its end if nothing known is before it.
 */
#include <stdio.h>

#include <gcspy/format.h>

#include "heap_granules.h"
#include "malloc_spaces.h"

enum { GAPS, BYTES, STREAMS };

struct gaps {
	uint64_t count[GAP_CLASSES], units[GAP_CLASSES];
	uint64_t bytes;
	uint64_t largest, largest_at;
	uint64_t open, open_at; /* bytes of the gap up to here, where it began */
};

static uint32_t space;

enum gcs_status gaps_add(struct gcs_server *server, struct gcs_error *err)
{
	const struct gcs_stream streams[STREAMS] = {
	    [GAPS] = {.name = "Gaps",
		.description = "Gaps between blocks, in mapped memory",
		.type = GCS_TYPE_I64,
		.maximum = GCS_MAX_OF_EVENT,
		.paint = GCS_PAINT_ZERO,
		.summary = GCS_SUMMARY_TOTAL,
		.max = INT64_MAX},
	    [BYTES] = {.name = "Bytes",
		.description = "Their bytes",
		.type = GCS_TYPE_I64,
		.maximum = GCS_MAX_OF_EVENT,
		.paint = GCS_PAINT_ZERO,
		.format = GCS_BYTES,
		.summary = GCS_SUMMARY_TOTAL,
		.max = INT64_MAX}};
	const struct gcs_space described = {.name = "Gaps",
	    .description = "Memory between the program's blocks, by the size of the gap",
	    .tile_title = "Class",
	    .group = GCS_NONE,
	    .kind = GCS_SPACE_LIST,
	    .stream_count = STREAMS,
	    .streams = streams,
	    .default_stream = BYTES};
	return gcs_server_add_space(server, &described, &space, err);
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

static void extend(struct gaps *gaps, uint64_t from, uint64_t to)
{
	if (from >= to)
		return;
	if (gaps->open == 0)
		gaps->open_at = from;
	gaps->open += to - from;
}

static void add_granule(struct gaps *gaps, const struct heap_granule *g, bool adjacent)
{
	const uint64_t limit = g->start + SHADOW_GRANULE;
	const uint64_t low = adjacent ? g->start : limit - g->mapped;
	const uint64_t high = adjacent ? g->start + g->mapped : limit;
	if (!adjacent)
		close_gap(gaps);
	if (g->spill != 0)
		close_gap(gaps);
	const uint64_t from = g->start + g->spill > low ? g->start + g->spill : low;
	if (g->blocks == 0) {
		extend(gaps, from, high);
	} else {
		extend(gaps, from, g->start + (uint64_t)g->first * SHADOW_UNIT);
		close_gap(gaps);
		extend(gaps, g->end, high);
	}
	if (high < limit)
		close_gap(gaps);
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
		const struct heap_granule *before = i == 0 ? NULL : heap_granules_at(i - 1);
		if ((uint64_t)g->gap * SHADOW_UNIT > gaps->largest) {
			gaps->largest = (uint64_t)g->gap * SHADOW_UNIT;
			gaps->largest_at = g->start;
		}
		add_granule(gaps, g,
		    before != NULL && before->mapped == SHADOW_GRANULE &&
			before->start + SHADOW_GRANULE == g->start);
	}
	close_gap(gaps);
}

static void name_class(struct gcs_snapshot *snapshot, uint32_t class)
{
	char bytes[32], name[64];
	const bool last = class == GAP_CLASSES - 1;
	const uint64_t limit = gap_class_limit(last ? class - 1 : class) * SHADOW_UNIT;
	gcs_format_number(bytes, sizeof bytes, (int64_t)limit, GCS_BYTES);
	snprintf(name, sizeof name, last ? "more than %s" : "to %s", bytes);
	(void)gcs_snapshot_set_name(snapshot, space, class, name);
}

static void set_info(struct gcs_snapshot *snapshot, const struct gaps *gaps)
{
	char largest[32], all[32], line[200];
	gcs_format_number(largest, sizeof largest, (int64_t)gaps->largest, GCS_BYTES);
	gcs_format_number(all, sizeof all, (int64_t)gaps->bytes, GCS_BYTES);
	if (gaps->bytes == 0)
		snprintf(line, sizeof line, "no gaps");
	else
		snprintf(line, sizeof line,
		    "largest gap %s, near 0x%llx; fragmentation %.0f %% of %s", largest,
		    (unsigned long long)gaps->largest_at,
		    100.0 * (1 - (double)gaps->largest / (double)gaps->bytes), all);
	(void)gcs_snapshot_set_space_info(snapshot, space, line);
}

void gaps_fill(struct gcs_snapshot *snapshot)
{
	struct gaps gathered = {.count = {0}};
	int64_t totals[STREAMS] = {0};
	gather(&gathered);
	if (!gcs_snapshot_resize(snapshot, space, GAP_CLASSES))
		return;
	int64_t *count = gcs_snapshot_write(snapshot, space, GAPS);
	int64_t *bytes = gcs_snapshot_write(snapshot, space, BYTES);
	for (uint32_t i = 0; count != NULL && bytes != NULL && i < GAP_CLASSES; i++) {
		count[i] = (int64_t)gathered.count[i];
		bytes[i] = (int64_t)(gathered.units[i] * SHADOW_UNIT);
		totals[GAPS] += count[i];
		totals[BYTES] += bytes[i];
		name_class(snapshot, i);
	}
	for (uint32_t k = 0; k < STREAMS; k++)
		(void)gcs_snapshot_set_summary(snapshot, space, k, 1, &totals[k]);
	set_info(snapshot, &gathered);
	(void)gcs_snapshot_set_gathered(snapshot, space, true);
}
