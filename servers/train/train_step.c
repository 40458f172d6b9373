/*
 * One step of the Train collector. The collection set is a prefix of the oldest train. If nothing outside refers to
 * that train, all of it is freed; else what is referenced from a train, and all that this reaches in
 * the collection set, is evacuated to the end of that train, beginning with the youngest train: so an
 * object goes to the youngest train that refers to it. What is left is garbage.
 */
#include <stdlib.h>
#include <string.h>

#include "changes.h"
#include "heap_state.h"

struct step {
	struct train_heap *heap;
	struct train *train;       /* the oldest */
	struct train *destination; /* of what is evacuated now */
	enum old_allocation kind;
	uint32_t cars;
	size_t chosen; /* bytes of the collection set */
	size_t kept;   /* of these, evacuated or relinked */
	size_t left;   /* of these, into other trains */
};

static void enqueue(struct step *step, struct object *object, size_t bytes)
{
	heap_list_add(step->heap, &step->heap->queue, object);
	step->kept += bytes;
	if (old_car(&step->heap->old, object)->train != step->train)
		step->left += bytes;
}

static struct object *relink(struct step *step, struct car *car, struct object *object)
{
	car_relink(&step->heap->old, car, step->destination);
	car->from = false;
	object_set_count(object, 0);
	step->heap->statistics.relinked++;
	enqueue(step, object, object_bytes(object));
	return object;
}

static struct object *copy(struct step *step, struct object *object)
{
	struct train_heap *heap = step->heap;
	const struct train_options *options = &heap->options;
	size_t bytes = object_bytes(object);
	bool popular = options->popular_at != 0 && object_count(object) >= options->popular_at &&
		       bytes <= options->popular_bytes;
	struct object *to = place_evacuated(
	    heap, step->destination, object->words, step->kind, popular, step->cars);
	memcpy(to, object, bytes);
	object_set_count(to, 0);
	object_forward(object, to);
	*(step->kind == OLD_EVACUATION ? &heap->statistics.evacuated
				       : &heap->statistics.weakly_evacuated) += bytes;
	enqueue(step, to, bytes);
	return to;
}

/* Where the object of the old generation is now: if it is still in the collection set, moves it to the
 * destination. */
static struct object *evacuate(struct step *step, struct object *object)
{
	struct object *to = object_forwarded(object);
	if (to != NULL)
		return to;
	struct car *car = old_car(&step->heap->old, object);
	if (!car->from)
		return object;
	/* A popular object stays so while it has a quarter of the references that made it so. */
	bool popular = car->type == CAR_POPULAR &&
		       object_count(object) >= step->heap->options.popular_at / 4 &&
		       object_count(object) > 0;
	return car->type == CAR_OVERSIZED || popular ? relink(step, car, object)
						     : copy(step, object);
}

static void scan_fields(struct step *step, struct object *object)
{
	struct old_generation *old = &step->heap->old;
	struct object **field = object_fields(object), **after = field + object->pointers;
	for (; field < after; field++) {
		if (*field == NULL)
			continue;
		if (!old_contains(old, *field)) {
			card_set_young(old, field);
			continue;
		}
		*field = evacuate(step, *field);
		heap_record(step->heap, field, *field);
	}
}

/* Scans what has been moved, until there is no more. */
static void scan_queue(struct step *step)
{
	struct object_list *queue = &step->heap->queue;
	for (size_t i = 0; i < queue->count; i++)
		scan_fields(step, queue->items[i]);
	queue->count = 0;
}

static void update_slot(struct step *step, struct object **slot)
{
	*slot = evacuate(step, *slot);
	if (old_contains(&step->heap->old, slot))
		heap_record(step->heap, slot, *slot);
}

static void evacuate_referenced(struct step *step, const struct items *items)
{
	for (size_t i = 0; i < items->count;) {
		step->destination = items->items[i].train;
		for (; i < items->count && items->items[i].train == step->destination; i++)
			update_slot(step, items->items[i].slot);
		scan_queue(step);
	}
}

