/* Number of collections, and the cause of the current one. Plain loads of a few words: in the
 * callbacks of collections, or on any thread at any time. */
#ifndef GCSPY_AGENT_VM_GC_H
#define GCSPY_AGENT_VM_GC_H

#include "vm_shenandoah.h"

/*
 * HotSpot's own counts; 0 if the capability is missing. The total grows between the events
 * GarbageCollectionStart and -Finish of a collection, by two when a young collection turns into a
 * full one inside the same pause, and in one of the two pauses of G1's concurrent cycle, the only
 * ones without a cause. ZGC counts cycles, not pauses: all of them as full in JDK 17, the major
 * ones in JDK 25.
 */
struct vm_gc_counts {
	uint64_t total;
	uint64_t full;
	uint64_t concurrent;   /* pauses of G1's concurrent cycles; grows before the start of one */
	bool tells_concurrent; /* that is known */
	bool caused;           /* the JVM has set a cause, or does not expose it */
};

void vm_gc_counts(const struct vm *vm, struct vm_gc_counts *counts);

/* How Shenandoah runs a collection, according to its cause. */
enum vm_gc_way {
	VM_GC_WAY_UNKNOWN,
	VM_GC_WAY_CONCURRENT,
	VM_GC_WAY_FAILED, /* an allocation failed: degenerated, or a full collection */
	VM_GC_WAY_FULL,
};

/* ZGC's phase in JDK 20 and earlier. */
enum vm_gc_phase { VM_GC_MARK, VM_GC_MARKED, VM_GC_RELOCATE, VM_GC_PHASE_UNKNOWN };

/* State that distinguishes the pauses of concurrent collectors; empty for the others. */
struct vm_gc_signs {
	enum vm_gc_phase phase;
	uint64_t load_good, mark_good; /* masks of good pointers, ZGC of JDK 21 and later, as on
					x86-64; else 0 */
	enum vm_gc_way way;
	struct vm_shenandoah_marking marking;
	struct vm_shenandoah_census census;
};

/* The state at a collection's start or finish, in the VM thread. Regions, and their live bytes, are
 * counted only if requested: it takes microseconds. */
struct vm_gc_ask {
	bool regions, live;
};

void vm_gc_signs(const struct vm *vm, struct vm_gc_ask ask, struct vm_gc_signs *signs);

/* Whether Shenandoah has generations. */
bool vm_gc_generational(const struct vm *vm);

/* The event at which the cause is read. */
enum vm_gc_moment { VM_GC_START, VM_GC_FINISH };

/*
 * Writes the cause of the current collection ("Allocation Failure") as a string, cut to the
 * capacity, and returns its length. "" when the JVM does not know it (yet): at the start of Serial
 * and Parallel collections of JDK 17, and in the pauses of G1's concurrent cycle (Remark, Cleanup).
 */
size_t vm_gc_cause(const struct vm *vm, enum vm_gc_moment moment, char *text, size_t capacity);

#endif
