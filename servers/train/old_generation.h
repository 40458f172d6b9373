/*
 * The old generation: regions of 64 KiB in one range of addresses, which hold cars; cars in trains, trains
 * in order of age. Car a is higher than car b if the pair (train id, car id) of a is greater. Ids only
 * grow, so lists are in order of ids, and no pair of ids ever returns.
 *
 * A standard car is one region. An oversized car is several, with one object that is never copied. A
 * popular car is a small part of a region, with at most one object.
 */
#ifndef OLD_GENERATION_H
#define OLD_GENERATION_H

#include "remembered_set.h"
#include "train_object.h"

enum { REGION_BYTES = 65536, CARD_BYTES = 512, CARDS_PER_REGION = REGION_BYTES / CARD_BYTES };

enum region_type {
	REGION_FREE,
	REGION_STANDARD,
	REGION_OVERSIZED,    /* the first one of an oversized car */
	REGION_CONTINUATION, /* one of the others */
	REGION_POPULAR       /* popular cars */
};

enum car_type { CAR_STANDARD, CAR_OVERSIZED, CAR_POPULAR, CAR_TYPES };

/* DIRTY: the mutator has written a pointer. YOUNG: all that is known to be there is a pointer to the
 * young generation. */
enum card { CARD_CLEAN, CARD_DIRTY, CARD_YOUNG };

/* How memory of the old generation is allocated (section 5.1). */
enum old_allocation {
	OLD_DIRECT,
	OLD_PROMOTION,
	OLD_EVACUATION,
	OLD_WEAK_EVACUATION,
	OLD_ALLOCATIONS
};

/* Sums over cars, for viewers. */
enum car_sum {
	SUM_CARS,
	SUM_USED, /* bytes */
	SUM_SIZE, /* bytes */
	SUM_OBJECTS,
	SUM_OVERSIZED, /* cars */
	SUM_POPULAR,   /* cars */
	SUM_ENTRIES,   /* of remembered sets; so are the next two */
	SUM_CAPACITY,
	SUM_LARGEST,
	SUM_HIGHER, /* cars */
	SUM_FROM,   /* cars */
	SUM_CHOSEN, /* bytes */
	SUM_ALLOCATED,
	CAR_SUMS = SUM_ALLOCATED + OLD_ALLOCATIONS
};

/* Sets of cars that events and viewers need (changes.h). */
enum car_set {
	CARS_CHANGED,  /* since the last view */
	CARS_OF_EVENT, /* with values that belong to this event */
	CAR_SETS
};

struct car {
	struct train *train;
	struct car *previous, *next; /* in its train */
	uint64_t id;                 /* in its train, which has them without gaps */
	enum car_type type;
	char *base, *top, *end;
	struct remembered_set set;
	uint32_t objects;
	bool from;     /* is being collected */
	bool higher;   /* a reference to it from a younger train is, or was, where the set says */
	size_t chosen; /* bytes in the collection set, at its event */
	size_t allocated[OLD_ALLOCATIONS]; /* bytes since the last event */

	/* changes.h */
	uint32_t place[CAR_SETS];  /* in the set, from 1 on; 0: not there */
	int64_t counted[CAR_SUMS]; /* its part of the sums */
};

struct train {
	struct train *previous, *next; /* older, younger */
	uint64_t id;
	struct car *first, *last;
	struct car *open; /* its last standard car, where the next object goes; or NULL */
	uint64_t next_car;
	uint32_t cars;
	size_t filled; /* bytes promoted or directly allocated into it */
	int64_t sums[CAR_SUMS];
	bool changed; /* its sums, since the last view */
};

struct region {
	enum region_type type;
	struct car *car;      /* but for popular cars */
	struct car **popular; /* those, or NULL, one for each part of the region */
	uint32_t popular_cars;
	struct car
	    *witnessed; /* cars whose `higher` is YES because of a reference in this region */
};

/* What is known about a region without looking at it. */
enum {
	REGION_HAS_CARDS = 1, /* some card may not be clean */
	REGION_CHANGED = 2    /* since the last view */
};

struct old_generation {
	char *base, *end;
	struct region *regions;
	uint32_t region_count, free_regions;
	uint32_t lowest;                             /* no free region below */
	uint32_t oversized_regions, popular_regions; /* numbers of */
	uint32_t popular_bytes, popular_reserve;
	unsigned char *cards;   /* enum card */
	struct object **starts; /* of each card: the object that covers its first byte */
	struct train *oldest, *youngest;
	uint64_t next_train;
	uint32_t train_count, car_count;
	uint32_t coarsen_at; /* of remembered sets */

	/* changes.h */
	unsigned char *marks; /* of regions */
	struct car **sets[CAR_SETS];
	uint32_t set_count[CAR_SETS], set_capacity;
	int64_t sums[CAR_SUMS];
};

bool old_init(struct old_generation *old, uint32_t regions, uint32_t popular_bytes,
    uint32_t popular_reserve, uint32_t coarsen_at);
void old_fini(struct old_generation *old);

static inline bool old_contains(const struct old_generation *old, const void *address)
{
	return (const char *)address >= old->base && (const char *)address < old->end;
}

/* The car of an address in the old generation, or NULL. */
static inline struct car *old_car(const struct old_generation *old, const void *address)
{
	size_t offset = (size_t)((const char *)address - old->base);
	const struct region *region = &old->regions[offset / REGION_BYTES];
	return region->type == REGION_POPULAR
		   ? region->popular[offset % REGION_BYTES / old->popular_bytes]
		   : region->car;
}

static inline uint32_t region_of(const struct old_generation *old, const void *address)
{
	return (uint32_t)((size_t)((const char *)address - old->base) / REGION_BYTES);
}

static inline uint32_t old_word(const struct old_generation *old, const void *address)
{
	return (uint32_t)((size_t)((const char *)address - old->base) / WORD_BYTES);
}

static inline bool car_higher(const struct car *a, const struct car *b)
{
	return a->train->id != b->train->id ? a->train->id > b->train->id : a->id > b->id;
}

static inline size_t car_used(const struct car *car)
{
	return (size_t)(car->top - car->base);
}

static inline size_t car_size(const struct car *car)
{
	return (size_t)(car->end - car->base);
}

/* A new youngest train, or NULL without memory. */
struct train *train_add(struct old_generation *old);

/* Frees the train if it has no cars. */
void train_remove_empty(struct old_generation *old, struct train *train);

/*
 * A new car with room for `bytes` at the end of the train, in the lowest free regions. NULL without
 * memory, or if fewer than `keep` regions would be left.
 */
struct car *car_create(struct old_generation *old, struct train *train, enum car_type type,
    size_t bytes, uint32_t keep);

/* Frees the car with its regions, cards and remembered set. Its train may be left empty. */
void car_free(struct old_generation *old, struct car *car);

/* Moves the car, whose remembered set is empty, to the end of a train, where it gets a new id. */
void car_relink(struct old_generation *old, struct car *car, struct train *train);

/* Empties the car's remembered set. */
void car_clear_set(struct old_generation *old, struct car *car);

/* Memory for an object at the top of the car, or NULL if it does not fit. The header must be written
 * before the next look at the car's objects. */
struct object *car_allocate(
    struct old_generation *old, struct car *car, size_t words, enum old_allocation kind);

/* Records the reference in `slot` of the old generation to `target` there, if the order of their cars
 * demands it. False without memory. */
bool old_record(struct old_generation *old, struct object **slot, struct object *target);

#endif
