/*
 * The VM thread's part, and the life of all parts.
 *
 * Waking the worker takes longer than a capture, and a worker that runs during the pause takes
 * processor time from the collection. Therefore the capture of a start waits for the finish, unless
 * the program is about to be held there for a client (gc_events_waiting) or pauses have become so
 * long that a client may want to see one begin.
 */
#include "gc_events_internal.h"

#include <gcspy/memory.h>

#include "now.h"
#include "thread.h"

enum { LONG_PAUSE_NS = 20000000 };

/* Maximum wait for captures to be published when the program ends. */
enum { FLUSH_TIMEOUT_MS = 2000, FLUSH_STUCK_MS = 1000 };

struct gc_events *gc_events_create(const struct gc_events_parts *parts, struct gcs_error *err)
{
	struct gc_events *e = gcs_zalloc(sizeof *e);
	if (e == NULL)
		goto fail;
	e->parts = *parts;
	gc_kinds_init(&e->kinds, parts->vm);
	e->raw_bytes = parts->driver == NULL ? 1 : parts->driver->raw_bytes(parts->heap);
	e->ring = capture_ring_create(e->raw_bytes);
	e->present = capture_create(e->raw_bytes);
	e->before = gcs_zalloc(e->raw_bytes);
	bool stops = parts->heap_walk != NULL && parts->driver->stops_at_clock;
	e->at_safepoint = stops ? capture_create(e->raw_bytes) : NULL;
	if (e->ring != NULL && e->present != NULL && e->before != NULL &&
	    (!stops || e->at_safepoint != NULL))
		return e;
fail:
	gc_events_destroy(e);
	gcs_fail(err, GCS_NOMEM, "no memory for captures of the heap");
	return NULL;
}

void gc_events_destroy(struct gc_events *e)
{
	if (e == NULL)
		return;
	capture_ring_destroy(e->ring);
	capture_destroy(e->present);
	capture_destroy(e->at_safepoint);
	gc_free_allocations(e);
	gcs_free(e->before);
	gcs_free(e);
}

enum gcs_status gc_events_describe(struct gc_events *e, struct gcs_error *err)
{
	enum gcs_status status = GCS_OK;
	for (int i = 0; status == GCS_OK && i < GC_EVENT_COUNT; i++)
		status =
		    gcs_server_add_event(e->parts.server, &gc_event_descriptions[i], NULL, err);
	return status;
}

bool gc_heap_walk_wanted(const struct gc_events *e, const struct gcs_ticket *ticket)
{
	const struct gc_events_parts *p = &e->parts;
	return p->heap_walk != NULL &&
	       (gcs_server_wants_space(p->server, ticket, classes_space_id(p->classes)) ||
		   heap_wanted(p->heap, p->server, ticket));
}

void gc_walk_heap(const struct gc_events *e, struct capture *c, bool finish)
{
	const struct heap_walk_event event = {
	    .raw = c->raw,
	    .cause = c->cause,
	    .finish = finish,
	    .tlabs = c->tlabs,
	    .tlab_count = c->tlab_count,
	    .tlab_total = c->tlab_total,
	};
	if (gc_heap_walk_wanted(e, &c->ticket))
		c->heap_walk = heap_walk_now(e->parts.heap_walk, &event);
}

/* Where the JVM may free memory during the capture, or where it would take too long, only the
 * totals are read here; the worker reads the rest with safe copies. */
static void capture_heap(const struct gc_events *e, struct capture *c)
{
	const struct heap_driver *driver = e->parts.driver;
	const bool start = c->trigger == CAPTURE_START;
	c->off_pause =
	    !start && driver != NULL && driver->capture_safely != NULL &&
	    (e->kinds.overlap || (driver->large != NULL && driver->large(e->parts.heap)));
	if (driver != NULL && (start || c->off_pause) && driver->capture_start != NULL)
		driver->capture_start(e->parts.heap, c->raw);
	else if (driver != NULL)
		driver->capture(e->parts.heap, c->raw);
	c->tlab_count = vm_tlabs(e->parts.vm, c->tlabs, CAPTURE_TLABS, &c->tlab_total);
}

