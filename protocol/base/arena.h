/*
 * Memory that is released all at once: the strings and tables of one model, or of one decoded
 * message.
 */
#ifndef GCSPY_BASE_ARENA_H
#define GCSPY_BASE_ARENA_H

#include <stddef.h>

struct arena {
	struct arena_block *blocks;
	size_t used; /* in the first block */
};

/* A zeroed struct is an empty arena. Memory is cleared and aligned for any type; NULL when there is
 * none. */
void *arena_alloc(struct arena *a, size_t count, size_t size);

/* A terminated copy of `length` bytes; NULL without memory. */
const char *arena_text(struct arena *a, const char *bytes, size_t length);

void arena_fini(struct arena *a);

#endif
