#include "cards.h"

#include <string.h>

void cards_clear(struct old_generation *old, const char *start, const char *end)
{
	memset(old->cards + card_of(old, start), CARD_CLEAN, (size_t)(end - start) / CARD_BYTES);
}

void cards_note_object(struct old_generation *old, struct object *object, size_t bytes)
{
	size_t offset = (size_t)((char *)object - old->base);
	size_t first = (offset + CARD_BYTES - 1) / CARD_BYTES;
	size_t after = (offset + bytes + CARD_BYTES - 1) / CARD_BYTES;
	for (size_t card = first; card < after; card++)
		old->starts[card] = object;
}

/* The pointer fields of objects in the part start .. end - 1 of one car. */
static void visit_car(struct old_generation *old, struct car *car, char *start, char *end,
    void (*visit)(void *context, struct car *car, struct object **slot), void *context)
{
	if (end > car->top)
		end = car->top;
	if (start >= end)
		return;
	struct object *object = old->starts[card_of(old, start)];
	while ((char *)object < end) {
		struct object **field = object_fields(object), **after = field + object->pointers;
		/* What follows is the next object, even if `visit` moves this one. */
		struct object *next = (struct object *)(void *)object_end(object);
		if ((char *)field < start)
			field += (start - (char *)field + WORD_BYTES - 1) / WORD_BYTES;
		for (; field < after && (char *)field < end; field++)
			visit(context, car, field);
		object = next;
	}
}

void old_visit_fields(struct old_generation *old, char *start, char *end,
    void (*visit)(void *context, struct car *car, struct object **slot), void *context)
{
	while (start < end) {
		const struct region *region =
		    &old->regions[(size_t)(start - old->base) / REGION_BYTES];
		char *stop = end;
		if (region->type == REGION_POPULAR) {
			size_t into = (size_t)(start - old->base) % old->popular_bytes;
			if (stop > start + (old->popular_bytes - into))
				stop = start + (old->popular_bytes - into);
		}
		struct car *car = old_car(old, start);
		if (car != NULL)
			visit_car(old, car, start, stop, visit, context);
		start = stop;
	}
}
