/*
 * Where the program waits while a client holds it (F10): pause, step, a filter's delay, lock-step.
 *
 * Program threads pass at the end of an event; the I/O thread opens and closes the gate. A client is a
 * slot, a bit in a mask; gate_leave ends all of its holds. Nothing here waits for the network: the
 * keep-alive limit removes a silent client.
 */
#ifndef GCSPY_SERVER_GATE_H
#define GCSPY_SERVER_GATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <gcspy/server.h>

/* Maximum wait for the acknowledgement of a client in lock-step. */
#define GATE_LOCKSTEP_NS 1000000000u

struct gate {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* Written under the lock. Events look at both without it first (gate_closed), relaxed: they
	 * guard no data, and an event that misses a hold passes like one that was before it. */
	atomic_uint holds;    /* clients that hold the program */
	atomic_uint lockstep; /* clients in lock-step; likewise */
	uint32_t present;     /* clients that are attached */
	uint32_t tokens;      /* steps not yet taken */
	uint32_t token_mask;  /* the clients that step */
	uint32_t stepping;    /* clients whose own next event ends a step; 0: any event */
	uint32_t parked;      /* program threads that wait for a hold */
	uint64_t parked_sequence;
	uint64_t acked[GCS_MAX_CLIENTS];
	uint64_t interrupts; /* number of gate_interrupt calls */
	uint64_t held_ns;    /* total wait of threads */
	int wake;            /* written to whenever a thread parks or goes on */
};

bool gate_init(struct gate *g, int wake);
void gate_fini(struct gate *g);

/* In the child after fork, with the lock held: no client, and no thread waits. */
void gate_forget(struct gate *g, int wake);

void gate_enter(struct gate *g, uint32_t slot); /* a client attaches */
void gate_leave(struct gate *g, uint32_t slot); /* … and leaves, with its holds */
void gate_hold(struct gate *g, uint32_t slot);
void gate_release(struct gate *g, uint32_t slots); /* a mask */
/* Lets one event pass and holds at the next one, or with `own_events` at the client's own next one. */
void gate_step(struct gate *g, uint32_t slot, bool own_events);
/* The same for a replay, which moves to the next event by itself. */
void gate_step_replay(struct gate *g, uint32_t slot, bool own_events);
void gate_set_lockstep(struct gate *g, uint32_t slot, bool on);
void gate_ack(struct gate *g, uint32_t slot, uint64_t sequence);

/* An event at the gate. */
struct gate_event {
	uint32_t audience;
	uint64_t sequence;
	uint32_t pausing;  /* clients whose filter pauses after this event */
	uint32_t delaying; /* clients whose filter delays it */
	uint64_t delay_ns;
	/* gate_interrupts when the event began: a later interrupt ends the wait. Set to the present
	 * number at the end. NULL: not interruptible. */
	uint64_t *interrupts;
};

/* True if gate_pass might wait. One or two loads. */
static inline bool gate_closed(struct gate *g, uint32_t audience)
{
	return atomic_load_explicit(&g->holds, memory_order_relaxed) != 0 ||
	       (audience & atomic_load_explicit(&g->lockstep, memory_order_relaxed)) != 0;
}

/* False if interrupted. */
bool gate_pass(struct gate *g, const struct gate_event *event);

/* Ends the wait of an interruptible event, even before it reaches gate_pass. The holds stay. */
void gate_interrupt(struct gate *g);
uint64_t gate_interrupts(struct gate *g);

struct gate_view {
	uint32_t holds;
	bool parked;
	uint32_t stepping;        /* as in struct gate */
	uint64_t parked_sequence; /* of the event where the program waits; 0: it has no audience */
	uint64_t held_ns;
};

void gate_read(struct gate *g, struct gate_view *view);

#endif
