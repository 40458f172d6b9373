/*
 * The heap checker: the structure of the old generation, then every object that the roots reach. The sum of
 * the graph is over serial numbers, sizes, fields and payloads, so that no order or address matters.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "changes.h"
#include "heap_state.h"

struct check {
	struct train_heap *heap;
	const char *when;
	struct object **seen; /* open addressing */
	size_t size, count;
	struct object_list found; /* reached, to be checked */
	uint64_t sum;
};

static void breach(struct check *check, const char *format, ...)
{
	char *text = check->heap->breach;
	size_t bytes = sizeof check->heap->breach;
	va_list arguments;
	if (text[0] != '\0')
		return;
	size_t length = (size_t)snprintf(text, bytes, "%s: ", check->when);
	va_start(arguments, format);
	vsnprintf(text + length, bytes - length, format, arguments);
	va_end(arguments);
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 29;
}

static struct object **find(struct object **seen, size_t size, struct object *object)
{
	size_t at = (size_t)mix(0, (uintptr_t)object) & (size - 1);
	while (seen[at] != NULL && seen[at] != object)
		at = (at + 1) & (size - 1);
	return &seen[at];
}

/* True the first time. */
static bool mark(struct check *check, struct object *object)
{
	if (check->count * 2 >= check->size) {
		size_t size = check->size == 0 ? 1024 : check->size * 2;
		struct object **seen = calloc(size, sizeof(struct object *));
		if (seen == NULL)
			heap_exhausted(check->heap, "no memory to check the heap");
		for (size_t i = 0; i < check->size; i++)
			if (check->seen[i] != NULL)
				*find(seen, size, check->seen[i]) = check->seen[i];
		free(check->seen);
		check->seen = seen;
		check->size = size;
	}
	struct object **slot = find(check->seen, check->size, object);
	if (*slot != NULL)
		return false;
	*slot = object;
	check->count++;
	return true;
}

/* The end of the memory that may hold the object, or NULL if no object can be there. */
static const char *limit(const struct check *check, const struct object *object)
{
	const struct train_heap *heap = check->heap;
	const char *at = (const char *)object;
	if (at >= heap->young.base && at < heap->young.top)
		return heap->young.top;
	const struct car *car = old_contains(&heap->old, at) ? old_car(&heap->old, at) : NULL;
	return car != NULL && at >= car->base && at < car->top ? car->top : NULL;
}

static bool plausible(struct check *check, const struct object *object, const char *what)
{
	const char *end = limit(check, object);
	if ((uintptr_t)object % WORD_BYTES != 0 || end == NULL)
		breach(check, "%s refers to no object", what);
	else if (object_forwarded(object) != NULL)
		breach(check, "%s refers to an object that has moved", what);
	else if (object->words < OBJECT_HEADER_WORDS + (uint64_t)object->pointers ||
		 object_bytes(object) > (size_t)(end - (const char *)object))
		breach(check, "%s refers to a broken header", what);
	return check->heap->breach[0] == '\0';
}

static void reach(struct check *check, struct object *object, const char *what)
{
	if (object != NULL && plausible(check, object, what) && mark(check, object))
		heap_list_add(check->heap, &check->found, object);
}

/* The card, or the remembered set, knows of a reference in the old generation. */
static void check_known(struct check *check, struct object **slot)
{
	struct old_generation *old = &check->heap->old;
	enum card card = old->cards[card_of(old, slot)];
	const struct car *source = old_car(old, slot);
	if (!old_contains(old, *slot)) {
		if (card == CARD_CLEAN)
			breach(check, "car %llu.%llu has a young pointer on a clean card",
			    (unsigned long long)source->train->id, (unsigned long long)source->id);
		return;
	}
	const struct car *target = old_car(old, *slot);
	if (source->train->id > target->train->id && card != CARD_DIRTY && !target->higher)
		breach(check,
		    "car %llu.%llu does not know of a younger reference from car %llu.%llu",
		    (unsigned long long)target->train->id, (unsigned long long)target->id,
		    (unsigned long long)source->train->id, (unsigned long long)source->id);
	if (source != target && car_higher(source, target) && card != CARD_DIRTY &&
	    !set_has(&target->set, old_word(old, slot)))
		breach(check, "car %llu.%llu does not remember a reference from car %llu.%llu",
		    (unsigned long long)target->train->id, (unsigned long long)target->id,
		    (unsigned long long)source->train->id, (unsigned long long)source->id);
}

