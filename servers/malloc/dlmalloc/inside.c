/* The names that the library exports: malloc and its kin, and the table of what is inside. */
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "dl_allocator.h"
#include "dl_blocks.h"
#include "dl_mspaces.h"
#include "dl_parked.h"

#define EXPORT __attribute__((visibility("default")))

static _Atomic(const struct dlmalloc_observer *) observer;

/* The observer's memory: apart, and within own_low .. own_high - 1 unless that is full. */
static pthread_mutex_t own_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(void *) own;
static uint64_t own_low, own_high;

static void *own_mspace(void)
{
	void *mspace = atomic_load_explicit(&own, memory_order_acquire);
	if (mspace != NULL)
		return mspace;
	pthread_mutex_lock(&own_lock);
	mspace = atomic_load_explicit(&own, memory_order_relaxed);
	if (mspace == NULL) {
		mspace = allocator_own_mspace(&own_low, &own_high);
		atomic_store_explicit(&own, mspace, memory_order_release);
	}
	pthread_mutex_unlock(&own_lock);
	return mspace;
}

static void *own_allocate(size_t bytes)
{
	void *mspace = own_mspace();
	return mspace == NULL ? NULL : mspace_malloc(mspace, bytes);
}

static void *own_resize(void *block, size_t bytes)
{
	void *mspace = own_mspace();
	return mspace == NULL ? NULL : mspace_realloc(mspace, block, bytes);
}

static void own_release(void *block)
{
	mspace_free(own_mspace(), block);
}

static bool is_own(const void *block)
{
	return atomic_load_explicit(&own, memory_order_acquire) != NULL &&
	       (uintptr_t)block >= own_low && (uintptr_t)block < own_high;
}

/* The observer, if the calling thread is the program's. `*block` is then NULL; else an own thread has what it
 * asks for, if there is room. */
static const struct dlmalloc_observer *observer_of(size_t bytes, void **block)
{
	const struct dlmalloc_observer *o = atomic_load_explicit(&observer, memory_order_acquire);
	*block = NULL;
	if (o == NULL || !o->inside())
		return o;
	*block = own_allocate(bytes);
	if (*block != NULL && !is_own(*block)) { /* free would not know it */
		own_release(*block);
		*block = NULL;
	}
	return NULL;
}

/* A block is the program's from now on. */
static void *allocated(const struct dlmalloc_observer *o, void *block, size_t requested)
{
	uint64_t chunk, size;
	if (block == NULL)
		return NULL;
	if (allocator_chunk(block, &chunk, &size))
		blocks_allocated(chunk, size);
	if (o != NULL && o->allocated != NULL)
		o->allocated(block, requested);
	return block;
}

EXPORT void *malloc(size_t bytes)
{
	void *block;
	const struct dlmalloc_observer *o = observer_of(bytes, &block);
	if (block != NULL)
		return block;
	block = parked_get(bytes);
	return allocated(o, block != NULL ? block : dlmalloc(bytes), bytes);
}

