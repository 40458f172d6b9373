/*
 * The program's threads: what each of them has counted, and whether its events are recorded.
 *
 * A thread has a slot from its first event on, which it alone writes, without a lock and in any signal
 * handler. When it ends, its slot goes to another thread; the counts stay. What it allocates or frees
 * after that, in destructors of other thread-specific data, is counted in a slot that such threads share.
 *
 * Threads of GCspy, and others while they start the server, have no slot: what they allocate is not
 * the program's and is not recorded. What they free that is the program's is recorded.
 */
#ifndef GCSPYMALLOC_MALLOC_THREAD_H
#define GCSPYMALLOC_MALLOC_THREAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "malloc_counts.h"

enum malloc_event { EVENT_MALLOC, EVENT_FREE, EVENT_REALLOC, MALLOC_EVENTS };

struct gcs_event_counter;

struct malloc_thread {
	_Alignas(64) atomic_uint mode; /* malloc_mode(); MODE_NO_SLOT in malloc_no_slot */
	uint64_t due;                  /* the limit of `allocated` */
	struct malloc_counts allocated, freed, moved;
	atomic_uint_least64_t old_bytes; /* of moved ones */
	/* What events that are counted by themselves, which are not among those, have added to the heap. */
	atomic_uint_least64_t each_blocks, each_bytes;
	struct gcs_event_counter *counter; /* made when the first event is counted by itself */
	uintptr_t location;                /* of that event's block */
	bool busy;                         /* counting it */
	atomic_bool taken;
	atomic_uintptr_t
	    stack; /* an address in the thread's stack, for the mappings; 0: it has ended */
	struct malloc_thread *next;
};

/* The calling thread's slot; malloc_no_slot: it has none yet, no longer, or is GCspy's. */
extern _Thread_local struct malloc_thread *malloc_self
    __attribute__((tls_model("initial-exec"), visibility("hidden")));
extern struct malloc_thread malloc_no_slot __attribute__((visibility("hidden")));

static inline bool malloc_has_slot(void)
{
	return malloc_self != &malloc_no_slot;
}

/* 0: events are recorded and counted in slots, of blocks with headers. Bits: */
enum {
	MODE_OFF = 1,        /* nothing is recorded */
	MODE_EACH = 2,       /* each event goes to gcs_count_event */
	MODE_NO_HEADERS = 4, /* the allocator's blocks have none (real_malloc.h) */
	MODE_NO_SLOT = 8
};

/* The mode of all threads, which have copies, so that an event looks at one thing. Any thread. */
extern atomic_uint malloc_mode_of_all __attribute__((visibility("hidden")));
static inline unsigned malloc_mode(void)
{
	return atomic_load_explicit(&malloc_mode_of_all, memory_order_relaxed);
}

/* Returns what it was before. */
unsigned malloc_mode_add(unsigned bits);
void malloc_mode_remove(unsigned bits);

/* Takes a slot for the calling thread; NULL if its events are not recorded. */
struct malloc_thread *malloc_thread_register(void);

/* The slot that threads without one share: additions in one step only. */
extern struct malloc_thread malloc_shared_slot;

/* After this slots are given back when threads end. */
void malloc_thread_watch_ends(void);

/* On the main thread: its end is noticed though it has no event before, as in a child of fork. */
void malloc_thread_watch_own_end(void);

/* What the calling thread does between these is GCspy's. In pairs. */
void malloc_ignore_begin(void);
void malloc_ignore_end(void);
bool malloc_is_ignored(void);

/* The sums over all slots. Any thread. */
struct malloc_totals {
	uint64_t count[MALLOC_EVENTS], bytes[MALLOC_EVENTS], old_bytes; /* counted in slots */
	uint64_t live_blocks, live_bytes; /* of all events: what is not freed */
};
void malloc_threads_sum(struct malloc_totals *totals);

/* Calls `visit` with an address in the stack of each thread that has a slot. */
void malloc_threads_visit(void (*visit)(void *context, uintptr_t stack), void *context);

/* In the child of fork: the other threads' slots are free, and their counters are not used. */
void malloc_threads_forget(void);

#endif
