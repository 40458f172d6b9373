/*
 * All objects of the heap by class, dead ones included, in one pass at a safepoint: over the ranges
 * that the heap's driver names, without a budget and without tiles, in the order of addresses.
 *
 * The caller stops the program through JVMTI, which takes the lock that collections take: no object
 * is half made there, as at the JVM's own walks of its heap. What cannot be walked safely is not
 * guessed: then nothing is counted, and the JVM has to do it.
 */
#ifndef GCSPY_AGENT_HEAP_COUNT_H
#define GCSPY_AGENT_HEAP_COUNT_H

#include "heap.h"

/* The most classes that are told apart, and those without room. */
enum { HEAP_COUNT_CLASSES = 32769 };

struct heap_count;

struct heap_count_total {
	uint64_t objects, bytes;
};

/* All borrowed. NULL if this heap cannot be walked there, or without memory. */
struct heap_count *heap_count_create(
    const struct vm *vm, const struct heap_driver *driver, const void *heap);
void heap_count_destroy(struct heap_count *c);

/* In the VM thread, at a safepoint outside of collections, once. False: not all of the heap can be
 * walked at present. */
bool heap_count_run(struct heap_count *c);

/* The totals by number of a class, and how many there are; number 0: classes without room. */
const struct heap_count_total *heap_count_totals(const struct heap_count *c, uint32_t *count);

/* The class's name as vm_classes_name has it. */
const char *heap_count_name(const struct heap_count *c, uint32_t id);

#endif
