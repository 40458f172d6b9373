/*
 * What kind of pause a collection was, from the JVM's counts before and after it. A pure state
 * machine, without a JVM.
 *
 * HotSpot's events do not say it. In all stop-the-world collectors the count of collections grows
 * inside the pause and the count of full ones with it. G1's Remark and Cleanup post the same events
 * but have no cause, and one of the two is counted as well: Cleanup up to JDK 20, Remark from 22 on
 * (JDK-8309538). In 21 and in unknown releases they are taken to come in turn.
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
	X(CLEANUP, "Cleanup")

enum gc_kind {
#define X(id, name) GC_##id,
	GC_KINDS(X)
#undef X
	    GC_KIND_COUNT
};

extern const char *const gc_kind_names[GC_KIND_COUNT];

struct gc_kinds {
	enum vm_collector collector;
	int jdk; /* major release; 0: unknown */
	struct vm_gc_counts start;
	bool remarked; /* G1: a Remark has been, its Cleanup is to come */
};

/* At a collection's start and finish, for every collection, also with nobody attached. */
void gc_kinds_start(struct gc_kinds *k, const struct vm_gc_counts *counts);

/* A mixed pause is told as a young one here: only the heap's map shows that old regions were
 * emptied. */
enum gc_kind gc_kinds_finish(struct gc_kinds *k, const struct vm_gc_counts *counts);

#endif
