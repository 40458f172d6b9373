#include "arena.h"

#include <stdalign.h>
#include <string.h>

#include <gcspy/memory.h>

struct arena_block {
	struct arena_block *next;
	size_t size;
	alignas(max_align_t) unsigned char bytes[];
};

/* Blocks grow with the arena: many are small. */
enum { FIRST_BYTES = 240, MOST_BYTES = 4000 };

static size_t room_for(const struct arena *a, size_t bytes)
{
	size_t room = a->total / 2;
	room = room < FIRST_BYTES ? FIRST_BYTES : room > MOST_BYTES ? MOST_BYTES : room;
	return bytes > room ? bytes : room;
}

static void *take(struct arena *a, size_t bytes, size_t align)
{
	const size_t start = (a->used + align - 1) / align * align;
	if (a->blocks == NULL || start > a->blocks->size || a->blocks->size - start < bytes) {
		const size_t room = room_for(a, bytes);
		struct arena_block *block = gcs_zalloc(sizeof *block + room);
		if (block == NULL)
			return NULL;
		block->next = a->blocks;
		block->size = room;
		a->blocks = block;
		a->total += room;
		a->used = bytes;
		return block->bytes;
	}
	a->used = start + bytes;
	return a->blocks->bytes + start;
}

void *arena_alloc(struct arena *a, size_t count, size_t size)
{
	if (size != 0 && count > SIZE_MAX / 2 / size)
		return NULL;
	return take(a, count * size, alignof(max_align_t));
}

const char *arena_text(struct arena *a, const char *bytes, size_t length)
{
	if (length == 0)
		return "";
	char *copy = length > SIZE_MAX / 2 ? NULL : take(a, length + 1, 1);
	if (copy != NULL)
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
	a->used = a->total = 0;
}
