/*
 * The young collection: a copying collection in Cheney's manner, which promotes objects of some age. Its roots
 * are the mutator's, finalisable objects, and the cards of the old generation that are not clean.
 */
#include <stdlib.h>
#include <string.h>

#include "heap_state.h"

struct young_collection {
	struct train_heap *heap;
	char *to, *top; /* the survivors */
	bool promote_all;
	bool dirty, young_seen; /* of the card that is being scanned */
};

static void count_from_start(struct young_generation *young)
{
	young->objects = young->full = 0;
	young->border = young->block;
}

bool young_init(struct young_generation *young, size_t half)
{
	*young = (struct young_generation){.memory = malloc(2 * half), .half = half};
	young->base = young->top = young->memory;
	young->block = 4096;
	while (young->block * YOUNG_BLOCKS < half)
		young->block *= 2;
	count_from_start(young);
	return young->memory != NULL;
}

void young_fini(struct young_generation *young)
{
	free(young->memory);
	*young = (struct young_generation){0};
}

static bool in_from_space(const struct young_generation *young, const void *address)
{
	return (const char *)address >= young->base && (const char *)address < young->top;
}

/* Promotes the object, or copies it to the other semi-space, where all survivors fit. */
static struct object *copy(struct young_collection *c, struct object *object)
{
	struct train_heap *heap = c->heap;
	uint32_t age = object_age(object), serial = object_serial(object);
	struct object *to = NULL;
	if (c->promote_all || age >= heap->options.promote_age)
		to = place_allocated(heap, object->words, OLD_PROMOTION);
	bool promoted = to != NULL;
	if (!promoted) {
		to = (struct object *)(void *)c->top;
		c->top += object_bytes(object);
		young_count(&heap->young, (size_t)(c->top - c->to));
	}
	memcpy(to, object, object_bytes(object));
	object_set_meta(to, serial, 0, age + 1);
	object_forward(object, to);
	if (promoted) {
		heap->statistics.promoted += object_bytes(to);
		policy_allocated(heap, object_bytes(to), false);
		heap_list_add(heap, &heap->queue, to);
	}
	return to;
}

/* Updates a slot to refer to the copy of a young object. */
static struct object *update(struct young_collection *c, struct object **slot)
{
	struct object *object = *slot;
	if (object == NULL || !in_from_space(&c->heap->young, object))
		return object;
	struct object *to = object_forwarded(object);
	return *slot = to != NULL ? to : copy(c, object);
}

static void update_list(struct young_collection *c, struct object_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		update(c, &list->items[i]);
}

/* References to old objects on a dirty card may be new, as are those to an object that is promoted. */
static void visit_card_field(void *context, struct car *car, struct object **slot)
{
	struct young_collection *c = context;
	(void)car;
	struct object *before = *slot, *object = update(c, slot);
	if (object == NULL)
		return;
	if (!old_contains(&c->heap->old, object))
		c->young_seen = true;
	else if (c->dirty || object != before)
		heap_record(c->heap, slot, object);
}

/* Scans the cards of a region; true if one stays marked. */
static bool scan_region(struct young_collection *c, uint32_t region)
{
	struct old_generation *old = &c->heap->old;
	const size_t first = (size_t)region * CARDS_PER_REGION;
	bool marked = false;
	for (size_t card = first; card < first + CARDS_PER_REGION; card++) {
		if (old->cards[card] == CARD_CLEAN)
			continue;
		char *start = card_address(old, card);
		c->dirty = old->cards[card] == CARD_DIRTY;
		c->young_seen = false;
		old_visit_fields(old, start, start + CARD_BYTES, visit_card_field, c);
		old->cards[card] = c->young_seen ? CARD_YOUNG : CARD_CLEAN;
		marked = marked || c->young_seen;
	}
	return marked;
}

/* Promotion adds objects to cards that have been scanned; their fields come later, from the queue. */
static void scan_cards(struct young_collection *c)
{
	struct old_generation *old = &c->heap->old;
	for (uint32_t region = 0; region < old->region_count; region++)
		if ((old->marks[region] & REGION_HAS_CARDS) != 0)
			old->marks[region] = scan_region(c, region)
						 ? REGION_HAS_CARDS | REGION_CHANGED
						 : REGION_CHANGED;
}

static void scan_promoted(struct young_collection *c, struct object *object)
{
	struct train_heap *heap = c->heap;
	struct object **field = object_fields(object), **after = field + object->pointers;
	for (; field < after; field++) {
		struct object *target = update(c, field);
		if (target == NULL)
			continue;
		if (old_contains(&heap->old, target))
			heap_record(heap, field, target);
		else
			card_set_young(&heap->old, field);
	}
}

/* Scans what has been moved, until there is no more. */
static char *scan(struct young_collection *c, char *scanned)
{
	struct object_list *queue = &c->heap->queue;
	while (scanned < c->top || queue->count > 0) {
		while (queue->count > 0)
			scan_promoted(c, queue->items[--queue->count]);
		if (scanned < c->top) {
			struct object *object = (struct object *)(void *)scanned;
			for (uint32_t i = 0; i < object->pointers; i++)
				update(c, &object_fields(object)[i]);
			scanned = object_end(object);
		}
	}
	return scanned;
}

static struct object *current(struct train_heap *heap, struct object *target)
{
	return in_from_space(&heap->young, target) ? object_forwarded(target) : target;
}

void young_collect(struct train_heap *heap, bool promote_all)
{
	struct young_generation *young = &heap->young;
	char *other = young->base == young->memory ? young->memory + young->half : young->memory;
	struct young_collection c = {
	    .heap = heap, .to = other, .top = other, .promote_all = promote_all};
	count_from_start(young);
	update_list(&c, &heap->roots);
	update_list(&c, &heap->pending);
	scan_cards(&c);
	char *scanned = scan(&c, other);
	weak_process(heap, current);
	update_list(&c, &heap->pending);
	scan(&c, scanned);
	if (heap->options.verify)
		memset(young->base, 0xdb, young->half);
	young->base = c.to;
	young->top = c.top;
	heap->direct = 0;
	heap->statistics.young_collections++;
}
