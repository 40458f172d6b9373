/*
 * Clock ticks (F19): the state between collections as an event. With a collector that has no pauses
 * (Epsilon), a tick stops the program at a safepoint when objects are to be counted.
 */
#include "gc_events_internal.h"

#include "now.h"

/* True if the program is about to be stopped for this event. */
static bool request_safepoint(struct gc_events *e, const struct gcs_ticket *ticket)
{
	struct capture *c = e->at_safepoint;
	if (c == NULL || e->request_safepoint == NULL ||
	    atomic_load(&e->parts.volume->heavy) == 0 || !gc_heap_walk_wanted(e, ticket))
		return false;
	c->ticket = *ticket;
	c->trigger = CAPTURE_TICK;
	c->heap_walk = NULL;
	c->epoch = object_locations_epoch(e->parts.object_locations);
	atomic_store(&e->safepoint, SAFEPOINT_REQUESTED);
	e->request_safepoint(e->safepoint_context);
	return true;
}

void gc_events_at_safepoint(struct gc_events *e)
{
	struct capture *c = e->at_safepoint;
	const uint64_t begin = now_ns();
	e->parts.driver->capture(e->parts.heap, c->raw);
	c->tlab_count = vm_tlabs(e->parts.vm, c->tlabs, CAPTURE_TLABS, &c->tlab_total);
	/* It is neither a start nor a finish: whichever of them is selected for counting, count. */
	gc_walk_heap(e, c, atomic_load(&e->parts.volume->events) != VOLUME_START);
	gcs_server_charge(e->parts.server, now_ns() - begin);
}

static void publish_safepoint(struct gc_events *e)
{
	struct capture *c = e->at_safepoint;
	const int safepoint = atomic_load(&e->safepoint);
	if (safepoint != SAFEPOINT_REACHED && safepoint != SAFEPOINT_FAILED)
		return;
	if (safepoint == SAFEPOINT_REACHED)
		gc_publish(e, c);
	else
		gc_publish_present(e, c);
	if (c->heap_walk != NULL)
		heap_walk_release(e->parts.heap_walk, c->heap_walk);
	atomic_store(&e->safepoint, SAFEPOINT_NONE);
}

/* A tick is skipped during a collection, whose own events show the heap, and while an earlier tick
 * stops the program. Its ticket never reaches the gate: the worker must not wait for a client. */
void gc_serve_clock_tick(struct gc_events *e)
{
	struct capture *c = e->present;
	publish_safepoint(e);
	if (!atomic_exchange(&e->ticked, false) || atomic_load(&e->in_collection) ||
	    atomic_load(&e->safepoint) != SAFEPOINT_NONE ||
	    !gcs_server_enter(e->parts.server, GC_EVENT_CLOCK, &c->ticket))
		return;
	c->trigger = CAPTURE_TICK;
	if (!request_safepoint(e, &c->ticket))
		gc_publish_present(e, c);
}

void gc_events_clock_tick(struct gc_events *e)
{
	atomic_store(&e->ticked, true);
	capture_wake(e->ring);
}

void gc_events_set_safepoint(struct gc_events *e, void (*request)(void *context), void *context)
{
	e->request_safepoint = request;
	e->safepoint_context = context;
}

void gc_events_safepoint_done(struct gc_events *e, bool reached)
{
	atomic_store(&e->safepoint, reached ? SAFEPOINT_REACHED : SAFEPOINT_FAILED);
	capture_wake(e->ring);
}
