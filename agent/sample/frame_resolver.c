#include "frame_resolver.h"

#include "vm_code.h"
#include "walk_hash.h"

uint64_t walk_hash_frames(const struct walk *walk)
{
	uint64_t key[2] = {HASH_ODD_3, HASH_ODD_2};
	for (jint i = 0; i < walk->count; i++) {
		walk_hash_add(key, (uintptr_t)walk->frames[i].method);
		walk_hash_add(key, (uint64_t)walk->frames[i].location);
	}
	return hash_mix(key[0] ^ key[1]);
}

void walk_set_flags(struct walk *walk, bool truncated)
{
	walk->native_top = walk->count > 0 && walk->frames[0].location == -1;
	walk->truncated = truncated;
	walk->answer = walk_hash_frames(walk);
}

/* Keys. */

/*
 * An interpreted frame is identified by its Method, its bytecode and its method id, because the
 * first two are reused when classes are unloaded or redefined. An unknown id counts as 0: a key
 * with it is remembered only for frames beyond the depth, which the answer does not contain.
 */
void walk_make_key(const struct frame_resolver *c, struct walk *walk)
{
	uint64_t *key = walk->key;
	bool interpreted = false;
	key[0] = HASH_ODD_2;
	key[1] = WALK_ODD_5;
	for (uint32_t i = 0; i < walk->physical_count; i++) {
		const struct vm_frame *frame = &walk->physical[i];
		walk_hash_add(key, frame->where);
		walk_hash_add(key, frame->what);
		if (vm_frame_compiled(frame))
			continue;
		interpreted = true;
		const jmethodID id = frame_cache_method(&c->frame_cache, c->vm, frame->where);
		walk_hash_add(key, (uintptr_t)id);
	}
	walk_hash_add(key, walk->end);
	if (interpreted)
		walk_hash_add(key, vm_unloaded_classes(c->vm));
	walk_hash_finish(key);
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
	for (uint32_t i = 0; i < walk->physical_count; i++) {
		const struct vm_frame *frame = &walk->physical[i];
		jvmtiFrameInfo *into = walk->frames + count;
		const size_t room = c->depth - count;
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