/* An event that found no free slot. No trigger fires at it: its attributes are not known. */
static void miss(struct gc_events *e, const struct gcs_ticket *ticket)
{
	atomic_store(&e->missed_sequence, ticket->sequence);
	for (int bit = 0; bit < 32; bit++)
		if ((ticket->audience >> bit & 1) != 0)
			atomic_fetch_add(&e->missed[bit], 1);
}

/* A free slot with the heap and the cause, or NULL. */
static struct capture *begin_capture(struct gc_events *e, enum capture_trigger trigger)
{
	struct capture *c = capture_take(e->ring);
	if (c == NULL)
		return NULL;
	c->trigger = trigger;
	c->epoch = object_locations_epoch(e->parts.object_locations);
	c->heap_walk = NULL;
	vm_gc_cause(e->parts.vm, trigger == CAPTURE_START ? VM_GC_START : VM_GC_FINISH, c->cause,
	    sizeof c->cause);
	capture_heap(e, c);
	return c;
}

/* Passes it to the worker. */
static void end_capture(
    struct gc_events *e, struct capture *c, const struct gcs_ticket *ticket, bool wake)
{
	c->ticket = *ticket;
	gc_walk_heap(e, c, c->trigger == CAPTURE_FINISH);
	capture_hand_over(e->ring, wake);
}

static void read_signs(
    const struct gc_events *e, bool finish, struct vm_gc_counts *counts, struct vm_gc_signs *signs)
{
	bool attached = gcs_server_attached(e->parts.server);
	vm_gc_counts(e->parts.vm, counts);
	vm_gc_signs(e->parts.vm, gc_kinds_ask(&e->kinds, finish, attached), signs);
}

/* Around the capture of an event: gc_publish_present waits for its end. Without clients these are
 * two loads. */
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

static bool wants_or_triggers(const struct gc_events *e, uint32_t event)
{
	return gcs_server_wants(e->parts.server, event) ||
	       gcs_server_triggered(e->parts.server, event);
}

/* The finish needs the start's capture to compare with. */
static void capture_start(struct gc_events *e, struct gcs_ticket *ticket, bool wanted)
{
	const bool triggered = gcs_server_triggered(e->parts.server, GC_EVENT_START);
	const bool for_finish = wants_or_triggers(e, GC_EVENT_FINISH);
	struct capture *c = NULL;
	if (wanted || triggered || for_finish) {
		c = begin_capture(e, CAPTURE_START);
		if (c != NULL)
			c->collection = gc_kinds_expected(&e->kinds);
		wanted = triggered && c != NULL ? gc_check(e, c, ticket) : wanted;
		if (c == NULL)
			miss(e, ticket);
		else if (wanted || for_finish)
			end_capture(e, c, ticket, e->long_pauses);
	}
	gc_keep_start(e, for_finish ? c : NULL);
}

/* Where metaspace is full, the JVM tells of the operation, and in it of each collection
 * (VM_CollectForMetadataAllocation and G1 of JDK 17): a pause begins with the first start. */
void gc_events_start(struct gc_events *e)
{
	struct gcs_ticket ticket;
	struct vm_gc_counts counts;
	struct vm_gc_signs signs;
	e->depth++;
	if (atomic_load(&e->in_collection))
		return;
	sampler_collects(e->parts.sampler);
	begin_event(e);
	bool wanted = gcs_server_enter(e->parts.server, GC_EVENT_START, &ticket);
	read_signs(e, false, &counts, &signs);
	gc_kinds_start(&e->kinds, &counts, &signs);
	if (e->parts.heap_walk != NULL)
		heap_walk_start(e->parts.heap_walk, &counts);
	atomic_store(&e->in_collection, true);
	capture_start(e, &ticket, wanted);
	end_event(e);
	gcs_server_leave(e->parts.server, &ticket);
	if (atomic_load_explicit(&e->held_at_start, memory_order_relaxed))
		atomic_store(&e->held_at_start, false);
	object_locations_move(e->parts.object_locations, true);
	const bool measure = gcs_server_attached(e->parts.server) ||
			     gcs_server_triggered(e->parts.server, GC_EVENT_FINISH);
	e->start_left_ns = measure ? now_ns() : 0;
}

