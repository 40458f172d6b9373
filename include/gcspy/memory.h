/*
 * Where the library's memory comes from.
 *
 * A server must not disturb the heap that it shows (OOPSLA 2002, section 2: no allocation "in the
 * heap that is being visualised"). A memory manager that shows itself therefore gives the library
 * an allocator of its own, before the first other call. Without one the C library's is used.
 */
#ifndef GCSPY_MEMORY_H
#define GCSPY_MEMORY_H

#include <stddef.h>

#include "version.h"

GCS_BEGIN_DECLS

struct gcs_allocator {
	void *(*allocate)(size_t bytes, void *context); /* NULL when there is none left */
	void *(*resize)(void *block, size_t bytes, void *context); /* as realloc */
	void (*release)(void *block, void *context);               /* never called with NULL */
	void *context;
	/* As allocate, with zeros; NULL: allocate, then the library writes them. */
	void *(*allocate_zeroed)(size_t bytes, void *context);
};

/*
 * Replaces the allocator of the whole process's GCspy library; copied. Only before any other call
 * of the library: blocks are released through whatever allocator is set then. All three functions
 * may be called from any thread at once.
 */
GCS_API void gcs_set_allocator(const struct gcs_allocator *allocator);

/* Allocation as the library does it; `gcs_zalloc` clears. NULL when there is no memory. `gcs_free`
 * accepts NULL. */
GCS_API void *gcs_alloc(size_t bytes);
GCS_API void *gcs_zalloc(size_t bytes);
GCS_API void *gcs_realloc(void *block, size_t bytes);
GCS_API void gcs_free(void *block);
GCS_API char *gcs_strdup(const char *text);

GCS_END_DECLS

#endif
