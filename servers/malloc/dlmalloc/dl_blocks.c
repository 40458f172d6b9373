#define _GNU_SOURCE
#include "dl_blocks.h"

#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>

/*
 * Two levels: 47 bits of address are 2^31 blocks, in leaves for 4 GiB each.
 *
 * `start` is always that of a chunk in use: it is set after the allocation, by the thread that has the
 * chunk, and cleared before the chunk is freed. A walk under the allocator's lock that reads it therefore
 * finds a chunk there: freeing it takes the lock, after the clearing.
 */
enum { BLOCK_BITS = 16, LEAF_BITS = 16, ADDRESS_BITS = 47, UNIT = 16 };

#define LEAVES ((size_t)1 << (ADDRESS_BITS - BLOCK_BITS - LEAF_BITS))
#define LEAF   ((size_t)1 << LEAF_BITS)

struct block {
	_Atomic uint16_t start; /* 1 + the offset of a used chunk in units; 0: none */
	_Atomic uint8_t touched;
};

static _Atomic(struct block *) leaves[LEAVES];

static struct block *find(uint64_t address, bool make)
{
	const uint64_t number = address >> BLOCK_BITS;
	if (number >> LEAF_BITS >= LEAVES)
		return NULL;
	_Atomic(struct block *) *slot = &leaves[number >> LEAF_BITS];
	struct block *leaf = atomic_load_explicit(slot, memory_order_acquire);
	if (leaf == NULL) {
		if (!make)
			return NULL;
		struct block *fresh = mmap(NULL, LEAF * sizeof *fresh, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (fresh == MAP_FAILED)
			return NULL;
		if (atomic_compare_exchange_strong(slot, &leaf, fresh))
			leaf = fresh;
		else
			munmap(fresh, LEAF * sizeof *fresh);
	}
	return &leaf[number & (LEAF - 1)];
}

/* After the change, so that a reader that takes the mark finds the change. The end is included: there the
 * next chunk begins, or has ceased to. */
static void touch(uint64_t chunk, uint64_t size)
{
	for (uint64_t at = chunk >> BLOCK_BITS; at <= (chunk + size) >> BLOCK_BITS; at++) {
		struct block *b = find(at << BLOCK_BITS, true);
		if (b != NULL)
			atomic_store_explicit(&b->touched, 1, memory_order_release);
	}
}

static uint16_t offset_of(uint64_t chunk)
{
	return (uint16_t)((chunk & (((uint64_t)1 << BLOCK_BITS) - 1)) / UNIT + 1);
}

void blocks_allocated(uint64_t chunk, uint64_t size)
{
	struct block *b = find(chunk, true);
	if (b != NULL) {
		const uint16_t known = atomic_load_explicit(&b->start, memory_order_relaxed);
		if (known == 0 || offset_of(chunk) < known)
			atomic_store_explicit(&b->start, offset_of(chunk), memory_order_release);
	}
	touch(chunk, size);
}

void blocks_freeing(uint64_t chunk)
{
	struct block *b = find(chunk, false);
	uint16_t expected = offset_of(chunk);
	if (b != NULL)
		atomic_compare_exchange_strong(&b->start, &expected, 0);
}

void blocks_freed(uint64_t chunk, uint64_t size)
{
	touch(chunk, size);
}

uint64_t blocks_start(uint64_t address)
{
	struct block *b = find(address, false);
	const uint16_t start = b == NULL ? 0 : atomic_load(&b->start);
	if (start == 0 || start > offset_of(address))
		return 0;
	return (address >> BLOCK_BITS << BLOCK_BITS) + (uint64_t)(start - 1) * UNIT;
}

bool blocks_take_touched(uint64_t address)
{
	struct block *b = find(address, false);
	return b != NULL && atomic_exchange(&b->touched, 0) != 0;
}