static void check_reached(struct check *check)
{
	while (check->found.count > 0 && check->heap->breach[0] == '\0') {
		struct object *object = check->found.items[--check->found.count];
		uint64_t hash = mix(object_serial(object), object->words);
		bool old = old_contains(&check->heap->old, object);
		for (uint32_t i = 0; i < object->pointers; i++) {
			struct object **slot = &object_fields(object)[i];
			if (*slot == NULL)
				continue;
			reach(check, *slot, "a field");
			if (check->heap->breach[0] != '\0')
				return;
			hash = mix(hash, mix(i, object_serial(*slot)));
			if (old)
				check_known(check, slot);
		}
		for (uint32_t i = 0; i < object_payload_words(object); i++)
			hash = mix(hash, object_payload(object)[i]);
		check->sum += hash;
	}
}

/* A location that the car's set remembers is in a car of a younger train. */
static bool younger_remembered(const struct old_generation *old, const struct car *car)
{
	const size_t granule = (size_t)WORD_BYTES << car->set.shift;
	uint32_t word;
	for (uint32_t i = 0; i < car->set.size; i++) {
		if (!set_entry(&car->set, i, &word))
			continue;
		const char *at = old->base + (size_t)word * WORD_BYTES, *end = at + granule;
		for (; at < end; at += old->popular_bytes) {
			const struct car *source = old_car(old, at);
			if (source != NULL && at < source->top &&
			    source->train->id > car->train->id)
				return true;
		}
	}
	return false;
}

/* Objects of a car one after the other, and the crossing map at each card. */
static void check_car(struct check *check, const struct car *car)
{
	const struct old_generation *old = &check->heap->old;
	unsigned long long train = car->train->id, id = car->id;
	uint32_t objects = 0;
	struct object *object = (struct object *)(void *)car->base;
	size_t card = card_of(old, car->base);
	while ((char *)object < car->top && check->heap->breach[0] == '\0') {
		if (!plausible(check, object, "a car's walk"))
			return;
		for (; card_address(old, card) < object_end(object); card++)
			if (old->starts[card] != object)
				breach(check, "car %llu.%llu: crossing map of card %zu", train, id,
				    card);
		object = (struct object *)(void *)object_end(object);
		objects++;
	}
	if (objects != car->objects)
		breach(check, "car %llu.%llu has %u objects, not %u", train, id, objects,
		    car->objects);
	for (const char *at = car->base; at < car->end; at += old->popular_bytes)
		if (old_car(old, at) != car)
			breach(check, "car %llu.%llu does not own its region", train, id);
	if (car->higher && !younger_remembered(old, car))
		breach(check, "car %llu.%llu remembers no younger reference", train, id);
	if (car->from)
		breach(check, "car %llu.%llu is still in the collection set", train, id);
}

static void check_train(struct check *check, const struct train *train)
{
	uint32_t cars = 0;
	uint64_t id = 0;
	const struct car *last = NULL, *standard = NULL;
	for (const struct car *car = train->first; car != NULL; car = car->next) {
		if (car->train != train || car->previous != last ||
		    (last != NULL ? car->id != id + 1 : car->id == 0))
			breach(check, "train %llu: car %llu is out of order",
			    (unsigned long long)train->id, (unsigned long long)car->id);
		if (car->type == CAR_STANDARD)
			standard = car;
		check_car(check, car);
		id = car->id;
		last = car;
		cars++;
	}
	if (cars != train->cars || cars == 0 || last != train->last)
		breach(check, "train %llu has %u cars, not %u", (unsigned long long)train->id, cars,
		    train->cars);
	if (train->open != NULL && train->open != standard)
		breach(check, "train %llu: the wrong car is open", (unsigned long long)train->id);
}

static bool cards_clean(const struct old_generation *old, uint32_t region)
{
	for (uint32_t card = 0; card < CARDS_PER_REGION; card++)
		if (old->cards[(size_t)region * CARDS_PER_REGION + card] != CARD_CLEAN)
			return false;
	return true;
}

