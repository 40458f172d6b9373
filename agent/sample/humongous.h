/*
 * Humongous objects of G1, which samples are tracked by their address. A weak reference would keep them from
 * being freed: young collections free humongous objects that nothing refers to, but count a weak reference
 * as one (G1STWIsAliveClosure, g1CollectedHeap.cpp), until the next marking.
 *
 * Such an object begins a region, and does not move: it is dead when a pause since has ended in which its
 * region was not the start of a humongous object. (A last full collection before an OutOfMemoryError, JDK 22
 * and later, may move some; these count as dead.) The VM thread looks at the regions of samples at the end of
 * each pause, so that another object that comes to lie there later is not taken for the first.
 *
 * Orderings: a sample's thread is in native code and holds its object by a local reference, so that its region
 * is the start of a humongous object until it has set the bit; the VM thread clears a bit only where it is
 * not. The number of a pause is stored before the regions freed in it get that number, by the same thread.
 */
#ifndef GCSPY_AGENT_HUMONGOUS_H
#define GCSPY_AGENT_HUMONGOUS_H

#include <jni.h>

#include "vm.h"

struct humongous;

/* NULL for other collectors, where G1's regions are not known, and without memory. NULL is fine in all
 * functions: there are no such objects. */
struct humongous *humongous_create(const struct vm *vm);
void humongous_destroy(struct humongous *h);

/* A new object's address, and the number of the last pause; 0 if it is not humongous. On its thread. */
uint64_t humongous_track(struct humongous *h, jobject object, uint64_t size, uint32_t *pause);

/* Whether young collections free an object of that class when they find no reference to it: an array of a primitive
 * type. They leave one that more objects refer to than they look at (G1EagerReclaimRemSetThreshold). */
bool humongous_is_eager(const struct humongous *h, const char *class_name);

/* In the VM thread, at a safepoint: a few nanoseconds for each region with samples. */
void humongous_pause_ends(struct humongous *h);

/* Whether an object that was alive after that pause has died. Any thread. */
bool humongous_is_dead(const struct humongous *h, uint64_t address, uint32_t pause);

#endif
