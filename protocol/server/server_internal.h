/*
 * The server's inside, shared by server.c (called by the target's threads) and server_io.c (the I/O
 * thread).
 *
 * Threads: the target's threads count events and pass the gate without any lock but the gate's own.
 * One thread at a time publishes: under `lock` it puts references into the peers' queues. The I/O
 * thread owns sockets and sessions, and takes references out of the queues under `lock`. No socket
 * call is ever made with a lock held.
 */
#ifndef GCSPY_SERVER_SERVER_INTERNAL_H
#define GCSPY_SERVER_SERVER_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include <gcspy/server.h>

#include "gate.h"
#include "net.h"
#include "peer.h"
#include "zooms.h"

/* Connections that may be open before their hello is complete. */
#define SERVER_PENDING 32u

/* What one client asked for at one event; written by the I/O thread, read at the event without a
 * lock. */
struct filter_slot {
	atomic_uint period;
	atomic_uint delay_ms;
};

struct gcs_server {
	struct gcs_server_options options;
	char *host, *socket_path, *token; /* own copies */
	struct gate gate;
	int wake[2];
	int listeners[2]; /* TCP, Unix; -1: none */
	int port;
	struct net_lookup lookup;         /* of the TCP listener's clients */
	uint64_t accept_backoff_until_ns; /* no accepting before; I/O thread, as the next four */
	struct peer *pending[SERVER_PENDING]; /* not let in yet, or let in only to resume */
	uint64_t refusals_ns;                 /* the second in which these were turned away: */
	uint32_t refusals;
	pthread_t thread;
	bool running;
	bool threaded; /* there is an I/O thread: a server that listens nowhere has none */
	atomic_bool stopping;

	/* Per event, for gcs_server_enter. */
	atomic_uint_least64_t counters[GCS_MAX_EVENTS];
	atomic_uint wanted[GCS_MAX_EVENTS];   /* clients that have it enabled */
	atomic_uint periodic[GCS_MAX_EVENTS]; /* of them, those with a period above 1 */
	atomic_uint delayed[GCS_MAX_EVENTS];
	atomic_uint pausing[GCS_MAX_EVENTS];
	struct filter_slot filters[GCS_MAX_EVENTS][GCS_MAX_CLIENTS];
	atomic_uint hidden[GCS_MAX_SPACES]; /* clients that have collapsed the space */
	atomic_uint_least64_t sequence;
	atomic_uint_least64_t settled; /* highest sequence published or missed */
	atomic_uint_least64_t cost_ns;
	atomic_uint_least64_t asked; /* the last ticket of a query or setting */
	atomic_uint attached;        /* number of clients past their hello */
	atomic_bool relays;          /* what it shows is kept though nobody is there */

	/* Held over a whole change of the model, so that one does not undo another's. */
	pthread_mutex_t describing;

	pthread_mutex_t lock; /* the rest */
	struct gcs_model *model;
	struct gcs_snapshot *latest;
	struct gcs_position position;        /* of a replay … */
	uint64_t position_number;            /* … and which one it is, from 1; 0: none */
	struct peer *peers[GCS_MAX_CLIENTS]; /* let in */
	struct zooms zooms;
	struct gcs_server_stats stats;
	struct gcs_recorder *recorder; /* NULL: none; from gcs_server_record until the stop */
	bool recording;                /* the recorder is among the attached */
	atomic_bool record_over;       /* it takes no more, and is to give up its place */
};

/* Hands a snapshot that is settled (with the caller's reference) to its audience. */
void server_hand_out(
    struct gcs_server *server, const struct gcs_ticket *ticket, struct gcs_snapshot *snapshot);

/* gcs_server_leave; with `interrupts` (gate_event), false if gcs_server_interrupt has ended it. */
bool server_leave(struct gcs_server *server, const struct gcs_ticket *ticket, uint64_t *interrupts);

/* The clients of `mask` whose period has come round. */
uint32_t server_due(struct gcs_server *server, uint32_t event, uint32_t mask, uint64_t count);
/* The unanswered question with this ticket, or NULL. Lock held. */
struct answer_slot *server_find_question(struct gcs_server *s, uint64_t ticket);

/* A client asks for a zoom or releases one; and it has left. On the I/O thread. */
void server_zoom(struct peer *p, uint64_t ticket, const struct zoom_message *message);
void server_drop_zooms(struct peer *p);

/* The recorder's place (server_record.c). Beginning and end without the lock … */
void server_record_begin(struct gcs_server *s);
void server_record_end(struct gcs_server *s);    /* gives its place up and keeps it */
void server_record_finish(struct gcs_server *s); /* the end of it, too */

/* Ends it if the recorder has failed: on the I/O thread, or without one on that which publishes. */
void server_record_check(struct gcs_server *s);

/* … a snapshot or its loss with the lock held. */
void server_record_put(
    struct gcs_server *s, uint32_t audience, const struct gcs_snapshot *snapshot);
void server_record_miss(struct gcs_server *s, uint32_t audience);

/* Its bit in an audience while it records, else 0. Lock held. */
uint32_t server_record_audience(const struct gcs_server *s);

/* Places that clients may take. */
uint32_t server_slots(const struct gcs_server *s);

/* Gives a client that is let in the lowest free slot; false if there is none. */
bool server_take_slot(struct peer *p);

/* A client's bit in an audience. */
uint32_t server_bit(uint32_t slot);

/* What sessions ask for (server_host.c); the context is the peer. On the I/O thread, as all
 * below. */
extern const struct session_host server_session_host;

/* Asks the target for the present state, or gives the newest known one. */
void server_request_state(struct peer *p);

/* Notes which spaces of a model that it has been told the client hides. */
void server_note_hidden(struct peer *p, const struct gcs_model *model);

/* The client wants nothing more and holds nothing more. */
void server_detach(struct gcs_server *s, struct peer *p);

/* Takes some of the connections that wait at a listener (server_accept.c). */
void server_accept(struct gcs_server *s, int listener);

/* Finds out whose a TCP connection is. */
void server_identify(struct peer *p);

/* The connection is over. */
void server_drop(struct gcs_server *s, struct peer *p);

/* Says goodbye, sends what the connection takes at once, and drops it. */
void server_end(struct gcs_server *s, struct peer *p, enum bye_reason reason, const char *words);

/* One line for the operator: `format` has one %s, for `detail`. */
void server_log(struct gcs_server *s, const char *format, const char *detail);
/* The same about a client that was turned away; a flood of them is a few lines per second. */
void server_log_refusal(struct gcs_server *s, const char *why);

/* The I/O thread's body. */
void *server_io_run(void *server);

#endif
