/*
 * An order of a space's tiles by value, so that full and empty ones are grouped (V9). A place is a
 * position in that order; without an order it is the tile's number. Window thread only.
 */
#ifndef GCSPY_CLIENT_TILEORDER_H
#define GCSPY_CLIENT_TILEORDER_H

#include "tilecode.h"

enum tileorder_kind { ORDER_ADDRESS, ORDER_FALLING, ORDER_RISING, ORDER_KINDS };

struct tileorder {
	enum tileorder_kind kind;
	uint32_t tiles;
	uint32_t *tile;      /* by place */
	uint32_t *place;     /* by tile */
	uint64_t generation; /* changes with every new order */
	uint64_t *key;       /* by tile; kept, like `room`, for the next call */
	uint32_t *room;      /* for twice the tiles */
};

/* A zeroed struct is in address order, with no memory. */
void tileorder_fini(struct tileorder *order);

/*
 * Sorts by the rule's values; equal tiles stay in the server's order and tiles without a value come
 * last. False without memory; the order is then the server's.
 */
bool tileorder_set(struct tileorder *order, enum tileorder_kind kind, const struct tilecode *rule);

/* True if places differ from tile numbers. */
static inline bool tileorder_on(const struct tileorder *order)
{
	return order != NULL && order->tile != NULL;
}

#endif
