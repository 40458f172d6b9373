/*
 * What kind of pause a collection was, and which collection it belongs to, derived from the state
 * of the JVM before and after it. Pure state machines, without a JVM.
 *
 * HotSpot's events do not include it. In all stop-the-world collectors the count of collections
 * grows inside the pause, and the count of full ones with it. G1's Remark and Cleanup post the same
 * events but have no cause, and one of the two is counted as well: Cleanup up to JDK 20, Remark
 * since 22 (JDK-8309538), unless marking continues after it. In 21 and in unknown releases they are assumed to alternate. The pauses
 * of ZGC and Shenandoah are distinguished in gc_kind_concurrent.c.
 */
#ifndef GCSPY_AGENT_GC_KIND_H
#define GCSPY_AGENT_GC_KIND_H

#include <stdbool.h>

#include "vm_gc.h"

/* Identifier, name for people. */
#define GC_KINDS(X)                                                                                \
	X(OTHER, "Pause")                                                                          \
	X(YOUNG, "Young")                                                                          \
	X(MIXED, "Mixed")                                                                          \
	X(FULL, "Full")                                                                            \
	X(REMARK, "Remark")                                                                        \
	X(CLEANUP, "Cleanup")                                                                      \
	X(MARK_START, "Mark start")                                                                \
	X(MARK_END, "Mark end")                                                                    \
	X(RELOCATE_START, "Relocate start")                                                        \
	X(YOUNG_MARK_START, "Young mark start")                                                    \
	X(BOTH_MARK_START, "Young and old mark start")                                             \
	X(YOUNG_MARK_END, "Young mark end")                                                        \
	X(YOUNG_RELOCATE_START, "Young relocate start")                                            \
	X(OLD_MARK_END, "Old mark end")                                                            \
	X(OLD_RELOCATE_START, "Old relocate start")                                                \
	X(INIT_MARK, "Init mark")                                                                  \
	X(FINAL_MARK, "Final mark")                                                                \
	X(FINAL_ROOTS, "Final roots")                                                              \
	X(INIT_UPDATE_REFS, "Init update refs")                                                    \
	X(FINAL_UPDATE_REFS, "Final update refs")                                                  \
	X(DEGENERATED, "Degenerated")                                                              \
	X(STOPPED, "Degenerated or full")

enum gc_kind {
#define X(id, name) GC_##id,
	GC_KINDS(X)
#undef X
	    GC_KIND_COUNT
};

extern const char *const gc_kind_names[GC_KIND_COUNT];

/* The phase of a Shenandoah cycle between two pauses. */
enum gc_cycle { GC_CYCLE_UNKNOWN, GC_IDLE, GC_MARKING, GC_MARKED, GC_EVACUATING, GC_UPDATING };

struct gc_kinds {
	enum vm_collector collector;
	int jdk; /* major release; 0: unknown */
	bool generational;
	bool blind; /* nothing tells the kind of a pause */
	struct vm_gc_counts start;
	struct vm_gc_signs signs; /* at the start */
	uint64_t number;          /* of the collection of the last pause; 0: unknown */
	bool begun;               /* a pause has been seen */
	bool remarked;            /* G1: after a Remark, before its Cleanup */
	uint64_t remark;          /* G1: number of the last one that the JVM has counted; 0: none */
	bool aborted;             /* G1: by a full collection, since the last young one */
	uint64_t concurrent;      /* pauses of G1's concurrent cycles at the last finish */
	/* ZGC with generations: which generations are being marked or wait for relocation, and
	 * whether the young collection began by itself while the old generation was marked. */
	bool young, old, alone;
	uint64_t old_number; /* of the collection that started marking the old generation */
	bool unsure;         /* an old collection may have begun before the first pause seen */
	bool overlap;        /* during the last pause another collection may have freed pages */
	/* Shenandoah. */
	enum gc_cycle cycle;
	uint64_t cycles; /* begun so far */
};

void gc_kinds_init(struct gc_kinds *k, const struct vm *vm);

/* What to count of regions for the next call: nothing if `attached` is false and the order of
 * pauses is sufficient. */
struct vm_gc_ask gc_kinds_ask(const struct gc_kinds *k, bool finish, bool attached);

/* At every collection's start and finish, also without clients. */
void gc_kinds_start(
    struct gc_kinds *k, const struct vm_gc_counts *counts, const struct vm_gc_signs *signs);

/* A mixed pause is reported as a young one: only the heap map shows that old regions were emptied.
 * Sets `number`. */
enum gc_kind gc_kinds_finish(
    struct gc_kinds *k, const struct vm_gc_counts *counts, const struct vm_gc_signs *signs);

/* The number of the collection whose pause has just started. 0 if only the finish will tell,
 * because it may be a pause of another collection. */
uint64_t gc_kinds_expected(const struct gc_kinds *k);

/* The parts of gc_kind_concurrent.c. */
enum gc_kind gc_kinds_finish_z(
    struct gc_kinds *k, const struct vm_gc_counts *counts, const struct vm_gc_signs *signs);
enum gc_kind gc_kinds_finish_shenandoah(struct gc_kinds *k, const struct vm_gc_signs *signs);
uint64_t gc_kinds_expected_z(const struct gc_kinds *k);
uint64_t gc_kinds_expected_shenandoah(const struct gc_kinds *k);

#endif
