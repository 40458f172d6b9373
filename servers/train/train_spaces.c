#include "train_spaces.h"

#include <stdlib.h>
#include <string.h>

#include "changes.h"

static const char *const no_yes[] = {"no", "yes"};

void train_spaces_fini(struct train_spaces *spaces)
{
	gcs_tiles_destroy(spaces->young_tiles);
	gcs_tiles_destroy(spaces->train_tiles);
	gcs_tiles_destroy(spaces->car_tiles);
	gcs_tiles_destroy(spaces->region_tiles);
	free(spaces->order.trains);
	free(spaces->order.next);
	free(spaces->order.cars);
	free(spaces->card_states);
}

static void read_zoom(void *context, uint32_t space, uint32_t stream,
    const struct gcs_blocks *blocks, uint32_t count, int64_t *values)
{
	const struct train_spaces *spaces = context;
	(void)count;
	if (space == spaces->young)
		train_zoom_young(spaces, stream, blocks, values);
	else if (space == spaces->regions)
		train_zoom_regions(spaces, stream, blocks, values);
}

enum gcs_status train_add_spaces(
    struct train_spaces *spaces, struct gcs_server *server, struct gcs_error *err)
{
	const struct gcs_zoom_options zooms = {.read = read_zoom, .context = spaces};
	enum gcs_status status;
	if ((status = train_add_young_space(spaces, server, err)) != GCS_OK ||
	    (status = train_add_train_space(spaces, server, err)) != GCS_OK ||
	    (status = train_add_car_space(spaces, server, err)) != GCS_OK ||
	    (status = train_add_region_space(spaces, server, err)) != GCS_OK)
		return status;
	return gcs_zooms_enable(server, &zooms, err);
}

bool train_spaces_look(struct train_spaces *spaces)
{
	struct old_generation *old = &spaces->heap->old;
	changes_settle(old);
	if (!train_order_update(spaces))
		return false;
	train_look_at_young(spaces);
	train_look_at_trains(spaces);
	train_look_at_cars(spaces);
	train_look_at_regions(spaces);
	changes_seen(old);
	return true;
}

bool train_spaces_gather(struct train_spaces *spaces, struct gcs_server *server,
    const struct gcs_ticket *ticket, struct gcs_snapshot *snapshot)
{
	if (!gcs_tiles_gather(spaces->young_tiles, server, ticket, snapshot) ||
	    !gcs_tiles_gather(spaces->train_tiles, server, ticket, snapshot) ||
	    !gcs_tiles_gather(spaces->car_tiles, server, ticket, snapshot) ||
	    !gcs_tiles_gather(spaces->region_tiles, server, ticket, snapshot))
		return false;
	if (gcs_snapshot_gathered(snapshot, spaces->young))
		train_summarise_young(spaces, snapshot);
	if (gcs_snapshot_gathered(snapshot, spaces->trains))
		train_summarise_trains(spaces, snapshot);
	if (gcs_snapshot_gathered(snapshot, spaces->cars))
		train_summarise_cars(spaces, snapshot);
	if (gcs_snapshot_gathered(snapshot, spaces->regions))
		train_summarise_regions(spaces, snapshot);
	return gcs_zooms_gather(server, ticket, snapshot);
}

enum gcs_status train_add_space(struct gcs_server *server, const struct gcs_space *space,
    const struct gcs_tiles_options *options, uint32_t *id, struct gcs_tiles **tiles,
    struct gcs_error *err)
{
	struct gcs_tiles_options its = *options;
	const enum gcs_status status = gcs_server_add_space(server, space, id, err);
	if (status != GCS_OK)
		return status;
	its.space = *id;
	its.streams = space->stream_count;
	*tiles = gcs_tiles_create(&its, err);
	return *tiles != NULL ? GCS_OK : GCS_NOMEM;
}

struct gcs_stream train_bytes_stream(
    const char *name, const char *description, int64_t most, uint32_t whole)
{
	struct gcs_stream stream = gcs_stream_used(name, description, (uint64_t)most);
	stream.maximum = whole == GCS_NONE ? GCS_MAX_OF_EVENT : GCS_MAX_OF_STREAM;
	stream.max_stream = whole;
	stream.summary = GCS_SUMMARY_TOTAL;
	return stream;
}

struct gcs_stream train_count_stream(const char *name, const char *description, const char *suffix)
{
	return (struct gcs_stream){.name = name,
	    .description = description,
	    .suffix = suffix,
	    .type = GCS_TYPE_I64,
	    .presentation = GCS_PLAIN,
	    .maximum = GCS_MAX_OF_EVENT,
	    .paint = GCS_PAINT_ZERO,
	    .summary = GCS_SUMMARY_TOTAL,
	    .max = INT64_MAX,
	    .max_stream = GCS_NONE,
	    .colour = 0x009e73};
}

struct gcs_stream train_id_stream(const char *name, const char *description)
{
	struct gcs_stream stream = train_count_stream(name, description, "");
	stream.paint = GCS_PAINT_PLAIN;
	stream.summary = GCS_SUMMARY_NONE;
	stream.colour = 0xcc79a7;
	return stream;
}

struct gcs_stream train_yes_stream(const char *name, const char *description)
{
	return gcs_stream_enumeration(name, description, 2, no_yes);
}

void train_allocation_streams(struct gcs_stream *streams, int64_t most, uint32_t whole)
{
	static const char *const texts[OLD_ALLOCATIONS][2] = {
	    [OLD_DIRECT] = {"Direct allocation",
		"Allocated here by the mutator since the last event"},
	    [OLD_PROMOTION] = {"Promotion", "Promoted here by the young collection that ends"},
	    [OLD_EVACUATION] = {"Evacuation", "Copied here from the cars just collected"},
	    [OLD_WEAK_EVACUATION] = {
		"Weak evacuation", "Copied here because only finalisable objects referred to it"}};
	for (int kind = 0; kind < OLD_ALLOCATIONS; kind++)
		streams[kind] = train_bytes_stream(texts[kind][0], texts[kind][1], most, whole);
}

void train_counts(struct gcs_snapshot *snapshot, uint32_t space, uint32_t stream, uint32_t count,
    const int64_t *values)
{
	uint32_t known;
	const int64_t *last = gcs_snapshot_summary(snapshot, space, stream, &known);
	if (last == NULL || known != count || memcmp(last, values, count * sizeof *values) != 0)
		gcs_snapshot_set_summary(snapshot, space, stream, count, values);
}

void train_total(struct gcs_snapshot *snapshot, uint32_t space, uint32_t stream, int64_t total)
{
	train_counts(snapshot, space, stream, 1, &total);
}

void train_allocation_totals(
    struct gcs_snapshot *snapshot, uint32_t space, uint32_t first, const int64_t *sums)
{
	for (uint32_t kind = 0; kind < OLD_ALLOCATIONS; kind++)
		train_total(snapshot, space, first + kind, sums[SUM_ALLOCATED + kind]);
}

void train_share(
    struct gcs_snapshot *snapshot, uint32_t space, uint32_t stream, int64_t part, int64_t whole)
{
	train_counts(snapshot, space, stream, 2, (int64_t[]){part, whole});
}
