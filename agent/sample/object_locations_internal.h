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
	/*
	 * A sequence lock whose data are the JVM's: the words after weak references. The VM thread's
	 * release fence follows the step to an odd epoch, before anything is moved; what threads of the
	 * collector write follows that by the JVM's own synchronization. A reader that has loaded such a
	 * word and then executes its acquire fence is synchronized with that fence, and finds the epoch
	 * changed. The step to an even epoch releases, and the reader's first load acquires, all that was
	 * moved before.
	 */
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
