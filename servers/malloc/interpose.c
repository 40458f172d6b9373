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

static bool is_off(void)
{
	return (malloc_mode() & MODE_OFF) != 0;
}

/* The usual event: the thread has a slot, and the allocator's blocks have headers. What is not usual is called
 * last, with few arguments, so that the usual event need not save registers. */
static inline __attribute__((always_inline)) bool is_plain(const struct malloc_thread *t)
{
	return LIKELY(atomic_load_explicit(&t->mode, memory_order_relaxed) == 0);
}

/* The bytes have come that the thread has received since the last settling, of this block at the end: samples it
 * if it is its turn. */
static void settled(struct malloc_thread *t, uint64_t more, void *block, uintptr_t start,
    uint64_t bytes, size_t size, enum sites_function function)
{
	if (UNLIKELY(sites_due(more)))
		sites_sample(block, start, bytes, size, function);
	const uint64_t due = sites_left() >> SHADOW_UNIT_SHIFT;
	t->due = counts_limit(due < COUNTS_MOST ? due : COUNTS_MOST);
}

static __attribute__((noinline)) void *settle(
    struct malloc_thread *t, void *block, size_t size, enum sites_function function)
{
	uint64_t bytes;
	const uintptr_t start = real_malloc_extent(block, &bytes);
	settled(t, counts_settle(&t->allocated), block, start, bytes, size, function);
	return block;
}

/* A block is in the shadow, and its event will be counted in another way than the usual. */
static void maybe_sample(struct malloc_thread *t, void *block, uintptr_t start, uint64_t bytes,
    size_t size, enum sites_function function)
{
	if (t == &malloc_shared_slot) {
		if (UNLIKELY(sites_due(bytes)))
			sites_sample(block, start, bytes, size, function);
		return;
	}
	settled(t, counts_settle(&t->allocated) + bytes, block, start, bytes, size, function);
}

/* All but the usual: threads without a slot, allocators without headers, events that are counted by themselves. */
static __attribute__((noinline)) void *record_any(
    void *block, size_t size, enum sites_function function)
{
	uint64_t bytes;
	if (block == NULL || is_off() || real_malloc_is_early(block))
		return block;
	struct malloc_thread *t = malloc_thread_register();
	const uintptr_t start = real_malloc_extent(block, &bytes);
	if (t == NULL)
		return block;
	if (!shadow_set(start, bytes)) {
		malloc_cannot_record();
		return block;
	}
	maybe_sample(t, block, start, bytes, size, function);
	malloc_count_each(t, EVENT_MALLOC, start, bytes, 0);
	return block;
}

/* The usual, but the block is long. */
static __attribute__((noinline)) void *record_long(
    struct malloc_thread *t, void *block, size_t size, enum sites_function function)
{
	const uintptr_t start = (uintptr_t)block - REAL_MALLOC_HEADER;
	const uint64_t units = real_malloc_units(block);
	if (UNLIKELY(units > COUNTS_MOST))
		return record_any(block, size, function);
	shadow_put_long(shadow_piece(start), shadow_unit(start), units);
	if (UNLIKELY(counts_add(&t->allocated, units, t->due)))
		return settle(t, block, size, function);
	return block;
}

