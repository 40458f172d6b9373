/*
 * What kind of pause a collection was, and which collection it belongs to, from what the JVM shows
 * before and after it. Pure state machines, without a JVM.
 *
 * HotSpot's events do not say it. In all stop-the-world collectors the count of collections grows
 * inside the pause and the count of full ones with it. G1's Remark and Cleanup post the same
 * events but have no cause, and one of the two is counted as well: Cleanup up to JDK 20, Remark
 * from 22 on (JDK-8309538). In 21 and in unknown releases they are taken to come in turn. The
 * pauses of ZGC and Shenandoah are told apart in gc_kind_concurrent.c.
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

/* Where a Shenandoah cycle is between two pauses. */
enum gc_cycle { GC_CYCLE_UNKNOWN, GC_IDLE, GC_MARKING, GC_MARKED, GC_EVACUATING, GC_UPDATING };

struct gc_kinds {
	enum vm_collector collector;
	int jdk; /* major release; 0: unknown */
	bool generational;
	struct vm_gc_counts start;
	struct vm_gc_signs signs; /* at the start */
	uint64_t number; /* of the collection that the last pause belonged to; 0: unknown */
	bool remarked;   /* G1: a Remark has been, its Cleanup is to come */
	/* ZGC with generations: what is being marked or waits for its relocation; and whether the
	 * young one began by itself while the old one was marked. */
	bool young, old, alone;
	uint64_t old_number; /* of the collection that began to mark the old generation */
	bool overlap; /* in the last pause another collection may have freed what the VM keeps */
	/* Shenandoah. */
	enum gc_cycle cycle;
	uint64_t cycles; /* begun so far */
};

void gc_kinds_init(struct gc_kinds *k, const struct vm *vm);

/*
 * Which regions have to be counted for the next call: none if `attached` is false and the last
 * pause tells enough.
 */
struct vm_gc_ask gc_kinds_ask(const struct gc_kinds *k, bool finish, bool attached);

/* At a collection's start and finish, for every collection, also with nobody attached. */
void gc_kinds_start(
    struct gc_kinds *k, const struct vm_gc_counts *counts, const struct vm_gc_signs *signs);

/* A mixed pause is told as a young one here: only the heap's map shows that old regions were
 * emptied. Sets `number`. */
enum gc_kind gc_kinds_finish(
    struct gc_kinds *k, const struct vm_gc_counts *counts, const struct vm_gc_signs *signs);

/*
 * The number that the collection will have whose pause has just been started. 0 when the finish
 * alone tells: a pause of another collection may come as well.
 */
uint64_t gc_kinds_expected(const struct gc_kinds *k);

/* The parts of gc_kind_concurrent.c. */
enum gc_kind gc_kinds_finish_z(
    struct gc_kinds *k, const struct vm_gc_counts *counts, const struct vm_gc_signs *signs);
enum gc_kind gc_kinds_finish_shenandoah(struct gc_kinds *k, const struct vm_gc_signs *signs);
uint64_t gc_kinds_expected_z(const struct gc_kinds *k);
uint64_t gc_kinds_expected_shenandoah(const struct gc_kinds *k);

#endif
