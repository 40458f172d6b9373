/*
 * The insides of the sweep, shared by its two files: what is kept of the heap from event to event
 * (sweep.c), and the walk that fills it (sweep_walk.c).
 */
#ifndef GCSPY_AGENT_SWEEP_INTERNAL_H
#define GCSPY_AGENT_SWEEP_INTERNAL_H

#include "area.h"
#include "sweep.h"
#include "sweep_tally.h"

enum { PICTURES = 3, MAX_CLASSES = 32768, CHUNKS = 65536, TLABS = 4096 };

/* What is kept of a range from event to event. */
struct track {
	struct sweep_range range; /* at the last event */
	uint64_t walked;          /* up to here */
	uint64_t limit;           /* of the walk at this event */
	uint64_t bad;             /* from here on it cannot be walked; UINT64_MAX: all of it can */
	uint64_t epoch;
	bool anew;    /* it does not hold what it held at the event before */
	bool fresh;   /* the walk under way replaces what is known of its classes */
	bool trusted; /* came to be after the last marking that unloaded classes */
};

/* A part of a range that was free in a thread's buffer when the walk came by. */
struct gap {
	uint32_t range;
	uint64_t at, end;
};

struct picture {
	struct sweep_picture shown;
	atomic_bool taken;
};

struct sweep {
	const struct vm *vm;
	struct sweep_driver driver;
	const struct volume *volume;
	bool active;            /* there is something to forget when the volume is light again */
	uint64_t moments, seen; /* starts and finishes so far; up to the last sweep */
	uint64_t full;          /* collections, at the last finish */
	uint64_t epoch;         /* of what lies in ranges that do not move */
	uint64_t unloaded;      /* classes, at the last finish */
	bool tainted;           /* old ranges may have dead objects of unloaded classes */
	struct vm_classes *classes;
	struct sweep_tally *tally;
	uint64_t *before; /* bytes by class in the last picture */
	bool first;
	uint64_t generation;
	struct sweep_range *ranges;
	struct track *tracks;
	uint32_t range_count, turn; /* whose turn it is to be walked first */
	uint32_t card_turn;         /* likewise, to have its cards counted */
	struct sweep_cell *cells;
	struct vm_hole holes[TLABS];
	size_t hole_count;
	struct gap gaps[TLABS];        /* of the walks before this one */
	size_t gap_count, gaps_behind; /* those that nobody has come to stand first */
	enum gc_kind kind;             /* of the last collection */
	struct picture pictures[PICTURES];
};

uint64_t sweep_clock_ns(void);

/* The cells that a range has. */
struct area sweep_area(const struct sweep_range *range);

/* Gaps (sweep_gaps.c): drops those of ranges that are walked anew, walks over the others until the
 * deadline (false when it is over), and adds those that the walk of the ranges has left. */
void sweep_forget_gaps(struct sweep *s);
bool sweep_fill_gaps(struct sweep *s, uint64_t deadline);
void sweep_find_gaps(struct sweep *s);

/* Walks a part of a range, until the time is over. What is strange there makes the rest of the range
 * unparsable. */
bool sweep_walk_part(struct sweep *s, uint32_t range, struct vm_stretch *part, uint64_t deadline);

/* Counts the cards of all ranges, walks over what is not known yet, and writes the picture: each
 * until its deadline, by sweep_clock_ns. */
void sweep_count_cards(struct sweep *s, uint64_t deadline);
void sweep_walk(struct sweep *s, uint64_t deadline);
void sweep_take_picture(struct sweep *s, struct sweep_picture *picture);

#endif
