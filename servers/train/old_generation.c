#include "old_generation.h"

#include <stdlib.h>
#include <string.h>

#include "cards.h"
#include "changes.h"

bool old_init(struct old_generation *old, uint32_t regions, uint32_t popular_bytes,
    uint32_t popular_reserve, uint32_t coarsen_at)
{
	size_t cards = (size_t)regions * CARDS_PER_REGION;
	*old = (struct old_generation){.region_count = regions,
	    .free_regions = regions,
	    .popular_bytes = popular_bytes,
	    .popular_reserve = popular_reserve,
	    .coarsen_at = coarsen_at};
	old->base = aligned_alloc(REGION_BYTES, (size_t)regions * REGION_BYTES);
	old->regions = calloc(regions, sizeof *old->regions);
	old->cards = calloc(cards, 1);
	old->starts = calloc(cards, sizeof *old->starts);
	old->marks = calloc(regions, 1);
	if (old->base == NULL || old->regions == NULL || old->cards == NULL ||
	    old->starts == NULL || old->marks == NULL) {
		old_fini(old);
		return false;
	}
	old->end = old->base + (size_t)regions * REGION_BYTES;
	return true;
}

void old_fini(struct old_generation *old)
{
	while (old->oldest != NULL) {
		while (old->oldest->first != NULL)
			car_free(old, old->oldest->first);
		train_remove_empty(old, old->oldest);
	}
	free(old->base);
	free(old->regions);
	free(old->cards);
	free(old->starts);
	free(old->marks);
	changes_fini(old);
	*old = (struct old_generation){0};
}

struct train *train_add(struct old_generation *old)
{
	struct train *train = calloc(1, sizeof *train);
	if (train == NULL)
		return NULL;
	train->id = ++old->next_train;
	train->previous = old->youngest;
	*(old->youngest != NULL ? &old->youngest->next : &old->oldest) = train;
	old->youngest = train;
	old->train_count++;
	return train;
}

void train_remove_empty(struct old_generation *old, struct train *train)
{
	if (train->first != NULL)
		return;
	*(train->previous != NULL ? &train->previous->next : &old->oldest) = train->next;
	*(train->next != NULL ? &train->next->previous : &old->youngest) = train->previous;
	old->train_count--;
	free(train);
}

/* The first of `count` free regions in a row from region `from` on, or region_count. */
static uint32_t find_regions(const struct old_generation *old, uint32_t from, uint32_t count)
{
	uint32_t run = 0;
	for (uint32_t at = from; at < old->region_count; at++) {
		run = old->regions[at].type == REGION_FREE ? run + 1 : 0;
		if (run == count)
			return at + 1 - count;
	}
	return old->region_count;
}

/* Lowest addresses first; below the reserve for popular cars only if nothing else is free. */
static uint32_t choose_regions(const struct old_generation *old, bool popular, uint32_t count)
{
	uint32_t reserve = popular ? 0 : old->popular_reserve, at = old->region_count;
	if (reserve > old->lowest)
		at = find_regions(old, reserve, count);
	return at < old->region_count ? at : find_regions(old, old->lowest, count);
}

static void take_regions(
    struct old_generation *old, uint32_t at, uint32_t count, enum region_type type, struct car *car)
{
	for (uint32_t i = 0; i < count; i++)
		old->regions[at + i] =
		    (struct region){.type = i > 0 ? REGION_CONTINUATION : type, .car = car};
	old->free_regions -= count;
	old->oversized_regions += type == REGION_OVERSIZED ? count : 0;
	old->popular_regions += type == REGION_POPULAR;
	while (old->lowest < old->region_count && old->regions[old->lowest].type != REGION_FREE)
		old->lowest++;
}

static void return_regions(struct old_generation *old, uint32_t at, uint32_t count)
{
	const enum region_type type = old->regions[at].type;
	old->oversized_regions -= type == REGION_OVERSIZED ? count : 0;
	old->popular_regions -= type == REGION_POPULAR;
	for (uint32_t i = 0; i < count; i++) {
		old->regions[at + i] = (struct region){.type = REGION_FREE};
		old->marks[at + i] = REGION_CHANGED;
	}
	old->free_regions += count;
	if (at < old->lowest)
		old->lowest = at;
}

/* A free part of a popular region, for `car`. */
static char *take_popular(struct old_generation *old, struct car *car, uint32_t keep)
{
	uint32_t parts = REGION_BYTES / old->popular_bytes, at = 0, part = 0;
	while (at < old->region_count &&
	       (old->regions[at].type != REGION_POPULAR || old->regions[at].popular_cars == parts))
		at++;
	if (at == old->region_count) {
		struct car **popular = calloc(parts, sizeof(struct car *));
		at = old->free_regions > keep ? choose_regions(old, true, 1) : old->region_count;
		if (popular == NULL || at == old->region_count) {
			free(popular);
			return NULL;
		}
		take_regions(old, at, 1, REGION_POPULAR, NULL);
		old->regions[at].popular = popular;
	}
	struct region *region = &old->regions[at];
	while (region->popular[part] != NULL)
		part++;
	region->popular[part] = car;
	region->popular_cars++;
	return old->base + (size_t)at * REGION_BYTES + (size_t)part * old->popular_bytes;
}

