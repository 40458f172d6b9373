#include "changes.h"

#include <stdlib.h>
#include <string.h>

void changes_fini(struct old_generation *old)
{
	for (int set = 0; set < CAR_SETS; set++)
		free(old->sets[set]);
}

bool changes_make_room(struct old_generation *old)
{
	if (old->car_count < old->set_capacity)
		return true;
	uint32_t capacity = old->set_capacity == 0 ? 64 : old->set_capacity * 2;
	for (int set = 0; set < CAR_SETS; set++) {
		struct car **larger = realloc(old->sets[set], capacity * sizeof(struct car *));
		if (larger == NULL)
			return false;
		old->sets[set] = larger;
	}
	old->set_capacity = capacity;
	return true;
}

void car_set_add(struct old_generation *old, enum car_set set, struct car *car)
{
	old->sets[set][old->set_count[set]++] = car;
	car->place[set] = old->set_count[set];
}

void car_set_remove(struct old_generation *old, enum car_set set, struct car *car)
{
	if (car->place[set] == 0)
		return;
	struct car *last = old->sets[set][--old->set_count[set]];
	old->sets[set][car->place[set] - 1] = last;
	last->place[set] = car->place[set];
	car->place[set] = 0;
}

void car_changed(struct old_generation *old, struct car *car)
{
	if (car->place[CARS_CHANGED] != 0)
		return;
	car_set_add(old, CARS_CHANGED, car);
	const uint32_t end = region_of(old, car->end - 1);
	for (uint32_t region = region_of(old, car->base); region <= end; region++)
		old->marks[region] |= REGION_CHANGED;
}

uint32_t region_changed(const struct old_generation *old, uint32_t from)
{
	while (from < old->region_count && (old->marks[from] & REGION_CHANGED) == 0) {
		uint64_t marks;
		from++;
		while (from % sizeof marks == 0 && from + sizeof marks <= old->region_count) {
			memcpy(&marks, old->marks + from, sizeof marks);
			if ((marks & REGION_CHANGED * UINT64_C(0x0101010101010101)) != 0)
				break;
			from += sizeof marks;
		}
	}
	return from;
}

/* Sums. */

static void count(struct old_generation *old, struct car *car, const int64_t *now)
{
	for (int i = 0; i < CAR_SUMS; i++) {
		const int64_t more = now[i] - car->counted[i];
		car->train->sums[i] += more;
		car->train->changed = car->train->changed || more != 0;
		old->sums[i] += more;
		car->counted[i] = now[i];
	}
}

void car_uncount(struct old_generation *old, struct car *car)
{
	static const int64_t nothing[CAR_SUMS];
	count(old, car, nothing);
}

void car_forget(struct old_generation *old, struct car *car)
{
	for (int set = 0; set < CAR_SETS; set++)
		car_set_remove(old, (enum car_set)set, car);
}

static void count_again(struct old_generation *old, struct car *car)
{
	int64_t now[CAR_SUMS] = {[SUM_CARS] = 1,
	    [SUM_USED] = (int64_t)car_used(car),
	    [SUM_SIZE] = (int64_t)car_size(car),
	    [SUM_OBJECTS] = car->objects,
	    [SUM_OVERSIZED] = car->type == CAR_OVERSIZED,
	    [SUM_POPULAR] = car->type == CAR_POPULAR,
	    [SUM_ENTRIES] = car->set.count,
	    [SUM_CAPACITY] = (int64_t)set_capacity(&car->set),
	    [SUM_LARGEST] = car->set.largest,
	    [SUM_HIGHER] = car->higher,
	    [SUM_FROM] = car->from,
	    [SUM_CHOSEN] = (int64_t)car->chosen};
	for (int kind = 0; kind < OLD_ALLOCATIONS; kind++)
		now[SUM_ALLOCATED + kind] = (int64_t)car->allocated[kind];
	count(old, car, now);
}

void changes_settle(struct old_generation *old)
{
	for (uint32_t i = 0; i < old->set_count[CARS_CHANGED]; i++)
		count_again(old, old->sets[CARS_CHANGED][i]);
}

void changes_seen(struct old_generation *old)
{
	while (old->set_count[CARS_CHANGED] > 0)
		old->sets[CARS_CHANGED][--old->set_count[CARS_CHANGED]]->place[CARS_CHANGED] = 0;
	for (uint32_t i = region_changed(old, 0); i < old->region_count;
	     i = region_changed(old, i + 1))
		old->marks[i] &= (unsigned char)~REGION_CHANGED;
}
