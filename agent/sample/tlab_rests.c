#include "tlab_rests.h"

#include "hash.h"
#include "sample.h"

enum { SINCE = 17, MENDED = 25 };

void tlab_rests_init(struct tlab_rests *rests, const struct vm *vm)
{
	const int major = vm_jdk_major(vm);
	rests->on = major >= SINCE && major < MENDED && vm_has(vm, VM_TLAB_LIST) &&
		    vm_has(vm, VM_TLAB_HARD_END) && vm_has(vm, VM_TLAB_STATISTICS) &&
		    vm_has(vm, VM_ALLOCATED_BYTES);
}

/* The slot of the thread, or the free one where it would be. There always is a free one. */
static uint32_t find(const struct tlab_rests *rests, uint64_t thread)
{
	uint32_t at = (uint32_t)hash_mix(thread) % TLAB_REST_SLOTS;
	for (;; at = (at + 1) % TLAB_REST_SLOTS) {
		const uint64_t found =
		    atomic_load_explicit(&rests->slots[at].thread, memory_order_acquire);
		if (found == thread || found == 0)
			return at;
	}
}

/* Threads that have ended are forgotten with all others, when there is little room. */
static void make_room(struct tlab_rests *rests)
{
	if (rests->used < TLAB_REST_SLOTS / 4 * 3)
		return;
	for (uint32_t i = 0; i < TLAB_REST_SLOTS; i++)
		atomic_store_explicit(&rests->slots[i].thread, 0, memory_order_relaxed);
	rests->used = 0;
}

/* A thread without a buffer has given it up to ask for this collection, or has not allocated since an
 * earlier one, whose rest is still the last. */
static void note(void *context, const struct vm_tlab *tlab)
{
	struct tlab_rests *rests = context;
	if (tlab->start == 0 && tlab->refills == 0)
		return;
	make_room(rests);
	/* Each object that was allocated outside the buffer has counted its rest once more. */
	const uint64_t times =
	    1 + (tlab->refills == 0 ? 0 : tlab->slow_allocations / tlab->refills);
	struct tlab_rest *slot = &rests->slots[find(rests, tlab->thread)];
	rests->used += atomic_load_explicit(&slot->thread, memory_order_relaxed) == 0;
	atomic_store_explicit(
	    &slot->bytes, times * (tlab->limit - tlab->top), memory_order_relaxed);
	atomic_store_explicit(&slot->thread, tlab->thread, memory_order_release);
}

void tlab_rests_note(struct tlab_rests *rests, const struct vm *vm)
{
	if (rests->on)
		vm_tlabs_each(vm, note, rests);
}

bool tlab_rests_undue(const struct tlab_rests *rests, const struct vm *vm, const JNIEnv *env,
    uint64_t size, uint64_t interval, double random)
{
	struct vm_tlab tlab;
	if (!rests->on || !vm_tlab_own(vm, env, &tlab))
		return false;
	/* Else it is not the only object in the first buffer since a collection, or the thread is new. */
	if (tlab.start == 0 || tlab.refills != 1 || tlab.top - tlab.start != size ||
	    tlab.allocated_bytes == 0)
		return false;
	const struct tlab_rest *slot = &rests->slots[find(rests, tlab.thread)];
	if (atomic_load_explicit(&slot->thread, memory_order_acquire) != tlab.thread)
		return false;
	const uint64_t rest = atomic_load_explicit(&slot->bytes, memory_order_relaxed);
	const double due = sample_probability(size, interval);
	return random * sample_probability(size + rest, interval) >= due;
}
