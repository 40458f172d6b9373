#include "live_blocks.h"

#include <sched.h>
#include <stddef.h>
#include <string.h>

#include "heap_shadow.h"
#include "own_memory.h"
#include "native_sites.h"

enum { BLOCKS = 1 << 22, LOCKS = 1024, SPINS = 64, LIST_SHIFT = 10 };

static struct live_block *blocks; /* number 0 is not used */
static atomic_uint used = 1;
static atomic_uint_least64_t unused; /* the first in its low half; the high one counts changes */
static struct {
	_Alignas(64) atomic_flag taken;
} locks[LOCKS];

bool live_blocks_begin(void)
{
	blocks = own_memory_reserve(BLOCKS * sizeof *blocks);
	return blocks != NULL;
}

static atomic_uint *list_of(uintptr_t start)
{
	struct shadow_piece *piece = shadow_piece(start);
	return piece == NULL ? NULL : &piece->sampled[(uint32_t)start >> LIST_SHIFT];
}

static atomic_flag *lock(uintptr_t start)
{
	atomic_flag *of = &locks[(start >> LIST_SHIFT) % LOCKS].taken;
	for (unsigned i = 0; atomic_flag_test_and_set_explicit(of, memory_order_acquire); i++)
		if (i % SPINS == SPINS - 1)
			sched_yield();
	return of;
}

static void unlock(atomic_flag *of)
{
	atomic_flag_clear_explicit(of, memory_order_release);
}

void live_blocks_forget(void)
{
	for (int i = 0; i < LOCKS; i++)
		atomic_flag_clear(&locks[i].taken);
}

/* A number that is not in use; 0: all are. */
static uint32_t take_number(void)
{
	uint64_t head = atomic_load_explicit(&unused, memory_order_acquire);
	while ((uint32_t)head != 0) {
		const uint32_t first = (uint32_t)head;
		const uint64_t next =
		    ((head >> 32) + 1) << 32 |
		    atomic_load_explicit(&blocks[first].next, memory_order_relaxed);
		if (atomic_compare_exchange_weak_explicit(
			&unused, &head, next, memory_order_acq_rel, memory_order_acquire))
			return first;
	}
	uint32_t number = atomic_load_explicit(&used, memory_order_relaxed);
	do
		if (number >= BLOCKS)
			return 0;
	while (!atomic_compare_exchange_weak(&used, &number, number + 1));
	return number;
}

static void give_back(uint32_t number)
{
	uint64_t head = atomic_load_explicit(&unused, memory_order_relaxed), next;
	do {
		atomic_store_explicit(&blocks[number].next, (uint32_t)head, memory_order_relaxed);
		next = ((head >> 32) + 1) << 32 | number;
	} while (!atomic_compare_exchange_weak_explicit(
	    &unused, &head, next, memory_order_acq_rel, memory_order_relaxed));
}

/* What readers without a lock may see is between two odd steps of its version. */
static void begin_change(struct live_block *b)
{
	atomic_fetch_add_explicit(&b->version, 1, memory_order_acq_rel);
}

static void end_change(struct live_block *b)
{
	atomic_fetch_add_explicit(&b->version, 1, memory_order_release);
}

static void copy(struct live_block *to, const struct live_block *from)
{
	atomic_store_explicit(&to->start, atomic_load_explicit(&from->start, memory_order_relaxed),
	    memory_order_relaxed);
	memcpy(&to->site, &from->site, sizeof *to - offsetof(struct live_block, site));
}

/* Lock held: unlinks the block with this address; its number, or 0. */
static uint32_t unlink_from(atomic_uint *list, uintptr_t start, uint64_t youngest)
{
	atomic_uint *at = list;
	for (uint32_t i; (i = atomic_load_explicit(at, memory_order_relaxed)) != 0;
	     at = &blocks[i].next)
		if (atomic_load_explicit(&blocks[i].start, memory_order_relaxed) == start &&
		    blocks[i].id <= youngest) {
			atomic_store_explicit(at,
			    atomic_load_explicit(&blocks[i].next, memory_order_relaxed),
			    memory_order_relaxed);
			return i;
		}
	return 0;
}

static void release(uint32_t number, struct live_block *block)
{
	copy(block, &blocks[number]);
	begin_change(&blocks[number]);
	atomic_store_explicit(&blocks[number].start, 0, memory_order_relaxed);
	end_change(&blocks[number]);
	give_back(number);
}

bool live_blocks_add(const struct live_block *sample, struct live_block *old, bool *had_old)
{
	const uintptr_t start = atomic_load_explicit(&sample->start, memory_order_relaxed);
	atomic_uint *list = list_of(start);
	const uint32_t number = list == NULL ? 0 : take_number();
	*had_old = false;
	if (number == 0)
		return false;
	struct live_block *b = &blocks[number];
	begin_change(b);
	copy(b, sample);
	end_change(b);
	atomic_flag *held = lock(start);
	const uint32_t before = unlink_from(list, start, UINT64_MAX);
	atomic_store_explicit(
	    &b->next, atomic_load_explicit(list, memory_order_relaxed), memory_order_relaxed);
	atomic_store_explicit(list, number, memory_order_relaxed);
	unlock(held);
	*had_old = before != 0;
	if (before != 0)
		release(before, old);
	return true;
}

bool live_blocks_take(uintptr_t start, uint64_t youngest, struct live_block *block)
{
	atomic_uint *list = list_of(start);
	if (list == NULL)
		return false;
	atomic_flag *held = lock(start);
	const uint32_t number = unlink_from(list, start, youngest);
	unlock(held);
	if (number != 0)
		release(number, block);
	return number != 0;
}

uint64_t live_blocks_extent(uintptr_t start)
{
	atomic_uint *list = list_of(start);
	uint64_t bytes = 0;
	if (list == NULL || sites_self.busy)
		return 0;
	sites_self.busy = true;
	atomic_flag *held = lock(start);
	for (uint32_t i = atomic_load_explicit(list, memory_order_relaxed); i != 0 && bytes == 0;
	     i = atomic_load_explicit(&blocks[i].next, memory_order_relaxed))
		if (atomic_load_explicit(&blocks[i].start, memory_order_relaxed) == start)
			bytes = blocks[i].extent;
	unlock(held);
	sites_leave();
	return bytes;
}

uint32_t live_blocks_end(void)
{
	return atomic_load(&used);
}

bool live_blocks_at(uint32_t i, struct live_block *block)
{
	struct live_block *b = &blocks[i];
	const unsigned version = atomic_load_explicit(&b->version, memory_order_acquire);
	if ((version & 1) != 0)
		return false;
	copy(block, b);
	atomic_thread_fence(memory_order_acquire);
	if (atomic_load_explicit(&b->version, memory_order_relaxed) != version)
		return false;
	const uintptr_t start = atomic_load_explicit(&block->start, memory_order_relaxed);
	const struct shadow_piece *piece = start == 0 ? NULL : shadow_piece(start);
	return piece != NULL && shadow_is_sampled(piece, shadow_unit(start));
}
