/*
 * The inside of the server: server.c and server_events.c are called by the target's threads, the other
 * files by the I/O thread.
 *
 * The target's threads count events and pass the gate; the gate's lock is the only one they take. One
 * thread at a time publishes: under `lock` it adds references to the peers' queues. The I/O thread
 * owns sockets and sessions, and takes references from the queues under `lock`. No socket call is
 * made with a lock held.
 */
#ifndef GCSPY_SERVER_SERVER_INTERNAL_H
#define GCSPY_SERVER_SERVER_INTERNAL_H

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>

#include <gcspy/server.h>

#include "gate.h"
#include "net.h"
#include "peer.h"
#include "triggers.h"
#include "zooms.h"

/* Most connections without a complete hello. */
#define SERVER_PENDING 32u

/* One client's filter of one event; written by the I/O thread, read at the event without a lock. */
struct filter_slot {
	atomic_uint period;
	atomic_uint delay_ms;
};

/* One client's pace of intervals (server_pace.c); likewise. */
struct pace_slot {
	atomic_uint_least64_t interval_ns;
	atomic_uint_least64_t due_ns; /* no event before */
};

struct gcs_server {
	struct gcs_server_options options;
	char *host, *socket_path, *token; /* own copies */
	long process;                     /* that has started it */
	struct gate gate;
	int wake[2];
	int listeners[2]; /* TCP, Unix; -1: none */
	int port;
	struct net_lookup lookup;         /* of the TCP listener's clients */
	uint64_t accept_backoff_until_ns; /* no accepting before; I/O thread, as the next five */
	struct peer *pending[SERVER_PENDING]; /* not admitted yet, or admitted only to resume */
	uint64_t rejections_ns; /* start of the second in which these were rejected: */
	uint32_t rejections;
	uint64_t seen_published; /* stats.published, when it last changed for the I/O thread, */
	uint64_t seen_ns;        /* and the time of that */
	uint64_t waited_ns;      /* when it last ended to wait */
	pthread_t thread;
	bool running;
	bool threaded; /* has an I/O thread, because it listens */
	atomic_bool stopping;
	bool program_ends;       /* set before `stopping` */
	struct gcs_server *next; /* that runs; server_fork.c */

	/*
	 * What threads share at events without a lock. Masks and filters are written by the I/O
	 * thread and loaded relaxed: each is one word, guards no other memory (what an event publishes
	 * goes through `lock`), and an event that misses a change is one before it. Counters are sums
	 * of relaxed additions. `sequence` and `settled` only grow, by exchanges that are
	 * sequentially consistent: numbers are in the order of the times that were read before
	 * (server_events.c), and who sees `settled` sees what was published before.
	 */
	/* Per event, for gcs_server_enter. */
	atomic_uint_least64_t counters[GCS_MAX_EVENTS];
	atomic_uint wanted[GCS_MAX_EVENTS];   /* a bit per client that has it enabled */
	atomic_uint periodic[GCS_MAX_EVENTS]; /* those with a period above 1 */
	atomic_uint delayed[GCS_MAX_EVENTS];
	atomic_uint pausing[GCS_MAX_EVENTS];
	struct filter_slot filters[GCS_MAX_EVENTS][GCS_MAX_CLIENTS];
	struct pace_slot paces[GCS_MAX_CLIENTS];
	atomic_uint paced;                  /* clients at a pace of intervals, */
	atomic_uint withheld;               /* and those that have not got the last event */
	atomic_uint hidden[GCS_MAX_SPACES]; /* clients that have collapsed the space */
	atomic_uint_least64_t sequence;
	atomic_uint_least64_t settled; /* highest sequence published or missed */
	atomic_uint_least64_t cost_ns;
	atomic_uint_least64_t asked; /* last ticket of a query or setting */
	atomic_uint attached;        /* number of clients past their hello */
	atomic_uint everybody;       /* a bit for each of them: they get what has fired */
	atomic_bool relays;          /* keep `latest` even without clients */

	struct triggers triggers;
	/* A bit per client that wants the attribute computed. */
	atomic_uint interest[GCS_MAX_EVENTS][GCS_MAX_ATTRIBUTES];

