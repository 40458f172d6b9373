#include "frame_resolver.h"

#include "vm_code.h"
#include "walk_cache.h"
#include "walk_hash.h"

/* A sum, so that the hash of the older frames is a part of that of all. */
uint64_t walk_hash_frame(const jvmtiFrameInfo *frame, size_t from_oldest)
{
	uint64_t x = (uint64_t)(uintptr_t)frame->method * HASH_ODD_2 +
		     (uint64_t)frame->location * WALK_ODD_5 + from_oldest * HASH_ODD_3;
	x ^= x >> 31;
	x *= HASH_ODD_2;
	return x ^ x >> 29;
}

uint64_t walk_hash_frames(const struct walk *walk)
{
	uint64_t answer = walk->base_answer;
	for (jint i = 0; i < walk->count; i++)
		answer += walk_hash_frame(
		    &walk->frames[i], (size_t)(walk->base_count + walk->count - 1 - i));
	return answer & WALK_ANSWER_MASK;
}

void walk_set_flags(struct walk *walk, bool truncated)
{
	walk->native_top = walk->count > 0 && walk->frames[0].location == -1;
	walk->truncated = truncated;
	walk->answer = walk_hash_frames(walk);
}

/* Keys. */

/* A compiled frame has a word of its address and compile id in each half, and both of them together have
 * all bits: addresses have 47, compile ids 31. */
static void add_compiled(uint64_t key[static 2], const struct vm_frame *frame)
{
	const uint64_t id = (frame->what & UINT32_MAX) |
			    (uint64_t)((frame->what & VM_FRAME_DEOPTIMIZED) != 0) << 31;
	walk_hash_add_both(key, frame->where ^ id << 47, (frame->where & UINT32_MAX) | id << 32);
}

uint64_t frame_resolver_unloading(const struct frame_resolver *c)
{
	return vm_unloaded_classes(c->vm) + atomic_load_explicit(&c->pauses, memory_order_relaxed);
}

/*
 * An interpreted frame is identified by its Method, its bytecode and its method id, because the
 * first two are reused when classes are unloaded or redefined. An unknown id counts as 0: a key
 * with it is remembered only for frames beyond the depth, which the answer does not contain.
 */
static void add_interpreted(const struct frame_resolver *c, uint64_t key[static 2],
    const struct vm_frame *frame, uint64_t unloaded)
{
	const jmethodID id = frame_cache_method(&c->frame_cache, c->vm, frame->where);
	walk_hash_add(key, frame->where);
	walk_hash_add(key, frame->what);
	walk_hash_add(key, (uintptr_t)id);
	walk_hash_add(key, unloaded);
}

/* From the oldest frame on. */
void walk_make_keys(const struct frame_resolver *c, struct walk *walk)
{
	const uint64_t unloaded = frame_resolver_unloading(c);
	uint64_t key[2] = {HASH_ODD_2, WALK_ODD_5};
	walk_hash_add(key, walk->end);
	for (uint32_t i = walk->physical_count; i-- > 0;) {
		const struct vm_frame *frame = &walk->physical[i];
		if (vm_frame_compiled(frame))
			add_compiled(key, frame);
		else
			add_interpreted(c, key, frame, unloaded);
		if (i < WALK_LEVELS) {
			walk->keys[i][0] = key[0];
			walk->keys[i][1] = key[1];
			walk_hash_finish(walk->keys[i]);
		}
	}
	walk_hash_finish(key);
	walk->key[0] = key[0];
	walk->key[1] = key[1];
}

/* Resolving. */

static size_t compose_interpreted(
    const struct frame_resolver *c, const struct vm_frame *frame, jvmtiFrameInfo *into)
{
	int32_t index = 0;
	into->method = frame_cache_method(&c->frame_cache, c->vm, frame->where);
	if (into->method == NULL || !vm_frame_index(c->vm, frame, &index))
		return 0;
	into->location = index;
	return 1;
}

bool walk_compose(const struct frame_resolver *c, struct walk *walk)
{
	size_t count = 0;
	bool truncated = walk->end == VM_WALK_MORE;
	const size_t depth = c->depth - (size_t)walk->base_count;
	const uint32_t frames = walk->base == WALK_NO_BASE ? walk->physical_count : walk->levels;
	for (uint32_t i = 0; i < frames; i++) {
		const struct vm_frame *frame = &walk->physical[i];
		jvmtiFrameInfo *into = walk->frames + count;
		const size_t room = depth - count;
		if (i < WALK_LEVELS)
			walk->starts[i] = (uint16_t)count;
		if (room == 0) {
			truncated = true;
			break;
		}
		const size_t total = vm_frame_compiled(frame)
					 ? frame_cache_scopes(&c->frame_cache, frame, into, room)
					 : compose_interpreted(c, frame, into);
		if (total == 0)
			return false;
		if (total > room)
			truncated = true;
		count += total < room ? total : room;
	}
	walk->count = (jint)count;
	walk_set_flags(walk, truncated);
	return true;
}

/* Filling the cache from an answer of GetStackTrace. */

/* Stores one compiled frame, expected at `at` in the answer; returns how many methods it has, or 0
 * when they differ. */
static size_t learn_compiled(
    struct frame_resolver *c, const struct walk *walk, const struct vm_frame *frame, size_t at)
{
	int32_t indices[WALK_MAX_DEPTH];
	const jvmtiFrameInfo *frames = walk->frames + at;
	const size_t room = (size_t)walk->count - at;
	const size_t total =
	    vm_code_scopes(c->vm, (uintptr_t)frame->where, (uint32_t)frame->what, indices, room);
	const size_t known = total < room ? total : room;
	if (total > room && walk->count < (jint)c->depth)
		return 0;
	for (size_t i = 0; i < known; i++) {
		if (frames[i].location != indices[i])
			return 0;
	}
	frame_cache_learn_scopes(&c->frame_cache, frame, frames, known, total);
	return total;
}

/* Checks the id first: the Method that has it is valid, and may be read. */
static int learn_interpreted(
    struct frame_resolver *c, const struct vm_frame *frame, const jvmtiFrameInfo *answer)
{
	int32_t index = 0;
	if (!vm_method_has_id(c->vm, frame->where, answer->method, true))
		return WALK_REDEFINED;
	if (!vm_frame_index(c->vm, frame, &index) || answer->location != index)
		return WALK_DISAGREED;
	frame_cache_learn_method(&c->frame_cache, frame->where, answer->method);
	return 0;
}

int walk_learn(struct frame_resolver *c, struct walk *walk)
{
	size_t at = 0;
	const size_t count = (size_t)walk->count;
	bool truncated = walk->end == VM_WALK_MORE;
	for (uint32_t i = 0; i < walk->physical_count; i++) {
		const struct vm_frame *frame = &walk->physical[i];
		size_t total = 1;
		if (at >= count) {
			truncated = true;
			break;
		}
		if (vm_frame_compiled(frame)) {
			total = learn_compiled(c, walk, frame, at);
			if (total == 0)
				return WALK_DISAGREED;
		} else {
			const int reason = learn_interpreted(c, frame, &walk->frames[at]);
			if (reason != 0)
				return reason;
		}
		at += total;
	}
	if (at > count)
		truncated = true;
	if (at < count || (truncated && count < c->depth))
		return WALK_DISAGREED;
	walk_set_flags(walk, truncated);
	return 0;
}
