/*
 * Samples that triggers have fired at (F17): the allocating threads leave them in a few places, and the
 * worker publishes each with the present state.
 */
#include <gcspy/memory.h>

#include "gc_events_internal.h"

struct fired_allocation {
	struct gcs_ticket ticket;
	struct sampled_allocation allocation;
};

void gc_events_allocation(
    void *events, const struct gcs_ticket *ticket, const struct sampled_allocation *allocation)
{
	struct gc_events *e = events;
	struct fired_allocation *f = gcs_alloc(sizeof *f);
	if (f != NULL) {
		*f = (struct fired_allocation){*ticket, *allocation};
		for (int i = 0; i < GC_ALLOCATIONS; i++) {
			struct fired_allocation *none = NULL;
			if (!atomic_compare_exchange_strong(&e->allocations[i], &none, f))
				continue;
			capture_wake(e->ring);
			return;
		}
	}
	gcs_free(f);
	gcs_server_miss(e->parts.server, ticket);
}

/* The one that fired first, or NULL. */
static struct fired_allocation *take_first(struct gc_events *e)
{
	struct fired_allocation *first = NULL;
	int at = 0;
	for (int i = 0; i < GC_ALLOCATIONS; i++) {
		struct fired_allocation *f = atomic_load(&e->allocations[i]);
		if (f != NULL && (first == NULL || f->ticket.sequence < first->ticket.sequence)) {
			first = f;
			at = i;
		}
	}
	if (first != NULL)
		atomic_store(&e->allocations[at], NULL);
	return first;
}

/* The thread is running again, perhaps in a collection: the state is that of a later time. */
void gc_serve_allocations(struct gc_events *e)
{
	struct capture *c = e->present;
	struct fired_allocation *f;
	while ((f = take_first(e)) != NULL) {
		gc_wait_collection(e);
		c->ticket = c->place = f->ticket;
		c->trigger = CAPTURE_ALLOCATION;
		c->allocation = &f->allocation;
		gcs_server_stamp(e->parts.server, &c->place);
		gc_publish_present(e, c);
		c->allocation = NULL;
		gcs_free(f);
	}
}

void gc_free_allocations(struct gc_events *e)
{
	struct fired_allocation *f;
	while ((f = take_first(e)) != NULL)
		gcs_free(f);
}
