/* The cars of the old generation, oldest first: section 5.2 of the paper. */
#include <stdio.h>

#include "train_spaces.h"

enum {
	USED,
	COARSENESS,
	ENTRIES,
	CAPACITY,
	MAXIMUM,
	HIGHER,
	TRAIN,
	CAR,
	TYPE,
	OBJECTS,
	CHOSEN,
	SIZE,
	CHOSEN_SPACE,
	ALLOCATED,
	CONTROL = ALLOCATED + OLD_ALLOCATIONS,
	START,
	END,
	STREAMS
};

static const char *const type_names[] = {"standard", "oversized", "popular"};

enum gcs_status train_add_car_space(
    struct train_spaces *spaces, struct gcs_server *server, struct gcs_error *err)
{
	int64_t most = spaces->heap->old.end - spaces->heap->old.base;
	struct gcs_stream streams[STREAMS] = {
	    [USED] = train_bytes_stream("Used space", "Bytes of objects in the car", most, SIZE),
	    [COARSENESS] = {.name = "RS coarseness",
		.description =
		    "Low bits that entries of the remembered set leave out: 0 names a word",
		.suffix = " bits",
		.type = GCS_TYPE_I8,
		.paint = GCS_PAINT_ZERO,
		.max = SET_MAX_SHIFT},
	    [ENTRIES] = train_count_stream("RS entries", "Entries of the remembered set", ""),
	    [CAPACITY] = train_count_stream(
		"RS capacity", "Slots of the remembered set, times words of an entry", " words"),
	    [MAXIMUM] = train_count_stream(
		"RS maximum size", "Most slots that the remembered set ever had", ""),
	    [HIGHER] = train_yes_stream(
		"Higher references", "Is a remembered location in a younger train?"),
	    [TRAIN] = train_id_stream("Train ID", "The older the smaller"),
	    [CAR] = train_id_stream("Car ID", "In its train"),
	    [TYPE] = gcs_stream_enumeration("Car type",
		"Oversized: one large object, which is never copied. Popular: one object with many "
		"references",
		CAR_TYPES, type_names),
	    [OBJECTS] = train_count_stream("Objects", "Objects in the car, live and dead", ""),
	    [CHOSEN] = train_yes_stream(
		"In collection set", "Is the car being collected? At the start of a Train GC"),
	    [SIZE] = train_bytes_stream("Size", "Memory of the car", most, GCS_NONE),
	    [CHOSEN_SPACE] = train_bytes_stream("Collection set space",
		"Bytes of objects that the car brings to the collection set", most, GCS_NONE),
	    [CONTROL] = gcs_stream_control(GCS_TILE_USED),
	    [START] = gcs_stream_range_start(),
	    [END] = gcs_stream_range_end()};
	streams[TYPE].paint = GCS_PAINT_PLAIN;
	streams[USED].summary = GCS_SUMMARY_SHARE;
	train_allocation_streams(&streams[ALLOCATED], most, SIZE);
	struct gcs_space space = {.name = "Cars",
	    .description = "The old generation in logical order: trains from old to young",
	    .tile_title = "Car",
	    .group = GCS_NONE,
	    .kind = GCS_SPACE_LIST,
	    .main = true,
	    .stream_count = STREAMS,
	    .streams = streams};
	return gcs_server_add_space(server, &space, &spaces->cars, err);
}

static void name_car(
    struct gcs_snapshot *snapshot, uint32_t space, uint32_t tile, const struct tile_key *key)
{
	char name[48];
	snprintf(name, sizeof name, "%llu.%llu", (unsigned long long)key->train,
	    (unsigned long long)key->car);
	gcs_snapshot_set_name(snapshot, space, tile, name);
}