static struct object *current(struct train_heap *heap, struct object *target)
{
	if (!old_contains(&heap->old, target))
		return target;
	struct object *to = object_forwarded(target);
	return to != NULL ? to : old_car(&heap->old, target)->from ? NULL : target;
}

/* Finalisable objects that are about to be freed are kept, like what is referenced from outside. */
static void evacuate_finalisable(struct step *step)
{
	struct object_list *pending = &step->heap->pending;
	size_t known = pending->count;
	weak_process(step->heap, current);
	if (pending->count == known)
		return;
	step->kind = OLD_WEAK_EVACUATION;
	step->destination = place_external(step->heap);
	for (size_t i = known; i < pending->count; i++)
		pending->items[i] = evacuate(step, pending->items[i]);
	scan_queue(step);
}

static void free_rest(struct step *step)
{
	struct old_generation *old = &step->heap->old;
	for (struct car *car = step->train->first, *next; car != NULL && car->from; car = next) {
		next = car->next;
		if (step->heap->options.verify)
			memset(car->base, 0xdb, car_size(car));
		car_free(old, car);
	}
}

static void choose(struct step *step, uint32_t cars)
{
	struct car *car = step->train->first;
	for (; step->cars < cars && car != NULL; car = car->next) {
		car->from = true;
		car->chosen = car_used(car);
		car_changed(&step->heap->old, car);
		car_of_event(&step->heap->old, car);
		step->chosen += car->chosen;
		step->cars++;
	}
}

/*
 * The guard against futile collections: a mutator that keeps moving its only reference to the train, so
 * that it never refers to the cars being collected, makes every step move objects to the end of the same
 * train. When all of its cars have been collected without anything freed or moved to another train, an
 * object that was referenced from outside (`witness`) counts as referenced until it has left.
 */
static void raise_guard(struct step *step, struct object *witness)
{
	struct train_heap *heap = step->heap;
	if (heap->futile_train != step->train->id) {
		heap->futile_train = step->train->id;
		heap->futile_cars = 0;
		heap->guard = NULL;
	}
	if (heap->options.no_guard || heap->guard != NULL || witness == NULL ||
	    heap->futile_cars < step->train->cars)
		return;
	heap->guard = witness;
	heap->futile_cars = 0;
	heap->statistics.guarded++;
}

static void lower_guard(struct step *step)
{
	struct train_heap *heap = step->heap;
	if (step->kept < step->chosen || step->left > 0)
		heap->futile_cars = 0;
	else
		heap->futile_cars += step->cars;
	if (heap->guard != NULL && old_car(&heap->old, heap->guard)->train != step->train)
		heap->guard = NULL;
}

void train_step(struct train_heap *heap, uint32_t cars)
{
	struct step step = {.heap = heap, .train = heap->old.oldest, .kind = OLD_EVACUATION};
	const struct train_hooks *hooks = &heap->options.hooks;
	struct items items = {0};
	if (step.train == NULL)
		return;
	uint64_t sum = heap->options.verify ? heap_check(heap, "before a step") : 0;
	struct object *witness = gather_witness(heap);
	if (witness == NULL) {
		witness = weak_finalise_oldest(heap);
		step.kind = OLD_WEAK_EVACUATION;
	}
	raise_guard(&step, witness);
	choose(&step, witness != NULL ? cars : UINT32_MAX);
	if (hooks->train_start != NULL)
		hooks->train_start(hooks->context);
	heap_event_passed(heap);
	if (witness != NULL) {
		gather_references(heap, &items);
		evacuate_referenced(&step, &items);
		evacuate_finalisable(&step);
		lower_guard(&step);
	} else {
		weak_process(heap, current);
		heap->guard = NULL;
		heap->statistics.trains_freed++;
	}
	free_rest(&step);
	train_remove_empty(&heap->old, step.train);
	if (heap->old.youngest != NULL) /* nothing may have come to a new one */
		train_remove_empty(&heap->old, heap->old.youngest);
	free(items.items);
	heap->statistics.steps++;
	if (heap->options.verify)
		heap_check_same(heap, "after a step", sum);
	if (hooks->train_end != NULL)
		hooks->train_end(hooks->context);
	heap_event_passed(heap);
}
