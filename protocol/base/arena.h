/* Memory that is freed all at once: the strings and tables of a model or of a decoded message. */
#ifndef GCSPY_BASE_ARENA_H
#define GCSPY_BASE_ARENA_H

#include "bytes.h"

struct arena {
	struct arena_block *blocks;
	size_t used;  /* in the first block */
	size_t total; /* of all blocks */
};

/* A zeroed struct is an empty arena. The memory is zeroed and aligned for any type; NULL without
 * memory. */
void *arena_alloc(struct arena *a, size_t count, size_t size);

/* A terminated copy of `length` bytes; NULL without memory. */
const char *arena_text(struct arena *a, const char *bytes, size_t length);

/* A terminated copy of the reader's next text (rd_text), "" if the reader has failed; fails the
 * reader, and returns NULL, without memory. */
const char *arena_read_text(struct arena *a, struct rd *r, size_t max);

void arena_fini(struct arena *a);

#endif
