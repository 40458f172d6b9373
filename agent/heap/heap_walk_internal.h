/*
 * The insides of the sweep, shared by its files: what is kept of the heap from event to event
 * (heap_walk.c), the walk that fills it (heap_walk_objects.c), where a walk can begin
 * (heap_walk_starts.c), cards (heap_walk_cards.c), and the picture of it all (heap_walk_result.c).
 */
#ifndef GCSPY_AGENT_HEAP_WALK_INTERNAL_H
#define GCSPY_AGENT_HEAP_WALK_INTERNAL_H

#include "area.h"
#include "heap_walk.h"
#include "walk_totals.h"

enum { PICTURES = 3, MAX_CLASSES = 32768, CHUNKS = 262144, TLABS = 4096 };

/* What is kept of a range from event to event. */
struct track {
	struct heap_walk_range range; /* at the last event */
	uint64_t walked;              /* up to here */
	uint64_t limit;               /* of the walk at this event */
	uint64_t bad; /* from here on it cannot be walked; UINT64_MAX: all of it can */
	uint64_t epoch;
	uint64_t last;     /* where the last object begins that was walked over */
	uint64_t version;  /* of what stands in the cells; see `changed` */
	uint32_t cleared;  /* cells; what stands in those behind is of another life */
	uint32_t cards_to; /* cells before this one had their cards counted at this event */
	bool changed;      /* the cells, since they had that version */
	bool known;        /* `walked` is where an object begins */
	bool by_table;     /* the JVM's table has said so */
	bool anew;         /* it does not hold what it held at the event before */
	bool fresh;        /* the walk under way replaces what is known of its classes */
	bool trusted;      /* came to be after the last marking that unloaded classes */
};

/* A part of a range that was free in a thread's buffer when the walk came by. */
struct gap {
	uint32_t range;
	uint64_t at, end;
};

/* What a picture needs of a track to be developed. */
struct negative {
	uint64_t walked, bad;
	uint32_t cards_to;
	bool late; /* there was no time to copy the cells */
};

struct picture {
	struct heap_walk_result shown; /* first */
	atomic_bool taken;
	uint64_t *versions; /* by range, of the cells that it has; 0: none */
	struct negative *negatives;
	struct gap *gaps;
	size_t gap_count;
};

struct heap_walk {
	const struct vm *vm;
	struct heap_walk_driver driver;
	const struct volume *volume;
	bool active;            /* there is something to forget when the volume is light again */
	uint64_t moments, seen; /* starts and finishes so far; up to the last sweep */
	uint64_t full;          /* collections, at the last finish */
	uint64_t epoch;         /* of what lies in ranges that do not move */
	uint64_t unloaded;      /* classes, at the last finish */
	bool tainted;           /* old ranges may have dead objects of unloaded classes */
	struct vm_classes *classes;
	struct walk_totals *tally;
	uint64_t *before; /* bytes by class in the last picture */
	bool first;
	uint64_t generation;
	struct heap_walk_range *ranges;
	struct track *tracks;
	uint32_t range_count, turn; /* whose turn it is to be walked first */
	uint32_t card_turn;         /* likewise, to have its cards counted */
	uint32_t copy_turn;         /* likewise, to be copied into a picture */
	bool whole;                 /* whose turn it is had the last event's whole budget */
	bool misled;                /* the JVM's table of object starts was wrong */
	uint64_t agreed;            /* borders at which it and the walk have agreed */
	uint64_t versions;          /* given to cells so far */
	struct heap_walk_cell *cells;
	struct vm_gap holes[TLABS];
	size_t hole_count;
	struct gap gaps[TLABS];        /* of the walks before this one */
	size_t gap_count, gaps_behind; /* those that nobody has come to stand first */
	enum gc_kind kind;             /* of the last collection */
	struct picture pictures[PICTURES];
};

/* The cells that a range has. */
struct area heap_walk_area(const struct heap_walk_range *range);

/* Gaps (heap_walk_gaps.c): drops those of ranges that are walked anew, walks over the others until
 * the deadline (false when it is over), and adds those that the walk of the ranges has left. */
void heap_walk_forget_gaps(struct heap_walk *s);
bool heap_walk_fill_gaps(struct heap_walk *s, uint64_t deadline);
void heap_walk_find_gaps(struct heap_walk *s);

/* Walks a part of a range, until the time is over. What is strange there makes the rest of the
 * range unparsable. */
bool heap_walk_objects_part(
    struct heap_walk *s, uint32_t range, struct vm_address_range *part, uint64_t deadline);

/* True if it is known where a walk of the range begins: `walked`. */
bool heap_walk_knows_start(struct heap_walk *s, uint32_t range);

/* A range was walked to its end: compares the place with what the JVM's table says. */
void heap_walk_check_start(struct heap_walk *s, uint32_t range);

/* A range whose classes are known to be none, or cannot be known: unparsable from `bad` on. */
void heap_walk_give_up(struct heap_walk *s, uint32_t range, uint64_t bad);

/* Counts the cards of all ranges, walks over what is not known yet, and writes the picture: each
 * until its deadline, by now_ns(). */
void heap_walk_count_cards(struct heap_walk *s, uint64_t deadline);
void heap_walk_objects(struct heap_walk *s, uint64_t deadline);
void heap_walk_take_result(struct heap_walk *s, struct picture *picture, uint64_t deadline);

/* Bytes of the range that were not walked yet. */
uint64_t heap_walk_behind(const struct track *t);

#endif
