/*
 * The heap as its own files see it. One thread: that of the mutator.
 *
 *	train_heap.c   options, roots, allocation, when to collect
 *	young.c        the young collection
 *	placement.c    where promoted, large and evacuated objects go
 *	policy.c       how many cars to collect
 *	train_step.c   one step of the Train collector: choose, collect, free
 *	gather.c       references into the oldest train
 *	weak.c         weak references
 *	heap_check.c   invariants
 */
#ifndef HEAP_STATE_H
#define HEAP_STATE_H

#include "cards.h"
#include "train_heap.h"

struct object_list {
	struct object **items;
	size_t count, capacity;
};

struct weak_list {
	struct weak {
		struct object *target;
		enum train_weak kind;
	} * items;
	size_t count, capacity;
};

enum { YOUNG_BLOCKS = 128 };

/* Two semi-spaces; objects are in base .. top - 1, between collections in one of them. For viewers,
 * which would have to walk them, objects are counted by blocks as they come. */
struct young_generation {
	char *memory;
	size_t half; /* bytes of a semi-space */
	char *base, *top;

	size_t block;                 /* bytes: a semi-space has at most YOUNG_BLOCKS */
	size_t border;                /* from the base: end of the block that is being filled */
	uint32_t objects, full;       /* numbers of objects, and of blocks before that border */
	uint32_t begun[YOUNG_BLOCKS]; /* objects that begin before the end of a full block */
};

struct train_heap {
	struct train_options options;
	struct train_statistics statistics;
	struct young_generation young;
	struct old_generation old;
	struct object_list roots;
	struct object_list pending; /* finalisable objects that have died; roots too */
	struct object_list queue;   /* moved objects whose fields are to be scanned */
	struct weak_list weak;
	uint32_t last_serial;

	double debt;   /* bytes that should be collected */
	size_t direct; /* bytes directly allocated since the last young collection */

	/* The guard against futile collections, train_step.c. */
	struct object *guard; /* an extra root, or NULL */
	uint64_t futile_train;
	uint64_t futile_cars;

	char breach[200];
};

/* Ends the program by way of the option `exhausted`. */
_Noreturn void heap_exhausted(struct train_heap *heap, const char *why);

/* Appends; ends the program without memory. */
void heap_list_add(struct train_heap *heap, struct object_list *list, struct object *object);

/* array[count] exists; ends the program without memory. `capacity` in elements of `bytes`. */
void *heap_grow(struct train_heap *heap, void *array, size_t count, size_t *capacity, size_t bytes);

/* Records a reference in the old generation; ends the program without memory. */
void heap_record(struct train_heap *heap, struct object **slot, struct object *target);

static inline bool young_contains(const struct young_generation *young, const void *address)
{
	return (const char *)address >= young->memory &&
	       (const char *)address < young->memory + 2 * young->half;
}

static inline char *young_end(const struct young_generation *young)
{
	return young->base + young->half;
}

/* One more object; `used` bytes from the base on are in use with it. */
static inline void young_count(struct young_generation *young, size_t used)
{
	young->objects++;
	while (used >= young->border) {
		young->begun[young->full++] = young->objects;
		young->border += young->block;
	}
}

bool young_init(struct young_generation *young, size_t half);
void young_fini(struct young_generation *young);

/* A young collection without its events. `promote_all`: whatever its age. */
void young_collect(struct train_heap *heap, bool promote_all);

/* Memory in the youngest train, which may be opened for it, or NULL if the old generation is nearly full. An
 * object of more than a region gets an oversized car. */
struct object *place_allocated(struct train_heap *heap, size_t words, enum old_allocation kind);

/* The train for objects that are referenced from outside of the old generation: the youngest, or a new one
 * if that is the oldest too. */
struct train *place_external(struct train_heap *heap);

/* Memory for an object evacuated to a train while `collected` cars are being collected. When regions run
 * out it may be in the youngest train instead. */
struct object *place_evacuated(struct train_heap *heap, struct train *train, size_t words,
    enum old_allocation kind, bool popular, uint32_t collected);

/* Regions that allocation and promotion leave free, for evacuation. */
uint32_t placement_reserve(const struct train_heap *heap);

/* Adds what has been allocated in the old generation to the debt. */
void policy_allocated(struct train_heap *heap, size_t bytes, bool oversized);

/* The number of cars to collect now, or 0. */
uint32_t policy_cars(const struct train_heap *heap);
void policy_collected(struct train_heap *heap, uint32_t cars);

/* One step with its two events, right after a young collection: at most `cars` cars of the oldest train, or
 * all of it if nothing outside refers to it. */
void train_step(struct train_heap *heap, uint32_t cars);

/* A reference to be updated, and the train where what it refers to should go. */
struct item {
	struct object **slot;
	struct train *train;
	size_t order;
};

struct items {
	struct item *items;
	size_t count, capacity;
	struct train *external; /* of references from outside; NULL: none so far */
};

/* An object of the oldest train that is referenced from outside of it, or NULL. Weak references do not count. */
struct object *gather_witness(struct train_heap *heap);

/* The references from outside of the collection set into it, by train, youngest first; counts them in the
 * objects. Empties the remembered sets. */
void gather_references(struct train_heap *heap, struct items *items);

/* `current` returns where the target is now, or NULL if it is about to be freed. Those that are finalisable
 * are then pending, and the caller must keep them. */
void weak_process(struct train_heap *heap,
    struct object *(*current)(struct train_heap *heap, struct object *target));

/*
 * Nothing refers to the oldest train from outside: its finalisable objects are dead, and become pending.
 * Otherwise a finalisable object in a cycle of garbage would be kept by the cycle, and keep it. Returns
 * one of them, or NULL if there is none.
 */
struct object *weak_finalise_oldest(struct train_heap *heap);

/* Zeroes the values that belong to one event. */
void heap_event_passed(struct train_heap *heap);

/* Checks all invariants, and returns the sum of the graph that the mutator's roots reach, which no
 * collection changes. The first breach is kept, as one line that begins with `when`. */
uint64_t heap_check(struct train_heap *heap, const char *when);

/* The same after a collection that must have left the sum as it was. */
void heap_check_same(struct train_heap *heap, const char *when, uint64_t sum);

#endif