/* The slot is that of before the block was received. Returns the block. */
static inline __attribute__((always_inline)) void *record(
    struct malloc_thread *t, void *block, size_t size, enum sites_function function)
{
	if (UNLIKELY(block == NULL))
		return NULL;
	const uintptr_t start = (uintptr_t)block - REAL_MALLOC_HEADER;
	struct shadow_piece *piece = shadow_piece(start);
	const uint64_t units = real_malloc_units(block);
	if (UNLIKELY(piece == NULL))
		return record_any(block, size, function);
	if (UNLIKELY(units > SHADOW_SHORT_UNITS))
		return record_long(t, block, size, function);
	shadow_put(piece, shadow_unit(start), units);
	if (UNLIKELY(counts_add(&t->allocated, units, t->due)))
		return settle(t, block, size, function);
	return block;
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

static __attribute__((noinline)) void *malloc_any(size_t bytes)
{
	if (is_off())
		return real_malloc.malloc(bytes);
	void *lent = malloc_has_slot() ? NULL : lend(bytes);
	if (lent != NULL)
		return lent;
	return record_any(real_malloc.malloc(bytes), bytes, SITES_MALLOC);
}

EXPORT void *malloc(size_t bytes)
{
	struct malloc_thread *t = malloc_self;
	if (UNLIKELY(!is_plain(t)))
		return malloc_any(bytes);
	return record(t, real_malloc.malloc(bytes), bytes, SITES_MALLOC);
}

static __attribute__((noinline)) void *calloc_any(size_t number, size_t bytes)
{
	if (is_off())
		return real_malloc.calloc(number, bytes);
	if (!malloc_has_slot() && (bytes == 0 || number <= SIZE_MAX / bytes)) {
		void *lent = lend(number * bytes);
		if (lent != NULL)
			return lent;
	}
	return record_any(real_malloc.calloc(number, bytes), number * bytes, SITES_CALLOC);
}

EXPORT void *calloc(size_t number, size_t bytes)
{
	struct malloc_thread *t = malloc_self;
	if (UNLIKELY(!is_plain(t)))
		return calloc_any(number, bytes);
	return record(t, real_malloc.calloc(number, bytes), number * bytes, SITES_CALLOC);
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

/* All but the usual: also sampled blocks, those that are not in the shadow, and ours. */
static __attribute__((noinline)) void free_any(void *block)
{
	struct live_block sample;
	bool sampled;
	if (block == NULL || real_malloc_is_early(block))
		return;
	if (own_memory_is_lent(block)) {
		own_memory_take_back(block);
		return;
	}
	if (is_off()) {
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

static __attribute__((noinline)) void free_and_settle(struct malloc_thread *t, void *block)
{
	(void)counts_settle(&t->freed);
	real_malloc.free(block);
}

/* A block that starts in the shadow is given back. */
static inline __attribute__((always_inline)) void free_known(
    struct malloc_thread *t, void *block, struct shadow_piece *piece, uint32_t unit, uint64_t units)
{
	atomic_store_explicit(&piece->units[unit], 0, memory_order_relaxed);
	shadow_mark(piece, unit);
	if (UNLIKELY(counts_add(&t->freed, units, counts_limit(COUNTS_MOST))))
		free_and_settle(t, block);
	else
		real_malloc.free(block);
}

/* No short block starts there. */
static __attribute__((noinline)) void free_long(struct malloc_thread *t, void *block)
{
	const uintptr_t start = (uintptr_t)block - REAL_MALLOC_HEADER;
	struct shadow_piece *piece = shadow_piece(start);
	const uint32_t unit = shadow_unit(start);
	const bool is_long =
	    atomic_load_explicit(&piece->units[unit], memory_order_relaxed) == SHADOW_LONG;
	const uint64_t units = is_long ? shadow_long_length(piece, unit) : 0;
	if (units == 0 || units > COUNTS_MOST)
		free_any(block);
	else
		free_known(t, block, piece, unit, units);
}

EXPORT void free(void *block)
{
	struct malloc_thread *t = malloc_self;
	const uintptr_t start = (uintptr_t)block - REAL_MALLOC_HEADER;
	struct shadow_piece *piece = shadow_piece(start);
	if (UNLIKELY(!is_plain(t) || piece == NULL)) {
		free_any(block);
		return;
	}
	const uint32_t unit = shadow_unit(start);
	const uint64_t byte = atomic_load_explicit(&piece->units[unit], memory_order_relaxed);
	if (UNLIKELY(byte <= SHADOW_SHORT))
		free_long(t, block);
	else
		free_known(t, block, piece, unit, byte - SHADOW_SHORT);
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
	maybe_sample(t, block, start, bytes, size, SITES_REALLOC);
	malloc_count_each(t, known ? EVENT_REALLOC : EVENT_MALLOC, start, bytes, old_bytes);
}

EXPORT void *realloc(void *block, size_t bytes)
{
	if (block == NULL)
		return malloc(bytes);
	if (is_ours(block))
		return move_ours(block, bytes);
	if (is_off())
		return real_malloc.realloc(block, bytes);
	struct live_block sample;
	bool sampled;
	const uintptr_t start = real_malloc_start(block);
	const uint64_t old_bytes = take_out(block, start, &sample, &sampled);
	void *moved = real_malloc.realloc(block, bytes);
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

static void *recorded(void *block, size_t bytes)
{
	struct malloc_thread *t = malloc_self;
	return is_plain(t) ? record(t, block, bytes, SITES_MEMALIGN)
			   : record_any(block, bytes, SITES_MEMALIGN);
}

EXPORT void *memalign(size_t alignment, size_t bytes)
{
	return recorded(real_malloc.memalign(alignment, bytes), bytes);
}

EXPORT void *aligned_alloc(size_t alignment, size_t bytes)
{
	return recorded(real_malloc.aligned_alloc(alignment, bytes), bytes);
}

EXPORT int posix_memalign(void **block, size_t alignment, size_t bytes)
{
	const int error = real_malloc.posix_memalign(block, alignment, bytes);
	if (error == 0)
		(void)recorded(*block, bytes);
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
	return recorded(real_malloc.valloc(bytes), bytes);
}

void *pvalloc(size_t bytes); /* not in musl's header */

EXPORT void *pvalloc(size_t bytes)
{
	const size_t whole = (bytes + page() - 1) & ~(page() - 1);
	if (real_malloc.pvalloc != NULL)
		return recorded(real_malloc.pvalloc(bytes), bytes);
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
