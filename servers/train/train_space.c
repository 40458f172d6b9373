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

enum gcs_status train_add_train_space(
    struct train_spaces *spaces, struct gcs_server *server, struct gcs_error *err)
{
	int64_t most = spaces->heap->old.end - spaces->heap->old.base;
	struct gcs_stream streams[STREAMS] = {
	    [USED] = train_bytes_stream("Used space", "Bytes of objects in the train", most, SIZE),
	    [ENTRIES] =
		train_count_stream("RS length", "Entries of the remembered sets of its cars", ""),
	    [HIGHER] = train_yes_stream(
		"Higher references", "Is a remembered location of a car in a younger train?"),
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
	return gcs_server_add_space(server, &space, &spaces->trains, err);
}

static void name_train(
    struct gcs_snapshot *snapshot, uint32_t space, uint32_t tile, const struct tile_key *key)
{
	char name[24];
	snprintf(name, sizeof name, "%llu", (unsigned long long)key->train);
	gcs_snapshot_set_name(snapshot, space, tile, name);
}

static void fill_train(
    const struct old_generation *old, const struct train *train, int64_t *columns[], uint32_t tile)
{
	int64_t values[STREAMS] = {[TRAIN] = (int64_t)train->id, [LENGTH] = train->cars};
	for (const struct car *car = train->first; car != NULL; car = car->next) {
		values[USED] += (int64_t)car_used(car);
		values[ENTRIES] += car->set.count;
		values[HIGHER] = values[HIGHER] != 0 || car_higher_references(old, car);
		values[SIZE] += (int64_t)car_size(car);
		values[OBJECTS] += car->objects;
		values[POPULAR] += car->type == CAR_POPULAR;
		values[CHOSEN] = values[CHOSEN] != 0 || car->from;
		values[CHOSEN_SPACE] += (int64_t)car->chosen;
		for (int kind = 0; kind < OLD_ALLOCATIONS; kind++)
			values[ALLOCATED + kind] += (int64_t)car->allocated[kind];
	}
	for (uint32_t i = 0; i < STREAMS; i++)
		columns[i][tile] = values[i];
}

static void summarise(
    struct gcs_snapshot *snapshot, uint32_t space, uint32_t trains, int64_t *columns[])
{
	int64_t totals[STREAMS] = {0};
	for (uint32_t tile = 0; tile < trains; tile++)
		for (uint32_t i = 0; i < STREAMS; i++)
			totals[i] += columns[i][tile];
	for (uint32_t i = 0; i < STREAMS; i++)
		if (i == USED)
			train_share(snapshot, space, i, totals[USED], totals[SIZE]);
		else if (i == HIGHER || i == CHOSEN)
			gcs_snapshot_set_summary(snapshot, space, i, 2,
			    (int64_t[]){(int64_t)trains - totals[i], totals[i]});
		else if (i != TRAIN)
			train_total(snapshot, space, i, totals[i]);
}

bool train_fill_train_space(struct train_spaces *spaces, struct gcs_snapshot *snapshot)
{
	const struct old_generation *old = &spaces->heap->old;
	int64_t *columns[STREAMS];
	uint32_t tile = 0;
	if (!tile_keys_prepare(&spaces->train_keys, old->train_count))
		return false;
	for (const struct train *train = old->oldest; train != NULL; train = train->next)
		spaces->train_keys.now[tile++] = (struct tile_key){.train = train->id};
	if (!tile_keys_apply(&spaces->train_keys, tile, snapshot, spaces->trains, name_train) ||
	    (tile > 0 && !train_columns(snapshot, spaces->trains, STREAMS, columns)))
		return false;
	tile = 0;
	for (const struct train *train = old->oldest; train != NULL; train = train->next)
		fill_train(old, train, columns, tile++);
	summarise(snapshot, spaces->trains, tile, columns);
	return gcs_snapshot_set_gathered(snapshot, spaces->trains, true);
}
