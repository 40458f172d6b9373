#include "ring.h"

#include <stdatomic.h>

#include <gcspy/memory.h>

/*
 * A cell belongs to whoever reads in `turn` that it is his: a writer's acquiring load sees the reader's
 * release of the round before, whose copy is over, and the reader's acquiring load the writer's release
 * of this sample, with all that happened before to the tables that it refers to. `tail` only deals out
 * positions and orders nothing.
 */
struct cell {
	/* Its position: free for the writer of that position; plus 1: ready for the reader. */
	atomic_size_t turn;
	struct sample sample;
};

struct ring {
	struct cell *cells;
	size_t mask;
	char apart[64];     /* keeps each end on a cache line of its own */
	atomic_size_t tail; /* the writers' */
	char apart_too[64];
	size_t head; /* the reader's */
};

struct ring *ring_create(size_t capacity)
{
	struct ring *r = gcs_zalloc(sizeof *r);
	if (r == NULL)
		return NULL;
	r->cells = gcs_zalloc(capacity * sizeof *r->cells);
	if (r->cells == NULL) {
		gcs_free(r);
		return NULL;
	}
	r->mask = capacity - 1;
	for (size_t i = 0; i < capacity; i++)
		atomic_init(&r->cells[i].turn, i);
	return r;
}

void ring_destroy(struct ring *r)
{
	if (r == NULL)
		return;
	gcs_free(r->cells);
	gcs_free(r);
}

void ring_prefetch(const struct ring *r)
{
	const char *cell =
	    (const char *)&r->cells[atomic_load_explicit(&r->tail, memory_order_relaxed) & r->mask];
	for (size_t at = 0; at < sizeof(struct cell); at += 64)
		__builtin_prefetch(cell + at, 1);
}

bool ring_put(struct ring *r, const struct sample *sample, size_t *position)
{
	size_t at = atomic_load_explicit(&r->tail, memory_order_relaxed);
	for (;;) {
		struct cell *cell = &r->cells[at & r->mask];
		size_t turn = atomic_load_explicit(&cell->turn, memory_order_acquire);
		if (turn == at) {
			if (!atomic_compare_exchange_weak_explicit(
				&r->tail, &at, at + 1, memory_order_relaxed, memory_order_relaxed))
				continue;
			cell->sample = *sample;
			atomic_store_explicit(&cell->turn, at + 1, memory_order_release);
			*position = at;
			return true;
		}
		if ((ptrdiff_t)(turn - at) < 0)
			return false;
		at = atomic_load_explicit(&r->tail, memory_order_relaxed);
	}
}

bool ring_take(struct ring *r, struct sample *sample)
{
	struct cell *cell = &r->cells[r->head & r->mask];
	if (atomic_load_explicit(&cell->turn, memory_order_acquire) != r->head + 1)
		return false;
	*sample = cell->sample;
	atomic_store_explicit(&cell->turn, r->head + r->mask + 1, memory_order_release);
	r->head++;
	return true;
}
