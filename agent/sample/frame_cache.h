/*
 * What physical frames mean, learned from answers of GetStackTrace: the method id of each
 * interpreted Method, and the methods and bytecode indices at each program counter in compiled
 * code. Fixed tables; new entries replace old ones.
 *
 * A program counter in compiled code is stored with its compile id, so that its meaning never
 * changes. The address of a Method may be reused for another one: the id is returned only while it
 * still leads to that Method.
 *
 * Any number of threads, without locks: an entry that was read while it was written, in whatever order
 * its words arrive, is rejected. One word of each, the id of a method and the hash of a location, is
 * stored with release and loaded with acquire: ids are addresses of the JVM's, which the thread that
 * learned them has from it, and whoever finds them here may follow.
 * Frames are looked up while they are on the caller's own stack.
 */
#ifndef GCSPY_AGENT_FRAME_CACHE_H
#define GCSPY_AGENT_FRAME_CACHE_H

#include <jvmti.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vm_walk.h"

/* A method takes 16 bytes, 256 KiB in all; a program counter 64 bytes per four inlined methods, 1
 * MiB in all. */
enum { WALK_METHODS = 1 << 14, WALK_LOCATIONS = 1 << 14 };

struct frame_cache {
	void *memory;
	_Atomic uint64_t *methods;
	_Atomic uint64_t *locations;
	atomic_uint turn; /* chooses the entry to replace */
};

bool frame_cache_init(struct frame_cache *cache);
void frame_cache_fini(struct frame_cache *cache);

/* The id of a Method; NULL when it is unknown or no longer valid. */
jmethodID frame_cache_method(const struct frame_cache *cache, const struct vm *vm, uint64_t method);
void frame_cache_learn_method(struct frame_cache *cache, uint64_t method, jmethodID id);

/* Begins to load what is known of a compiled frame. */
void frame_cache_prefetch(const struct frame_cache *cache, const struct vm_frame *frame);

/* Writes the methods of a compiled frame, at most `room` of them, youngest first, and returns their
 * total number; 0 when some of those are unknown. */
size_t frame_cache_scopes(const struct frame_cache *cache, const struct vm_frame *frame,
    jvmtiFrameInfo *scopes, size_t room);

/* Stores the first `known` methods of a frame that has `total`, known <= total. Frames of more than
 * 512 methods are not stored. */
void frame_cache_learn_scopes(struct frame_cache *cache, const struct vm_frame *frame,
    const jvmtiFrameInfo *scopes, size_t known, size_t total);

#endif
