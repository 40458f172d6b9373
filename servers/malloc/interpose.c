/*
 * The functions that replace the program's: each calls the real one and records what has changed.
 *
 * A block is taken out of the shadow before it is given back, and put in after it has been received. No
 * function here takes a lock, so that signal handlers may call what they could call without us; an event
 * waits only in malloc_count_each, after all else.
 */
#define _DEFAULT_SOURCE /* valloc, reallocarray: NOLINT(bugprone-reserved-identifier) */
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heap_shadow.h"
#include "malloc_each.h"
#include "malloc_thread.h"
#include "own_memory.h"
#include "real_malloc.h"
#include "native_sites.h"

_Static_assert(sizeof(void *) == 8, "addresses have 64 bits");

#define EXPORT      __attribute__((visibility("default")))
#define LIKELY(x)   __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* Allocators without headers may put two blocks of 8 bytes into a unit of the shadow. */
enum { LEAST_BYTES = 16 };

static inline size_t at_least(size_t bytes)
{
	return UNLIKELY(bytes < LEAST_BYTES) && !real_malloc_has_headers ? LEAST_BYTES : bytes;
}

static inline __attribute__((always_inline)) bool is_plain(const struct malloc_thread *t)
{
	return LIKELY(t != NULL && atomic_load_explicit(&malloc_mode, memory_order_relaxed) == 0);
}

static inline void count(
    struct malloc_thread *t, enum malloc_event event, uint64_t bytes, uint64_t old_bytes)
{
	malloc_add(&t->counts[event].count, 1);
	malloc_add(&t->counts[event].bytes, bytes);
	if (event == EVENT_REALLOC)
		malloc_add(&t->counts[event].old_bytes, old_bytes);
}

/* All but the usual: long blocks, threads without a slot, events that are counted by themselves. */
static __attribute__((noinline)) void record_any(
    void *block, size_t size, enum sites_function function)
{
	uint64_t bytes;
	if ((atomic_load_explicit(&malloc_mode, memory_order_relaxed) & MODE_OFF) != 0 ||
	    real_malloc_is_early(block))
		return;
	struct malloc_thread *t = malloc_thread_register();
	const uintptr_t start = real_malloc_extent(block, &bytes);
	if (t == NULL)
		return;
	if (!shadow_set(start, bytes)) {
		malloc_cannot_record();
		return;
	}
	if (UNLIKELY(sites_due(bytes)))
		sites_sample(block, start, bytes, size, function);
	malloc_count_each(t, EVENT_MALLOC, start, bytes, 0);
}

static inline __attribute__((always_inline)) void record(
    void *block, size_t size, enum sites_function function)
{
	struct malloc_thread *t = malloc_self;
	uint64_t bytes;
	if (UNLIKELY(!is_plain(t))) {
		record_any(block, size, function);
		return;
	}
	const uintptr_t start = real_malloc_extent(block, &bytes);
	struct shadow_piece *piece = shadow_piece(start);
	if (UNLIKELY(piece == NULL || !shadow_is_short(bytes))) {
		record_any(block, size, function);
		return;
	}
	shadow_set_short(piece, shadow_unit(start), bytes);
	count(t, EVENT_MALLOC, bytes, 0);
	if (UNLIKELY(sites_due(bytes)))
		sites_sample(block, start, bytes, size, function);
}

/* GCspy's memory for its own threads; NULL: the thread is the program's. */
static __attribute__((noinline)) void *lend(size_t bytes)
{
	return malloc_is_ignored() ? own_memory_lend(bytes) : NULL;
}

/* Neither is in the real allocator: what dlsym has got at first, and what is lent. */
static inline bool is_ours(const void *block)
{
	return UNLIKELY(real_malloc_is_early(block) || own_memory_is_lent(block));
}

static size_t our_bytes(const void *block)
{
	return own_memory_is_lent(block) ? own_memory_lent_bytes(block)
					 : real_malloc_early_bytes(block);
}

