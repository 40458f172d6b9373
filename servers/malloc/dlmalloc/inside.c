/* The names that the library exports: malloc and its kin, and the table of what is inside. */
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dl_allocator.h"
#include "dl_blocks.h"
#include "dl_mspaces.h"
#include "dl_parked.h"

#define EXPORT __attribute__((visibility("default")))

/* A block is the program's from now on. */
static void *allocated(void *block)
{
	uint64_t chunk, size;
	if (block != NULL && allocator_chunk(block, &chunk, &size))
		blocks_allocated(chunk, size);
	return block;
}

EXPORT void *malloc(size_t bytes)
{
	void *block = parked_get(bytes);
	return allocated(block != NULL ? block : dlmalloc(bytes));
}

EXPORT void *calloc(size_t count, size_t each)
{
	size_t bytes;
	if (__builtin_mul_overflow(count, each, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	void *block = parked_get(bytes);
	if (block != NULL)
		memset(block, 0, bytes);
	return allocated(block != NULL ? block : dlcalloc(count, each));
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
	if (block != NULL)
		release(block);
	errno = saved;
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
	const bool known = allocator_chunk(block, &chunk, &size);
	if (known)
		blocks_freeing(chunk);
	void *resized = dlrealloc(block, bytes);
	if (known && resized == NULL)
		blocks_allocated(chunk, size);
	else if (known)
		blocks_freed(chunk, size);
	return allocated(resized);
}

EXPORT void *reallocarray(void *block, size_t count, size_t each)
{
	size_t bytes;
	if (!__builtin_mul_overflow(count, each, &bytes))
		return realloc(block, bytes);
	errno = ENOMEM;
	return NULL;
}

/* A larger chunk than asked for was allocated, and what is before and after the block then freed: a walk in
 * between finds that in use. */
static void *allocated_aligned(void *block, uint64_t alignment)
{
	uint64_t chunk, size;
	const uint64_t room = 2 * alignment + 64;
	if (block != NULL && allocator_chunk(block, &chunk, &size)) {
		const uint64_t before = chunk < room ? chunk : room;
		blocks_freed(chunk - before, before + size + room);
	}
	return allocated(block);
}

EXPORT void *memalign(size_t alignment, size_t bytes)
{
	return allocated_aligned(dlmemalign(alignment, bytes), alignment);
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
	return allocated_aligned(dlvalloc(bytes), (uint64_t)sysconf(_SC_PAGESIZE));
}

EXPORT void *pvalloc(size_t bytes)
{
	return allocated_aligned(dlpvalloc(bytes), (uint64_t)sysconf(_SC_PAGESIZE));
}

EXPORT size_t malloc_usable_size(void *block)
{
	return dlmalloc_usable_size(block);
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
    .mspace_create = mspaces_create,
    .mspace_destroy = mspaces_destroy,
    .mspace_allocate = mspace_malloc,
    .mspace_release = mspace_free};

EXPORT extern const struct dlmalloc_inside *const gcspy_dlmalloc_inside;
const struct dlmalloc_inside *const gcspy_dlmalloc_inside = &inside;

static void before_fork(void)
{
	mspaces_fork_begins();
	parked_fork_begins();
	allocator_fork_begins();
}

static void after_fork(bool child)
{
	allocator_fork_ends(child);
	parked_fork_ends(child);
	mspaces_fork_ends(child);
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
