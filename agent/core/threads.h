/*
 * The Java threads by the VM's pointer to them: names for the tiles of the TLAB space, and the list
 * for state requests.
 *
 * Only kept while a client is attached; ThreadStart and ThreadEnd keep it up to date. The table has
 * one lock, held for a few instructions by starting and ending threads. What was read of a listed
 * thread outside a pause counts only if the thread is still listed afterwards: then it had not ended.
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

/* A thread in the table; a later one at the same address has another number. */
struct thread_ref {
	uint64_t thread, number;
};

/* Lists at most `capacity` threads; returns how many there are. */
size_t threads_list(struct threads *t, struct thread_ref *list, size_t capacity);

/* True if the thread has not ended since it was listed. */
bool threads_listed(struct threads *t, const struct thread_ref *ref);

#endif
