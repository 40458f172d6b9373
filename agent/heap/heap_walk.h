/*
 * The heap walk (H5, F19): objects counted by tile and by class, in the VM thread inside a pause,
 * within a time budget. Independent of the collector: the heap's driver says which ranges hold
 * objects, and how they are cut into cells.
 *
 * A range whose objects do not move (an old one) is walked once, then only what is added behind;
 * the others are walked at each event. Work that exceeds the budget continues at the next event;
 * until then a cell keeps its earlier values. Memory that cannot be walked safely is never guessed:
 * it counts as unparsable.
 *
 * The result is handed from the VM thread to the one that publishes. There are three buffers for
 * results: a slow reader makes the walk skip events, it does not make it use more memory. Only
 * cells that have changed are copied to a result, inside the budget.
 */
#ifndef GCSPY_AGENT_HEAP_WALK_H
#define GCSPY_AGENT_HEAP_WALK_H

#include "gc_kind.h"
#include "vm_objects.h"
#include "vm_tlab.h"
#include "volume.h"

struct heap_walk;

/* How a range is walked, if at all. */
enum heap_walk_way {
	HEAP_WALK_OBJECTS,
	HEAP_WALK_OBJECTS_OLD, /* unless a marking has unloaded classes since the range came into
				  use: it may contain dead objects of such a class */
	HEAP_WALK_LATER, /* memory added since the last event may end in something that is no object
			    yet */
	HEAP_WALK_NEVER, /* it may contain memory that is no object yet: unparsable */
};

/* A range of addresses. The same range has the same index at each event. */
struct heap_walk_range {
	uint64_t low, top; /* in use; equal: nothing */
	uint64_t from;     /* low, or where the walkable part begins */
	uint64_t block;    /* bytes of a cell; the first begins at low */
	uint32_t cell;     /* number of the first one */
	uint32_t own;      /* number of cells that belong to the range even if nothing is in use
			      there */
	uint32_t kind;     /* the driver's; if it changes, the range holds something else */
	enum heap_walk_way way;
	bool moves;  /* its objects differ at each event */
	bool cards;  /* its cards are meaningful */
	bool single; /* it holds one object, and fillers after it */
	uint64_t
	    marked; /* below it only objects that the collector has marked are counted; 0: all */
	/* Nothing ever leaves it: its counts are shown before all of it is walked. */
	bool grows;
	/* A part of a space, following the part before it in the list: the last object there may
	 * reach into this one, and up to `reach`. */
	bool follows;
	uint64_t reach; /* no object that begins here reaches farther; 0: top */
};

/* Counts of a cell. Fields marked "completed" are valid after heap_walk_complete. */
struct heap_walk_cell {
	uint64_t bytes;      /* in objects */
	uint64_t fillers;    /* in fillers, which are no objects */
	uint64_t unparsable; /* in use that cannot be walked; completed */
	uint32_t objects;    /* that begin in it, including arrays */
	uint32_t arrays;
	uint32_t clean, dirty, other; /* cards */
	bool behind;                  /* not all of it has been walked yet; completed */
	bool cards_behind;            /* its cards are of an earlier event; completed */
};

/* A class in a result. */
struct heap_walk_class {
	uint32_t id; /* of vm_classes */
	uint64_t objects;
	uint64_t bytes;
	int64_t growth; /* of bytes, since the result before */
};

/* The state of the heap's objects at one event; see heap_walk_release. */
struct heap_walk_result {
	uint32_t range_count, class_count;
	struct heap_walk_range *ranges;
	struct heap_walk_cell *cells;
	struct heap_walk_class *classes; /* with objects, or with growth */
	uint64_t used;                   /* bytes in use in all ranges */
	uint64_t behind;                 /* of them not walked yet, or not copied to the result */
	uint64_t unsettled;  /* of them walked, in ranges not walked to their end, which are counted
				by class only then */
	uint64_t unparsable; /* of them that cannot be walked */
	uint64_t lost;       /* of them in classes that there was no room to count */
	bool first;          /* growth is since the first walk */
	uint64_t generation; /* changes when class ids are reassigned */
};

/* How many of each a driver needs. 0 ranges: this heap cannot be walked. */
struct heap_walk_size {
	uint32_t ranges;
	uint32_t cells;
};

/* The pause that the driver describes ranges for. */
struct heap_walk_pause {
	bool finish;
	enum gc_kind kind; /* at a finish */
	bool allocated;    /* the collection ends after the allocation that it was made for */
	bool buffers;      /* the free parts of all threads' buffers are known */
};

/* heap_driver.heap_walk_ranges: fills the list, which has room for heap_walk_size, and returns its
 * length. 0: nothing is known in this pause. */
typedef uint32_t heap_walk_ranges_fn(const void *driver, const void *raw,
    const struct heap_walk_pause *pause, struct heap_walk_range *ranges);

struct heap_walk_driver {
	const void *self;
	heap_walk_ranges_fn *ranges;
	struct heap_walk_size size;
};

/* Needs VM_OBJECTS. All borrowed. NULL without memory. */
struct heap_walk *heap_walk_create(
    const struct vm *vm, const struct heap_walk_driver *driver, const struct volume *volume);
void heap_walk_destroy(struct heap_walk *s);

/* In the VM thread, at every collection's start and finish. The counts are the JVM's: some full
 * collections are not announced, such as that before a class histogram in JDK 17. */
void heap_walk_start(struct heap_walk *s, const struct vm_gc_counts *counts);
void heap_walk_finish(struct heap_walk *s, enum gc_kind kind, const struct vm_gc_counts *counts);

struct heap_walk_event {
	const void *raw; /* the driver's capture */
	const char *cause;
	bool finish;
	const struct vm_tlab *tlabs;
	size_t tlab_count, tlab_total;
};

/* In the VM thread, after heap_walk_start or heap_walk_finish, for an event that a client looks at:
 * walks the heap if the volume is heavy and includes this kind of event. NULL: no result. */
const struct heap_walk_result *heap_walk_now(
    struct heap_walk *s, const struct heap_walk_event *event);

/* Sets the completed fields of all cells of a result. Once, on the thread that reads it, before it
 * uses cells: this need not be done in the pause. NULL is fine. */
void heap_walk_complete(struct heap_walk *s, const struct heap_walk_result *result);

/* Gives a result back. Any thread; NULL is fine. */
void heap_walk_release(struct heap_walk *s, const struct heap_walk_result *result);

/* The name of a class in a result that has not been released. */
const char *heap_walk_class_name(const struct heap_walk *s, uint32_t id);

#endif
