#include "gc_events.h"

#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include <gcspy/memory.h>

#include "thread.h"

enum { EVENT_START, EVENT_FINISH };
enum { START_COLLECTION, START_CAUSE, START_USED, START_COMMITTED, START_COUNT };
enum {
	FINISH_COLLECTION,
	FINISH_KIND,
	FINISH_CAUSE,
	FINISH_PAUSE,
	FINISH_BEFORE,
	FINISH_AFTER,
	FINISH_COMMITTED,
	FINISH_COUNT
};

static const struct gcs_attribute start_attributes[START_COUNT] = {
    [START_COLLECTION] = {.name = "Collection", .kind = GCS_ATTRIBUTE_NUMBER},
    [START_CAUSE] = {.name = "Cause", .kind = GCS_ATTRIBUTE_TEXT},
    [START_USED] = {.name = "Used", .kind = GCS_ATTRIBUTE_NUMBER, .format = GCS_BYTES},
    [START_COMMITTED] = {.name = "Committed", .kind = GCS_ATTRIBUTE_NUMBER, .format = GCS_BYTES},
};

static const struct gcs_attribute finish_attributes[FINISH_COUNT] = {
    [FINISH_COLLECTION] = {.name = "Collection", .kind = GCS_ATTRIBUTE_NUMBER},
    [FINISH_KIND] = {.name = "Kind",
	.kind = GCS_ATTRIBUTE_ENUM,
	.enum_count = GC_KIND_COUNT,
	.enum_names = gc_kind_names},
    [FINISH_CAUSE] = {.name = "Cause", .kind = GCS_ATTRIBUTE_TEXT},
    [FINISH_PAUSE] = {.name = "Pause", .kind = GCS_ATTRIBUTE_NUMBER, .format = GCS_NANOSECONDS},
    [FINISH_BEFORE] = {.name = "Used before", .kind = GCS_ATTRIBUTE_NUMBER, .format = GCS_BYTES},
    [FINISH_AFTER] = {.name = "Used after", .kind = GCS_ATTRIBUTE_NUMBER, .format = GCS_BYTES},
    [FINISH_COMMITTED] = {.name = "Committed", .kind = GCS_ATTRIBUTE_NUMBER, .format = GCS_BYTES},
};

static const struct gcs_event events[] = {
    [EVENT_START] = {.name = "GC start",
	.description =
	    "A collection begins; the program stands still and nothing has been collected yet",
	.colour = 0xe69f00,
	.attribute_count = START_COUNT,
	.attributes = start_attributes},
    [EVENT_FINISH] = {.name = "GC finish",
	.description = "A collection has ended; the program is about to go on",
	.colour = 0x56b4e9,
	.attribute_count = FINISH_COUNT,
	.attributes = finish_attributes},
};

/* A look waits so long for the threads' names, and for a collection under way to end. */
enum { LOOK_PATIENCE_MS = 200, LOOK_STEP_MS = 5 };

/* The program's end waits so long for what was captured to be published. */
enum { FLUSH_PATIENCE_MS = 200 };

struct gc_events {
	struct gc_events_parts parts;
	size_t raw_bytes;
	struct capture_ring *ring;

	/* The VM thread's. */
	struct gc_kinds kinds;
	uint64_t start_left_ns;    /* when our callback at the start returned */
	bool long_pauses;          /* the last pause was one */
	atomic_bool in_collection; /* written by the VM thread, read by the worker */

	/* The worker's. */
	struct capture *look;
	void *before; /* the heap at the present collection's start */
	bool have_before;
	atomic_uint look_audience;
	atomic_bool threads_known;
};

static uint64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

struct gc_events *gc_events_create(const struct gc_events_parts *parts, struct gcs_error *err)
{
	struct gc_events *e = gcs_zalloc(sizeof *e);
	if (e == NULL)
		goto fail;
	e->parts = *parts;
	e->kinds.collector = vm_collector(parts->vm);
	e->kinds.jdk = vm_jdk_major(parts->vm);
	e->raw_bytes = parts->driver == NULL ? 1 : parts->driver->raw_bytes(parts->heap);
	e->ring = capture_ring_create(e->raw_bytes);
	e->look = capture_create(e->raw_bytes);
	e->before = gcs_zalloc(e->raw_bytes);
	if (e->ring != NULL && e->look != NULL && e->before != NULL)
		return e;
	capture_ring_destroy(e->ring);
	capture_destroy(e->look);
	gcs_free(e->before);
fail:
	gcs_free(e);
	gcs_fail(err, GCS_NOMEM, "no memory for captures of the heap");
	return NULL;
}