	struct zoom_spaces *zoom_spaces; /* or NULL; from before the start on */
	pthread_mutex_t updates_lock;
	struct gcs_updates *updates; /* or NULL */
	bool updates_ran;            /* in the parent; server_fork.c */

	/* Held during a whole change of the model. */
	pthread_mutex_t describing;

	pthread_mutex_t lock; /* the rest */
	struct gcs_model *model;
	struct gcs_snapshot *latest;
	bool polls; /* the I/O thread looks at the queues every ms: publishing need not wake it */
	struct gcs_position position;        /* of a replay */
	uint64_t position_number;            /* counts its changes; 0: not a replay */
	struct peer *peers[GCS_MAX_CLIENTS]; /* admitted */
	struct zooms zooms;
	struct gcs_server_stats stats;
	struct gcs_recorder *recorder; /* or NULL; from gcs_server_record until the stop */
	struct server_ring *ring;      /* or NULL; likewise (server_ring.h) */
	bool recording;                /* the recorder and the ring count as attached */
	bool record_reported;          /* why the recorder has failed */
	atomic_bool record_over;       /* they must give up their slot: the recorder has failed */
};

/* Gives a settled snapshot, with the caller's reference, to its audience. */
void server_hand_out(
    struct gcs_server *server, const struct gcs_ticket *ticket, struct gcs_snapshot *snapshot);

/* Whether the program has to wait at the gate after this event, and for what. */
bool server_stops(
    struct gcs_server *server, const struct gcs_ticket *ticket, struct gate_event *event);

/* Waits at the gate, if `event` is not NULL, and adds to the cost: the time since `since_ns`, or if that is 0
 * the wait. False if it was interrupted. */
bool server_pass(struct gcs_server *server, const struct gate_event *event, uint64_t since_ns);

/* gcs_server_leave; with `interrupts` (gate_event), false if gcs_server_interrupt has ended it. */
bool server_leave(struct gcs_server *server, const struct gcs_ticket *ticket, uint64_t *interrupts);

/* The clients of `mask` that get this occurrence by their period. */
uint32_t server_due(struct gcs_server *server, uint32_t event, uint32_t mask, uint64_t count);

/* Of these clients those that are due at the event. */
uint32_t server_paced(struct gcs_server *server, uint32_t event, uint32_t mask, uint64_t now);

/* On the I/O thread (server_limits.c). All peers: those with slots, then the pending ones; NULL in free
 * places. */
enum { SERVER_PEERS = GCS_MAX_CLIENTS + SERVER_PENDING };
static inline struct peer *server_peer_at(const struct gcs_server *server, uint32_t i)
{
	return i < GCS_MAX_CLIENTS ? server->peers[i] : server->pending[i - GCS_MAX_CLIENTS];
}

#define SERVER_LINGER_NS 1000000000u /* maximum wait for a closing client to take its goodbye */
enum { SERVER_POLL_MS = 1 };         /* while events follow each other closely (`polls`) */

/* Says goodbye to a client that is silent, or slow, for too long. */
void server_check_limits(struct gcs_server *server, struct peer *p, uint64_t now);

/* poll, from `now` until something is due; makes up for what it took beyond that, and for the time since the
 * last one. */
int server_wait(struct gcs_server *server, struct pollfd *fds, nfds_t count, uint64_t now);

/* A client's pace; when the I/O thread is to look at it for that; asks for the state if it is due. On
 * the I/O thread. */
void server_set_pace(
    struct gcs_server *server, struct peer *p, enum gcs_pace pace, uint64_t interval_ns);
uint64_t server_pace_due(const struct gcs_server *server, const struct peer *p, uint64_t now);
void server_catch_up(struct gcs_server *server, struct peer *p, uint64_t now);

/* The unanswered query with this ticket, or NULL. Lock held. */
struct answer_slot *server_find_question(struct gcs_server *s, uint64_t ticket);

/* A query with its ticket: a plugin's after a check of its parameters. On the I/O thread. */
void server_query(struct gcs_server *s, const struct gcs_query *query);

/* The plugin `fragmentation` (server_fragmentation.c): describes it if a space of the model shows its
 * free memory and no plugin has its name; removes it, for the target's own; whether it is
 * this one; its answer to checked parameters. */
