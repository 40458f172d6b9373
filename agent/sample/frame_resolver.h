/*
 * Between physical frames and the methods that they stand for: the key of a physical stack, its
 * composition from the dictionary, and what an answer of GetStackTrace teaches the dictionary.
 *
 * For a walk on the stack of its own thread, while that thread is in the callback. Any number of
 * threads share a composer.
 */
#ifndef GCSPY_AGENT_FRAME_RESOLVER_H
#define GCSPY_AGENT_FRAME_RESOLVER_H

#include "walk.h"
#include "frame_cache.h"

struct frame_resolver {
	const struct vm *vm;
	uint32_t depth; /* of the stacks wanted */
	struct frame_cache dictionary;
};

/* A hash of the walk's `frames`. */
uint64_t walk_hash_frames(const struct walk *walk);

/* Sets what the walk tells about its `frames`: flags and answer. */
void walk_set_flags(struct walk *walk, bool truncated);

/* Sets the key from the physical frames. */
void walk_make_key(const struct frame_resolver *c, struct walk *walk);

/* Makes `frames` from the dictionary, with their flags; false when it lacks one. */
bool walk_compose(const struct frame_resolver *c, struct walk *walk);

/*
 * Compares the answer in `frames`, frame by frame, with the physical stack and learns from it. 0
 * with its flags set, or why the two do not fit: WALK_REDEFINED, WALK_DISAGREED.
 */
int walk_learn(struct frame_resolver *c, struct walk *walk);

#endif
