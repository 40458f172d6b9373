/* mmap's flags, and the calling thread's stack. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier) */
#include "own_memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include <gcspy/memory.h>

/* Blocks have sizes of powers of two; what is larger than the largest has a mapping of its own. */
enum { LEAST_SHIFT = 5, MOST_SHIFT = 18, CLASSES = MOST_SHIFT - LEAST_SHIFT + 1 };
enum { LENT_BYTES = 64 << 20 };
enum { HEADER = 16, AREA_BYTES = 1 << 20, PAGE = 4096, RANGES = 4096 };

struct header {
	size_t bytes; /* of the block, with its header */
	struct header *next;
};

static struct range {
	uint64_t start, end;
} ranges[RANGES]; /* mapped here; those that do not fit are shown as the program's */

/* What is never given back: the program's threads add to it without a lock. */
static struct fixed {
	atomic_uintptr_t start, end;
} fixed[RANGES];
static atomic_uint fixed_count;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t range_count;

/* Lent blocks are known by their addresses. */
static struct pool {
	struct header *lists[CLASSES];
	char *area, *area_end;
} own, lent;
uintptr_t own_memory_lent_start, own_memory_lent_end;

/* Lock held. */
static void note_range(uint64_t start, uint64_t bytes)
{
	if (range_count < RANGES)
		ranges[range_count++] = (struct range){start, start + bytes};
}

/* Lock held. */
static void forget_range(uint64_t start)
{
	for (uint32_t i = 0; i < range_count; i++)
		if (ranges[i].start == start) {
			ranges[i] = ranges[--range_count];
			return;
		}
}

static void note_fixed(uintptr_t start, size_t bytes)
{
	const unsigned i = atomic_fetch_add(&fixed_count, 1);
	if (i >= RANGES)
		return;
	atomic_store(&fixed[i].end, start + bytes);
	atomic_store(&fixed[i].start, start);
}

/* What is in no core dump is not joined with the program's mappings either. */
static void *map(size_t bytes, int flags)
{
	void *memory =
	    mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
	if (memory == MAP_FAILED)
		return NULL;
	(void)madvise(memory, bytes, MADV_DONTDUMP);
	return memory;
}

/* Lock held. */
static void *map_block(size_t bytes)
{
	void *memory = map(bytes, 0);
	if (memory != NULL)
		note_range((uintptr_t)memory, bytes);
	return memory;
}

/* Lock held. False without memory. */
static bool enlarge(struct pool *pool)
{
	char *fresh = NULL;
	if (pool == &own)
		fresh = map_block(AREA_BYTES);
	else if (own_memory_lent_end == 0)
		fresh = own_memory_reserve(LENT_BYTES);
	if (fresh == NULL)
		return false;
	pool->area = fresh;
	pool->area_end = fresh + (pool == &own ? AREA_BYTES : LENT_BYTES);
	if (pool == &lent) {
		own_memory_lent_start = (uintptr_t)fresh;
		own_memory_lent_end = (uintptr_t)pool->area_end;
	}
	return true;
}

/* Lock held. */
static struct header *carve(struct pool *pool, size_t bytes)
{
	if ((size_t)(pool->area_end - pool->area) < bytes && !enlarge(pool))
		return NULL;
	struct header *block = (struct header *)(void *)pool->area;
	pool->area += bytes;
	return block;
}

static uint32_t class_of(size_t bytes)
{
	uint32_t shift = LEAST_SHIFT;
	while ((size_t)1 << shift < bytes)
		shift++;
	return shift - LEAST_SHIFT;
}

/* Lock held. */
static struct header *take(struct pool *pool, size_t bytes, bool *zeroed)
{
	*zeroed = true;
	if (bytes > (size_t)1 << MOST_SHIFT) {
		struct header *block =
		    pool == &lent ? NULL : map_block((bytes + PAGE - 1) & ~(size_t)(PAGE - 1));
		if (block != NULL)
			block->bytes = (bytes + PAGE - 1) & ~(size_t)(PAGE - 1);
		return block;
	}
	const uint32_t class = class_of(bytes);
	struct header *block = pool->lists[class];
	if (block != NULL) {
		pool->lists[class] = block->next;
		*zeroed = false;
		return block;
	}
	block = carve(pool, (size_t)1 << (class + LEAST_SHIFT));
	if (block != NULL)
		block->bytes = (size_t)1 << (class + LEAST_SHIFT);
	return block;
}

