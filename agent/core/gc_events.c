#include "gc_events.h"

#include <stdatomic.h>
#include <string.h>

#include <gcspy/memory.h>

#include "gc_attributes.h"
#include "now.h"
#include "service_thread.h"
#include "thread.h"

/* A look waits so long for the threads' names, and for a collection under way to end. */
enum { LOOK_PATIENCE_MS = 200, LOOK_STEP_MS = 5 };

/* What is published beside the VM thread's events waits so long for one that is being captured. */
enum { ORDER_PATIENCE_MS = 50 };

/* The program's end waits so long for what was captured to be published. */
enum { FLUSH_PATIENCE_MS = 200 };

struct gc_events {
	struct gc_events_parts parts;
	size_t raw_bytes;
	struct capture_ring *ring;

	/* The VM thread's. */
	struct gc_kinds kinds;
	uint64_t start_left_ns;    /* when our callback at the start returned */
	atomic_bool standing;      /* written by the VM thread: it waits at a start for a client */
	bool long_pauses;          /* the last pause was one */
	atomic_bool in_collection; /* written by the VM thread, read by the worker */
	atomic_bool entering;      /* likewise: it has begun an event that is not handed over yet */

	/* The worker's. */
	struct service_thread worker;
	atomic_bool ending;
	struct capture *look;
	void *before; /* the heap at the present collection's start */
	bool have_before;
	atomic_uint look_audience;
	atomic_bool struck; /* by the clock */
	atomic_bool threads_known;

	/* The clock's stops; the capture is the VM thread's from STOP_ASKED to STOP_DONE. */
	struct capture *still; /* NULL: the clock does not stop the program */
	void (*ask_stop)(void *context);
	void *stop_context;
	atomic_int stop; /* enum stop */
};

enum stop { STOP_NONE, STOP_ASKED, STOP_DONE, STOP_REFUSED };

struct gc_events *gc_events_create(const struct gc_events_parts *parts, struct gcs_error *err)
{
	struct gc_events *e = gcs_zalloc(sizeof *e);
	if (e == NULL)
		goto fail;
	e->parts = *parts;
	gc_kinds_init(&e->kinds, parts->vm);
	e->raw_bytes = parts->driver == NULL ? 1 : parts->driver->raw_bytes(parts->heap);
	e->ring = capture_ring_create(e->raw_bytes);
	e->look = capture_create(e->raw_bytes);
	e->before = gcs_zalloc(e->raw_bytes);
	bool stops = parts->heap_walk != NULL && parts->driver->stops_at_clock;
	e->still = stops ? capture_create(e->raw_bytes) : NULL;
	if (e->ring != NULL && e->look != NULL && e->before != NULL && (!stops || e->still != NULL))
		return e;
fail:
	gc_events_destroy(e);
	gcs_fail(err, GCS_NOMEM, "no memory for captures of the heap");
	return NULL;
}

enum gcs_status gc_events_describe(struct gc_events *e, struct gcs_error *err)
{
	enum gcs_status status = GCS_OK;
	for (int i = 0; status == GCS_OK && i < GC_EVENT_COUNT; i++)
		status =
		    gcs_server_add_event(e->parts.server, &gc_event_descriptions[i], NULL, err);
	return status;
}

/*
 * In the VM thread.
 *
 * Waking the worker takes longer than the capture, and a worker that runs during the pause takes
 * processor time from the collection. Therefore the capture of a start waits for the finish,
 * unless the program is going to stand there for a client (gc_events_waiting) or pauses have
 * become so long that somebody may want to see one begin.
 */

enum { LONG_PAUSE_NS = 20000000 };

/*
 * Where something may be freed under our eyes, or where it would take too long, only the totals are
 * read here, and the rest by the worker with safe copies.
 */
