/*
 * The insides of gc_events.h, shared by its files: captures in the VM thread (gc_events.c), the
 * worker that publishes them (gc_worker.c), state requests (gc_state_request.c), and clock ticks
 * (gc_clock_tick.c).
 */
#ifndef GCSPY_AGENT_GC_EVENTS_INTERNAL_H
#define GCSPY_AGENT_GC_EVENTS_INTERNAL_H

#include <stdatomic.h>

#include "gc_attributes.h"
#include "gc_events.h"
#include "service_thread.h"

/* Who owns the capture of a clock tick that stops the program: the VM thread from REQUESTED on, the
 * worker again from REACHED or FAILED on. */
enum safepoint { SAFEPOINT_NONE, SAFEPOINT_REQUESTED, SAFEPOINT_REACHED, SAFEPOINT_FAILED };

/* Most samples that wait for the worker. */
enum { GC_ALLOCATIONS = 16 };

struct fired_allocation;

struct gc_events {
	struct gc_events_parts parts;
	size_t raw_bytes;
	struct capture_ring *ring;

	/* The VM thread's. */
	struct gc_kinds kinds;
	uint64_t start_left_ns;    /* when our callback at the start returned */
	atomic_bool held_at_start; /* a client holds the program at a start; the worker reads it */
	bool long_pauses;          /* the last pause was one */
	atomic_bool in_collection; /* read by the worker */
	unsigned depth;            /* starts without a finish yet; the VM thread's */
	/* While a trigger can fire at a finish: the heap at the start of the present collection. */
	struct heap_totals start_totals;
	const struct capture *start; /* or NULL */
	/* Events lost because the ring was full, by bit of their audience. The worker reports them:
	 * the server's lock and the pipe of its thread are not for the VM thread. */
	atomic_uint missed[32];
	atomic_uint_least64_t missed_sequence;
	atomic_uint_least64_t pauses, pauses_ns, collection;
	/* An event has begun and is not handed over; likewise. Set before the event takes its place in
	 * the server's order, and cleared after it is in the ring. The worker takes its own place first,
	 * and both do so by a read-modify-write of one counter: after an earlier place it sees this
	 * set, or the event in the ring. */
	atomic_bool entering;

	/* The worker's. */
	struct service_thread worker;
	atomic_bool ending;
	struct capture *present; /* the state outside events */
	void *before;            /* the heap at the start of the present collection */
	bool have_before;
	atomic_uint request_audience;
	atomic_bool ticked;
	atomic_bool native_updated;
	atomic_bool threads_known;

	/* Samples that triggers have fired at, for the worker; NULL: a free place. */
	_Atomic(struct fired_allocation *) allocations[GC_ALLOCATIONS];

	/* Clock ticks that stop the program. */
	struct capture *at_safepoint; /* NULL: ticks do not stop it */
	void (*request_safepoint)(void *context);
	void *safepoint_context;
	atomic_int safepoint; /* enum safepoint */
};

/* True if a client looks at something that a heap walk fills. */
bool gc_heap_walk_wanted(const struct gc_events *e, const struct gcs_ticket *ticket);

/* The heavy volume. In the VM thread, at a safepoint. */
void gc_walk_heap(const struct gc_events *e, struct capture *c, bool finish);

/* On the worker: publishes a capture. */
void gc_publish(struct gc_events *e, const struct capture *c);

/* Copies the heap outside a pause. */
void gc_capture_off_pause(const struct gc_events *e, void *raw);

/* Publishes captures of events before that place in the order of events. */
void gc_drain_before(struct gc_events *e, uint64_t sequence);

/* Waits, for a bounded time, for an event that the VM thread is capturing. */
void gc_wait_entering(const struct gc_events *e);

/* Captures the present state for a ticket that has its place in the order, and publishes it. */
void gc_publish_present(struct gc_events *e, struct capture *c);

/* Waits for the threads' names and for a running collection, for a bounded time: the collection does
 * not end while a client holds the program in it. */
void gc_wait_collection(const struct gc_events *e);

/* Triggers, in the VM thread. At a start: keeps what the finish compares with; `c` may be
 * NULL. */
void gc_keep_start(struct gc_events *e, const struct capture *c);

/* Evaluates the triggers of the capture's event; true if the ticket has an audience. */
bool gc_check(struct gc_events *e, const struct capture *c, struct gcs_ticket *ticket);

/* Publishes samples that triggers have fired at; frees those that are left. On the worker. */
void gc_serve_allocations(struct gc_events *e);
void gc_free_allocations(struct gc_events *e);

/* Serves requests that are due. */
void gc_serve_state_request(struct gc_events *e);
void gc_serve_clock_tick(struct gc_events *e);
void gc_serve_native(struct gc_events *e);

#endif
