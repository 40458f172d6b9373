/* The program's blocks by their sizes: a tile for each class. */
#include <stdio.h>

#include <gcspy/format.h>

#include "heap_granules.h"
#include "malloc_spaces.h"

enum { BLOCKS, BYTES, STREAMS };

static uint32_t space;

enum gcs_status size_classes_add(struct gcs_server *server, struct gcs_error *err)
{
	const struct gcs_stream streams[STREAMS] = {
	    [BLOCKS] = {.name = "Blocks",
		.description = "Blocks that the program has",
		.type = GCS_TYPE_I64,
		.maximum = GCS_MAX_OF_EVENT,
		.paint = GCS_PAINT_ZERO,
		.summary = GCS_SUMMARY_TOTAL,
		.max = INT64_MAX},
	    [BYTES] = {.name = "Bytes",
		.description = "Their bytes, with headers",
		.type = GCS_TYPE_I64,
		.maximum = GCS_MAX_OF_EVENT,
		.paint = GCS_PAINT_ZERO,
		.format = GCS_BYTES,
		.summary = GCS_SUMMARY_TOTAL,
		.max = INT64_MAX}};
	const struct gcs_space described = {.name = "Size classes",
	    .description = "The program's blocks by their sizes, with headers",
	    .tile_title = "Class",
	    .group = GCS_NONE,
	    .kind = GCS_SPACE_LIST,
	    .stream_count = STREAMS,
	    .streams = streams,
	    .default_stream = BYTES};
	return gcs_server_add_space(server, &described, &space, err);
}

static void name_class(struct gcs_snapshot *snapshot, uint32_t class)
{
	char bytes[32], name[64];
	const bool last = class == SIZE_CLASSES - 1;
	const uint64_t limit = size_class_limit(last ? class - 1 : class) * SHADOW_UNIT;
	gcs_format_number(bytes, sizeof bytes, (int64_t)limit, GCS_BYTES);
	snprintf(name, sizeof name, last ? "more than %s" : "to %s", bytes);
	(void)gcs_snapshot_set_name(snapshot, space, class, name);
}

void size_classes_fill(struct gcs_snapshot *snapshot)
{
	const struct heap_sums *sums = heap_granules_sums();
	int64_t totals[STREAMS] = {(int64_t)sums->blocks, (int64_t)sums->bytes};
	if (!gcs_snapshot_resize(snapshot, space, SIZE_CLASSES))
		return;
	int64_t *blocks = gcs_snapshot_write(snapshot, space, BLOCKS);
	int64_t *bytes = gcs_snapshot_write(snapshot, space, BYTES);
	for (uint32_t i = 0; blocks != NULL && bytes != NULL && i < SIZE_CLASSES; i++) {
		blocks[i] = (int64_t)sums->classes[i];
		bytes[i] = (int64_t)(sums->class_units[i] * SHADOW_UNIT);
		name_class(snapshot, i);
	}
	for (uint32_t k = 0; k < STREAMS; k++)
		(void)gcs_snapshot_set_summary(snapshot, space, k, 1, &totals[k]);
	(void)gcs_snapshot_set_gathered(snapshot, space, true);
}