EXPORT void *calloc(size_t count, size_t each)
{
	void *block;
	size_t bytes;
	if (__builtin_mul_overflow(count, each, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	const struct dlmalloc_observer *o = observer_of(bytes, &block);
	if (block != NULL)
		return memset(block, 0, bytes);
	block = parked_get(bytes);
	if (block != NULL)
		memset(block, 0, bytes);
	return allocated(o, block != NULL ? block : dlcalloc(count, each), bytes);
}

static void release(void *block)
{
	uint64_t chunk, size;
	const bool known = allocator_chunk(block, &chunk, &size);
	if (known)
		blocks_freeing(chunk);
	if (parked_put(block))
		return;
	dlfree(block);
	if (known)
		blocks_freed(chunk, size);
}

EXPORT void free(void *block)
{
	const int saved = errno;
	if (block == NULL)
		return;
	if (is_own(block)) {
		own_release(block);
	} else {
		const struct dlmalloc_observer *o =
		    atomic_load_explicit(&observer, memory_order_acquire);
		const size_t usable = dlmalloc_usable_size(block);
		release(block);
		if (o != NULL && o->freed != NULL && !o->inside())
			o->freed(block, usable);
	}
	errno = saved;
}

/* In an own block; what does not fit moves to the program's heap. */
static void *resize_own(void *block, size_t bytes)
{
	const size_t usable = dlmalloc_usable_size(block);
	void *moved = malloc(bytes);
	if (moved != NULL) {
		memcpy(moved, block, usable < bytes ? usable : bytes);
		own_release(block);
	}
	return moved;
}

EXPORT void *realloc(void *block, size_t bytes)
{
	uint64_t chunk, size;
	if (block == NULL)
		return malloc(bytes);
	if (bytes == 0) {
		free(block);
		return NULL;
	}
	if (is_own(block))
		return resize_own(block, bytes);
	const struct dlmalloc_observer *o = atomic_load_explicit(&observer, memory_order_acquire);
	const bool known = allocator_chunk(block, &chunk, &size);
	if (known)
		blocks_freeing(chunk);
	void *resized = dlrealloc(block, bytes);
	if (known && resized == NULL)
		blocks_allocated(chunk, size);
	else if (known)
		blocks_freed(chunk, size);
	if (resized != NULL && allocator_chunk(resized, &chunk, &size))
		blocks_allocated(chunk, size);
	if (resized != NULL && o != NULL && o->reallocated != NULL && !o->inside())
		o->reallocated(block, resized, bytes);
	return resized;
}

EXPORT void *reallocarray(void *block, size_t count, size_t each)
{
	size_t bytes;
	if (!__builtin_mul_overflow(count, each, &bytes))
		return realloc(block, bytes);
	errno = ENOMEM;
	return NULL;
}

static const struct dlmalloc_observer *observer_here(void)
{
	const struct dlmalloc_observer *o = atomic_load_explicit(&observer, memory_order_acquire);
	return o != NULL && o->inside() ? NULL : o;
}

EXPORT void *memalign(size_t alignment, size_t bytes)
{
	return allocated(observer_here(), dlmemalign(alignment, bytes), bytes);
}

EXPORT void *aligned_alloc(size_t alignment, size_t bytes)
{
	return memalign(alignment, bytes);
}

EXPORT int posix_memalign(void **block, size_t alignment, size_t bytes)
{
	const int saved = errno;
	if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0)
		return EINVAL;
	void *got = memalign(alignment, bytes);
	errno = saved;
	if (got == NULL)
		return ENOMEM;
	*block = got;
	return 0;
}

EXPORT void *valloc(size_t bytes)
{
	return allocated(observer_here(), dlvalloc(bytes), bytes);
}

EXPORT void *pvalloc(size_t bytes)
{
	return allocated(observer_here(), dlpvalloc(bytes), bytes);
}

EXPORT size_t malloc_usable_size(void *block)
{
	return dlmalloc_usable_size(block);
}

static void observe(const struct dlmalloc_observer *o)
{
	atomic_store_explicit(&observer, o, memory_order_release);
}

static const struct dlmalloc_inside inside = {.version = DLMALLOC_INSIDE_VERSION,
    .bytes = sizeof(struct dlmalloc_inside),
    .bin_sizes = allocator_bin_sizes,
    .take_dirty = allocator_take_dirty,
    .walk_bin = allocator_walk_bin,
    .segments = allocator_segments,
    .walk = allocator_walk,
    .take_touched = blocks_take_touched,
    .state = allocator_state,
    .largest_gap = allocator_largest_gap,
    .mspaces = mspaces_list,
    .parked = parked_sizes,
    .check = allocator_check,
    .defer = parked_defer,
    .observe = observe,
    .own_allocate = own_allocate,
    .own_resize = own_resize,
    .own_release = own_release,
    .mspace_create = mspaces_create,
    .mspace_destroy = mspaces_destroy,
    .mspace_allocate = mspace_malloc,
    .mspace_release = mspace_free};

EXPORT extern const struct dlmalloc_inside *const gcspy_dlmalloc_inside;
const struct dlmalloc_inside *const gcspy_dlmalloc_inside = &inside;

static void before_fork(void)
{
	pthread_mutex_lock(&own_lock);
	mspaces_fork_begins();
	parked_fork_begins();
	allocator_fork_begins();
}

static void after_fork(bool child)
{
	allocator_fork_ends(child);
	parked_fork_ends(child);
	mspaces_fork_ends(child);
	if (child)
		pthread_mutex_init(&own_lock, NULL);
	else
		pthread_mutex_unlock(&own_lock);
}

static void in_parent(void)
{
	after_fork(false);
}

static void in_child(void)
{
	after_fork(true);
}

/* Before the program's own handlers where possible, and with a heap that is initialised. */
__attribute__((constructor(101))) static void begin(void)
{
	dlfree(dlmalloc(1));
	pthread_atfork(before_fork, in_parent, in_child);
}
