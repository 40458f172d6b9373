#include "arena.h"

#include <stdalign.h>
#include <string.h>

#include <gcspy/memory.h>

struct arena_block {
	struct arena_block *next;
	size_t size;
	alignas(max_align_t) unsigned char bytes[];
};

enum { BLOCK_BYTES = 4000 };

void *arena_alloc(struct arena *a, size_t count, size_t size)
{
	if (size != 0 && count > SIZE_MAX / 2 / size)
		return NULL;
	size_t align = alignof(max_align_t);
	size_t bytes = (count * size + align - 1) / align * align;
	if (a->blocks == NULL || a->blocks->size - a->used < bytes) {
		size_t room = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
		struct arena_block *block = gcs_zalloc(sizeof *block + room);
		if (block == NULL)
			return NULL;
		block->next = a->blocks;
		block->size = room;
		a->blocks = block;
		a->used = 0;
	}
	void *memory = a->blocks->bytes + a->used;
	a->used += bytes;
	return memory;
}

const char *arena_text(struct arena *a, const char *bytes, size_t length)
{
	char *copy = arena_alloc(a, length + 1, 1);
	if (copy != NULL && length != 0)
		memcpy(copy, bytes, length);
	return copy;
}

const char *arena_read_text(struct arena *a, struct rd *r, size_t max)
{
	size_t length;
	const char *bytes = rd_text(r, max, &length);
	const char *copy = arena_text(a, bytes, length);
	if (copy == NULL)
		rd_fail(r, GCS_NOMEM);
	return copy;
}

void arena_fini(struct arena *a)
{
	while (a->blocks != NULL) {
		struct arena_block *next = a->blocks->next;
		gcs_free(a->blocks);
		a->blocks = next;
	}
	a->used = 0;
}