enum gcs_status server_describe_fragmentation(struct gcs_model *model, struct gcs_error *err);
enum gcs_status server_replace_fragmentation(struct gcs_model *model, struct gcs_error *err);
bool server_is_fragmentation(const struct gcs_plugin *plugin);
void server_answer_fragmentation(
    struct gcs_server *s, uint64_t ticket, const struct gcs_info *parameters);

/* The server has updates from now on, or with NULL no more. */
void server_use_updates(struct gcs_server *s, struct gcs_updates *updates);
bool server_has_updates(struct gcs_server *s);

/* Answers the setting `update`, or a state request, with the server's updates; false if it has none,
 * or for another setting. */
bool server_set_update(struct gcs_server *s, const struct gcs_setting *setting);
bool server_request_update(struct gcs_server *s, const struct gcs_ticket *ticket);

/* A trigger is set: the events that the target has counted by itself get their numbers before the next
 * ones. */
void server_collect_counts(struct gcs_server *s);

/* A client has a new zoom: while the program is held there is no update that would show it. */
void server_show_zoom(struct gcs_server *s, uint32_t audience);

/* If the ticket is of the topic `settings`: the answer's bytes with a line for `update`, to be freed, and
 * their length; NULL if nothing is to be added. */
char *server_list_settings(struct gcs_server *s, uint64_t ticket, enum gcs_status status,
    const void *bytes, size_t *length);

/* Zooms of the target, or of the library for it (zoom_spaces.c): whether there are any; to be described
 * and withdrawn, on the I/O thread; in the child after fork, with no lock held. */
bool server_zooms(const struct gcs_server *s);
void server_begin_zoom(struct gcs_server *s, const struct gcs_zoom *zoom);
void server_end_zoom(struct gcs_server *s, uint32_t space);
void zoom_spaces_forget(struct gcs_server *s);
void zoom_spaces_fini(struct gcs_server *s);

/* A client requests or releases a zoom; a client disconnects. On the I/O thread. */
void server_zoom(struct peer *p, uint64_t ticket, const struct zoom_message *message);
void server_drop_zooms(struct peer *p);

/* The slot of the recorder and of the ring (server_record.c). Lock not held. */
void server_record_begin(struct gcs_server *s);
void server_record_end(struct gcs_server *s);
void server_record_finish(struct gcs_server *s); /* ends, and finishes both */

/* Ends if the recorder has failed: on the I/O thread, or without one on the publishing thread. */
void server_record_check(struct gcs_server *s);

/* A snapshot is recorded or missed. Lock held. */
void server_record_put(
    struct gcs_server *s, uint32_t audience, const struct gcs_snapshot *snapshot);
void server_record_miss(struct gcs_server *s, uint32_t audience);

/* Its bit while it records, else 0. Lock held. */
uint32_t server_record_audience(const struct gcs_server *s);

/* Number of slots for clients. */
uint32_t server_slots(const struct gcs_server *s);

/* Gives an admitted client the lowest free slot; false if there is none. */
bool server_take_slot(struct peer *p);

/* A client's bit in an audience. */
uint32_t server_bit(uint32_t slot);

/* The callbacks of sessions (server_host.c); the context is the peer. On the I/O thread, like all
 * below. */
extern const struct session_host server_session_host;

/* Asks the target for its present state, or queues the newest one. */
void server_request_state(struct peer *p);

/* Updates which spaces of its model the client hides. */
void server_note_hidden(struct peer *p, const struct gcs_model *model);

/* Clears the filters and holds of the client. */
void server_detach(struct gcs_server *s, struct peer *p);

/* Accepts some of the connections at a listener (server_accept.c). */
void server_accept(struct gcs_server *s, int listener);

/* Finds the user of a TCP connection. */
void server_identify(struct peer *p);

/* Says goodbye, sends what can be sent without waiting, and drops the connection. */
void server_end(struct gcs_server *s, struct peer *p, enum bye_reason reason, const char *message);

/* One line for the operator: `format` has one %s, for `detail`. */
void server_log(struct gcs_server *s, const char *format, const char *detail);
/* The same about a rejected client, limited to a few lines per second. */
void server_log_rejection(struct gcs_server *s, const char *why);

/* The body of the I/O thread. */
void *server_io_run(void *server);

#endif
