/* The worker thread: maps captures to the spaces of a snapshot and publishes it. */
#include "gc_events_internal.h"

#include <string.h>

#include "thread.h"

/* Maximum wait for the samples that a collection has judged. */
enum { JUDGED_TIMEOUT_MS = 50 };

/* Only a comparison of the heap before and after tells a mixed pause from a young one. */
static enum gc_kind refine_kind(const struct gc_events *e, const struct capture *c)
{
	const struct heap_driver *driver = e->parts.driver;
	return c->kind == GC_YOUNG && driver != NULL && driver->old_freed != NULL &&
		       e->have_before && driver->old_freed(e->before, c->raw)
		   ? GC_MIXED
		   : c->kind;
}

static void set_attributes(
    const struct gc_events *e, const struct capture *c, struct gcs_snapshot *s)
{
	struct heap_totals before = {0}, now = {0};
	struct gc_sizes sizes = {NULL, NULL};
	if (e->parts.driver != NULL) {
		e->parts.driver->totals(e->parts.heap, c->raw, &now);
		sizes.now = &now;
		if (e->have_before) {
			e->parts.driver->totals(e->parts.heap, e->before, &before);
			sizes.before = &before;
		}
	}
	gc_attributes_set(s, c, refine_kind(e, c), &sizes);
}

static bool map_spaces(struct gc_events *e, const struct capture *c, struct gcs_snapshot *s)
{
	const struct gc_events_parts *p = &e->parts;
	bool ok = true, heavy = p->heap_walk != NULL && atomic_load(&p->volume->heavy) != 0;
	if (p->driver != NULL) {
		struct heap_event event = {
		    .raw = c->raw,
		    .before = c->trigger == CAPTURE_FINISH && e->have_before ? e->before : NULL,
		    .tlabs = c->tlabs,
		    .tlab_count = c->tlab_count,
		    .server = p->server,
		    .ticket = &c->ticket,
		    .heavy = heavy,
		    .heap_walk = c->heap_walk,
		};
		ok = p->driver->map(p->heap, &event, s) &&
		     object_locations_map(p->object_locations, c->epoch, p->server, &c->ticket, s);
		ok = (p->zooms == NULL || heap_zooms_map(p->zooms, &event, s)) && ok;
	}
	if (p->tlabs != NULL &&
	    gcs_server_wants_space(p->server, &c->ticket, tlab_space_id(p->tlabs)))
		ok = tlab_space_map(p->tlabs, s, c->tlabs, c->tlab_count, c->tlab_total) && ok;
	if (p->memory != NULL &&
	    gcs_server_wants_space(p->server, &c->ticket, memory_space_id(p->memory)))
		ok = memory_space_map(p->memory, s,
			 c->trigger == CAPTURE_START || atomic_load(&e->in_collection)) &&
		     ok;
	if (p->tracked != NULL &&
	    gcs_server_wants_space(p->server, &c->ticket, tracked_space_id(p->tracked)))
		ok = tracked_space_map(p->tracked, s,
			 c->trigger == CAPTURE_START || atomic_load(&e->in_collection)) &&
		     ok;
	if (p->classes != NULL &&
	    gcs_server_wants_space(p->server, &c->ticket, classes_space_id(p->classes)))
		ok = classes_space_map(p->classes, s, c->heap_walk, heavy) && ok;
	if (p->sites != NULL &&
	    gcs_server_wants_space(p->server, &c->ticket, sites_space_id(p->sites)))
		ok = sites_space_map(p->sites, s, c->trigger == CAPTURE_REQUEST) && ok;
	return native_heap_map(p->native, &c->ticket, s) && ok;
}

/* The occurrence at a later time than the ticket's, in the order of events. */
static void place_later(struct gcs_snapshot *s, const struct gcs_ticket *place)
{
	struct gcs_occurrence o = *gcs_snapshot_occurrence(s);
	o.wall_ns += (int64_t)(place->time_ns - o.time_ns);
	o.sequence = place->sequence;
	o.time_ns = place->time_ns;
	o.cost_ns = place->cost_ns;
	gcs_snapshot_set_occurrence(s, &o);
}

void gc_publish(struct gc_events *e, const struct capture *c)
{
	struct gcs_snapshot *s = gcs_server_begin(e->parts.server, &c->ticket);
	if (c->heap_walk != NULL)
		heap_walk_complete(e->parts.heap_walk, c->heap_walk);
	if (s == NULL || !map_spaces(e, c, s)) {
		gcs_snapshot_unref(s);
		gcs_server_miss(e->parts.server, &c->ticket);
		return;
	}
	set_attributes(e, c, s);
	if (c->allocation != NULL)
		place_later(s, &c->place);
	gcs_server_publish(e->parts.server, &c->ticket, s);
}

