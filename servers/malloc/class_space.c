#include "class_space.h"

#include <stdio.h>

#include <gcspy/format.h>

#include "heap_shadow.h"

enum { THINGS, BYTES, STREAMS };

struct gcs_stream count_stream(const char *name, const char *description)
{
	return (struct gcs_stream){.name = name,
	    .description = description,
	    .type = GCS_TYPE_I64,
	    .maximum = GCS_MAX_OF_EVENT,
	    .paint = GCS_PAINT_ZERO,
	    .summary = GCS_SUMMARY_TOTAL,
	    .max = INT64_MAX};
}

struct gcs_stream bytes_stream(const char *name, const char *description)
{
	struct gcs_stream stream = count_stream(name, description);
	stream.format = GCS_BYTES;
	return stream;
}

enum gcs_status class_space_add(
    struct class_space *space, struct gcs_server *server, struct gcs_error *err)
{
	const struct gcs_stream streams[STREAMS] = {
	    [THINGS] = count_stream(space->things, space->things_description),
	    [BYTES] = bytes_stream("Bytes", space->bytes_description)};
	const struct gcs_space described = {.name = space->name,
	    .description = space->description,
	    .tile_title = "Class",
	    .group = GCS_NONE,
	    .kind = GCS_SPACE_LIST,
	    .stream_count = STREAMS,
	    .streams = streams,
	    .default_stream = BYTES};
	return gcs_server_add_space(server, &described, &space->id, err);
}

static void name_class(
    const struct class_space *space, struct gcs_snapshot *snapshot, uint32_t class)
{
	char bytes[32], name[64];
	const bool last = class == space->classes - 1;
	const uint64_t limit = space->limit(last ? class - 1 : class) * SHADOW_UNIT;
	gcs_format_number(bytes, sizeof bytes, (int64_t)limit, GCS_BYTES);
	snprintf(name, sizeof name, last ? "more than %s" : "to %s", bytes);
	(void)gcs_snapshot_set_name(snapshot, space->id, class, name);
}

void class_space_fill(const struct class_space *space, struct gcs_snapshot *snapshot,
    const uint64_t *count, const uint64_t *units)
{
	int64_t totals[STREAMS] = {0};
	if (!gcs_snapshot_resize(snapshot, space->id, space->classes))
		return;
	int64_t *things = gcs_snapshot_write(snapshot, space->id, THINGS);
	int64_t *bytes = gcs_snapshot_write(snapshot, space->id, BYTES);
	for (uint32_t i = 0; things != NULL && bytes != NULL && i < space->classes; i++) {
		things[i] = (int64_t)count[i];
		bytes[i] = (int64_t)(units[i] * SHADOW_UNIT);
		totals[THINGS] += things[i];
		totals[BYTES] += bytes[i];
		name_class(space, snapshot, i);
	}
	for (uint32_t k = 0; k < STREAMS; k++)
		(void)gcs_snapshot_set_summary(snapshot, space->id, k, 1, &totals[k]);
	(void)gcs_snapshot_set_gathered(snapshot, space->id, true);
}
