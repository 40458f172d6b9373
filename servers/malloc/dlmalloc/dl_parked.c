#define _GNU_SOURCE
#include "dl_parked.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/random.h>

#include "dl_allocator.h"
#include "dl_blocks.h"

/* Chunks of 32 bytes to 16 KiB are parked, in steps of dlmalloc's alignment. */
enum { STEP = 16, SIZES = 1025 };

/* The payload of a parked block. The mark tells it from a used one: only this address has it. */
struct parked {
	struct parked *next;
	_Atomic uint64_t mark;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct parked *lists[SIZES];
static uint64_t counts[SIZES];
static uint64_t all_chunks, all_bytes;
static _Atomic uint32_t deferred; /* percent; 0: nothing is parked */
static uint64_t secret;

static uint64_t mark_of(const void *block)
{
	return secret ^ (uintptr_t)block;
}

bool parked_is(const void *block)
{
	const struct parked *p = block;
	return secret != 0 &&
	       atomic_load_explicit(&p->mark, memory_order_relaxed) == mark_of(block);
}

/* All parked blocks, as one list. Lock held. */
static struct parked *take_all(void)
{
	struct parked *all = NULL;
	for (size_t i = 0; i < SIZES; i++) {
		while (lists[i] != NULL) {
			struct parked *p = lists[i];
			lists[i] = p->next;
			p->next = all;
			all = p;
		}
		counts[i] = 0;
	}
	all_chunks = all_bytes = 0;
	return all;
}

static void give_back(struct parked *all)
{
	while (all != NULL) {
		struct parked *p = all;
		uint64_t chunk, size;
		all = p->next;
		atomic_store_explicit(&p->mark, 0, memory_order_relaxed);
		const bool known = allocator_chunk(p, &chunk, &size);
		dlfree(p);
		if (known)
			blocks_freed(chunk, size);
	}
}

bool parked_put(void *block)
{
	uint64_t chunk, size;
	const uint32_t percent = atomic_load_explicit(&deferred, memory_order_relaxed);
	if (percent == 0 || allocator_forking() || !allocator_chunk(block, &chunk, &size) ||
	    size / STEP >= SIZES)
		return false;
	struct parked *p = block, *all = NULL;
	pthread_mutex_lock(&lock);
	p->next = lists[size / STEP];
	atomic_store_explicit(&p->mark, mark_of(p), memory_order_relaxed);
	lists[size / STEP] = p;
	counts[size / STEP]++;
	all_chunks++;
	all_bytes += size;
	if (all_bytes > dlmalloc_footprint() / 100 * percent)
		all = take_all();
	pthread_mutex_unlock(&lock);
	blocks_freed(chunk, size);
	give_back(all);
	return true;
}

void *parked_get(size_t bytes)
{
	if (atomic_load_explicit(&deferred, memory_order_relaxed) == 0 || allocator_forking())
		return NULL;
	const size_t size = allocator_chunk_size(bytes);
	if (size == 0 || size / STEP >= SIZES)
		return NULL;
	pthread_mutex_lock(&lock);
	struct parked *p = lists[size / STEP];
	if (p != NULL) {
		lists[size / STEP] = p->next;
		counts[size / STEP]--;
		all_chunks--;
		all_bytes -= size;
		atomic_store_explicit(&p->mark, 0, memory_order_relaxed);
	}
	pthread_mutex_unlock(&lock);
	return p;
}

void parked_defer(uint32_t percent)
{
	struct parked *all = NULL;
	pthread_mutex_lock(&lock);
	if (secret == 0 && percent != 0 &&
	    (getrandom(&secret, sizeof secret, GRND_NONBLOCK) != sizeof secret || secret == 0))
		secret = UINT64_C(0x9e3779b97f4a7c15);
	atomic_store(&deferred, percent);
	if (percent == 0)
		all = take_all();
	pthread_mutex_unlock(&lock);
	give_back(all);
}

uint32_t parked_sizes(struct dlmalloc_parked *sizes, uint32_t room)
{
	uint32_t count = 0;
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < SIZES && count < room; i++)
		if (counts[i] != 0)
			sizes[count++] =
			    (struct dlmalloc_parked){.size = i * STEP, .chunks = counts[i]};
	pthread_mutex_unlock(&lock);
	return count;
}

void parked_totals(uint64_t *chunks, uint64_t *bytes)
{
	pthread_mutex_lock(&lock);
	*chunks = all_chunks;
	*bytes = all_bytes;
	pthread_mutex_unlock(&lock);
}

void parked_fork_begins(void)
{
	pthread_mutex_lock(&lock);
}

void parked_fork_ends(bool child)
{
	if (child)
		pthread_mutex_init(&lock, NULL);
	else
		pthread_mutex_unlock(&lock);
}