EXPORT void *malloc(size_t bytes)
{
	if (UNLIKELY(malloc_self == NULL)) {
		void *lent = lend(bytes);
		if (lent != NULL)
			return lent;
	}
	void *block = real_malloc.malloc(at_least(bytes));
	if (LIKELY(block != NULL))
		record(block, bytes, SITES_MALLOC);
	return block;
}

EXPORT void *calloc(size_t number, size_t bytes)
{
	if (UNLIKELY(malloc_self == NULL) && (bytes == 0 || number <= SIZE_MAX / bytes)) {
		void *lent = lend(number * bytes);
		if (lent != NULL)
			return lent;
	}
	const bool small = UNLIKELY(!real_malloc_has_headers) && number != 0 &&
			   bytes < LEAST_BYTES && number * bytes < LEAST_BYTES;
	void *block =
	    small ? real_malloc.calloc(1, LEAST_BYTES) : real_malloc.calloc(number, bytes);
	if (LIKELY(block != NULL))
		record(block, number * bytes, SITES_CALLOC);
	return block;
}

/* Takes the block out of the shadow; its bytes, or 0 if it was not recorded. Of a sampled one `*sampled` is true
 * and the sample is in `sample`. */
static uint64_t take_out(void *block, uintptr_t start, struct live_block *sample, bool *sampled)
{
	const struct shadow_piece *piece = shadow_piece(start);
	uint64_t bytes;
	*sampled = false;
	if (LIKELY(piece == NULL || !shadow_is_sampled(piece, shadow_unit(start))))
		return shadow_clear(start);
	(void)real_malloc_extent(block, &bytes);
	*sampled = sites_take(start, sample);
	shadow_erase(start);
	return bytes;
}

/* All but the usual: also long and sampled blocks, those that are not in the shadow, and ours. */
static __attribute__((noinline)) void free_any(void *block)
{
	struct live_block sample;
	bool sampled;
	if (real_malloc_is_early(block))
		return;
	if (own_memory_is_lent(block)) {
		own_memory_take_back(block);
		return;
	}
	if ((atomic_load_explicit(&malloc_mode, memory_order_relaxed) & MODE_OFF) != 0) {
		real_malloc.free(block);
		return;
	}
	const int saved = errno;
	const uintptr_t start = real_malloc_start(block);
	const uint64_t bytes = take_out(block, start, &sample, &sampled);
	if (sampled)
		sites_died(&sample);
	struct malloc_thread *t = bytes == 0 ? NULL : malloc_thread_register();
	real_malloc.free(block);
	if (bytes != 0)
		malloc_count_each(t == NULL ? &malloc_shared_slot : t, EVENT_FREE, start, bytes, 0);
	errno = saved;
}

EXPORT void free(void *block)
{
	struct malloc_thread *t = malloc_self;
	if (UNLIKELY(block == NULL))
		return;
	const uintptr_t start = real_malloc_start(block);
	struct shadow_piece *piece = shadow_piece(start);
	if (UNLIKELY(!is_plain(t) || piece == NULL)) {
		free_any(block);
		return;
	}
	const uint32_t unit = shadow_unit(start);
	const unsigned char byte = atomic_load_explicit(&piece->units[unit], memory_order_relaxed);
	if (UNLIKELY(byte <= SHADOW_SAMPLED || byte == (SHADOW_START | SHADOW_LONG))) {
		free_any(block);
		return;
	}
	atomic_store_explicit(&piece->units[unit], 0, memory_order_relaxed);
	shadow_mark(piece, unit);
	count(t, EVENT_FREE, (uint64_t)(byte & SHADOW_LONG) << SHADOW_UNIT_SHIFT, 0);
	real_malloc.free(block);
}

/* What is not the real allocator's is copied. */
static void *move_ours(void *block, size_t bytes)
{
	const size_t before = our_bytes(block);
	void *moved = malloc(bytes);
	if (moved == NULL)
		return NULL;
	memcpy(moved, block, before < bytes ? before : bytes);
	free(block);
	return moved;
}

