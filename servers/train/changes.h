/*
 * What has changed in the old generation since a client last read it, and sums over its cars: kept up to date as
 * the collector goes, so that an event costs a viewer what has changed, not what there is. A heap without viewers pays for a few flags.
 */
#ifndef CHANGES_H
#define CHANGES_H

#include "old_generation.h"

void changes_fini(struct old_generation *old);

/* Room for one more car in all sets, before it is created; false without memory. */
bool changes_make_room(struct old_generation *old);

void car_set_add(struct old_generation *old, enum car_set set, struct car *car);
void car_set_remove(struct old_generation *old, enum car_set set, struct car *car);

/* Something that a viewer may see of the car has changed, or of its regions. */
void car_changed(struct old_generation *old, struct car *car);

/* The car has values that belong to this event: see heap_event_passed. */
static inline void car_of_event(struct old_generation *old, struct car *car)
{
	if (car->place[CARS_OF_EVENT] == 0)
		car_set_add(old, CARS_OF_EVENT, car);
}

/* Takes the car's part off all sums, before it leaves its train. */
void car_uncount(struct old_generation *old, struct car *car);

/* The car is about to be freed. */
void car_forget(struct old_generation *old, struct car *car);

/* For a viewer, at an event: brings the sums up to date. Then sets[CARS_CHANGED] and the regions of
 * region_changed are what has changed since changes_seen. */
void changes_settle(struct old_generation *old);

/* The first region from `from` on that has changed; region_count if there is none. */
uint32_t region_changed(const struct old_generation *old, uint32_t from);

void changes_seen(struct old_generation *old);

#endif
