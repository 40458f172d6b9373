/* The trains of the old generation, oldest first: section 5.3 of the paper. */
#include <stdio.h>

#include "train_spaces.h"

enum {
	USED,
	ENTRIES,
	HIGHER,
	TRAIN,
	LENGTH,
	SIZE,
	OBJECTS,
	POPULAR,
	CHOSEN,
	CHOSEN_SPACE,
	ALLOCATED,
	STREAMS = ALLOCATED + OLD_ALLOCATIONS
};

static const enum car_sum sum_of[STREAMS] = {
    [USED] = SUM_USED,
    [ENTRIES] = SUM_ENTRIES,
    [HIGHER] = SUM_HIGHER,
    [LENGTH] = SUM_CARS,
    [SIZE] = SUM_SIZE,
    [OBJECTS] = SUM_OBJECTS,
    [POPULAR] = SUM_POPULAR,
    [CHOSEN] = SUM_FROM,
    [CHOSEN_SPACE] = SUM_CHOSEN,
    [ALLOCATED + OLD_DIRECT] = SUM_ALLOCATED + OLD_DIRECT,
    [ALLOCATED + OLD_PROMOTION] = SUM_ALLOCATED + OLD_PROMOTION,
    [ALLOCATED + OLD_EVACUATION] = SUM_ALLOCATED + OLD_EVACUATION,
    [ALLOCATED + OLD_WEAK_EVACUATION] = SUM_ALLOCATED + OLD_WEAK_EVACUATION,
};

static void read_trains(
    void *context, uint32_t stream, uint32_t first, uint32_t count, int64_t *values)
{
	struct train_spaces *spaces = context;
	for (uint32_t i = 0; i < count; i++) {
		const struct train *train = spaces->order.trains[first + i].train;
		if (stream == TRAIN)
			values[i] = (int64_t)train->id;
		else if (stream == HIGHER || stream == CHOSEN)
			values[i] = train->sums[sum_of[stream]] > 0;
		else
			values[i] = train->sums[sum_of[stream]];
	}
	spaces->tiles_read += count;
}

static void name_train(void *context, uint32_t tile, char *name, uint32_t bytes)
{
	const struct train_spaces *spaces = context;
	snprintf(name, bytes, "%llu", (unsigned long long)spaces->order.trains[tile].id);
}

_Static_assert((int)STREAMS == (int)TRAIN_STREAMS, "names of tiles are after the last stream");

enum gcs_status train_add_train_space(
    struct train_spaces *spaces, struct gcs_server *server, struct gcs_error *err)
{
	int64_t most = spaces->heap->old.end - spaces->heap->old.base;
	struct gcs_stream streams[STREAMS] = {
	    [USED] = train_bytes_stream("Used space", "Bytes of objects in the train", most, SIZE),
	    [ENTRIES] =
		train_count_stream("RS length", "Entries of the remembered sets of its cars", ""),
	    [HIGHER] = train_yes_stream(
		"Higher references", "Has a younger train referred to one of its cars?"),
	    [TRAIN] = train_id_stream("Train ID", "The older the smaller"),
	    [LENGTH] = train_count_stream("Length", "Cars of the train", " cars"),
	    [SIZE] = train_bytes_stream("Size", "Memory of its cars", most, GCS_NONE),
	    [OBJECTS] = train_count_stream("Objects", "Objects in the train, live and dead", ""),
	    [POPULAR] = train_count_stream("Popular objects",
		"Objects that have a car to themselves because of many references", ""),
	    [CHOSEN] = train_yes_stream(
		"In collection set", "Are cars of it being collected? At the start of a Train GC"),
	    [CHOSEN_SPACE] = train_bytes_stream("Collection set space",
		"Bytes of objects that it brings to the collection set", most, GCS_NONE)};
	streams[USED].summary = GCS_SUMMARY_SHARE;
	train_allocation_streams(&streams[ALLOCATED], most, GCS_NONE);
	struct gcs_space space = {.name = "Trains",
	    .description = "The trains of the old generation, from old to young",
	    .tile_title = "Train",
	    .group = GCS_NONE,
	    .kind = GCS_SPACE_LIST,
	    .stream_count = STREAMS,
	    .streams = streams,
	    .default_stream = LENGTH};
	const struct gcs_tiles_options options = {.most = train_most_cars(&spaces->heap->old),
	    .read = read_trains,
	    .name = name_train,
	    .context = spaces};
	return train_add_space(
	    server, &space, &options, &spaces->trains, &spaces->train_tiles, err);
}

void train_look_at_trains(struct train_spaces *spaces)
{
	for (uint32_t tile = 0; tile < spaces->order.train_count; tile++) {
		struct train *train = spaces->order.trains[tile].train;
		if (train->changed)
			gcs_tiles_touch_all(spaces->train_tiles, tile, 1);
		train->changed = false;
	}
}

void train_summarise_trains(const struct train_spaces *spaces, struct gcs_snapshot *snapshot)
{
	const int64_t *sums = spaces->heap->old.sums;
	const uint32_t space = spaces->trains, trains = spaces->order.train_count;
	int64_t higher = 0, chosen = 0;
	for (uint32_t tile = 0; tile < trains; tile++) {
		higher += spaces->order.trains[tile].train->sums[SUM_HIGHER] > 0;
		chosen += spaces->order.trains[tile].train->sums[SUM_FROM] > 0;
	}
	train_share(snapshot, space, USED, sums[SUM_USED], sums[SUM_SIZE]);
	train_counts(snapshot, space, HIGHER, 2, (int64_t[]){(int64_t)trains - higher, higher});
	train_counts(snapshot, space, CHOSEN, 2, (int64_t[]){(int64_t)trains - chosen, chosen});
	for (uint32_t stream = 0; stream < STREAMS; stream++)
		if (stream != USED && stream != HIGHER && stream != CHOSEN && stream != TRAIN)
			train_total(snapshot, space, stream, sums[sum_of[stream]]);
}
