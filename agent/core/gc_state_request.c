/*
 * The present state outside any event, for clients that request it. On the worker: regions and tops
 * by plain loads, threads' buffers by fault-safe reads while no listed thread can end.
 */
#include "gc_events_internal.h"

#include "thread.h"

/* Maximum wait for thread names and for a running collection. */
enum { REQUEST_TIMEOUT_MS = 200, REQUEST_STEP_MS = 5 };

/* Maximum wait for an event that the VM thread is capturing. */
enum { ORDER_TIMEOUT_MS = 50 };

struct tlab_reader {
	const struct vm *vm;
	struct capture *c;
};

static bool read_tlab(void *context, uint64_t thread)
{
	struct tlab_reader *reader = context;
	struct capture *c = reader->c;
	c->tlab_total++;
	if (vm_tlab_of(reader->vm, thread, &c->tlabs[c->tlab_count]))
		c->tlab_count++;
	return c->tlab_count < CAPTURE_TLABS;
}

/* It comes after all events that the VM thread has entered before. */
void gc_publish_present(struct gc_events *e, struct capture *c)
{
	struct tlab_reader reader = {.vm = e->parts.vm, .c = c};
	c->tlab_count = c->tlab_total = 0;
	c->epoch = object_locations_epoch(e->parts.object_locations);
	gc_capture_off_pause(e, c->raw);
	threads_visit(e->parts.threads, read_tlab, &reader);
	for (int ms = 0; ms < ORDER_TIMEOUT_MS && atomic_load(&e->entering); ms++)
		thread_sleep_us(1000);
	gc_drain_before(e, c->ticket.sequence);
	gc_publish(e, c);
}

void gc_serve_state_request(struct gc_events *e)
{
	struct capture *c = e->present;
	const uint32_t audience = atomic_exchange(&e->request_audience, 0);
	if (audience == 0)
		return;
	/* The collection does not end while a client holds the program in it. */
	for (int ms = 0; ms < REQUEST_TIMEOUT_MS; ms += REQUEST_STEP_MS) {
		if (atomic_load(&e->threads_known) && !atomic_load(&e->in_collection))
			break;
		thread_sleep_us(1000 * REQUEST_STEP_MS);
	}
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
