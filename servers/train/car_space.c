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

static int64_t value_of(const struct car *car, uint32_t stream)
{
	switch (stream) {
	case USED:
		return (int64_t)car_used(car);
	case COARSENESS:
		return car->set.shift;
	case ENTRIES:
		return car->set.count;
	case CAPACITY:
		return (int64_t)set_capacity(&car->set);
	case MAXIMUM:
		return car->set.largest;
	case HIGHER:
		return car->higher;
	case TRAIN:
		return (int64_t)car->train->id;
	case CAR:
		return (int64_t)car->id;
	case TYPE:
		return car->type;
	case OBJECTS:
		return car->objects;
	case CHOSEN:
		return car->from;
	case SIZE:
		return (int64_t)car_size(car);
	case CHOSEN_SPACE:
		return (int64_t)car->chosen;
	case CONTROL:
		return GCS_TILE_USED |
		       (car->previous == NULL && car->train->previous != NULL ? GCS_TILE_SEPARATOR
									      : 0);
	case START:
		return (int64_t)(uintptr_t)car->base;
	case END:
		return (int64_t)(uintptr_t)car->end;
	default:
		return (int64_t)car->allocated[stream - ALLOCATED];
	}
}

static void read_cars(
    void *context, uint32_t stream, uint32_t first, uint32_t count, int64_t *values)
{
	struct train_spaces *spaces = context;
	for (uint32_t i = 0; i < count; i++)
		values[i] = value_of(spaces->order.cars[first + i], stream);
	spaces->tiles_read += count;
}

static void name_car(void *context, uint32_t tile, char *name, uint32_t bytes)
{
	const struct train_spaces *spaces = context;
	const struct car *car = spaces->order.cars[tile];
	snprintf(name, bytes, "%llu.%llu", (unsigned long long)car->train->id,
	    (unsigned long long)car->id);
}

_Static_assert((int)STREAMS == (int)CAR_STREAMS, "names of tiles are after the last stream");

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
	    [HIGHER] =
		train_yes_stream("Higher references", "Has a younger train referred to the car?"),
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
	const struct gcs_tiles_options options = {.most = train_most_cars(&spaces->heap->old),
	    .read = read_cars,
	    .name = name_car,
	    .context = spaces};
	return train_add_space(server, &space, &options, &spaces->cars, &spaces->car_tiles, err);
}

void train_look_at_cars(struct train_spaces *spaces)
{
	const struct old_generation *old = &spaces->heap->old;
	for (uint32_t i = 0; i < old->set_count[CARS_CHANGED]; i++)
		gcs_tiles_touch_all(
		    spaces->car_tiles, car_tile(&spaces->order, old->sets[CARS_CHANGED][i]), 1);
}

void train_summarise_cars(const struct train_spaces *spaces, struct gcs_snapshot *snapshot)
{
	static const struct {
		uint32_t stream;
		enum car_sum sum;
	} totals[] = {{ENTRIES, SUM_ENTRIES}, {CAPACITY, SUM_CAPACITY}, {MAXIMUM, SUM_LARGEST},
	    {OBJECTS, SUM_OBJECTS}, {SIZE, SUM_SIZE}, {CHOSEN_SPACE, SUM_CHOSEN}};
	const int64_t *sums = spaces->heap->old.sums;
	const int64_t cars = sums[SUM_CARS];
	const uint32_t space = spaces->cars;
	train_share(snapshot, space, USED, sums[SUM_USED], sums[SUM_SIZE]);
	for (size_t i = 0; i < sizeof totals / sizeof totals[0]; i++)
		train_total(snapshot, space, totals[i].stream, sums[totals[i].sum]);
	train_allocation_totals(snapshot, space, ALLOCATED, sums);
	train_counts(
	    snapshot, space, HIGHER, 2, (int64_t[]){cars - sums[SUM_HIGHER], sums[SUM_HIGHER]});
	train_counts(
	    snapshot, space, CHOSEN, 2, (int64_t[]){cars - sums[SUM_FROM], sums[SUM_FROM]});
	train_counts(snapshot, space, TYPE, CAR_TYPES,
	    (int64_t[]){[CAR_STANDARD] = cars - sums[SUM_OVERSIZED] - sums[SUM_POPULAR],
		[CAR_OVERSIZED] = sums[SUM_OVERSIZED],
		[CAR_POPULAR] = sums[SUM_POPULAR]});
}
