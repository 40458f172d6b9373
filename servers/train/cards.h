/*
 * The card table and the crossing map of the old generation, and walks over pointer fields that use them. A
 * card is 512 bytes; it lies in one car, because cars begin at multiples of 512 bytes.
 */
#ifndef CARDS_H
#define CARDS_H

#include "old_generation.h"

static inline size_t card_of(const struct old_generation *old, const void *address)
{
	return (size_t)((const char *)address - old->base) / CARD_BYTES;
}

static inline char *card_address(const struct old_generation *old, size_t card)
{
	return old->base + card * CARD_BYTES;
}

/* The write barrier. */
static inline void card_set_dirty(struct old_generation *old, const void *slot)
{
	old->cards[card_of(old, slot)] = CARD_DIRTY;
	old->marks[region_of(old, slot)] = REGION_HAS_CARDS | REGION_CHANGED;
}

/* Marks the card of a slot that now refers to the young generation. DIRTY is stronger. */
static inline void card_set_young(struct old_generation *old, const void *slot)
{
	size_t card = card_of(old, slot);
	if (old->cards[card] != CARD_CLEAN)
		return;
	old->cards[card] = CARD_YOUNG;
	old->marks[region_of(old, slot)] = REGION_HAS_CARDS | REGION_CHANGED;
}

/* Cleans the cards of a freed car. */
void cards_clear(struct old_generation *old, const char *start, const char *end);

/* Enters a new object in the crossing map: every card that begins inside it begins with it. */
void cards_note_object(struct old_generation *old, struct object *object, size_t bytes);

/*
 * Calls `visit` for each pointer field in start .. end - 1, a part of one region, that belongs to an object
 * of a car, whatever the field's value. `visit` may allocate: objects that it adds are not visited.
 */
void old_visit_fields(struct old_generation *old, char *start, char *end,
    void (*visit)(void *context, struct car *car, struct object **slot), void *context);

#endif