static void capture_heap(const struct gc_events *e, struct capture *c)
{
	const struct heap_driver *driver = e->parts.driver;
	const bool start = c->moment == CAPTURE_START;
	c->beside = !start && driver != NULL && driver->look != NULL &&
		    (e->kinds.overlap || (driver->large != NULL && driver->large(e->parts.heap)));
	if (driver != NULL && (start || c->beside) && driver->capture_start != NULL)
		driver->capture_start(e->parts.heap, c->raw);
	else if (driver != NULL)
		driver->capture(e->parts.heap, c->raw);
	c->tlab_count = vm_tlabs(e->parts.vm, c->tlabs, CAPTURE_TLABS, &c->tlab_total);
}

/* True if somebody looks at what a sweep shows. */
static bool heap_walk_wanted(const struct gc_events *e, const struct gcs_ticket *ticket)
{
	const struct gc_events_parts *p = &e->parts;
	return p->heap_walk != NULL &&
	       (gcs_server_wants_space(p->server, ticket, classes_space_id(p->classes)) ||
		   p->driver->heap_walk_wanted(p->heap, p->server, ticket));
}

/* Heavy volume. */
static void heap_walk_heap(const struct gc_events *e, struct capture *c, bool finish)
{
	const struct heap_walk_event event = {
	    .raw = c->raw,
	    .cause = c->cause,
	    .finish = finish,
	    .tlabs = c->tlabs,
	    .tlab_count = c->tlab_count,
	    .tlab_total = c->tlab_total,
	};
	if (heap_walk_wanted(e, &c->ticket))
		c->heap_walk = heap_walk_now(e->parts.heap_walk, &event);
}

static struct capture *begin_capture(
    struct gc_events *e, const struct gcs_ticket *ticket, enum capture_moment moment)
{
	struct capture *c = capture_take(e->ring);
	if (c == NULL) {
		if (ticket->audience != 0)
			gcs_server_miss(e->parts.server, ticket);
		return NULL;
	}
	c->ticket = *ticket;
	c->moment = moment;
	c->epoch = object_locations_epoch(e->parts.object_locations);
	c->heap_walk = NULL;
	vm_gc_cause(e->parts.vm, moment == CAPTURE_START ? VM_GC_START : VM_GC_FINISH, c->cause,
	    sizeof c->cause);
	capture_heap(e, c);
	heap_walk_heap(e, c, moment == CAPTURE_FINISH);
	return c;
}

static void read_signs(
    const struct gc_events *e, bool finish, struct vm_gc_counts *counts, struct vm_gc_signs *signs)
{
	bool attached = gcs_server_attached(e->parts.server);
	vm_gc_counts(e->parts.vm, counts);
	vm_gc_signs(e->parts.vm, gc_kinds_ask(&e->kinds, finish, attached), signs);
}

/* Around the capture of an event: see publish_look. With nobody attached they are two loads. */
static void begin_event(struct gc_events *e)
{
	if (gcs_server_attached(e->parts.server))
		atomic_store(&e->entering, true);
}

static void end_event(struct gc_events *e)
{
	if (atomic_load_explicit(&e->entering, memory_order_relaxed))
		atomic_store(&e->entering, false);
}

void gc_events_start(struct gc_events *e)
{
	struct gcs_ticket ticket;
	struct vm_gc_counts counts;
	struct vm_gc_signs signs;
	begin_event(e);
	bool wanted = gcs_server_enter(e->parts.server, GC_EVENT_START, &ticket);
	read_signs(e, false, &counts, &signs);
	gc_kinds_start(&e->kinds, &counts, &signs);
	if (e->parts.heap_walk != NULL)
		heap_walk_start(e->parts.heap_walk, &counts);
	atomic_store(&e->in_collection, true);
	if (wanted || gcs_server_wants(e->parts.server, GC_EVENT_FINISH)) {
		struct capture *c = begin_capture(e, &ticket, CAPTURE_START);
		if (c != NULL) {
			c->collection = gc_kinds_expected(&e->kinds);
			capture_hand_over(e->ring, e->long_pauses);
		}
	}
	end_event(e);
	gcs_server_leave(e->parts.server, &ticket);
	if (atomic_load_explicit(&e->standing, memory_order_relaxed))
		atomic_store(&e->standing, false);
	object_locations_move(e->parts.object_locations, true);
	e->start_left_ns = gcs_server_attached(e->parts.server) ? now_ns() : 0;
}