enum gcs_status gc_events_describe(struct gc_events *e, struct gcs_error *err)
{
	enum gcs_status status =
	    gcs_server_add_event(e->parts.server, &events[EVENT_START], NULL, err);
	return status != GCS_OK
		   ? status
		   : gcs_server_add_event(e->parts.server, &events[EVENT_FINISH], NULL, err);
}

/*
 * In the VM thread.
 *
 * Waking the worker takes longer than the capture, and a worker that runs during the pause takes
 * processor time from the collection. Therefore the capture of a start waits for the finish, unless
 * the program is going to stand there for a client (gc_events_waiting) or pauses have become so long
 * that somebody may want to see one begin.
 */

enum { LONG_PAUSE_NS = 20000000 };

static void capture_heap(const struct gc_events *e, struct capture *c)
{
	if (e->parts.driver != NULL)
		e->parts.driver->capture(e->parts.heap, c->raw);
	c->tlab_count = vm_tlabs(e->parts.vm, c->tlabs, CAPTURE_TLABS, &c->tlab_total);
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
	struct vm_gc_counts counts;
	vm_gc_counts(e->parts.vm, &counts);
	c->ticket = *ticket;
	c->moment = moment;
	c->collection = counts.total;
	vm_gc_cause(e->parts.vm, moment == CAPTURE_START ? VM_GC_START : VM_GC_FINISH, c->cause,
	    sizeof c->cause);
	capture_heap(e, c);
	return c;
}

void gc_events_start(struct gc_events *e)
{
	struct gcs_ticket ticket;
	struct vm_gc_counts counts;
	bool wanted = gcs_server_enter(e->parts.server, EVENT_START, &ticket);
	vm_gc_counts(e->parts.vm, &counts);
	gc_kinds_start(&e->kinds, &counts);
	atomic_store(&e->in_collection, true);
	if (wanted || gcs_server_wants(e->parts.server, EVENT_FINISH)) {
		struct capture *c = begin_capture(e, &ticket, CAPTURE_START);
		if (c != NULL) {
			c->collection = counts.total + 1; /* the one that now begins */
			capture_hand_over(e->ring, e->long_pauses);
		}
	}
	gcs_server_leave(e->parts.server, &ticket);
	e->start_left_ns = gcs_server_attached(e->parts.server) ? now_ns() : 0;
}

void gc_events_finish(struct gc_events *e)
{
	struct gcs_ticket ticket;
	struct vm_gc_counts counts;
	bool wanted = gcs_server_enter(e->parts.server, EVENT_FINISH, &ticket);
	vm_gc_counts(e->parts.vm, &counts);
	enum gc_kind kind = gc_kinds_finish(&e->kinds, &counts);
	atomic_store(&e->in_collection, false);
	if (wanted) {
		struct capture *c = begin_capture(e, &ticket, CAPTURE_FINISH);
		if (c != NULL) {
			/* A pause that the JVM does not count has the number that its start had. */
			if (c->collection <= e->kinds.start.total)
				c->collection = e->kinds.start.total + 1;
			c->kind = kind;
			c->pause_ns = e->start_left_ns == 0 ? 0 : ticket.time_ns - e->start_left_ns;
			e->long_pauses = c->pause_ns >= LONG_PAUSE_NS;
			capture_hand_over(e->ring, false);
		}
	}
	/* Also for a start whose finish nobody wants. */
	if (capture_pending(e->ring))
		capture_wake(e->ring);
	gcs_server_leave(e->parts.server, &ticket);
}

/* In the worker. */

static void totals_of(const struct gc_events *e, const void *raw, struct heap_totals *totals)
{
	*totals = (struct heap_totals){0};
	if (e->parts.driver != NULL)
		e->parts.driver->totals(e->parts.heap, raw, totals);
}

static void set_start(struct gc_events *e, const struct capture *c, struct gcs_snapshot *s)
{
	struct heap_totals totals;
	gcs_snapshot_set_number(s, START_COLLECTION, (int64_t)c->collection);
	gcs_snapshot_set_text(s, START_CAUSE, c->cause);
	if (e->parts.driver == NULL)
		return;
	totals_of(e, c->raw, &totals);
	gcs_snapshot_set_number(s, START_USED, (int64_t)totals.used);
	gcs_snapshot_set_number(s, START_COMMITTED, (int64_t)totals.committed);
}

/* Only the map of the heap tells a mixed pause from a young one. */
static enum gc_kind kind_with_map(const struct gc_events *e, const struct capture *c)
{
	struct heap_change change = {0};
	if (c->kind == GC_YOUNG && e->parts.driver != NULL && e->have_before)
		e->parts.driver->compare(e->parts.heap, e->before, c->raw, &change);
	return change.old_freed ? GC_MIXED : c->kind;
}