/* The block, or what it has become, is in the shadow again. */
static void record_moved(void *block, size_t size, uint64_t old_bytes, bool known)
{
	uint64_t bytes;
	struct malloc_thread *t = malloc_thread_register();
	if (t == NULL && !known)
		return; /* GCspy's */
	t = t == NULL ? &malloc_shared_slot : t;
	const uintptr_t start = real_malloc_extent(block, &bytes);
	if (!shadow_set(start, bytes)) {
		malloc_cannot_record();
		return;
	}
	if (UNLIKELY(sites_due(bytes)))
		sites_sample(block, start, bytes, size, SITES_REALLOC);
	malloc_count_each(t, known ? EVENT_REALLOC : EVENT_MALLOC, start, bytes, old_bytes);
}

EXPORT void *realloc(void *block, size_t bytes)
{
	if (block == NULL)
		return malloc(bytes);
	if (is_ours(block))
		return move_ours(block, bytes);
	if ((atomic_load_explicit(&malloc_mode, memory_order_relaxed) & MODE_OFF) != 0)
		return real_malloc.realloc(block, bytes == 0 ? 0 : at_least(bytes));
	struct live_block sample;
	bool sampled;
	const uintptr_t start = real_malloc_start(block);
	const uint64_t old_bytes = take_out(block, start, &sample, &sampled);
	void *moved = real_malloc.realloc(block, bytes == 0 ? 0 : at_least(bytes));
	if (sampled && (moved != NULL || bytes == 0))
		sites_died(&sample);
	if (LIKELY(moved != NULL)) {
		record_moved(moved, bytes, old_bytes, old_bytes != 0);
	} else if (bytes != 0) {
		if (old_bytes != 0) /* it has failed: the block is as before */
			(void)shadow_set(start, old_bytes);
		if (sampled)
			sites_put_back(&sample);
	} else if (old_bytes != 0) {
		struct malloc_thread *t = malloc_thread_register();
		malloc_count_each(
		    t == NULL ? &malloc_shared_slot : t, EVENT_FREE, start, old_bytes, 0);
	}
	return moved;
}

EXPORT void *reallocarray(void *block, size_t number, size_t bytes)
{
	if (number != 0 && bytes > SIZE_MAX / number) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(block, number * bytes);
}

EXPORT void *memalign(size_t alignment, size_t bytes)
{
	void *block = real_malloc.memalign(alignment, at_least(bytes));
	if (block != NULL)
		record(block, bytes, SITES_MEMALIGN);
	return block;
}

EXPORT void *aligned_alloc(size_t alignment, size_t bytes)
{
	void *block = real_malloc.aligned_alloc(alignment, bytes);
	if (block != NULL)
		record(block, bytes, SITES_MEMALIGN);
	return block;
}

EXPORT int posix_memalign(void **block, size_t alignment, size_t bytes)
{
	const int error = real_malloc.posix_memalign(block, alignment, at_least(bytes));
	if (error == 0 && *block != NULL)
		record(*block, bytes, SITES_MEMALIGN);
	return error;
}

static size_t page(void)
{
	static atomic_size_t known;
	if (atomic_load(&known) == 0)
		atomic_store(&known, (size_t)sysconf(_SC_PAGESIZE));
	return atomic_load(&known);
}

EXPORT void *valloc(size_t bytes)
{
	if (real_malloc.valloc == NULL)
		return memalign(page(), bytes);
	void *block = real_malloc.valloc(at_least(bytes));
	if (block != NULL)
		record(block, bytes, SITES_MEMALIGN);
	return block;
}

void *pvalloc(size_t bytes); /* not in musl's header */

EXPORT void *pvalloc(size_t bytes)
{
	const size_t whole = (bytes + page() - 1) & ~(page() - 1);
	if (real_malloc.pvalloc != NULL) {
		void *block = real_malloc.pvalloc(bytes);
		if (block != NULL)
			record(block, bytes, SITES_MEMALIGN);
		return block;
	}
	if (whole < bytes) {
		errno = ENOMEM;
		return NULL;
	}
	return memalign(page(), whole);
}

EXPORT size_t malloc_usable_size(void *block)
{
	if (block != NULL && is_ours(block))
		return our_bytes(block);
	return real_malloc.usable_size(block);
}