static void fill_car(
    const struct old_generation *old, const struct car *car, int64_t *columns[], uint32_t tile)
{
	columns[USED][tile] = (int64_t)car_used(car);
	columns[COARSENESS][tile] = car->set.shift;
	columns[ENTRIES][tile] = car->set.count;
	columns[CAPACITY][tile] = (int64_t)set_capacity(&car->set);
	columns[MAXIMUM][tile] = car->set.largest;
	columns[HIGHER][tile] = car_higher_references(old, car);
	columns[TRAIN][tile] = (int64_t)car->train->id;
	columns[CAR][tile] = (int64_t)car->id;
	columns[TYPE][tile] = car->type;
	columns[OBJECTS][tile] = car->objects;
	columns[CHOSEN][tile] = car->from;
	columns[SIZE][tile] = (int64_t)car_size(car);
	columns[CHOSEN_SPACE][tile] = (int64_t)car->chosen;
	for (int kind = 0; kind < OLD_ALLOCATIONS; kind++)
		columns[ALLOCATED + kind][tile] = (int64_t)car->allocated[kind];
	columns[CONTROL][tile] =
	    GCS_TILE_USED |
	    (car->previous == NULL && car->train->previous != NULL ? GCS_TILE_SEPARATOR : 0);
	columns[START][tile] = (int64_t)(uintptr_t)car->base;
	columns[END][tile] = (int64_t)(uintptr_t)car->end;
}

static void summarise(
    struct gcs_snapshot *snapshot, uint32_t space, uint32_t cars, int64_t *columns[])
{
	static const uint32_t totalled[] = {ENTRIES, CAPACITY, MAXIMUM, OBJECTS, SIZE, CHOSEN_SPACE,
	    ALLOCATED, ALLOCATED + 1, ALLOCATED + 2, ALLOCATED + 3};
	static const uint32_t counted[] = {HIGHER, TYPE, CHOSEN};
	int64_t totals[CONTROL] = {0}, counts[CONTROL][CAR_TYPES] = {0};
	for (uint32_t tile = 0; tile < cars; tile++) {
		for (uint32_t i = 0; i < CONTROL; i++)
			totals[i] += columns[i][tile];
		for (size_t i = 0; i < sizeof counted / sizeof counted[0]; i++)
			counts[counted[i]][columns[counted[i]][tile]]++;
	}
	train_share(snapshot, space, USED, totals[USED], totals[SIZE]);
	for (size_t i = 0; i < sizeof totalled / sizeof totalled[0]; i++)
		train_total(snapshot, space, totalled[i], totals[totalled[i]]);
	gcs_snapshot_set_summary(snapshot, space, HIGHER, 2, counts[HIGHER]);
	gcs_snapshot_set_summary(snapshot, space, TYPE, CAR_TYPES, counts[TYPE]);
	gcs_snapshot_set_summary(snapshot, space, CHOSEN, 2, counts[CHOSEN]);
}

bool train_fill_car_space(struct train_spaces *spaces, struct gcs_snapshot *snapshot)
{
	const struct old_generation *old = &spaces->heap->old;
	int64_t *columns[STREAMS];
	uint32_t tile = 0;
	if (!tile_keys_prepare(&spaces->car_keys, old->car_count))
		return false;
	for (const struct train *train = old->oldest; train != NULL; train = train->next)
		for (const struct car *car = train->first; car != NULL; car = car->next)
			spaces->car_keys.now[tile++] =
			    (struct tile_key){.train = train->id, .car = car->id};
	if (!tile_keys_apply(&spaces->car_keys, tile, snapshot, spaces->cars, name_car) ||
	    (tile > 0 && !train_columns(snapshot, spaces->cars, STREAMS, columns)))
		return false;
	tile = 0;
	for (const struct train *train = old->oldest; train != NULL; train = train->next)
		for (const struct car *car = train->first; car != NULL; car = car->next)
			fill_car(old, car, columns, tile++);
	summarise(snapshot, spaces->cars, tile, columns);
	return gcs_snapshot_set_gathered(snapshot, spaces->cars, true);
}
