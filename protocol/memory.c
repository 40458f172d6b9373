#include <gcspy/memory.h>

#include <stdlib.h>
#include <string.h>

static struct gcs_allocator custom;

void gcs_set_allocator(const struct gcs_allocator *allocator)
{
	custom = *allocator;
}

void *gcs_alloc(size_t bytes)
{
	if (custom.allocate != NULL)
		return custom.allocate(bytes, custom.context);
	return malloc(bytes);
}

void *gcs_zalloc(size_t bytes)
{
	if (custom.allocate == NULL)
		return calloc(1, bytes);
	void *block = gcs_alloc(bytes);
	if (block != NULL)
		memset(block, 0, bytes);
	return block;
}

void *gcs_realloc(void *block, size_t bytes)
{
	if (custom.resize != NULL)
		return custom.resize(block, bytes, custom.context);
	return realloc(block, bytes);
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
