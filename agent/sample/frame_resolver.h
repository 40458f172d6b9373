/*
 * Maps physical frames to the methods that they represent: computes the key of a physical stack,
 * resolves frames from the frame cache, and fills the cache from answers of GetStackTrace.
 *
 * For a walk of the calling thread's own stack, while that thread is in the callback. Any number of
 * threads share a resolver.
 */
#ifndef GCSPY_AGENT_FRAME_RESOLVER_H
#define GCSPY_AGENT_FRAME_RESOLVER_H

#include <stdatomic.h>

#include "walk.h"
#include "frame_cache.h"

struct frame_resolver {
	const struct vm *vm;
	uint32_t depth; /* of the requested stacks */
	struct frame_cache frame_cache;
	atomic_uint pauses; /* of collections; written in them, so that a relaxed order will do */
};

/*
 * What changes before the memory of an unloaded class is reused. A class dies in a pause (at the end of
 * a marking, or of a whole collection), and no stack of a later time has its methods: where the JVM does
 * not count unloaded classes, each pause counts.
 */
uint64_t frame_resolver_unloading(const struct frame_resolver *c);

/* A hash of the walk's frames, those of its base included; what one of them adds to it, with the number
 * of frames older than it. */
uint64_t walk_hash_frames(const struct walk *walk);
uint64_t walk_hash_frame(const jvmtiFrameInfo *frame, size_t from_oldest);

/* Sets the walk's flags and answer for its `frames`. */
void walk_set_flags(struct walk *walk, bool truncated);

/* Sets the key from the physical frames, and `keys`: that of the stack without its i youngest. */
void walk_make_keys(const struct frame_resolver *c, struct walk *walk);

/* Resolves `frames` from the cache, those that are not in the base, with their flags and `starts`; false
 * when an entry is missing. */
bool walk_compose(const struct frame_resolver *c, struct walk *walk);

/* Compares the answer in `frames`, frame by frame, with the physical stack and stores it in the
 * cache. 0 with its flags set, or why they do not match: WALK_REDEFINED, WALK_DISAGREED. */
int walk_learn(struct frame_resolver *c, struct walk *walk);

#endif