static void count_pause(struct gc_events *e, uint64_t pause_ns)
{
	atomic_store(&e->collection, e->kinds.number);
	atomic_fetch_add(&e->pauses_ns, pause_ns);
	atomic_fetch_add(&e->pauses, 1);
}

struct gc_pauses gc_events_pauses(const struct gc_events *e)
{
	return (struct gc_pauses){
	    atomic_load(&e->pauses), atomic_load(&e->pauses_ns), atomic_load(&e->collection)};
}

static void capture_finish(struct gc_events *e, struct gcs_ticket *ticket, bool wanted,
    enum gc_kind kind, uint64_t pause_ns)
{
	const bool triggered = gcs_server_triggered(e->parts.server, GC_EVENT_FINISH);
	if (!wanted && !triggered)
		return;
	struct capture *c = begin_capture(e, CAPTURE_FINISH);
	if (c != NULL) {
		c->collection = e->kinds.number;
		c->kind = kind;
		c->pause_ns = pause_ns;
	}
	wanted = triggered && c != NULL ? gc_check(e, c, ticket) : wanted;
	if (c == NULL) {
		miss(e, ticket);
	} else if (wanted) {
		e->long_pauses = c->pause_ns >= LONG_PAUSE_NS;
		end_capture(e, c, ticket, false);
	}
}

/* It ends with the first finish, while the JVM still has its cause. A collection that began before the
 * agent came has no start. */
void gc_events_finish(struct gc_events *e)
{
	struct gcs_ticket ticket;
	struct vm_gc_counts counts;
	struct vm_gc_signs signs;
	const bool inside = e->depth != 0;
	e->depth -= inside;
	if (inside && !atomic_load(&e->in_collection))
		return;
	/* 0: it began without a client. */
	const uint64_t pause_ns = e->start_left_ns == 0 ? 0 : now_ns() - e->start_left_ns;
	object_locations_move(e->parts.object_locations, false);
	begin_event(e);
	bool wanted = gcs_server_enter(e->parts.server, GC_EVENT_FINISH, &ticket);
	read_signs(e, true, &counts, &signs);
	enum gc_kind kind = gc_kinds_finish(&e->kinds, &counts, &signs);
	count_pause(e, pause_ns);
	atomic_store(&e->in_collection, false);
	/* A collection that began before the agent came has no number: the newest one's serves. */
	sampler_collected(e->parts.sampler, kind,
	    e->kinds.number != 0 ? e->kinds.number : counts.total, e->kinds.cycle == GC_IDLE);
	if (e->parts.heap_walk != NULL)
		heap_walk_finish(e->parts.heap_walk, kind, &counts);
	capture_finish(e, &ticket, wanted, kind, pause_ns);
	end_event(e);
	/* Also for a start whose finish no client wants. */
	if (capture_pending(e->ring) != 0)
		capture_wake(e->ring);
	gcs_server_leave(e->parts.server, &ticket);
}

void gc_events_waiting(struct gc_events *e)
{
	atomic_store(&e->held_at_start, atomic_load(&e->in_collection));
	capture_wake(e->ring);
}

void gc_events_wake(struct gc_events *e)
{
	capture_wake(e->ring);
}

void gc_events_flush(struct gc_events *e)
{
	capture_wake(e->ring);
	uint32_t left = capture_pending(e->ring);
	for (int ms = 0, stuck = 0; left != 0 && ms < FLUSH_TIMEOUT_MS && stuck < FLUSH_STUCK_MS;
	     ms++, stuck++) {
		thread_sleep_us(1000);
		const uint32_t now = capture_pending(e->ring);
		stuck = now < left ? 0 : stuck;
		left = now;
	}
}
