/*
 * The sweep of the heap (H5, F19): objects counted tile by tile and class by class, in the VM
 * thread inside a pause, within a budget of time. Independent of the collector: the heap's driver
 * says which ranges hold objects, and how they are cut into cells.
 *
 * A range in which nothing moves (an old one) is walked once, then only what is added behind; the
 * others are walked at each event. What the budget leaves over is continued at the next event;
 * until then a cell has its earlier values. What cannot be walked safely is never guessed: it is
 * counted as unparsable.
 *
 * The result is a picture, handed from the VM thread to the one that publishes. There are three, so
 * that a slow reader makes the sweep pause and not grow. Of the cells only those that have changed
 * are copied into it, inside the budget.
 */
#ifndef GCSPY_AGENT_HEAP_WALK_H
#define GCSPY_AGENT_HEAP_WALK_H

#include "gc_kind.h"
#include "vm_objects.h"
#include "vm_tlab.h"
#include "volume.h"

struct heap_walk;

/* Why a range is walked or not. */
enum heap_walk_way {
	HEAP_WALK_OBJECTS,
	HEAP_WALK_OBJECTS_OLD, /* unless a marking has unloaded classes since the range came to be: it may
			   have dead objects of such a class */
	HEAP_WALK_LATER, /* what was added since the last event may end in memory that is no object yet */
	HEAP_WALK_NEVER, /* it may hold memory that is no object yet: unparsable */
};

/* A range of addresses, by its place in the list: the same range has the same place at each
 * event. */
struct heap_walk_range {
	uint64_t low, top; /* what is in use; equal: nothing */
	uint64_t from;     /* low, or where what can be walked begins */
	uint64_t block;    /* bytes of a cell; the first begins at low */
	uint32_t cell;     /* the first one's number */
	uint32_t own;      /* so many cells are the range's even while nothing is in use there */
	uint32_t kind;     /* the driver's; a range whose kind changes holds something else */
	enum heap_walk_way way;
	bool moves;      /* its objects are others at each event */
	bool cards;      /* its cards mean something */
	uint64_t marked; /* below it only what the collector has marked is counted; 0: all */
	/* Nothing ever leaves it: what is counted of it is shown before all of it is. */
	bool grows;
	/* A part of a space, behind the part before it in the list: the last object there may reach
	 * into this one, and up to `reach`. */
	bool follows;
	uint64_t reach; /* no object that begins here reaches farther; 0: top */
};

/*
 * In a range that does not move a thread may have a buffer. Its free part is left out, and walked
 * over at the next event, when there may be objects.
 */

/* What is known of a cell. What says so is there after heap_walk_develop. */
struct heap_walk_cell {
	uint64_t bytes;      /* of it that objects take */
	uint64_t fillers;    /* bytes in fillers, which are no objects */
	uint64_t unparsable; /* bytes in use that cannot be walked; developed */
	uint32_t objects;    /* that begin in it, arrays among them */
	uint32_t arrays;
	uint32_t clean, dirty, other; /* cards */
	bool behind;                  /* not all of it was walked yet; developed */
	bool cards_behind;            /* its cards are of an earlier event; developed */
};

/* A class in a picture. */
struct heap_walk_class {
	uint32_t id; /* of vm_classes */
	uint64_t objects;
	uint64_t bytes;
	int64_t growth; /* of bytes, since the picture before */
};

/* The state of the heap's objects at one event; see heap_walk_release. */
struct heap_walk_result {
	uint32_t range_count, cell_count, class_count;
	struct heap_walk_range *ranges;
	struct heap_walk_cell *cells;
	struct heap_walk_class *classes; /* with objects, or with growth */
	uint64_t used;                   /* bytes in use in all ranges */
	uint64_t behind;     /* of them not walked yet, or not copied into the picture */
	uint64_t unsettled;  /* of them walked, in ranges not walked to their end: their
					classes are counted then */
	uint64_t unparsable; /* of them that cannot be walked */
	uint64_t lost;       /* of them whose classes there was no room to count */
	bool first;          /* growth is since the beginning */
	uint64_t generation; /* changes when the numbers of classes begin again */
};

/* How many of each a driver needs. 0 ranges: this heap cannot be swept. */
struct heap_walk_size {
	uint32_t ranges;
	uint32_t cells;
};

/* What the driver is asked for. `room` has place for heap_walk_size. */
struct heap_walk_moment {
	bool finish;
	enum gc_kind kind; /* at a finish */
	bool allocated;    /* the collection ends with the allocation that it was made for */
	bool buffers;      /* the free parts of all threads' buffers are known */
};

/* As heap_driver.heap_walk_ranges: fills the list and returns its length. 0: nothing can be said at
 * this moment. */
typedef uint32_t heap_walk_ranges_fn(const void *driver, const void *raw,
    const struct heap_walk_moment *moment, struct heap_walk_range *ranges);

struct heap_walk_driver {
	const void *self;
	heap_walk_ranges_fn *ranges;
	struct heap_walk_size size;
};

/* Needs VM_OBJECTS. All borrowed. NULL without memory. */
struct heap_walk *heap_walk_create(
    const struct vm *vm, const struct heap_walk_driver *driver, const struct volume *volume);
void heap_walk_destroy(struct heap_walk *s);

/*
 * In the VM thread, once at each collection's start and finish, whoever listens. The counts are the
 * JVM's: not every full collection is announced, that before a class histogram of JDK 17 is not.
 */
void heap_walk_start(struct heap_walk *s, const struct vm_gc_counts *counts);
void heap_walk_finish(struct heap_walk *s, enum gc_kind kind, const struct vm_gc_counts *counts);

/* What the VM thread gives. */
struct heap_walk_event {
	const void *raw; /* the driver's capture */
	const char *cause;
	bool finish;
	const struct vm_tlab *tlabs;
	size_t tlab_count, tlab_total;
};

/*
 * In the VM thread, behind heap_walk_start or heap_walk_finish, for an event that somebody looks
 * at: sweeps if the volume is heavy and this event is one of those to sweep at. The picture is for
 * the reader; NULL: there is none.
 */
const struct heap_walk_result *heap_walk_now(
    struct heap_walk *s, const struct heap_walk_event *event);

/* Says of each cell of a picture what it lacks. Once, by the thread that reads it, before it looks
 * at cells: that need not be done in the pause. NULL is fine. */
void heap_walk_develop(struct heap_walk *s, const struct heap_walk_result *picture);

/* Gives a picture back. Any thread; NULL is fine. */
void heap_walk_release(struct heap_walk *s, const struct heap_walk_result *picture);

/* The name of a class in a picture that was not released yet. */
const char *heap_walk_class_name(const struct heap_walk *s, uint32_t id);

#endif
