/* Heaps for the tests of the Train collector. A heap that is full fails the test, unless the test expects
 * it. */
#ifndef TRAIN_KIT_H
#define TRAIN_KIT_H

#include <setjmp.h>

#include "heap_state.h"
#include "mutator.h"

/* Checks itself at each collection: small semi-spaces, no steps but those that the test asks for. */
struct train_options kit_train_options(void);

struct train_heap *kit_train_heap(const struct train_options *options);

/* Fails the test if an invariant was broken, and destroys the heap. */
void kit_train_end(struct train_heap *heap);

/* A new object with a root of its own, promoted by two collections. Others may move. */
size_t kit_old_object(struct train_heap *heap, uint32_t pointers, size_t payload);

/* The car of a root's object, which must be old. */
struct car *kit_car(struct train_heap *heap, size_t root);

/* A ring of old objects with `payload` bytes each, in the youngest train; the result is a root. */
size_t kit_ring(struct train_heap *heap, uint32_t objects, size_t payload);

/* A small heap that checks itself, with the mutator's own options. */
struct train_options kit_train_tuned(const struct mutator *mutator);

/* Runs a mutator, and then drops all roots: fails the test unless its result is right, no invariant was
 * broken, and the heap is empty at the end. */
struct train_statistics kit_train_run(const struct mutator *mutator,
    const struct train_options *options, uint64_t size, uint64_t steps, uint64_t seed);

#endif
