/*
 * The depot that allocating threads add to at present, and its change for another one while they
 * run.
 *
 * There are two shelves. A thread is inside the present one between shelf_enter and shelf_leave; after
 * shelf_turn new threads go to the other one, and once nobody is inside the old one it can be
 * emptied. Entering is two atomic operations; nobody ever waits.
 */
#ifndef GCSPY_AGENT_SHELF_H
#define GCSPY_AGENT_SHELF_H

#include <stdatomic.h>

#include "depot.h"
#include "names.h"

struct shelf {
	struct depot *depot;
	struct names *names;
	atomic_uint inside; /* threads */
};

struct shelves {
	struct shelf two[2];
	atomic_uint generation; /* the present shelf is that of its lowest bit */
};

/* Fills the first shelf; false without memory. */
bool shelves_init(struct shelves *s, size_t depot_bytes);
void shelves_fini(struct shelves *s);

/* The present shelf and its generation. Any thread. */
struct shelf *shelf_enter(struct shelves *s, uint32_t *generation);
void shelf_leave(struct shelf *shelf);

/* Fills the other shelf, which must be empty, and makes it the present one; false without memory.
 * One thread. */
bool shelf_turn(struct shelves *s, size_t depot_bytes);

/* The shelf before the present one; empty (no depot) unless shelf_turn was called since it was
 * emptied. */
struct shelf *shelf_before(struct shelves *s);

/* True when no thread is inside it. */
bool shelf_deserted(struct shelf *shelf);

/* Frees what is on it. Nobody may be inside. */
void shelf_empty(struct shelf *shelf);

#endif
