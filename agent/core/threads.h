/*
 * The Java threads by the VM's pointer to them: names for the tiles of the TLAB space, and the list
 * for state requests.
 *
 * Only kept while a client is attached; ThreadStart and ThreadEnd keep it up to date. The table has
 * one lock, held for a few instructions by starting and ending threads, and while TLABs are read
 * outside a pause: while it is held no listed thread can end.
 */
#ifndef GCSPY_AGENT_THREADS_H
#define GCSPY_AGENT_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct threads;

struct threads *threads_create(void);
void threads_destroy(struct threads *t);

/* A thread has started, or was found running. `name` is copied, cut at 255 bytes. */
void threads_add(struct threads *t, uint64_t thread, const char *name);

/* A thread ends. During an enumeration it is also noted, so that threads_found does not add it
 * again. */
void threads_remove(struct threads *t, uint64_t thread);

/* Around an enumeration of running threads; threads_found adds a thread unless it has ended since
 * threads_enumerate_begin. */
void threads_enumerate_begin(struct threads *t);
void threads_found(struct threads *t, uint64_t thread, const char *name);
void threads_enumerate_end(struct threads *t);

/* Forgets all. */
void threads_clear(struct threads *t);

/* Copies the name; false, with "" in the buffer, when the thread is not known. */
bool threads_name(struct threads *t, uint64_t thread, char *buffer, size_t size);

/* Calls `visit` for each thread with the lock held; a false ends it. */
void threads_visit(struct threads *t, bool (*visit)(void *context, uint64_t thread), void *context);

#endif