void gc_capture_off_pause(const struct gc_events *e, void *raw)
{
	if (e->parts.driver != NULL)
		heap_capture_off_pause(e->parts.driver, e->parts.heap, raw);
}

/* Pictures of a collection are to have what it spared. While a client holds the program there, the
 * sampler's thread cannot ask the JVM. */
static void wait_until_judged(const struct gc_events *e)
{
	for (int ms = 0; ms < JUDGED_TIMEOUT_MS && !sampler_has_judged(e->parts.sampler) &&
			 capture_pending(e->ring) == 1 && !atomic_load(&e->ending);
	     ms++)
		thread_sleep_us(1000);
}

static void process(struct gc_events *e, struct capture *c)
{
	const struct heap_driver *driver = e->parts.driver;
	/* A client that holds the program at a start wants to see the heap, even with a driver that
	 * captures none there. */
	if (c->off_pause || (c->trigger == CAPTURE_START && driver != NULL &&
				driver->capture_start != NULL && atomic_load(&e->held_at_start)))
		gc_capture_off_pause(e, c->raw);
	if (c->ticket.audience != 0) {
		if (c->trigger == CAPTURE_FINISH)
			wait_until_judged(e);
		gc_publish(e, c);
	}
	if (c->heap_walk != NULL)
		heap_walk_release(e->parts.heap_walk, c->heap_walk);
	e->have_before = c->trigger == CAPTURE_START;
	if (e->have_before)
		memcpy(e->before, c->raw,
		    driver == NULL || driver->raw_length == NULL ? e->raw_bytes
								 : driver->raw_length(c->raw));
}

void gc_drain_before(struct gc_events *e, uint64_t sequence)
{
	struct capture *c;
	while ((c = capture_first(e->ring)) != NULL && c->ticket.sequence < sequence) {
		process(e, c);
		capture_done(e->ring);
	}
}

static void report_missed(struct gc_events *e)
{
	struct gcs_ticket ticket;
	do {
		ticket = (struct gcs_ticket){
		    .event = GCS_NONE, .sequence = atomic_load(&e->missed_sequence)};
		for (int bit = 0; bit < 32; bit++) {
			if (atomic_load(&e->missed[bit]) == 0)
				continue;
			atomic_fetch_sub(&e->missed[bit], 1);
			ticket.audience |= 1u << bit;
		}
		if (ticket.audience != 0)
			gcs_server_miss(e->parts.server, &ticket);
	} while (ticket.audience != 0);
}

/* The Java heap stays as it was at the event before. */
void gc_serve_native(struct gc_events *e)
{
	struct gcs_server *server = e->parts.server;
	struct gcs_ticket ticket;
	if (!atomic_exchange(&e->native_updated, false) || atomic_load(&e->in_collection) ||
	    !gcs_server_enter(server, native_heap_event(e->parts.native), &ticket))
		return;
	gc_wait_entering(e);
	gc_drain_before(e, ticket.sequence);
	struct gcs_snapshot *s = gcs_server_begin(server, &ticket);
	if (s == NULL || !native_heap_map(e->parts.native, &ticket, s)) {
		gcs_snapshot_unref(s);
		gcs_server_miss(server, &ticket);
		return;
	}
	native_heap_attributes(e->parts.native, s);
	gcs_server_publish(server, &ticket, s);
}

void gc_events_native(void *events)
{
	struct gc_events *e = events;
	atomic_store(&e->native_updated, true);
	capture_wake(e->ring);
}

static void work(void *context)
{
	struct gc_events *e = context;
	for (;;) {
		capture_wait(e->ring);
		if (atomic_load(&e->ending))
			return;
		gc_drain_before(e, UINT64_MAX);
		report_missed(e);
		gc_serve_allocations(e);
		if (e->parts.zooms != NULL)
			heap_zooms_work(e->parts.zooms);
		gc_serve_state_request(e);
		gc_serve_clock_tick(e);
		gc_serve_native(e);
	}
}

enum gcs_status gc_events_run(struct gc_events *e, struct gcs_error *err)
{
	if (!service_thread_start(&e->worker, "gcspy-worker", work, e))
		return gcs_fail(err, GCS_NOMEM, "cannot start the agent's worker thread");
	return GCS_OK;
}

bool gc_events_end(struct gc_events *e, uint64_t deadline_ns)
{
	if (e == NULL)
		return true;
	atomic_store(&e->ending, true);
	capture_wake(e->ring);
	return service_thread_join(&e->worker, deadline_ns);
}
