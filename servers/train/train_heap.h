/*
 * A generational heap: a young generation of two semi-spaces and an old one of cars and trains, as in
 * Printezis and Garthwaite, "Visualising the Train Garbage Collector" (ISMM 2002), section 4. It stops
 * its one mutator thread for each collection. It knows nothing of GCspy: who wants to see it gives it
 * four hooks, and reads old_generation.h and young.h inside them.
 *
 * A mutator reaches objects through a stack of roots, because every allocation may move all of them:
 *
 *	size_t pair = train_new(heap, 2, 0);               the new root's index
 *	size_t text = train_new(heap, 0, 24);
 *	train_write(heap, train_root(heap, pair), 0, train_root(heap, text));
 *	train_pop(heap, text);                             only the pair is a root now
 *
 * A `struct object *` is valid until the next train_new or train_collect.
 */
#ifndef TRAIN_HEAP_H
#define TRAIN_HEAP_H

#include "train_object.h"

struct train_heap;

/* The four points at which the state of the heap is of interest (section 5.4 of the paper). May be
 * NULL. Called on the mutator's thread; they may read the heap, but not change it. */
struct train_hooks {
	void (*young_start)(void *context);
	void (*young_end)(void *context);
	void (*train_start)(void *context); /* the collection set has been chosen */
	void (*train_end)(void *context);
	void *context;
};

struct train_options {
	/* The young generation. */
	size_t young_bytes;   /* of one semi-space: 16 KiB .. 1 GiB */
	uint32_t promote_age; /* copies that an object survives before it is promoted, 0..100 */
	uint32_t large_bytes; /* larger objects are allocated in the old generation, 64 .. 32 KiB */

	/* The old generation. */
	uint32_t regions;         /* of 64 KiB: 16..65536 */
	uint32_t fill_cars;       /* allocation that closes the youngest train, 1..1024 cars */
	double rate;              /* bytes to collect per byte promoted, 0..100 */
	uint32_t max_cset;        /* cars collected in one step, 1..256 */
	uint32_t target_cars;     /* collect more above this number of cars, less below; 0: no */
	uint32_t popular_at;      /* references that make an object popular, 0 (never) .. 65535 */
	uint32_t popular_bytes;   /* size of a popular car: 512, 1024 .. 32768 */
	uint32_t popular_reserve; /* lowest regions kept for popular cars */
	uint32_t coarsen_at;      /* entries at which remembered sets coarsen; 0: never */
	bool no_guard;            /* no guard against futile collections */

	bool verify; /* check the whole heap before and after each collection */

	struct train_hooks hooks;
	/* The old generation is full, or there is no memory; `why` is one line. Must not return: it
	 * ends the program or jumps out of it. The heap may then only be destroyed. */
	void (*exhausted)(void *context, const char *why);
};

/* What has happened so far. */
struct train_statistics {
	uint64_t allocated;                                     /* bytes, by the mutator */
	uint64_t promoted, direct, evacuated, weakly_evacuated; /* bytes */
	uint64_t young_collections, steps;
	uint64_t trains_freed; /* whole, because nothing outside referred to them */
	uint64_t relinked;     /* cars */
	uint64_t guarded;      /* times that the guard gave a train an extra root */
	uint64_t forced;       /* steps because the old generation was nearly full */
};

/* Targets of these references are not kept alive. */
enum train_weak {
	TRAIN_WEAK,       /* forgotten when the target dies */
	TRAIN_FINALISABLE /* kept once more when it dies, for train_take_finalisable */
};

/* The defaults of docs/train.md. */
void train_options_init(struct train_options *options);

/* NULL, with one line in `why`, for options out of range or without memory. Options are copied. */
struct train_heap *train_heap_create(
    const struct train_options *options, char *why, size_t why_bytes);

/* NULL has no effect. */
void train_heap_destroy(struct train_heap *heap);

/* A new object, its fields NULL and its payload 0, pushed on the stack of roots. Returns its index
 * there. May collect. At most 2^28 pointers and 1 GiB of payload. */
size_t train_new(struct train_heap *heap, uint32_t pointers, size_t payload_bytes);

/* The stack of roots. Roots may be NULL. */
size_t train_push(struct train_heap *heap, struct object *object);
size_t train_root_count(const struct train_heap *heap);
struct object *train_root(const struct train_heap *heap, size_t root);
void train_set_root(struct train_heap *heap, size_t root, struct object *object);
void train_pop(struct train_heap *heap, size_t count); /* until there are `count` roots */

/* object->fields[field] = value, with the write barrier. */
void train_write(
    struct train_heap *heap, struct object *object, uint32_t field, struct object *value);

/* Adds a weak reference. */
void train_add_weak(struct train_heap *heap, struct object *target, enum train_weak kind);

/* Takes a finalisable object that has died, or NULL; push it to keep it. */
struct object *train_take_finalisable(struct train_heap *heap);

/* The number of weak references of both kinds whose targets live. */
size_t train_weak_count(const struct train_heap *heap);

/* A young collection, with a Train step if enough has been promoted. */
void train_collect(struct train_heap *heap);

/* A young collection with a step of `cars` cars at most, due or not. */
void train_collect_cars(struct train_heap *heap, uint32_t cars);

/* Collects until the old generation is empty, at most `limit` steps; returns their number. For a
 * program that has dropped its roots. */
uint64_t train_drain(struct train_heap *heap, uint64_t limit);

const struct train_options *train_heap_options(const struct train_heap *heap);
const struct train_statistics *train_heap_statistics(const struct train_heap *heap);

/* With `verify`: the first breach of an invariant, or NULL. */
const char *train_heap_breach(const struct train_heap *heap);

#endif