static void return_popular(struct old_generation *old, const struct car *car)
{
	size_t offset = (size_t)(car->base - old->base);
	struct region *region = &old->regions[offset / REGION_BYTES];
	region->popular[offset % REGION_BYTES / old->popular_bytes] = NULL;
	if (--region->popular_cars == 0) {
		free(region->popular);
		return_regions(old, (uint32_t)(offset / REGION_BYTES), 1);
	}
}

static void append(struct old_generation *old, struct train *train, struct car *car)
{
	car->train = train;
	car->id = ++train->next_car;
	car->previous = train->last;
	car->next = NULL;
	*(train->last != NULL ? &train->last->next : &train->first) = car;
	train->last = car;
	train->cars++;
	if (car->type == CAR_STANDARD)
		train->open = car;
	car_changed(old, car);
}

static void unlink_car(struct old_generation *old, struct car *car)
{
	struct train *train = car->train;
	car_uncount(old, car);
	*(car->previous != NULL ? &car->previous->next : &train->first) = car->next;
	*(car->next != NULL ? &car->next->previous : &train->last) = car->previous;
	train->cars--;
	if (train->open == car)
		train->open = NULL;
}

struct car *car_create(struct old_generation *old, struct train *train, enum car_type type,
    size_t bytes, uint32_t keep)
{
	struct car *car = changes_make_room(old) ? calloc(1, sizeof *car) : NULL;
	if (car == NULL)
		return NULL;
	car->type = type;
	size_t size = old->popular_bytes;
	if (type == CAR_POPULAR) {
		car->base = take_popular(old, car, keep);
	} else {
		uint32_t count = (uint32_t)((bytes + REGION_BYTES - 1) / REGION_BYTES);
		uint32_t at = old->free_regions >= (uint64_t)count + keep
				  ? choose_regions(old, false, count)
				  : old->region_count;
		if (at < old->region_count) {
			take_regions(old, at, count,
			    type == CAR_OVERSIZED ? REGION_OVERSIZED : REGION_STANDARD, car);
			car->base = old->base + (size_t)at * REGION_BYTES;
		}
		size = (size_t)count * REGION_BYTES;
	}
	if (car->base == NULL) {
		free(car);
		return NULL;
	}
	car->top = car->base;
	car->end = car->base + size;
	append(old, train, car);
	old->car_count++;
	return car;
}

void car_free(struct old_generation *old, struct car *car)
{
	car_changed(old, car); /* its regions are */
	unlink_car(old, car);
	car_forget(old, car);
	cards_clear(old, car->base, car->end);
	set_clear(&car->set);
	if (car->type == CAR_POPULAR)
		return_popular(old, car);
	else
		return_regions(old, (uint32_t)((size_t)(car->base - old->base) / REGION_BYTES),
		    (uint32_t)(car_size(car) / REGION_BYTES));
	old->car_count--;
	free(car);
}

void car_relink(struct old_generation *old, struct car *car, struct train *train)
{
	unlink_car(old, car);
	append(old, train, car);
}

void car_clear_set(struct old_generation *old, struct car *car)
{
	set_clear(&car->set);
	car->higher = false;
	car_changed(old, car);
}

struct object *car_allocate(
    struct old_generation *old, struct car *car, size_t words, enum old_allocation kind)
{
	size_t bytes = words * WORD_BYTES;
	if (bytes > (size_t)(car->end - car->top))
		return NULL;
	struct object *object = (struct object *)(void *)car->top;
	car->top += bytes;
	car->objects++;
	car->allocated[kind] += bytes;
	car_changed(old, car);
	car_of_event(old, car);
	cards_note_object(old, object, bytes);
	return object;
}

bool old_record(struct old_generation *old, struct object **slot, struct object *target)
{
	struct car *source = old_car(old, slot), *car = old_car(old, target);
	if (source == car || !car_higher(source, car))
		return true;
	const uint32_t word = old_word(old, slot);
	if (!set_has(&car->set, word)) {
		if (!set_add(&car->set, word, old->coarsen_at))
			return false;
		car_changed(old, car);
	}
	/* This stays so until the car is collected: a younger train is never collected before. */
	if (source->train->id > car->train->id && !car->higher) {
		car->higher = true;
		car_changed(old, car);
	}
	return true;
}
