/*
 * Where the program stands while a client holds it (F10): pause, step, a filter's delay, lock-step.
 *
 * Program threads come to gate_pass at the end of an event; the I/O thread opens and closes. A
 * client is a slot, a bit in a mask; what a client holds falls with gate_leave. Nothing here waits
 * on the network: a silent client is removed by the server's keep-alive limit.
 */
#ifndef GCSPY_SERVER_GATE_H
#define GCSPY_SERVER_GATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <gcspy/server.h>

/* Longest wait for the acknowledgement of a client in lock-step. */
#define GATE_LOCKSTEP_NS 1000000000u

struct gate {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	atomic_uint holds; /* clients that hold the program; written under the lock, read without */
	atomic_uint lockstep; /* clients in lock-step; likewise */
	uint32_t present;     /* clients that are attached */
	uint32_t tokens;      /* steps not yet taken */
	uint32_t token_mask;  /* who asked for them */
	uint32_t stepping;    /* clients whose next own event is where a step ends; 0: any event */
	uint32_t parked;      /* program threads that wait because of a hold */
	uint64_t parked_sequence;
	uint64_t acked[GCS_MAX_CLIENTS];
	uint64_t interrupts; /* how often everybody who waits was sent on */
	uint64_t held_ns;    /* time that threads spent waiting */
	int wake;            /* written to whenever a thread parks or goes on */
};

bool gate_init(struct gate *g, int wake);
void gate_fini(struct gate *g);

void gate_enter(struct gate *g, uint32_t slot); /* a client attaches */
void gate_leave(struct gate *g, uint32_t slot); /* … and is gone, with all it held */
void gate_hold(struct gate *g, uint32_t slot);
void gate_release(struct gate *g, uint32_t slots); /* a mask */
/* Lets one event pass and holds at the next one; at the next one of its own if `own_events`. */
void gate_step(struct gate *g, uint32_t slot, bool own_events);
/* Holds what replays: its next event, or the next one of the client's own, is where a step ends. */
void gate_step_replay(struct gate *g, uint32_t slot, bool own_events);
void gate_set_lockstep(struct gate *g, uint32_t slot, bool on);
void gate_ack(struct gate *g, uint32_t slot, uint64_t sequence);

/* What an event brings to the gate. */
struct gate_event {
	uint32_t audience;
	uint64_t sequence;
	uint32_t pausing;  /* clients whose filter pauses after this event */
	uint32_t delaying; /* clients whose filter delays it … */
	uint64_t delay_ns; /* … for so long */
	/* gate_interrupts when the event began, after which one ends the wait; NULL: nobody does. Set
	 * to the count at the end. */
	uint64_t *interrupts;
};

/* True if gate_pass might wait. One or two loads. */
static inline bool gate_closed(struct gate *g, uint32_t audience)
{
	return atomic_load_explicit(&g->holds, memory_order_relaxed) != 0 ||
	       (audience & atomic_load_explicit(&g->lockstep, memory_order_relaxed)) != 0;
}

/* False if gate_interrupt has ended the wait. */
bool gate_pass(struct gate *g, const struct gate_event *event);

/* Ends the wait of an event that counts interrupts, also if it has yet to come to gate_pass. The
 * holds stay: the next event finds them. */
void gate_interrupt(struct gate *g);
uint64_t gate_interrupts(struct gate *g);

struct gate_view {
	uint32_t holds;
	bool parked;
	uint32_t stepping; /* clients whose next own event is where a step ends */
	/* of the event at which the program stands; 0: one that nobody gets */
	uint64_t parked_sequence;
	uint64_t held_ns;
};

void gate_look(struct gate *g, struct gate_view *view);

#endif