static void set_finish(struct gc_events *e, const struct capture *c, struct gcs_snapshot *s)
{
	struct heap_totals totals;
	enum gc_kind kind = kind_with_map(e, c);
	bool concurrent = kind == GC_REMARK || kind == GC_CLEANUP;
	gcs_snapshot_set_number(s, FINISH_COLLECTION, (int64_t)c->collection);
	gcs_snapshot_set_number(s, FINISH_KIND, kind);
	gcs_snapshot_set_text(
	    s, FINISH_CAUSE, c->cause[0] == '\0' && concurrent ? "Concurrent cycle" : c->cause);
	if (c->pause_ns != 0)
		gcs_snapshot_set_number(s, FINISH_PAUSE, (int64_t)c->pause_ns);
	if (e->parts.driver == NULL)
		return;
	if (e->have_before) {
		totals_of(e, e->before, &totals);
		gcs_snapshot_set_number(s, FINISH_BEFORE, (int64_t)totals.used);
	}
	totals_of(e, c->raw, &totals);
	gcs_snapshot_set_number(s, FINISH_AFTER, (int64_t)totals.used);
	gcs_snapshot_set_number(s, FINISH_COMMITTED, (int64_t)totals.committed);
}

static bool map_spaces(struct gc_events *e, const struct capture *c, struct gcs_snapshot *s)
{
	const struct gc_events_parts *p = &e->parts;
	bool ok = true;
	if (p->driver != NULL) {
		struct heap_event event = {
		    .raw = c->raw,
		    .before = c->moment == CAPTURE_FINISH && e->have_before ? e->before : NULL,
		    .tlabs = c->tlabs,
		    .tlab_count = c->tlab_count,
		    .server = p->server,
		    .ticket = &c->ticket,
		};
		ok = p->driver->map(p->heap, &event, s);
	}
	if (p->tlabs != NULL &&
	    gcs_server_wants_space(p->server, &c->ticket, tlab_space_id(p->tlabs)))
		ok = tlab_space_map(p->tlabs, s, c->tlabs, c->tlab_count, c->tlab_total) && ok;
	return ok;
}

static void publish(struct gc_events *e, const struct capture *c)
{
	struct gcs_snapshot *s = gcs_server_begin(e->parts.server, &c->ticket);
	if (s == NULL || !map_spaces(e, c, s)) {
		gcs_snapshot_unref(s);
		gcs_server_miss(e->parts.server, &c->ticket);
		return;
	}
	if (c->moment == CAPTURE_START)
		set_start(e, c, s);
	else if (c->moment == CAPTURE_FINISH)
		set_finish(e, c, s);
	gcs_server_publish(e->parts.server, &c->ticket, s);
}

static void process(struct gc_events *e, const struct capture *c)
{
	if (c->ticket.audience != 0)
		publish(e, c);
	e->have_before = c->moment == CAPTURE_START;
	if (e->have_before)
		memcpy(e->before, c->raw, e->raw_bytes);
}

static void sleep_ms(long ms)
{
	nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

static void drain(struct gc_events *e)
{
	struct capture *c;
	while ((c = capture_first(e->ring)) != NULL) {
		process(e, c);
		capture_done(e->ring);
	}
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
		sleep_ms(LOOK_STEP_MS);
	}
	c->ticket = (struct gcs_ticket){.event = GCS_NONE, .audience = audience};
	gcs_server_stamp(e->parts.server, &c->ticket);
	drain(e); /* what happened before is published before */
	c->moment = CAPTURE_LOOK;
	c->tlab_count = c->tlab_total = 0;
	if (e->parts.driver != NULL)
		e->parts.driver->capture(e->parts.heap, c->raw);
	struct look_context context = {.e = e, .c = c};
	threads_visit(e->parts.threads, look_at_thread, &context);
	publish(e, c);
}

static void *work(void *context)
{
	struct gc_events *e = context;
	for (;;) {
		capture_wait(e->ring);
		drain(e);
		uint32_t audience = atomic_exchange(&e->look_audience, 0);
		if (audience != 0)
			look(e, audience);
	}
	return NULL;
}

enum gcs_status gc_events_run(struct gc_events *e, struct gcs_error *err)
{
	pthread_t thread;
	if (!thread_start(&thread, "gcspy-worker", work, e))
		return gcs_fail(err, GCS_NOMEM, "cannot start the agent's worker thread");
	pthread_detach(thread);
	return GCS_OK;
}

void gc_events_look(struct gc_events *e, const struct gcs_ticket *ticket)
{
	atomic_fetch_or(&e->look_audience, ticket->audience);
	capture_wake(e->ring);
}

void gc_events_waiting(struct gc_events *e)
{
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
		sleep_ms(1);
}
