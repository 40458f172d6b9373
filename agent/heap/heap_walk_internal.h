/*
 * The insides of the heap walk, shared by its files: what is kept from event to event
 * (heap_walk.c), the walk itself (heap_walk_objects.c), where a walk can begin
 * (heap_walk_starts.c), buffers' gaps (heap_walk_gaps.c), cards (heap_walk_cards.c), and the result
 * (heap_walk_result.c).
 */
#ifndef GCSPY_AGENT_HEAP_WALK_INTERNAL_H
#define GCSPY_AGENT_HEAP_WALK_INTERNAL_H

#include "area.h"
#include "heap_walk.h"
#include "walk_totals.h"

enum { BUFFERS = 3, MAX_CLASSES = 32768, CHUNKS = 262144, TLABS = 4096 };

/* What is kept of a range from event to event. */
struct track {
	struct heap_walk_range range; /* at the last event */
	uint64_t walked;              /* up to here */
	uint64_t limit;               /* of the walk at this event */
	uint64_t bad;                 /* from here on it cannot be walked; UINT64_MAX: it can */
	uint64_t epoch;
	uint64_t last;    /* where the last walked object begins */
	uint64_t version; /* of the cells; see `changed` */
	uint32_t
	    cleared; /* number of cells cleared; those behind have values of earlier contents */
	uint32_t cards_to; /* number of cells whose cards were counted at this event */
	bool changed;      /* the cells, since that version */
	bool known;        /* an object begins at `walked` */
	bool by_table;     /* according to the JVM's table */
	bool anew;         /* its contents differ from those at the event before */
	bool fresh;        /* the walk in progress replaces its counts by class */
	bool trusted;      /* came into use after the last marking that unloaded classes */
};

/* A part of a range that was free in a thread's buffer when it was walked, and is to be walked
 * later. */
struct pending_gap {
	uint32_t range;
	uint64_t at, end;
};

/* What a result needs of a track to be completed. */
struct missing {
	uint64_t walked, bad;
	uint32_t cards_to;
	bool late; /* there was no time to copy the cells */
};

struct result_buffer {
	struct heap_walk_result shown; /* first */
	atomic_bool
	    taken; /* set by the VM thread, before the capture is released to the worker, which
			      releases the buffer by clearing it */
	uint64_t *versions; /* by range, of its cells; 0: none */
	struct missing *missing;
	struct pending_gap *pending;
	size_t pending_count;
};

struct heap_walk {
	const struct vm *vm;
	struct heap_walk_driver driver;
	const struct volume *volume;
	bool active;            /* there is state to reset when the volume is light again */
	uint64_t moments, seen; /* starts and finishes so far; up to the last walk */
	uint64_t full;          /* collections, at the last finish */
	uint64_t epoch;         /* of the contents of ranges that do not move */
	uint64_t unloaded;      /* classes, at the last finish */
	bool tainted;           /* old ranges may contain dead objects of unloaded classes */
	struct vm_classes *classes;
	struct walk_totals *totals;
	uint64_t *before; /* bytes by class in the last result */
	bool first;
	uint64_t generation;
	struct heap_walk_range *ranges;
	struct track *tracks;
	uint32_t range_count, turn; /* the range to be walked first */
	uint32_t card_turn;         /* likewise, for cards */
	uint32_t copy_turn;         /* likewise, to be copied into a result */
	bool whole;                 /* the range to be walked first had the last event's whole
				       budget */
	bool misled;                /* the JVM's table of object starts was wrong */
	uint64_t agreed;            /* number of times it agreed with a walk */
	uint64_t versions;          /* assigned to cells so far */
	struct heap_walk_cell *cells;
	struct vm_gap gaps[TLABS];
	size_t gap_count;
	struct pending_gap pending[TLABS]; /* of earlier walks */
	size_t pending_count, pending_old; /* the first ones, left over by the last walk */
	enum gc_kind kind;                 /* of the last collection */
	struct result_buffer buffers[BUFFERS];
};

/* The cells that a range has. */
struct area heap_walk_area(const struct heap_walk_range *range);

/* The free parts of the threads' buffers, in address order; how many (heap_walk_gaps.c). */
size_t heap_walk_find_gaps(
    const struct vm_tlab *tlabs, size_t count, struct vm_gap *gaps, size_t room);

/* Gaps (heap_walk_gaps.c): drops those of ranges that are walked again; walks over the others until
 * the deadline (false: time is up); adds those that the walk of the ranges has left. */
void heap_walk_drop_pending(struct heap_walk *s);
bool heap_walk_pending(struct heap_walk *s, uint64_t deadline);
void heap_walk_add_pending(struct heap_walk *s);

/* Walks a part of a range; false: time is up. Memory that is no object makes the rest of the range
 * unparsable. */
bool heap_walk_objects_part(
    struct heap_walk *s, uint32_t range, struct vm_address_range *part, uint64_t deadline);

/* True if it is known where a walk of the range begins: `walked`. */
bool heap_walk_knows_start(struct heap_walk *s, uint32_t range);

/* A range was walked to its end: compares the end with the JVM's table. */
void heap_walk_check_start(struct heap_walk *s, uint32_t range);

/* Marks a range as empty (`bad` UINT64_MAX) or unparsable from `bad` on, and drops its counts by
 * class. */
void heap_walk_give_up(struct heap_walk *s, uint32_t range, uint64_t bad);

/* Count the cards of all ranges; walk what has not been walked; write the result: each until its
 * deadline of the monotonic clock. */
void heap_walk_count_cards(struct heap_walk *s, uint64_t deadline);
void heap_walk_objects(struct heap_walk *s, uint64_t deadline);
void heap_walk_take_result(struct heap_walk *s, struct result_buffer *result, uint64_t deadline);

#endif
