/*
 * Collections as GCspy events (H2): the VM thread captures the heap at a collection's start and
 * finish, a worker thread turns captures into snapshots.
 *
 * The worker makes no JNI or JVMTI call: those block while the program is at a safepoint, and a
 * paused program must still have its data sent (F10).
 */
#ifndef GCSPY_AGENT_GC_EVENTS_H
#define GCSPY_AGENT_GC_EVENTS_H

#include "capture.h"
#include "classes_space.h"
#include "heap.h"
#include "heap_zoom.h"
#include "memory_space.h"
#include "native_heap.h"
#include "object_locations.h"
#include "sampler.h"
#include "sites_space.h"
#include "threads.h"
#include "tlab_space.h"
#include "tracked_space.h"

struct gc_events;

/* All borrowed, and alive until gc_events_destroy. */
struct gc_events_parts {
	const struct vm *vm;
	struct gcs_server *server;
	const struct heap_driver *driver; /* NULL: no heap map */
	void *heap;                       /* the driver's state */
	struct heap_zooms *zooms;         /* NULL: no heap map */
	struct tlab_space *tlabs;         /* NULL: no TLAB space */
	struct memory_space *memory;
	struct tracked_space *tracked; /* NULL: the JVM keeps no account */
	struct threads *threads;
	struct sampler *sampler;                   /* NULL: none */
	struct sites_space *sites;                 /* NULL: no space of call sites */
	struct object_locations *object_locations; /* NULL: no positions of samples */
	struct heap_walk *heap_walk;               /* NULL: the heap cannot be walked */
	struct classes_space *classes;             /* NULL without heap_walk */
	const struct volume *volume;
	struct native_heap *native; /* NULL: it is not shown */
};

/* NULL without memory. */
struct gc_events *gc_events_create(const struct gc_events_parts *parts, struct gcs_error *err);

/* Adds the events to the server. Before the server starts. */
enum gcs_status gc_events_describe(struct gc_events *e, struct gcs_error *err);

/* Starts the worker. */
enum gcs_status gc_events_run(struct gc_events *e, struct gcs_error *err);

/* Ends the worker and waits for it, at most until `deadline_ns` of the monotonic clock; false if it
 * still runs. Captures that are not published yet are lost. NULL is fine. */
bool gc_events_end(struct gc_events *e, uint64_t deadline_ns);

/* After gc_events_end, when nothing calls any function below any more. NULL is fine. */
void gc_events_destroy(struct gc_events *e);

/* In the VM thread, at a safepoint. */
void gc_events_start(struct gc_events *e);
void gc_events_finish(struct gc_events *e);

/* The pauses so far; without a client they are counted, but not measured. Any thread. */
struct gc_pauses {
	uint64_t count;
	uint64_t total_ns;   /* without our own time */
	uint64_t collection; /* number of the last one; 0: not known */
};
struct gc_pauses gc_events_pauses(const struct gc_events *e);

/* These clients want the present state, outside any event (gcs_server_options.state_request). Any
 * thread; does not wait. */
void gc_events_state_request(struct gc_events *e, const struct gcs_ticket *ticket);

/* A clock tick: the state between collections is published as the event "Clock", unless a
 * collection is running. Any thread; does not wait. */
void gc_events_clock_tick(struct gc_events *e);

/*
 * For a collector without pauses: how a clock tick stops the program. `request` does not wait; it
 * leads to gc_events_at_safepoint in the VM thread, if the JVM reaches a safepoint, and then to
 * gc_events_safepoint_done on any other thread. Before the worker runs.
 */
void gc_events_set_safepoint(struct gc_events *e, void (*request)(void *context), void *context);
void gc_events_at_safepoint(struct gc_events *e);
void gc_events_safepoint_done(struct gc_events *e, bool reached);

/* An update of the native heap has come; it is published as an event, unless a collection is running. Any
 * thread; does not wait. */
void gc_events_native(void *events);

/* A trigger has fired at a sample (sampler_fired), which is copied. Any thread; does not wait. */
void gc_events_allocation(
    void *events, const struct gcs_ticket *ticket, const struct sampled_allocation *allocation);

/* Wakes the worker: a zoom request waits. Any thread. */
void gc_events_wake(struct gc_events *e);

/* The program is about to wait in one of these callbacks (struct gcs_server_options.waiting). */
void gc_events_waiting(struct gc_events *e);

/* Whether the table of threads is complete: state requests wait for that. Any thread. */
void gc_events_threads_known(struct gc_events *e, bool known);

/* Waits until all captures are published, at most 2 s, and 1 s for one: before the program ends. Any
 * thread but the worker. */
void gc_events_flush(struct gc_events *e);

#endif
