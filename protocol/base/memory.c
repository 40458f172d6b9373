#include <gcspy/memory.h>

#include <stdlib.h>
#include <string.h>

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

static void *noted(void *block)
{
	failed += block == NULL;
	return block;
}

void gcs_set_allocator(const struct gcs_allocator *allocator)
{
	custom = *allocator;
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
