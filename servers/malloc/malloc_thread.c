#include "malloc_thread.h"

#include <pthread.h>
#include <stddef.h>

#include <gcspy/memory.h>

#include "last_thread.h"
#include "native_walk.h"
#include "own_memory.h"

enum { FIRST_SLOTS = 64, MORE_SLOTS = 1024 };

struct malloc_thread malloc_no_slot = {.mode = MODE_NO_SLOT};
_Thread_local struct malloc_thread *malloc_self __attribute__((tls_model("initial-exec"))) =
    &malloc_no_slot;
/* Its slot also while it is GCspy's; NULL: it has none. */
static _Thread_local struct malloc_thread *own __attribute__((tls_model("initial-exec")));
static _Thread_local unsigned ignored __attribute__((tls_model("initial-exec")));
static _Thread_local bool ended __attribute__((tls_model("initial-exec")));

struct malloc_thread malloc_shared_slot;
atomic_uint malloc_mode_of_all;

static struct malloc_thread first[FIRST_SLOTS];
static _Atomic(struct malloc_thread *) slots; /* all; they are never taken out */
static atomic_flag first_added = ATOMIC_FLAG_INIT;
static pthread_key_t key;
static atomic_bool watching;

/* Others may do the same, and the mode may change meanwhile: the last store is of the last mode. */
static void copy_mode(struct malloc_thread *t)
{
	unsigned now;
	do {
		now = atomic_load(&malloc_mode_of_all);
		atomic_store(&t->mode, now);
	} while (atomic_load(&malloc_mode_of_all) != now);
}

static void copy_mode_to_all(void)
{
	for (struct malloc_thread *t = atomic_load(&slots); t != NULL; t = t->next)
		copy_mode(t);
}

unsigned malloc_mode_add(unsigned bits)
{
	const unsigned before = atomic_fetch_or(&malloc_mode_of_all, bits);
	copy_mode_to_all();
	return before;
}

void malloc_mode_remove(unsigned bits)
{
	atomic_fetch_and(&malloc_mode_of_all, ~bits);
	copy_mode_to_all();
}

static void add_slots(struct malloc_thread *more, uint32_t count)
{
	for (uint32_t i = 0; i + 1 < count; i++)
		more[i].next = &more[i + 1];
	struct malloc_thread *head = atomic_load(&slots);
	do
		more[count - 1].next = head;
	while (!atomic_compare_exchange_weak(&slots, &head, more));
}

static struct malloc_thread *take_slot(void)
{
	for (struct malloc_thread *t = atomic_load(&slots); t != NULL; t = t->next) {
		bool taken = false;
		if (!atomic_load_explicit(&t->taken, memory_order_relaxed) &&
		    atomic_compare_exchange_strong(&t->taken, &taken, true))
			return t;
	}
	return NULL;
}

static struct malloc_thread *find_slot(void)
{
	struct malloc_thread *t = NULL;
	if (!atomic_flag_test_and_set(&first_added))
		add_slots(first, FIRST_SLOTS);
	while ((t = take_slot()) == NULL) {
		struct malloc_thread *more = own_memory_reserve(MORE_SLOTS * sizeof *more);
		if (more == NULL)
			return NULL;
		add_slots(more, MORE_SLOTS);
	}
	return t;
}

/* The end of a thread. */
static void give_back(void *slot)
{
	struct malloc_thread *t = slot;
	malloc_self = &malloc_no_slot;
	own = NULL;
	ended = true;
	atomic_store(&t->stack, 0);
	atomic_store(&t->taken, false);
	native_walk_thread_ends();
	last_thread_leaves();
}

void malloc_thread_watch_ends(void)
{
	if (pthread_key_create(&key, give_back) != 0)
		return;
	atomic_store(&watching, true);
	malloc_thread_watch_own_end();
}

void malloc_thread_watch_own_end(void)
{
	if (!atomic_load(&watching) || ended)
		return;
	if (own == NULL)
		own = find_slot();
	if (own != NULL)
		(void)pthread_setspecific(key, own);
}

struct malloc_thread *malloc_thread_register(void)
{
	char here;
	if (malloc_has_slot())
		return malloc_self;
	if (malloc_is_ignored())
		return NULL;
	if (ended)
		return &malloc_shared_slot;
	if (own == NULL && (own = find_slot()) == NULL)
		return &malloc_shared_slot;
	own->due = 0; /* the first event finds out */
	copy_mode(own);
	atomic_store(&own->stack, (uintptr_t)&here);
	malloc_self = own; /* before a call that might allocate */
	if (atomic_load(&watching))
		(void)pthread_setspecific(key, own);
	return own;
}

void malloc_ignore_begin(void)
{
	ignored++;
	malloc_self = &malloc_no_slot;
}

void malloc_ignore_end(void)
{
	ignored--;
}

bool malloc_is_ignored(void)
{
	return ignored != 0 || gcs_inside();
}

static void add(struct malloc_totals *totals, struct malloc_thread *t)
{
	counts_read(&t->allocated, &totals->count[EVENT_MALLOC], &totals->bytes[EVENT_MALLOC]);
	counts_read(&t->freed, &totals->count[EVENT_FREE], &totals->bytes[EVENT_FREE]);
	counts_read(&t->moved, &totals->count[EVENT_REALLOC], &totals->bytes[EVENT_REALLOC]);
	totals->old_bytes += atomic_load_explicit(&t->old_bytes, memory_order_relaxed);
	totals->live_blocks += atomic_load_explicit(&t->each_blocks, memory_order_relaxed);
	totals->live_bytes += atomic_load_explicit(&t->each_bytes, memory_order_relaxed);
}

/* A block may be counted as freed before it is as allocated: the slots are not read at one time. */
static uint64_t less(uint64_t in, uint64_t out)
{
	return (int64_t)(in - out) < 0 ? 0 : in - out;
}

void malloc_threads_sum(struct malloc_totals *totals)
{
	*totals = (struct malloc_totals){0};
	for (struct malloc_thread *t = atomic_load(&slots); t != NULL; t = t->next)
		add(totals, t);
	add(totals, &malloc_shared_slot);
	totals->live_blocks =
	    less(totals->live_blocks + totals->count[EVENT_MALLOC], totals->count[EVENT_FREE]);
	totals->live_bytes =
	    less(totals->live_bytes + totals->bytes[EVENT_MALLOC] + totals->bytes[EVENT_REALLOC],
		totals->bytes[EVENT_FREE] + totals->old_bytes);
}

void malloc_threads_visit(void (*visit)(void *context, uintptr_t stack), void *context)
{
	for (struct malloc_thread *t = atomic_load(&slots); t != NULL; t = t->next) {
		const uintptr_t stack = atomic_load(&t->stack);
		if (stack != 0)
			visit(context, stack);
	}
}

void malloc_threads_forget(void)
{
	for (struct malloc_thread *t = atomic_load(&slots); t != NULL; t = t->next) {
		t->counter = NULL;
		t->busy = false;
		if (t != own) {
			atomic_store(&t->stack, 0);
			atomic_store(&t->taken, false);
		}
	}
}
