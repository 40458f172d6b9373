/*
 * The native heap's server in this process, for a server of something else.
 *
 * `libgcspymalloc.so`, preloaded, serves the heap of malloc. Where the process has another server, such as
 * the agent in a JVM, that one finds this table by dlsym(RTLD_DEFAULT, GCS_NATIVE_HEAP_SYMBOL) and shows the
 * same spaces as a client of the first, and can continue the stacks of sampled blocks by frames that only it
 * knows, such as those of Java. The two libraries may have a copy of libgcspy each; nothing but this table and
 * the connection is between them.
 */
#ifndef GCSPY_NATIVE_TABLE_H
#define GCSPY_NATIVE_TABLE_H

#include "memory.h"
#include "profile.h"

GCS_BEGIN_DECLS

#define GCS_NATIVE_HEAP_SYMBOL  "gcs_native_heap"
#define GCS_NATIVE_HEAP_VERSION 1u

/*
 * Continues a stack. In the thread that allocates, for sampled blocks only, amid the call of malloc: no lock, no
 * memory, no wait, and it may be a signal handler. `addresses` are return addresses, the youngest first. Returns
 * how many of them are native frames indeed, and passes the frames that follow to `add`, the youngest first;
 * their texts are copied.
 */
typedef uint32_t gcs_native_frames(void *context, const uint64_t *addresses, uint32_t count,
    void (*add)(void *stack, const struct gcs_frame *frame), void *stack);

struct gcs_native_heap {
	uint32_t version; /* GCS_NATIVE_HEAP_VERSION */
	uint32_t length;  /* of this struct in bytes; later versions append to it */
	/* Writes the server's address for gcs_client_open, and its token or "", into texts of these sizes;
	 * false if it does not listen. Any thread. */
	bool (*address)(char *text, size_t bytes, char *token, size_t token_bytes);
	/* Memory that is in none of the pictures of the native heap. Valid for the life of the process, also
	 * while the heap is not shown. */
	const struct gcs_allocator *allocator;
	/* Sets the function that continues stacks, of which there is one; NULL: none any more. When it returns, no
	 * thread is in the function that was set before. Not in that function. */
	void (*set_frames)(gcs_native_frames *frames, void *context);
};

GCS_END_DECLS

#endif
