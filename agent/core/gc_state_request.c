/*
 * The present state outside any event, for clients that request it. On the worker: regions and tops
 * by plain loads, threads' buffers by fault-safe reads, which count if the thread has not ended.
 */
#include "gc_events_internal.h"

#include <gcspy/memory.h>

#include "thread.h"

/* Maximum wait for thread names and for a running collection. */
enum { REQUEST_TIMEOUT_MS = 200, REQUEST_STEP_MS = 5 };

/* Maximum wait for an event that the VM thread is capturing. */
enum { ORDER_TIMEOUT_MS = 50 };

/* Takes no lock while it reads: a thread that starts or ends would wait. Without memory there are no
 * buffers. */
static void read_tlabs(const struct gc_events *e, struct capture *c)
{
	struct threads *table = e->parts.threads;
	struct thread_ref *refs = gcs_alloc(CAPTURE_TLABS * sizeof *refs);
	c->tlab_count = 0;
	c->tlab_total = refs == NULL ? 0 : threads_list(table, refs, CAPTURE_TLABS);
	for (size_t i = 0; i < c->tlab_total && i < CAPTURE_TLABS; i++)
		if (vm_tlab_of(e->parts.vm, refs[i].thread, &c->tlabs[c->tlab_count]) &&
		    threads_listed(table, &refs[i]))
			c->tlab_count++;
	gcs_free(refs);
}

void gc_wait_entering(const struct gc_events *e)
{
	for (int ms = 0; ms < ORDER_TIMEOUT_MS && atomic_load(&e->entering); ms++)
		thread_sleep_us(1000);
}

/* It comes after all events that the VM thread has entered before. */
void gc_publish_present(struct gc_events *e, struct capture *c)
{
	c->epoch = object_locations_epoch(e->parts.object_locations);
	gc_capture_off_pause(e, c->raw);
	read_tlabs(e, c);
	gc_wait_entering(e);
	gc_drain_before(e, c->allocation != NULL ? c->place.sequence : c->ticket.sequence);
	gc_publish(e, c);
}

void gc_wait_collection(const struct gc_events *e)
{
	for (int ms = 0; ms < REQUEST_TIMEOUT_MS; ms += REQUEST_STEP_MS) {
		if (atomic_load(&e->threads_known) && !atomic_load(&e->in_collection))
			break;
		thread_sleep_us(1000 * REQUEST_STEP_MS);
	}
}

void gc_serve_state_request(struct gc_events *e)
{
	struct capture *c = e->present;
	const uint32_t audience = atomic_exchange(&e->request_audience, 0);
	if (audience == 0)
		return;
	gc_wait_collection(e);
	native_heap_wait(e->parts.native);
	c->ticket = (struct gcs_ticket){.event = GCS_NONE, .audience = audience};
	c->trigger = CAPTURE_REQUEST;
	gcs_server_stamp(e->parts.server, &c->ticket);
	gc_publish_present(e, c);
}

void gc_events_state_request(struct gc_events *e, const struct gcs_ticket *ticket)
{
	atomic_fetch_or(&e->request_audience, ticket->audience);
	capture_wake(e->ring);
}

void gc_events_threads_known(struct gc_events *e, bool known)
{
	atomic_store(&e->threads_known, known);
}
