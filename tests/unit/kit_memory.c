/* The counting allocator; declared in kit.h. */
#include "kit.h"

#include <stdlib.h>
#include <string.h>

#include <gcspy/memory.h>

/* Each block is preceded by its size. */

union header {
	size_t bytes;
	max_align_t alignment;
};

static atomic_size_t live_blocks, live_bytes, peak_bytes, allowed = SIZE_MAX;
static atomic_bool has_failed;
static size_t byte_limit;

static bool may_allocate(size_t bytes)
{
	size_t left = atomic_load(&allowed);
	while (left != SIZE_MAX && left != 0 &&
	       !atomic_compare_exchange_weak(&allowed, &left, left - 1))
		continue;
	bool fine = left != 0 && (byte_limit == 0 || bytes <= byte_limit - live_bytes);
	if (!fine)
		atomic_store(&has_failed, true);
	return fine;
}

static void note(size_t gone, size_t come)
{
	size_t now = atomic_fetch_add(&live_bytes, come - gone) + come - gone;
	size_t peak = atomic_load(&peak_bytes);
	while (now > peak && !atomic_compare_exchange_weak(&peak_bytes, &peak, now))
		continue;
}

static void *count_resize(void *block, size_t bytes, void *context)
{
	(void)context;
	union header *old = block == NULL ? NULL : (union header *)block - 1;
	size_t before = old == NULL ? 0 : old->bytes;
	if (!may_allocate(bytes))
		return NULL;
	union header *fresh = realloc(old, sizeof *fresh + bytes);
	if (fresh == NULL)
		return NULL;
	fresh->bytes = bytes;
	if (block == NULL)
		atomic_fetch_add(&live_blocks, 1);
	note(before, bytes);
	return fresh + 1;
}

static void *count_allocate(size_t bytes, void *context)
{
	void *block = count_resize(NULL, bytes, context);
	/* What the library does not write itself must not happen to be zero. */
	if (block != NULL)
		memset(block, 0xa5, bytes);
	return block;
}

static void count_release(void *block, void *context)
{
	(void)context;
	union header *old = (union header *)block - 1;
	note(old->bytes, 0);
	atomic_fetch_sub(&live_blocks, 1);
	free(old);
}

void kit_count_memory(size_t limit)
{
	static const struct gcs_allocator counting = {
	    .allocate = count_allocate, .resize = count_resize, .release = count_release};
	byte_limit = limit;
	gcs_set_allocator(&counting);
}

size_t kit_live_blocks(void)
{
	return atomic_load(&live_blocks);
}

size_t kit_live_bytes(void)
{
	return atomic_load(&live_bytes);
}

size_t kit_peak_bytes(void)
{
	return atomic_load(&peak_bytes);
}

void kit_fail_after(size_t count)
{
	atomic_store(&has_failed, false);
	atomic_store(&allowed, count);
}

bool kit_has_failed(void)
{
	return atomic_load(&has_failed);
}
