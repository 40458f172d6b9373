/*
 * Another order of a space's tiles than the server's: by value, so that the full and the empty ones
 * stand together (V9). A place is where a tile stands; without an order it is the tile's number.
 * Belongs to the window's thread.
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
	uint64_t generation; /* another one with each other order */
};

/* A zeroed struct is in address order, with no memory. */
void tileorder_fini(struct tileorder *order);

/*
 * Sorts by what the rule colours by; tiles of equal value stay in the server's order and tiles
 * without a value come last. False without memory: the order is then that of the server.
 */
bool tileorder_set(struct tileorder *order, enum tileorder_kind kind, const struct tilecode *rule);

/* True when places are not simply the tiles' numbers. */
static inline bool tileorder_on(const struct tileorder *order)
{
	return order != NULL && order->tile != NULL;
}

#endif