void gc_events_finish(struct gc_events *e)
{
	struct gcs_ticket ticket;
	struct vm_gc_counts counts;
	struct vm_gc_signs signs;
	object_locations_move(e->parts.object_locations, false);
	begin_event(e);
	bool wanted = gcs_server_enter(e->parts.server, GC_EVENT_FINISH, &ticket);
	read_signs(e, true, &counts, &signs);
	enum gc_kind kind = gc_kinds_finish(&e->kinds, &counts, &signs);
	atomic_store(&e->in_collection, false);
	sampler_collected(e->parts.sampler, kind);
	if (e->parts.heap_walk != NULL)
		heap_walk_finish(e->parts.heap_walk, kind, &counts);
	if (wanted) {
		struct capture *c = begin_capture(e, &ticket, CAPTURE_FINISH);
		if (c != NULL) {
			c->collection = e->kinds.number;
			c->kind = kind;
			c->pause_ns = e->start_left_ns == 0 ? 0 : ticket.time_ns - e->start_left_ns;
			e->long_pauses = c->pause_ns >= LONG_PAUSE_NS;
			capture_hand_over(e->ring, false);
		}
	}
	end_event(e);
	/* Also for a start whose finish nobody wants. */
	if (capture_pending(e->ring))
		capture_wake(e->ring);
	gcs_server_leave(e->parts.server, &ticket);
}

void gc_events_at_safepoint(struct gc_events *e)
{
	struct capture *c = e->still;
	const uint64_t begin = now_ns();
	e->parts.driver->capture(e->parts.heap, c->raw);
	c->tlab_count = vm_tlabs(e->parts.vm, c->tlabs, CAPTURE_TLABS, &c->tlab_total);
	/* It is neither a start nor a finish: whatever the client chose, this is the event. */
	heap_walk_heap(e, c, atomic_load(&e->parts.volume->events) != VOLUME_START);
	gcs_server_charge(e->parts.server, now_ns() - begin);
}

/* In the worker. */

/* Only the map of the heap tells a mixed pause from a young one. */
static enum gc_kind kind_with_map(const struct gc_events *e, const struct capture *c)
{
	struct heap_change change = {0};
	if (c->kind == GC_YOUNG && e->parts.driver != NULL && e->have_before)
		e->parts.driver->compare(e->parts.heap, e->before, c->raw, &change);
	return change.old_freed ? GC_MIXED : c->kind;
}

static void set_attributes(
    const struct gc_events *e, const struct capture *c, struct gcs_snapshot *s)
{
	struct heap_totals before, now;
	struct gc_sizes sizes = {NULL, NULL};
	if (e->parts.driver != NULL) {
		e->parts.driver->totals(e->parts.heap, c->raw, &now);
		sizes.now = &now;
		if (e->have_before) {
			e->parts.driver->totals(e->parts.heap, e->before, &before);
			sizes.before = &before;
		}
	}
	gc_attributes_set(s, c, kind_with_map(e, c), &sizes);
}

