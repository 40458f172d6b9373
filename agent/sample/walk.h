/*
 * Finds the stack of a sampled allocation, fast (S2, S7): which known stack it is, and its frames
 * only if it is new.
 *
 * JVMTI's GetStackTrace costs 4 to 16 microseconds per stack. A walker instead walks the physical
 * frames itself (vm_walk.h), hashes them to a key, and looks it up among the stacks seen before. If
 * it is not there, the stack of its older frames often is, for a program's stacks are a tree: then only
 * the younger frames are resolved, from a cache of what each compiled frame and each method meant in
 * earlier answers of GetStackTrace. Only missing entries are requested.
 *
 * Method ids always come from GetStackTrace. The walker verifies itself: the first stacks of each
 * kind and then one of 256 are compared with GetStackTrace, and one difference disables the fast
 * walk for good, as do walks that fail more often than not. On an unknown JVM it is disabled from
 * the beginning (VM_STACK_WALK says why). In either case this module continues with GetStackTrace.
 *
 * Memory is fixed: about 2.3 MiB, touched as it fills. Tables lose entries to newer ones and are
 * shared by all threads without locks.
 */
#ifndef GCSPY_AGENT_WALK_H
#define GCSPY_AGENT_WALK_H

#include <jvmti.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vm_walk.h"

enum walk_choice {
	WALK_AUTO,  /* fast where it can be trusted */
	WALK_JVMTI, /* always GetStackTrace */
};

enum { WALK_MAX_DEPTH = 512 };

/* Of the physical frames of a stack, so many of the youngest are remembered as ends of stacks. */
enum { WALK_LEVELS = 48 };

/* Not a number of the caller's. */
#define WALK_NO_BASE UINT32_MAX

/* One stack; the caller sets only `frames` and `physical`, with room for the walker's depth. */
struct walk {
	uint64_t key[2]; /* identity of the stack, never {0, 0}; one stack may have several */
	bool native_top; /* the youngest Java frame is a native method */
	bool truncated;  /* there are more frames than the depth */
	/* Only set when walker_find was false: the frames, youngest first, as far as they are not in the
	 * stack that the caller has numbered `base`; WALK_NO_BASE: all. */
	uint32_t base;
	jint count;
	jvmtiFrameInfo *frames; /* native: location -1 */

	/* Private to the walker, for walker_remember. */
	struct vm_frame *physical;
	uint32_t generation;
	uint32_t physical_count;
	enum vm_walk_end end;
	uint64_t answer;      /* a hash of all frames */
	uint64_t base_answer; /* of those in `base` */
	jint base_count;      /* their number */
	uint32_t levels; /* stacks to remember: physical frame 0 and the older ones, 1 and … */
	uint16_t starts[WALK_LEVELS]; /* in `frames`, of each of them */
	uint64_t keys[WALK_LEVELS][2];
};

/* Why a single walk was given up: the ends of vm_walk, and two more. */
enum {
	WALK_REDEFINED = VM_WALK_END_COUNT, /* a method has another version now */
	WALK_DISAGREED,                     /* GetStackTrace's frames differ from those walked */
	WALK_GIVE_UPS,
};

/* "a pointer that leaves the stack". */
const char *walk_give_up_text(int reason);

struct walker;

/*
 * Depth from 1 to WALK_MAX_DEPTH. `vm` and `jvmti` must outlive the walker. NULL without memory.
 */
struct walker *walker_create(
    const struct vm *vm, jvmtiEnv *jvmti, uint32_t depth, enum walk_choice choice);

/* When no callback can run any more. NULL is fine. */
void walker_destroy(struct walker *w);

/*
 * In a SampledObjectAlloc callback, in the allocating thread `thread` with its `jni`. True with
 * `*stack`: the number remembered for this stack; `frames` is undefined. False: `base`, `frames` and
 * `count` hold the stack; the caller numbers it and calls walker_remember. `count` may be 0: no
 * Java frames. The key and the two flags are set in both cases.
 *
 * No lock and no memory allocation; a few hundred nanoseconds, or GetStackTrace.
 */
bool walker_find(struct walker *w, JNIEnv *jni, jthread thread, struct walk *walk, uint32_t *stack);

/*
 * Remembers the stack for which walker_find returned false, and those that end at its younger frames.
 * stacks[i] | bits: the caller's number of the stack whose youngest frame is frames[i]. Any thread.
 */
void walker_remember(
    struct walker *w, const struct walk *walk, const uint32_t *stacks, uint32_t bits);

/*
 * Invalidates all remembered numbers, because the caller renumbers its stacks. Any thread, at any
 * time: what is remembered for a walk that began before is not found later. A concurrent
 * walker_find may still return an old number.
 */
void walker_forget(struct walker *w);

/* At the finish of each pause of a collection, in the pause. */
void walker_collected(struct walker *w);

/* Changes before the memory of a class that is unloaded becomes another one's. Any thread. */
uint64_t walker_unloading(const struct walker *w);

struct walker_report {
	bool fast;         /* else GetStackTrace is in use */
	uint64_t walks;    /* = found + composed + asked */
	uint64_t found;    /* known by their key */
	uint64_t composed; /* from the frame cache */
	uint64_t asked;    /* answered by GetStackTrace */
	uint64_t verified; /* of `found` and `composed`: compared with GetStackTrace as well */
	uint64_t mismatches;
	uint64_t gave_up[WALK_GIVE_UPS]; /* of `asked`: by reason */
	const char *why; /* a sentence when not fast, else NULL; lives as long as the walker */
};

/* Current counters, each exact, but not an atomic snapshot of all. Any thread. */
void walker_report(const struct walker *w, struct walker_report *report);

/* One line: "fast; 12,345 stacks, 98.1 % found, 1.2 % asked, 1,210 verified, 0 mismatches" or
 * "GetStackTrace, because: …". Any thread. */
void walker_describe(const struct walker *w, char *text, size_t size);

#endif
