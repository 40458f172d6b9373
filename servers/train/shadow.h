/*
 * A second account of what a mutator has made: for each object its serial number, size and fields, kept in
 * the C heap. After a collection every object that the roots reach is compared with it (R1). The first
 * word of an object's payload is its number here.
 */
#ifndef SHADOW_H
#define SHADOW_H

#include "train_heap.h"

struct shadow {
	struct train_heap *heap;
	struct shadow_node {
		uint32_t serial, words, pointers; /* serial 0: the node is free */
		uint32_t held;                    /* finalisable references to it */
		uint32_t visited, reached;        /* rounds of the check */
		uint32_t *fields;                 /* nodes; 0: NULL */
	} * nodes;                                /* the first one is not used */
	uint32_t count, capacity, unused; /* `unused`: the first free node, linked by `words` */
	uint32_t round;
	uint32_t *stack;
	size_t stacked, stack_capacity;
	uint64_t live_bytes; /* at the last check */
	const char *wrong;   /* the first difference, or NULL */
};

void shadow_init(struct shadow *shadow, struct train_heap *heap);
void shadow_fini(struct shadow *shadow);

/* A new object with at least one word of payload, as train_new. */
size_t shadow_new(struct shadow *shadow, uint32_t pointers, size_t payload_bytes);

/* As train_write. */
void shadow_write(
    struct shadow *shadow, struct object *object, uint32_t field, struct object *value);

/* As train_add_weak with TRAIN_FINALISABLE, and train_take_finalisable, which must be unreachable at the
 * last check. */
void shadow_finalise(struct shadow *shadow, struct object *object);
struct object *shadow_take(struct shadow *shadow);

/* Compares all that the roots reach; forgets what they do not. False if something differs. */
bool shadow_check(struct shadow *shadow);

#endif
