/* mremap and MAP_ANONYMOUS are Linux's own; the rest is POSIX. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier) */

#include "agent_memory.h"

#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <gcspy/memory.h>

#include "native_heap.h"

/* Blocks of at least this size have pages of their own. Less for tables, which begin with zeros and
 * are mostly never touched. */
enum { LARGE_TABLE = 128 << 10, LARGE_BUFFER = 1 << 20 };

/* In front of each block. */
struct head {
	alignas(max_align_t) size_t mapped; /* bytes with this head; 0: from the C library */
	size_t bytes;                       /* of the block */
};

static atomic_size_t live; /* blocks */

/* Where the native heap is shown: memory that is not in its picture. Constant from the first block on. */
static const struct gcs_allocator *lender;

static void *block_of(struct head *h)
{
	return h + 1;
}

static struct head *head_of(void *block)
{
	return (struct head *)block - 1;
}

static void *map(size_t bytes)
{
	const size_t all = sizeof(struct head) + bytes;
	struct head *h =
	    mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (h == MAP_FAILED)
		return NULL;
	*h = (struct head){.mapped = all, .bytes = bytes};
	atomic_fetch_add_explicit(&live, 1, memory_order_relaxed);
	return block_of(h);
}

static void *small(size_t bytes, void *(*get)(size_t count, size_t size))
{
	struct head *h = lender == NULL ? get(1, sizeof *h + bytes)
			 : get == calloc
			     ? lender->allocate_zeroed(sizeof *h + bytes, lender->context)
			     : lender->allocate(sizeof *h + bytes, lender->context);
	if (h == NULL)
		return NULL;
	*h = (struct head){.bytes = bytes};
	atomic_fetch_add_explicit(&live, 1, memory_order_relaxed);
	return block_of(h);
}

static void *get_any(size_t count, size_t size)
{
	return malloc(count * size);
}

static bool fits(size_t bytes)
{
	return bytes <= SIZE_MAX - sizeof(struct head);
}

static void *allocate(size_t bytes, void *context)
{
	(void)context;
	if (!fits(bytes))
		return NULL;
	return bytes >= LARGE_BUFFER && lender == NULL ? map(bytes) : small(bytes, get_any);
}

static void *allocate_zeroed(size_t bytes, void *context)
{
	(void)context;
	if (!fits(bytes))
		return NULL;
	return bytes >= LARGE_TABLE && lender == NULL ? map(bytes) : small(bytes, calloc);
}

static void release(void *block, void *context)
{
	struct head *h = head_of(block);
	(void)context;
	atomic_fetch_sub_explicit(&live, 1, memory_order_relaxed);
	if (h->mapped != 0)
		(void)munmap(h, h->mapped);
	else if (lender != NULL)
		lender->release(h, lender->context);
	else
		free(h);
}

static void *move(struct head *h, size_t bytes, void *context)
{
	void *to = allocate(bytes, context);
	if (to == NULL)
		return NULL;
	memcpy(to, block_of(h), h->bytes < bytes ? h->bytes : bytes);
	release(block_of(h), context);
	return to;
}

static void *resize(void *block, size_t bytes, void *context)
{
	if (block == NULL)
		return allocate(bytes, context);
	if (!fits(bytes))
		return NULL;
	struct head *h = head_of(block);
	const size_t all = sizeof *h + bytes;
	if (lender == NULL && (h->mapped != 0) != (bytes >= LARGE_BUFFER))
		return move(h, bytes, context);
	if (lender != NULL) {
		h = lender->resize(h, all, lender->context);
		if (h == NULL)
			return NULL;
	} else if (h->mapped != 0) {
		h = mremap(h, h->mapped, all, MREMAP_MAYMOVE);
		if (h == MAP_FAILED)
			return NULL;
		h->mapped = all;
	} else {
		h = realloc(h, all);
		if (h == NULL)
			return NULL;
	}
	h->bytes = bytes;
	return block_of(h);
}

static void set(void)
{
	static const struct gcs_allocator allocator = {
	    .allocate = allocate,
	    .resize = resize,
	    .release = release,
	    .allocate_zeroed = allocate_zeroed,
	};
	const struct gcs_native_heap *native = native_heap_find();
	lender = native == NULL ? NULL : native->allocator;
	gcs_set_allocator(&allocator);
}

void agent_memory_use(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	(void)pthread_once(&once, set);
}

size_t agent_memory_blocks(void)
{
	return atomic_load_explicit(&live, memory_order_relaxed);
}