static bool map_spaces(struct gc_events *e, const struct capture *c, struct gcs_snapshot *s)
{
	const struct gc_events_parts *p = &e->parts;
	bool ok = true, heavy = p->heap_walk != NULL && atomic_load(&p->volume->heavy) != 0;
	if (p->driver != NULL) {
		struct heap_event event = {
		    .raw = c->raw,
		    .before = c->moment == CAPTURE_FINISH && e->have_before ? e->before : NULL,
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
	if (p->classes != NULL &&
	    gcs_server_wants_space(p->server, &c->ticket, classes_space_id(p->classes)))
		ok = classes_space_map(p->classes, s, c->heap_walk, heavy) && ok;
	if (p->sites != NULL &&
	    gcs_server_wants_space(p->server, &c->ticket, sites_space_id(p->sites)))
		ok = sites_space_map(p->sites, s, c->moment == CAPTURE_LOOK) && ok;
	return ok;
}

static void publish(struct gc_events *e, const struct capture *c)
{
	struct gcs_snapshot *s = gcs_server_begin(e->parts.server, &c->ticket);
	if (c->heap_walk != NULL)
		heap_walk_develop(e->parts.heap_walk, c->heap_walk);
	if (s == NULL || !map_spaces(e, c, s)) {
		gcs_snapshot_unref(s);
		gcs_server_miss(e->parts.server, &c->ticket);
		return;
	}
	set_attributes(e, c, s);
	gcs_server_publish(e->parts.server, &c->ticket, s);
}

/* Copies the heap outside a pause, or beside one. */
static void look_at_heap(const struct gc_events *e, void *raw)
{
	const struct heap_driver *driver = e->parts.driver;
	if (driver == NULL)
		return;
	(driver->look != NULL ? driver->look : driver->capture)(e->parts.heap, raw);
}

static size_t raw_length(const struct gc_events *e, const void *raw)
{
	const struct heap_driver *driver = e->parts.driver;
	return driver == NULL || driver->raw_length == NULL
		   ? e->raw_bytes
		   : driver->raw_length(e->parts.heap, raw);
}

static void process(struct gc_events *e, struct capture *c)
{
	const struct heap_driver *driver = e->parts.driver;
	/* Who holds the program at a start wants to see the heap, also where a start has none. */
	if (c->beside || (c->moment == CAPTURE_START && driver != NULL &&
			     driver->capture_start != NULL && atomic_load(&e->standing)))
		look_at_heap(e, c->raw);
	if (c->ticket.audience != 0)
		publish(e, c);
	if (c->heap_walk != NULL)
		heap_walk_release(e->parts.heap_walk, c->heap_walk);
	e->have_before = c->moment == CAPTURE_START;
	if (e->have_before)
		memcpy(e->before, c->raw, raw_length(e, c->raw));
}

/* Publishes the captures of events before that place in their order. */
static void drain_before(struct gc_events *e, uint64_t sequence)
{
	struct capture *c;
	while ((c = capture_first(e->ring)) != NULL && c->ticket.sequence < sequence) {
		process(e, c);
		capture_done(e->ring);
	}
}

static void drain(struct gc_events *e)
{
	drain_before(e, UINT64_MAX);
}

struct look_context {
	const struct gc_events *e;
	struct capture *c;
};

static bool look_at_thread(void *context, uint64_t thread)
{
	struct look_context *look = context;
	struct capture *c = look->c;
	c->tlab_total++;
	if (vm_tlab_of(look->e->parts.vm, thread, &c->tlabs[c->tlab_count]))
		c->tlab_count++;
	return c->tlab_count < CAPTURE_TLABS;
}

/*
 * Captures the present state, for a ticket that has its place in the order, and publishes it after
 * what the VM thread entered before: an event that is being captured is waited for.
 */
static void publish_look(struct gc_events *e, struct capture *c)
{
	struct look_context context = {.e = e, .c = c};
	c->tlab_count = c->tlab_total = 0;
	c->epoch = object_locations_epoch(e->parts.object_locations);
	look_at_heap(e, c->raw);
	threads_visit(e->parts.threads, look_at_thread, &context);
	for (int ms = 0; ms < ORDER_PATIENCE_MS && atomic_load(&e->entering); ms++)
		thread_sleep_us(1000);
	drain_before(e, c->ticket.sequence);
	publish(e, c);
}

/*
 * The present state between collections: regions and tops by plain loads, threads' buffers by
 * fault-safe reads while no listed thread can end. A collection under way is given the time to
 * finish, unless the program stands in it because a client holds it.
 */
static void look(struct gc_events *e, uint32_t audience)
{
	struct capture *c = e->look;
	for (int ms = 0; ms < LOOK_PATIENCE_MS; ms += LOOK_STEP_MS) {
		if (atomic_load(&e->threads_known) && !atomic_load(&e->in_collection))
			break;
		thread_sleep_us(1000 * LOOK_STEP_MS);
	}
	c->ticket = (struct gcs_ticket){.event = GCS_NONE, .audience = audience};
	c->moment = CAPTURE_LOOK;
	gcs_server_stamp(e->parts.server, &c->ticket);
	publish_look(e, c);
}

/* A collector without pauses: true if the program is going to be stopped for this event. */
static bool ask_stop(struct gc_events *e, const struct gcs_ticket *ticket)
{
	struct capture *c = e->still;
	if (c == NULL || e->ask_stop == NULL || atomic_load(&e->parts.volume->heavy) == 0 ||
	    !heap_walk_wanted(e, ticket))
		return false;
	c->ticket = *ticket;
	c->moment = CAPTURE_CLOCK;
	c->heap_walk = NULL;
	c->epoch = object_locations_epoch(e->parts.object_locations);
	atomic_store(&e->stop, STOP_ASKED);
	e->ask_stop(e->stop_context);
	return true;
}

/* The clock has struck. A collection under way will be told by its own events, and so will the
 * strike before. The ticket is never brought to the gate: this thread must not wait for a
 * client. */
static void strike(struct gc_events *e)
{
	struct capture *c = e->look;
	if (atomic_load(&e->in_collection) || atomic_load(&e->stop) != STOP_NONE ||
	    !gcs_server_enter(e->parts.server, GC_EVENT_CLOCK, &c->ticket))
		return;
	c->moment = CAPTURE_CLOCK;
	if (!ask_stop(e, &c->ticket))
		publish_look(e, c);
}

/* The program has stood still for the clock, or could not. */
static void publish_still(struct gc_events *e)
{
	struct capture *c = e->still;
	int stop = atomic_load(&e->stop);
	if (stop != STOP_DONE && stop != STOP_REFUSED)
		return;
	if (stop == STOP_DONE)
		publish(e, c);
	else
		publish_look(e, c);
	if (c->heap_walk != NULL)
		heap_walk_release(e->parts.heap_walk, c->heap_walk);
	atomic_store(&e->stop, STOP_NONE);
}

static void work(void *context)
{
	struct gc_events *e = context;
	for (;;) {
		capture_wait(e->ring);
		if (atomic_load(&e->ending))
			return;
		drain(e);
		if (e->parts.zooms != NULL)
			heap_zooms_work(e->parts.zooms);
		uint32_t audience = atomic_exchange(&e->look_audience, 0);
		if (audience != 0)
			look(e, audience);
		publish_still(e);
		if (atomic_exchange(&e->struck, false))
			strike(e);
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

void gc_events_destroy(struct gc_events *e)
{
	if (e == NULL)
		return;
	capture_ring_destroy(e->ring);
	capture_destroy(e->look);
	capture_destroy(e->still);
	gcs_free(e->before);
	gcs_free(e);
}

void gc_events_state_request(struct gc_events *e, const struct gcs_ticket *ticket)
{
	atomic_fetch_or(&e->look_audience, ticket->audience);
	capture_wake(e->ring);
}

void gc_events_wake(struct gc_events *e)
{
	capture_wake(e->ring);
}

void gc_events_clock_tick(struct gc_events *e)
{
	atomic_store(&e->struck, true);
	capture_wake(e->ring);
}

void gc_events_set_stop(struct gc_events *e, void (*ask)(void *context), void *context)
{
	e->ask_stop = ask;
	e->stop_context = context;
}

void gc_events_safepoint_done(struct gc_events *e, bool was)
{
	atomic_store(&e->stop, was ? STOP_DONE : STOP_REFUSED);
	capture_wake(e->ring);
}

void gc_events_waiting(struct gc_events *e)
{
	atomic_store(&e->standing, atomic_load(&e->in_collection));
	capture_wake(e->ring);
}

void gc_events_threads_known(struct gc_events *e, bool known)
{
	atomic_store(&e->threads_known, known);
}

void gc_events_flush(struct gc_events *e)
{
	capture_wake(e->ring);
	for (int ms = 0; ms < FLUSH_PATIENCE_MS && capture_pending(e->ring); ms++)
		thread_sleep_us(1000);
}
