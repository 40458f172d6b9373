/*
 * The library's allocator.
 *
 * A server must not disturb the heap that it shows (OOPSLA 2002, section 2: no allocation "in the
 * heap that is being visualised"). A memory manager that shows its own heap therefore sets an
 * allocator before it calls anything else. The default is malloc.
 */
#ifndef GCSPY_MEMORY_H
#define GCSPY_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "version.h"

GCS_BEGIN_DECLS

struct gcs_allocator {
	void *(*allocate)(size_t bytes, void *context);            /* NULL: out of memory */
	void *(*resize)(void *block, size_t bytes, void *context); /* as realloc */
	void (*release)(void *block, void *context);               /* never called with NULL */
	void *context;
	/* As allocate, but zeroed; NULL: the library zeroes the memory itself. */
	void *(*allocate_zeroed)(size_t bytes, void *context);
};

/*
 * Replaces the allocator of all GCspy functions in this process; the struct is copied. Only before
 * any other call of the library, because blocks are released by the present allocator. Its functions
 * are called from several threads at once. NULL: the C library's.
 */
GCS_API void gcs_set_allocator(const struct gcs_allocator *allocator);

/* The library's own allocations; `gcs_zalloc` returns zeroed memory. NULL without memory. `gcs_free`
 * accepts NULL. Any thread. */
GCS_API void *gcs_alloc(size_t bytes);
GCS_API void *gcs_zalloc(size_t bytes);
GCS_API void *gcs_realloc(void *block, size_t bytes);
GCS_API void gcs_free(void *block);
GCS_API char *gcs_strdup(const char *text);

/*
 * True on the library's own threads, and on others within gcs_server_create, gcs_server_listen and
 * gcs_server_start. A memory manager that watches malloc or page faults asks this to leave out what
 * the library causes: there the C library calls malloc for a thread's stack, for resolving a host
 * name and for the handlers of fork, and nowhere later. One thread-local load, also in an allocator
 * or a signal handler, in a program that is linked with the library; the loader may call malloc for a
 * thread's first load of a library that came by dlopen.
 */
GCS_API bool gcs_inside(void);

/* The library's own threads in this process; each is counted after its beginning until before its end. Any thread. */
GCS_API uint32_t gcs_threads(void);

GCS_END_DECLS

#endif
