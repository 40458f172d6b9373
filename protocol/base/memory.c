#include <gcspy/memory.h>

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "inside.h"
#include "out_of_memory.h"

static struct gcs_allocator custom;
static _Thread_local unsigned failed, inside;

unsigned out_of_memory_count(void)
{
	return failed;
}

void inside_begin(void)
{
	inside++;
}

void inside_end(void)
{
	inside--;
}

bool gcs_inside(void)
{
	return inside != 0;
}

/* A process, in the upper half, and its number of threads: a child of fork has none of its parent's. */
static atomic_uint_least64_t own_threads;

static uint64_t of_process(uint64_t threads)
{
	const uint64_t process = (uint64_t)getpid() << 32;
	return (threads & ~(uint64_t)UINT32_MAX) == process ? threads : process;
}

void inside_thread_begin(void)
{
	inside_begin();
	uint64_t now = atomic_load(&own_threads);
	while (!atomic_compare_exchange_weak(&own_threads, &now, of_process(now) + 1))
		continue;
}

void inside_thread_end(void)
{
	atomic_fetch_sub(&own_threads, 1);
}

uint32_t gcs_threads(void)
{
	return (uint32_t)of_process(atomic_load(&own_threads));
}

static void *noted(void *block)
{
	failed += block == NULL;
	return block;
}

void gcs_set_allocator(const struct gcs_allocator *allocator)
{
	custom = allocator == NULL ? (struct gcs_allocator){0} : *allocator;
}

void *gcs_alloc(size_t bytes)
{
	if (custom.allocate != NULL)
		return noted(custom.allocate(bytes, custom.context));
	return noted(malloc(bytes));
}

void *gcs_zalloc(size_t bytes)
{
	if (custom.allocate == NULL)
		return noted(calloc(1, bytes));
	if (custom.allocate_zeroed != NULL)
		return noted(custom.allocate_zeroed(bytes, custom.context));
	void *block = gcs_alloc(bytes);
	if (block != NULL)
		memset(block, 0, bytes);
	return block;
}

void *gcs_realloc(void *block, size_t bytes)
{
	if (custom.resize != NULL)
		return noted(custom.resize(block, bytes, custom.context));
	return noted(realloc(block, bytes));
}

void gcs_free(void *block)
{
	if (block == NULL)
		return;
	if (custom.release != NULL)
		custom.release(block, custom.context);
	else
		free(block);
}

char *gcs_strdup(const char *text)
{
	size_t bytes = strlen(text) + 1;
	char *copy = gcs_alloc(bytes);
	if (copy != NULL)
		memcpy(copy, text, bytes);
	return copy;
}