static void *allocate(struct pool *pool, size_t bytes, bool zero)
{
	bool zeroed;
	if (bytes > SIZE_MAX / 2)
		return NULL;
	pthread_mutex_lock(&lock);
	struct header *block = take(pool, bytes + HEADER, &zeroed);
	pthread_mutex_unlock(&lock);
	if (block == NULL)
		return NULL;
	void *memory = (char *)block + HEADER;
	if (zero && !zeroed)
		memset(memory, 0, bytes);
	return memory;
}

static void *allocate_block(size_t bytes, void *context)
{
	(void)context;
	return allocate(&own, bytes, false);
}

static void *allocate_zeroed(size_t bytes, void *context)
{
	(void)context;
	return allocate(&own, bytes, true);
}

static struct header *header_of(const void *memory)
{
	return (struct header *)((uintptr_t)memory - HEADER);
}

static void release(struct pool *pool, void *memory)
{
	struct header *block = header_of(memory);
	pthread_mutex_lock(&lock);
	if (block->bytes > (size_t)1 << MOST_SHIFT) {
		const size_t bytes = block->bytes;
		forget_range((uintptr_t)block);
		munmap(block, bytes);
	} else {
		const uint32_t class = class_of(block->bytes);
		memset(memory, 0, sizeof(struct header *));
		block->next = pool->lists[class];
		pool->lists[class] = block;
	}
	pthread_mutex_unlock(&lock);
}

static void release_block(void *memory, void *context)
{
	(void)context;
	release(&own, memory);
}

static void *resize_block(void *memory, size_t bytes, void *context)
{
	if (memory == NULL)
		return allocate(&own, bytes, false);
	const size_t room = header_of(memory)->bytes - HEADER;
	if (bytes <= room)
		return memory;
	void *larger = allocate(&own, bytes, false);
	if (larger == NULL)
		return NULL;
	memcpy(larger, memory, room);
	release_block(memory, context);
	return larger;
}

const struct gcs_allocator own_memory_allocator = {.allocate = allocate_block,
    .resize = resize_block,
    .release = release_block,
    .allocate_zeroed = allocate_zeroed};

static void before_fork(void)
{
	pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&lock);
}

void own_memory_install(void)
{
	(void)pthread_atfork(before_fork, after_fork, after_fork);
	gcs_set_allocator(&own_memory_allocator);
}

void *own_memory_allocate(size_t bytes)
{
	return allocate(&own, bytes, true);
}

void *own_memory_reserve(size_t bytes)
{
	bytes = (bytes + PAGE - 1) & ~(size_t)(PAGE - 1);
	void *memory = map(bytes, MAP_NORESERVE);
	if (memory == NULL)
		return NULL;
	note_fixed((uintptr_t)memory, bytes);
	(void)madvise(memory, bytes, MADV_NOHUGEPAGE);
	return memory;
}

void own_memory_add_stack(void)
{
	pthread_attr_t attributes;
	void *start = NULL;
	size_t bytes = 0;
	if (pthread_getattr_np(pthread_self(), &attributes) != 0)
		return;
	if (pthread_attr_getstack(&attributes, &start, &bytes) == 0 && start != NULL)
		note_fixed((uintptr_t)start, bytes);
	pthread_attr_destroy(&attributes);
}

void *own_memory_lend(size_t bytes)
{
	return allocate(&lent, bytes, true);
}

size_t own_memory_lent_bytes(const void *block)
{
	return header_of(block)->bytes - HEADER;
}

void own_memory_take_back(void *block)
{
	release(&lent, block);
}

static uint64_t common(uint64_t start, uint64_t end, uint64_t from, uint64_t to)
{
	from = from > start ? from : start;
	to = to < end ? to : end;
	return from < to ? to - from : 0;
}

uint64_t own_memory_within(uint64_t start, uint64_t end)
{
	const unsigned count = atomic_load(&fixed_count);
	uint64_t bytes = 0;
	for (unsigned i = 0; i < count && i < RANGES; i++) {
		const uint64_t from = atomic_load(&fixed[i].start);
		bytes += from == 0 ? 0 : common(start, end, from, atomic_load(&fixed[i].end));
	}
	pthread_mutex_lock(&lock);
	for (uint32_t i = 0; i < range_count; i++)
		bytes += common(start, end, ranges[i].start, ranges[i].end);
	pthread_mutex_unlock(&lock);
	return bytes;
}
