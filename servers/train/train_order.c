/*
 * From trains and cars to tiles. A train has its cars without gaps between their ids, loses them at its old end
 * and gets new ones at its young end: so a pass over the trains, not the cars, tells which tiles come
 * and go.
 */
#include <stdlib.h>
#include <string.h>

#include "train_spaces.h"

static bool make_room(struct train_order *order, const struct old_generation *old)
{
	if (old->train_count > order->train_capacity) {
		uint32_t capacity = old->train_count * 2;
		struct shown_train *trains =
		    realloc(order->trains, capacity * sizeof *order->trains);
		if (trains != NULL)
			order->trains = trains;
		struct shown_train *next = realloc(order->next, capacity * sizeof *order->next);
		if (next != NULL)
			order->next = next;
		if (trains == NULL || next == NULL)
			return false;
		order->train_capacity = capacity;
	}
	/* Until the last tile has gone, there may be all old and all new cars. */
	uint64_t most = (uint64_t)order->car_count + old->car_count;
	if (most > order->car_capacity) {
		struct car **cars = realloc(order->cars, 2 * most * sizeof(struct car *));
		if (cars == NULL)
			return false;
		order->cars = cars;
		order->car_capacity = (uint32_t)(2 * most);
	}
	return true;
}

static bool remove_cars(struct train_spaces *spaces, uint32_t at, uint32_t count)
{
	struct train_order *order = &spaces->order;
	order->car_count -= count;
	memmove(order->cars + at, order->cars + at + count,
	    (order->car_count - at) * sizeof(struct car *));
	return gcs_tiles_remove(spaces->car_tiles, at, count);
}

/* The youngest `count` cars of a train. */
static bool insert_cars(
    struct train_spaces *spaces, uint32_t at, uint32_t count, const struct train *train)
{
	struct train_order *order = &spaces->order;
	struct car *car = train->last;
	memmove(order->cars + at + count, order->cars + at,
	    (order->car_count - at) * sizeof(struct car *));
	order->car_count += count;
	for (uint32_t i = count; i > 0; i--, car = car->previous)
		order->cars[at + i - 1] = car;
	return gcs_tiles_insert(spaces->car_tiles, at, count);
}

/* The trains that are gone: those of the order from `i` on that are older than `train`. */
static bool remove_trains(struct train_spaces *spaces, uint32_t *i, uint32_t tile, uint32_t car,
    const struct train *train)
{
	const struct train_order *order = &spaces->order;
	uint32_t trains = 0, cars = 0;
	while (*i < order->train_count && (train == NULL || order->trains[*i].id < train->id)) {
		cars += order->trains[(*i)++].count;
		trains++;
	}
	return trains == 0 || (gcs_tiles_remove(spaces->train_tiles, tile, trains) &&
				  remove_cars(spaces, car, cars));
}

bool train_order_update(struct train_spaces *spaces)
{
	struct train_order *order = &spaces->order;
	const struct old_generation *old = &spaces->heap->old;
	uint32_t i = 0, tile = 0, car = 0;
	if (!make_room(order, old))
		return false;
	bool good = true;
	for (struct train *train = old->oldest; train != NULL && good; train = train->next) {
		struct shown_train now = {.train = train,
		    .id = train->id,
		    .first = train->first->id,
		    .count = train->cars,
		    .tile = car};
		good = remove_trains(spaces, &i, tile, car, train);
		uint32_t kept = 0, gone = 0;
		bool border = false; /* of the first car, changes */
		if (i < order->train_count && order->trains[i].id == train->id) {
			const struct shown_train *was = &order->trains[i++];
			gone = now.first - was->first < was->count
				   ? (uint32_t)(now.first - was->first)
				   : was->count;
			kept = was->count - gone;
			border = gone > 0 || (was->tile == 0) != (car == 0);
		} else {
			good = good && gcs_tiles_insert(spaces->train_tiles, tile, 1);
		}
		if (gone > 0)
			good = good && remove_cars(spaces, car, gone);
		if (now.count > kept)
			good = good && insert_cars(spaces, car + kept, now.count - kept, train);
		if (border)
			gcs_tiles_touch_all(spaces->car_tiles, car, 1);
		order->next[tile++] = now;
		car += now.count;
	}
	good = good && remove_trains(spaces, &i, tile, car, NULL);
	struct shown_train *swap = order->trains;
	order->trains = order->next;
	order->next = swap;
	order->train_count = tile;
	if (!good) { /* begin again at the next look */
		order->train_count = order->car_count = 0;
		gcs_tiles_resize(spaces->train_tiles, 0);
		gcs_tiles_resize(spaces->car_tiles, 0);
	}
	return good;
}

uint32_t train_tile(const struct train_order *order, const struct train *train)
{
	uint32_t low = 0, high = order->train_count;
	while (low + 1 < high) {
		uint32_t middle = low + (high - low) / 2;
		*(order->trains[middle].id <= train->id ? &low : &high) = middle;
	}
	return low;
}

uint32_t car_tile(const struct train_order *order, const struct car *car)
{
	const struct shown_train *train = &order->trains[train_tile(order, car->train)];
	return train->tile + (uint32_t)(car->id - train->first);
}

uint32_t train_most_cars(const struct old_generation *old)
{
	uint64_t most = (uint64_t)old->region_count * (REGION_BYTES / old->popular_bytes);
	return most < GCS_MAX_TILES ? (uint32_t)most : GCS_MAX_TILES;
}
