/*
 * Which collections tell live samples from dead ones, and which samples each of them concerns
 * (gcspy/profile.h). A sample is judged by the first collection that could have freed its object:
 *
 * - one that stops the program judges everything allocated before it, a young one only what was
 *   allocated in the young generation, and humongous arrays of primitives, which G1 frees at young
 *   pauses; other humongous objects that it leaves alone are not known to be alive;
 * - a concurrent cycle judges what was allocated before its marking began;
 * - a concurrent marking of G1's old generation begins in some young pause after the Cleanup of the
 *   one before; the first such pause is taken, unless a humongous allocation caused a later one;
 * - young collections of generational ZGC clear no weak references: only a marking of the old
 *   generation judges, and only what it found on pages that are older than itself;
 * - where nothing tells the pauses of ZGC or Shenandoah apart, what was allocated before the last
 *   JUDGE_BLIND_PAUSES has been through a whole cycle, which has three or four pauses.
 *
 * The VM thread writes; others read a copy, or the birth of a new sample. Nothing waits. The copy is
 * under a sequence lock: the writer's release fence between the odd number and the words, and the
 * reader's acquire fence between the words and its second look, make a reader of any new word see the
 * odd number; the even number is released after the words, and acquired before they are read. Births
 * are numbers by themselves.
 */
#ifndef GCSPY_AGENT_JUDGE_H
#define GCSPY_AGENT_JUDGE_H

#include <stdatomic.h>
#include <stdint.h>

#include "gc_kind.h"

/* Which samples may have died in a pause, or may have become judgeable. */
enum judge_look {
	JUDGE_YOUNG = 1, /* young ones, and those allocated outside the young generation */
	JUDGE_ALL = 2,
	JUDGE_PAGES = 4, /* a marking of ZGC's old generation: note what is on its pages */
	JUDGE_OLD = 8,   /* such a marking is over: judge what was noted */
};

enum { JUDGE_BLIND_PAUSES = 6 };

/* A collection that judged. */
struct judge_collection {
	uint64_t number;     /* of collections since sampling began; 0: none yet */
	uint64_t collection; /* the JVM's number of it, as in events */
	int64_t wall_ns;     /* its end */
	uint64_t kind;       /* enum gc_kind */
};

struct judgement {
	uint64_t collections; /* counted since sampling began */
	uint64_t whole;       /* the last one that judged everything; 0: none */
	uint64_t marked; /* a marking has judged old objects from before this collection; 0: none */
	struct judge_collection judged, judged_old;
	uint64_t used; /* bytes in the heap at the end of `judged`; 0: not known */
};

enum { JUDGE_WORDS = sizeof(struct judgement) / sizeof(uint64_t) };

struct judge {
	/* The VM thread's. */
	struct judgement now;
	uint64_t boundary; /* of a marking that may have begun (G1); 0: none */
	uint32_t blind;    /* pauses that cannot be told apart, since the last that judged */
	bool marked;       /* a cycle's marking is over, but not the cycle (Shenandoah) */
	/* Shared. The copy of `now` is under a sequence lock: odd while it is written. */
	atomic_uint sequence;
	atomic_uint_least64_t words[JUDGE_WORDS];
	atomic_uint birth;
};

/* When no pause ends. */
void judge_begin(struct judge *j);

/* The birth of a sample that is allocated now: collections counted so far, times 2, plus 1 while a
 * marking runs that does not judge it. */
static inline uint32_t judge_birth(const struct judge *j)
{
	return atomic_load_explicit(&j->birth, memory_order_relaxed);
}

/* A pause has ended. In the VM thread; a few stores. `humongous`: a humongous allocation caused it.
 * Returns what to look at (enum judge_look). */
struct judge_pause {
	enum gc_kind kind;
	uint64_t collection; /* the JVM's number */
	bool humongous;
	bool blind;        /* nothing tells the pauses of the collector apart */
	bool generational; /* Shenandoah */
	bool idle;         /* its cycle is over: this marking found nothing to evacuate */
	int64_t wall_ns;
	uint64_t used;
};
unsigned judge_finish(struct judge *j, const struct judge_pause *pause);

/* A consistent copy. Any thread. */
struct judgement judge_read(const struct judge *j);

/* The number of the first collection that judged a sample of that birth; 0: none yet. `old`: its
 * object was allocated outside the young generation. */
uint32_t judge_first(const struct judgement *j, uint32_t birth, bool old);

/* Collections survived, from the one that judged it on; 0 for a new sample. */
static inline uint32_t judge_age(const struct judgement *j, uint32_t judged)
{
	return judged == 0                ? 0
	       : judged >= j->collections ? 1
					  : (uint32_t)j->collections - judged + 1;
}

#endif
