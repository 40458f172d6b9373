#include "malloc_each.h"

#include <errno.h>
#include <stddef.h>
#include <unistd.h>

#include <gcspy/updates.h>

static _Atomic(struct gcs_updates *) updates;

void malloc_each_use(struct gcs_updates *to)
{
	atomic_store(&updates, to);
}

void malloc_each_set(void *context, bool each)
{
	(void)context;
	if (each)
		(void)malloc_mode_add(MODE_EACH);
	else
		malloc_mode_remove(MODE_EACH);
}

/* The shared slot has several writers. */
static void add_up(
    struct malloc_thread *t, enum malloc_event event, uint64_t bytes, uint64_t old_bytes)
{
	const bool shared = t == &malloc_shared_slot;
	struct malloc_counts *kinds[MALLOC_EVENTS] = {
	    [EVENT_MALLOC] = &t->allocated, [EVENT_FREE] = &t->freed, [EVENT_REALLOC] = &t->moved};
	counts_add_to_sum(kinds[event], bytes, shared);
	if (shared)
		atomic_fetch_add_explicit(&t->old_bytes, old_bytes, memory_order_relaxed);
	else
		atomic_store_explicit(&t->old_bytes,
		    atomic_load_explicit(&t->old_bytes, memory_order_relaxed) + old_bytes,
		    memory_order_relaxed);
}

/* Busy. What is in use is known before the thread may have to wait. */
static void add_live(
    struct malloc_thread *t, enum malloc_event event, uint64_t bytes, uint64_t old_bytes)
{
	const uint64_t blocks = event == EVENT_MALLOC ? 1 : event == EVENT_FREE ? (uint64_t)-1 : 0;
	const uint64_t more = event == EVENT_FREE ? -bytes : bytes - old_bytes;
	atomic_store_explicit(&t->each_blocks,
	    atomic_load_explicit(&t->each_blocks, memory_order_relaxed) + blocks,
	    memory_order_relaxed);
	atomic_store_explicit(&t->each_bytes,
	    atomic_load_explicit(&t->each_bytes, memory_order_relaxed) + more,
	    memory_order_relaxed);
}

void malloc_count_each(struct malloc_thread *t, enum malloc_event event, uintptr_t location,
    uint64_t bytes, uint64_t old_bytes)
{
	const bool each = (malloc_mode() & MODE_EACH) != 0;
	struct gcs_updates *to = each ? atomic_load(&updates) : NULL;
	/* Busy: a signal handler in the middle of this, or what this causes. */
	if (to == NULL || t == &malloc_shared_slot || t->busy) {
		add_up(t, event, bytes, old_bytes);
		return;
	}
	const int saved = errno;
	t->busy = true;
	if (t->counter == NULL)
		t->counter = gcs_event_counter_create(to);
	if (t->counter == NULL) {
		add_up(t, event, bytes, old_bytes);
	} else {
		const int64_t values[] = {(int64_t)bytes, (int64_t)old_bytes};
		t->location = location;
		add_live(t, event, bytes, old_bytes);
		gcs_count_event(t->counter, (uint32_t)event, values);
	}
	t->busy = false;
	errno = saved;
}

uintptr_t malloc_each_location(void)
{
	return malloc_self->busy ? malloc_self->location : 0;
}

void malloc_cannot_record(void)
{
	static const char line[] =
	    "libgcspymalloc: the heap is no longer shown: no address space for "
	    "its shadow (ulimit -v?)\n";
	const unsigned before = malloc_mode_add(MODE_OFF);
	if ((before & MODE_OFF) == 0 && atomic_load(&updates) != NULL)
		(void)!write(STDERR_FILENO, line, sizeof line - 1);
}