static void check_old(struct check *check)
{
	const struct old_generation *old = &check->heap->old;
	uint32_t trains = 0, cars = 0, unused = 0;
	uint64_t id = 0;
	for (const struct train *train = old->oldest; train != NULL; train = train->next) {
		if (train->id <= id || (train->next == NULL) != (train == old->youngest))
			breach(check, "train %llu is out of order", (unsigned long long)train->id);
		check_train(check, train);
		id = train->id;
		trains++;
		cars += train->cars;
	}
	for (uint32_t i = 0; i < old->region_count; i++) {
		if ((old->marks[i] & REGION_HAS_CARDS) == 0 && !cards_clean(old, i))
			breach(check, "region %u has a card that no mark tells", i);
		if (old->regions[i].type != REGION_FREE)
			continue;
		unused++;
		if (i < old->lowest)
			breach(check, "region %u is free, below the lowest", i);
		if (!cards_clean(old, i))
			breach(check, "free region %u has a card that is not clean", i);
	}
	if (trains != old->train_count || cars != old->car_count || unused != old->free_regions)
		breach(check, "%u trains, %u cars and %u free regions, not %u, %u and %u", trains,
		    cars, unused, old->train_count, old->car_count, old->free_regions);
}

/* What viewers get without a walk. */
static void check_sums(struct check *check)
{
	struct old_generation *old = &check->heap->old;
	int64_t sums[CAR_SUMS] = {0}, of_old[CAR_SUMS];
	changes_settle(old);
	for (const struct train *train = old->oldest; train != NULL; train = train->next) {
		int64_t before[CAR_SUMS];
		memcpy(before, sums, sizeof sums);
		for (const struct car *car = train->first; car != NULL; car = car->next) {
			sums[SUM_CARS]++;
			sums[SUM_USED] += (int64_t)car_used(car);
			sums[SUM_SIZE] += (int64_t)car_size(car);
			sums[SUM_OBJECTS] += car->objects;
			sums[SUM_OVERSIZED] += car->type == CAR_OVERSIZED;
			sums[SUM_POPULAR] += car->type == CAR_POPULAR;
			sums[SUM_ENTRIES] += car->set.count;
			sums[SUM_CAPACITY] += (int64_t)set_capacity(&car->set);
			sums[SUM_LARGEST] += car->set.largest;
			sums[SUM_HIGHER] += car->higher;
			sums[SUM_FROM] += car->from;
			sums[SUM_CHOSEN] += (int64_t)car->chosen;
			for (int kind = 0; kind < OLD_ALLOCATIONS; kind++)
				sums[SUM_ALLOCATED + kind] += (int64_t)car->allocated[kind];
		}
		for (int i = 0; i < CAR_SUMS; i++)
			if (sums[i] - before[i] != train->sums[i])
				breach(
				    check, "train %llu: sum %d", (unsigned long long)train->id, i);
	}
	memcpy(of_old, old->sums, sizeof of_old);
	for (int i = 0; i < CAR_SUMS; i++)
		if (sums[i] != of_old[i])
			breach(check, "sum %d is %lld, not %lld", i, (long long)sums[i],
			    (long long)of_old[i]);
}

uint64_t heap_check(struct train_heap *heap, const char *when)
{
	struct check check = {.heap = heap, .when = when};
	check_old(&check);
	check_sums(&check);
	for (size_t i = 0; i < heap->roots.count; i++) {
		reach(&check, heap->roots.items[i], "a root");
		if (heap->roots.items[i] != NULL && heap->breach[0] == '\0')
			check.sum += mix(i, object_serial(heap->roots.items[i]));
	}
	check_reached(&check);
	uint64_t sum = check.sum;
	for (size_t i = 0; i < heap->pending.count; i++)
		reach(&check, heap->pending.items[i], "a finalisable object");
	check_reached(&check);
	reach(&check, heap->guard, "the guard");
	check_reached(&check);
	for (size_t i = 0; i < heap->weak.count; i++)
		plausible(&check, heap->weak.items[i].target, "a weak reference");
	free(check.seen);
	free(check.found.items);
	return sum;
}

void heap_check_same(struct train_heap *heap, const char *when, uint64_t sum)
{
	struct check check = {.heap = heap, .when = when};
	if (heap_check(heap, when) != sum)
		breach(&check, "the graph has changed");
}
