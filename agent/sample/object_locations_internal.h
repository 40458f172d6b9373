/* The insides of object_locations.h, shared by its files. */
#ifndef GCSPY_AGENT_OBJECT_LOCATIONS_INTERNAL_H
#define GCSPY_AGENT_OBJECT_LOCATIONS_INTERNAL_H

#include <stdatomic.h>

#include "object_locations.h"

/* A tracked sample's object, for the stream of the heap map. */
struct sample_address {
	uint64_t address;
	uint64_t size;
	double bytes;    /* estimate */
	double variance; /* of it */
};

/* Whether no object has moved since that epoch, before which addresses were read: those reads are
 * plain loads, which must not happen after this one. */
bool object_locations_settled(const struct object_locations *p, uint32_t epoch);

struct object_locations {
	struct sampler *sampler;
	const struct vm *vm;
	const struct heap_driver *driver; /* NULL: none */
	const void *heap;
	bool concurrent; /* objects move while the program runs: epochs mean nothing */
	atomic_uint epoch;

	/* The publishing thread's. */
	struct sample_address *addresses;
	uint32_t address_capacity;
	double *variances; /* of the tiles of a space */
	uint32_t variance_capacity;

	/* A capture of the heap, of the thread that answers queries. */
	void *raw;
};

#endif
