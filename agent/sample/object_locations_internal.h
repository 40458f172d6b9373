/* The inside of places, shared by its files. */
#ifndef GCSPY_AGENT_OBJECT_LOCATIONS_INTERNAL_H
#define GCSPY_AGENT_OBJECT_LOCATIONS_INTERNAL_H

#include <stdatomic.h>

#include "object_locations.h"

/* A watched sample's object, as the map's stream needs it. */
struct spot {
	uint64_t address;
	double bytes; /* estimate */
};

struct object_locations {
	struct sampler *sampler;
	const struct vm *vm;
	const struct heap_driver *driver; /* NULL: none */
	const void *heap;
	bool concurrent; /* objects move while the program runs: an epoch says nothing */
	atomic_uint epoch;

	/* The publishing thread's. */
	struct spot *spots;
	uint32_t spot_capacity;

	/* The answering thread's: a capture of the heap. */
	void *raw;
};

#endif
