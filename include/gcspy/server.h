/*
 * The server side: what a memory manager links in order to be seen.
 *
 * A target describes itself once (events, groups, spaces with their streams), starts the server,
 * and at each event does
 *
 *	struct gcs_ticket ticket;
 *	if (gcs_server_enter(server, GC_START, &ticket))
 *		capture(&ticket);                      copy what is needed, nothing else
 *	gcs_server_leave(server, &ticket);             waits here while a client holds the program
 *
 * and on a thread of its own, for each captured event,
 *
 *	struct gcs_snapshot *snapshot = gcs_server_begin(server, &ticket);
 *	… gcs_snapshot_write(snapshot, space, stream)[tile] = value …
 *	gcs_server_publish(server, &ticket, snapshot);
 *
 * A target with nothing to fear from a lock may do both at once, at the event. The server neither
 * knows nor asks who listens; clients come and go on its I/O thread, and none of them can delay the
 * program except by a pause, a filter's delay or lock-step, each with the limits stated here.
 * tests/embed/toy_server.c is a whole target in some 130 lines.
 */
#ifndef GCSPY_SERVER_H
#define GCSPY_SERVER_H

#include "control.h"
#include "recorder.h"

GCS_BEGIN_DECLS

struct gcs_server;

#define GCS_MAX_CLIENTS 32u

/* One occurrence of an event, from the program's thread to the one that publishes. A plain value;
 * copy it freely. */
struct gcs_ticket {
	uint32_t event;      /* id, or GCS_NONE for a look from outside any event */
	uint32_t audience;   /* bit per client that gets this occurrence; 0: nobody */
	uint64_t sequence;   /* over all events */
	uint64_t count;      /* of this event, from 1 */
	uint64_t time_ns;    /* monotonic clock at the event */
	uint64_t cost_ns;    /* our cost in the program's time up to it */
	uint64_t interrupts; /* of a relayed event: gcs_server_interrupt calls known to it */
};

/* A client's question (struct gcs_server_options.query). Valid during the call. */
struct gcs_query {
	uint64_t ticket;   /* for gcs_server_answer */
	const char *topic; /* 1..GCS_MAX_NAME bytes */
	uint32_t count;    /* 0..GCS_MAX_PARAMETERS */
	const struct gcs_info *parameters;
};

/* A client's wish that a setting of the target change (struct gcs_server_options.set). Valid during
 * the call. */
struct gcs_setting {
	uint64_t ticket;   /* for gcs_server_answer */
	const char *key;   /* 1..GCS_MAX_NAME bytes */
	const char *value; /* 0..GCS_MAX_TEXT bytes */
};

/*
 * A client's wish to see a part of a space in finer blocks (F16; struct gcs_server_options.zoom).
 * It has been checked: the space is there and has blocks of one size, the part lies within what it
 * last showed, and the limits of model.h are kept. Valid during the call.
 */
struct gcs_zoom {
	uint64_t ticket;            /* for gcs_server_zoomed or gcs_server_answer */
	uint32_t space;             /* may be a zoom itself */
	const struct gcs_space *of; /* its description */
	uint64_t start, end;        /* addresses: start < end */
	uint64_t block_bytes;       /* a power of two, GCS_MIN_ZOOM_BLOCK .. of->block_bytes */
};

struct gcs_server_options {
	const char *name; /* shown by clients: "HotSpot 17.0.15, pid 4711" */
	/* address to listen on; NULL: 127.0.0.1. Anything but loopback needs a token */
	const char *host;
	int port;                /* 0..65535, 0 takes a free one; -1: no TCP */
	const char *socket_path; /* also, or instead, a Unix socket (mode 0600) */
	const char *token;       /* secret that clients must give, or NULL */
	/* Without a token, a TCP client must belong to this process's effective user or to root, as
	 * the kernel says; true lets in every user of this machine. */
	bool allow_any_user;
	uint32_t max_clients; /* 1..GCS_MAX_CLIENTS; 0: 16 */
	/* a client silent for this long is dropped; 0: 10,000. One of 2002 says nothing by
	 * itself: it is dropped when the system finds its connection dead, after about three
	 * times as long */
	uint32_t keep_alive_ms;
	size_t queue_bytes; /* most memory that queued snapshots of one client may take; 0: 2 MiB */

	/*
	 * A client has come and has nothing to show yet, or opened a group whose data nobody
	 * gathered, or recording begins: publish the present state with this ticket (event
	 * GCS_NONE), soon, on any thread but this one. On the I/O thread, or in gcs_server_start;
	 * must not block. May be NULL.
	 */
	void (*look)(void *context, const struct gcs_ticket *ticket);

	/*
	 * The program is about to wait in gcs_server_leave: for a hold, a delay or lock-step. A
	 * target that does not publish every event at once publishes now what it has captured,
	 * because who pauses a program wants to see where it stands. On the program's thread; must
	 * not block. May be NULL.
	 */
	void (*waiting)(void *context);

	/*
	 * A client asks something beside the snapshots, or wants a setting changed. Each must be
	 * answered once by gcs_server_answer, here or later on any thread; what takes longer than
	 * some microseconds belongs on a thread of the target's. On the I/O thread; must not block.
	 * NULL: the server answers that there is nothing of that name.
	 */
	void (*query)(void *context, const struct gcs_query *query);
	void (*set)(void *context, const struct gcs_setting *setting);

	/*
	 * A server that replays: a client wants it elsewhere, at another speed, or, with its step
	 * command, one event on (GCS_SEEK_MOVE; its hold is taken first). On the I/O
	 * thread; must not block. NULL for all others.
	 */
	void (*seek)(void *context, const struct gcs_seek *seek);

	/*
	 * A client wants a zoom: describe a space of so many blocks, the last one cut at the end,
	 * and say gcs_server_zoomed; or refuse with gcs_server_answer. And a zoom's space is not
	 * wanted any more, because its client released it or has gone: withdraw it with
	 * gcs_server_remove_space, not before. A withdrawn space is there to be described anew for
	 * another zoom, so that ids do not run out. On the I/O thread; must not block. Both or
	 * neither may be NULL.
	 */
	void (*zoom)(void *context, const struct gcs_zoom *zoom);
	void (*unzoom)(void *context, uint32_t space);

	/* Somebody is attached (true), or the last one has gone (false); a recorder counts. On the
	 * I/O thread, or in gcs_server_start and _stop; must not block. May be NULL. */
	void (*attached)(void *context, bool anybody);

	/* One line for the operator, such as why a client was turned away. On the I/O thread. May
	 * be NULL. */
	void (*log)(void *context, const char *line);
	void *context;
};

/* A server that is not yet listening, or NULL with the reason. Options are copied. */
GCS_API struct gcs_server *gcs_server_create(
    const struct gcs_server_options *options, struct gcs_error *err);

/* Another name than that of the options, for a target that learns late what it is. Before the start
 * only. */
GCS_API enum gcs_status gcs_server_set_name(
    struct gcs_server *server, const char *name, struct gcs_error *err);

/*
 * Describe the target: before the start, or later on any thread (clients are then told of the
 * change only). Each gives the new id through `id` as in model.h.
 */
GCS_API enum gcs_status gcs_server_add_event(struct gcs_server *server,
    const struct gcs_event *event, uint32_t *id, struct gcs_error *err); /* before the start only */
GCS_API enum gcs_status gcs_server_add_group(
    struct gcs_server *server, const struct gcs_group *group, uint32_t *id, struct gcs_error *err);
GCS_API enum gcs_status gcs_server_add_space(
    struct gcs_server *server, const struct gcs_space *space, uint32_t *id, struct gcs_error *err);
GCS_API enum gcs_status gcs_server_set_space(
    struct gcs_server *server, uint32_t id, const struct gcs_space *space, struct gcs_error *err);
GCS_API enum gcs_status gcs_server_remove_space(
    struct gcs_server *server, uint32_t id, struct gcs_error *err);
GCS_API enum gcs_status gcs_server_set_info(
    struct gcs_server *server, const char *key, const char *value, struct gcs_error *err);

/*
 * Opens the sockets without serving them yet: clients that come wait for gcs_server_start. For a
 * target that wants to know early whether its port is free. On failure nothing is left behind.
 */
GCS_API enum gcs_status gcs_server_listen(struct gcs_server *server, struct gcs_error *err);

/*
 * Opens the sockets unless gcs_server_listen did, and starts the I/O thread. On failure nothing is
 * left behind and it may be tried again.
 */
GCS_API enum gcs_status gcs_server_start(struct gcs_server *server, struct gcs_error *err);

/*
 * Records what a client would get that wants everything, from the start to gcs_server_stop, which
 * finishes the recorder; so does gcs_server_destroy. It takes one of the GCS_MAX_CLIENTS places and
 * counts as attached (gcs_server_attached, the callback), but not among the clients of the limit
 * and of the statistics. Other clients' filters and collapsed spaces change nothing in it, and it
 * never holds the program. Before the start only; STATE otherwise, and the recorder stays the
 * caller's. A server without TCP and socket has no I/O thread and serves its recorder alone.
 */
GCS_API enum gcs_status gcs_server_record(
    struct gcs_server *server, struct gcs_recorder *recorder, struct gcs_error *err);

/* Records a profile (copied) behind what was published; false if there is no recorder, or it does
 * not take it (gcs_recorder_put_profile). Any thread; does not wait. */
GCS_API bool gcs_server_record_profile(struct gcs_server *server, const void *bytes, size_t length);

/* The TCP port that is listened on (the real one if 0 was asked for), or -1 without TCP. After the
 * start. */
GCS_API int gcs_server_port(const struct gcs_server *server);

/* Says goodbye to the clients, lets the program go on, closes the sockets and ends the I/O thread.
 * Again: no effect. */
GCS_API void gcs_server_stop(struct gcs_server *server);

/* Stops and frees. No thread may be inside another function of this server. NULL is fine. */
GCS_API void gcs_server_destroy(struct gcs_server *server);

/*
 * An event happens. Counts it and fills `ticket`; true if a client wants its data. Any thread, also
 * inside a safepoint or a signal-free callback: no lock, no allocation; one load and one add when
 * nobody is attached.
 */
GCS_API bool gcs_server_enter(struct gcs_server *server, uint32_t event, struct gcs_ticket *ticket);

/*
 * The event's end, always, whatever gcs_server_enter said. Returns at once unless a client holds
 * the program, asked for a delay at this event, or is in lock-step; then it waits on a condition
 * variable: for a hold until it is given up (by the client's command, close, or silence for
 * keep_alive_ms), for a delay at most 10 s, for lock-step at most 1 s. The thread that publishes
 * must not be needed by it.
 */
GCS_API void gcs_server_leave(struct gcs_server *server, const struct gcs_ticket *ticket);

/* True if some client has this event enabled now. Any thread; one load. */
GCS_API bool gcs_server_wants(const struct gcs_server *server, uint32_t event);

/* True while at least one client is attached. Any thread; one load. */
GCS_API bool gcs_server_attached(const struct gcs_server *server);

/* True if some client that gets this ticket looks at the space (it is not collapsed for all of
 * them). Any thread. */
GCS_API bool gcs_server_wants_space(
    struct gcs_server *server, const struct gcs_ticket *ticket, uint32_t space);

/*
 * Adds to the server's cost in the program's time what it lost outside of gcs_server_enter and
 * gcs_server_leave, as where it was stopped for an event of a clock: nanoseconds. Later tickets
 * have it. Any thread; one add.
 */
GCS_API void gcs_server_charge(struct gcs_server *server, uint64_t ns);

/*
 * Gives a look's ticket (event GCS_NONE) its place in the order of events and its time. Call it
 * just before the state is read; events entered earlier should be published first. Optional:
 * otherwise gcs_server_begin does it. Any thread.
 */
GCS_API void gcs_server_stamp(struct gcs_server *server, struct gcs_ticket *ticket);

/*
 * A snapshot to fill for this ticket, with the newest published state in it; NULL without memory.
 * Counters and occurrence are set already. One thread at a time between begin and publish.
 */
GCS_API struct gcs_snapshot *gcs_server_begin(
    struct gcs_server *server, const struct gcs_ticket *ticket);

/* Hands the snapshot (the caller's reference with it) to everybody in the ticket's audience. Does
 * not wait. */
GCS_API void gcs_server_publish(
    struct gcs_server *server, const struct gcs_ticket *ticket, struct gcs_snapshot *snapshot);

/* The occurrence could not be captured or published (ring full, no memory): count it as missed for
 * its audience. */
GCS_API void gcs_server_miss(struct gcs_server *server, const struct gcs_ticket *ticket);

/*
 * Answers a query or setting: OK with `length` bytes (copied; at most GCS_MAX_ANSWER), or
 * ARGUMENT, STATE, UNSUPPORTED, LIMIT or NOMEM (other statuses are sent as UNSUPPORTED) with a
 * line for people in `words` (cut at GCS_MAX_TEXT bytes; may be "" or, with OK, say what was
 * done). A ticket whose client has gone, or that is answered already, is ignored. Any thread,
 * until gcs_server_destroy; does not wait.
 */
GCS_API void gcs_server_answer(struct gcs_server *server, uint64_t ticket, enum gcs_status status,
    const char *words, const void *bytes, size_t length);

/*
 * For servers that show what another server, or a trace, has told: `gcspy replay` is one. The
 * description comes with the snapshots; events are added before the start.
 */

/*
 * Publishes a snapshot as it is, with its own sequence number, times and counters, to those whose
 * filters want it; its description takes the place of the server's where it differs. Fills `ticket`
 * for gcs_server_leave, which waits as for an event that happened here. One thread at a time.
 * NOMEM, or ARGUMENT when its events are not the server's.
 */
GCS_API enum gcs_status gcs_server_relay(struct gcs_server *server,
    const struct gcs_snapshot *snapshot, struct gcs_ticket *ticket, struct gcs_error *err);

/* Answers a look (gcs_server_options.look) with the snapshot that was relayed last, if there is
 * one. Any thread. */
GCS_API void gcs_server_relay_again(struct gcs_server *server, const struct gcs_ticket *ticket);

/* The most snapshots that wait for any client that wants each of them, the one being sent with
 * them. Who replays as fast as its
 * clients take waits until they are few. Any thread. */
GCS_API uint32_t gcs_server_backlog(struct gcs_server *server);

/*
 * gcs_server_leave for a relayed event. False, after no or part of the wait, if gcs_server_interrupt
 * was called since gcs_server_relay or the last call with this ticket.
 */
GCS_API bool gcs_server_relay_leave(struct gcs_server *server, struct gcs_ticket *ticket);

/* Ends the wait of the relayed event, or of the one that is being relayed; the holds stay. Any
 * thread. */
GCS_API void gcs_server_interrupt(struct gcs_server *server);

/* True if a client steps and does not get this event: the step goes on over it. Before
 * gcs_server_leave. Any thread. */
GCS_API bool gcs_server_steps_over(struct gcs_server *server, const struct gcs_ticket *ticket);

/* Tells the clients where the replay stands. One that stands at an end or at speed 0 counts as
 * paused while a client holds it. Any thread. */
GCS_API void gcs_server_set_position(
    struct gcs_server *server, const struct gcs_position *position);

/*
 * The zoom with this ticket is the space `space`, which has just been described. The server answers
 * the client and has it look. False if the client has gone: then withdraw the space again;
 * `unzoom` will not be called for it. Any thread.
 */
GCS_API bool gcs_server_zoomed(struct gcs_server *server, uint64_t ticket, uint32_t space);

struct gcs_server_stats {
	uint32_t clients; /* attached now */
	uint64_t clients_ever;
	uint64_t clients_refused; /* bad hello, bad token, another user's, too many */
	uint64_t clients_silent;  /* dropped by the keep-alive limit */
	uint64_t published;       /* snapshots */
	uint64_t thinned;         /* snapshots not sent to some client because it was slow */
	uint64_t missed;          /* occurrences reported by gcs_server_miss */
	uint64_t sent_bytes;
	uint64_t held_ns; /* time that the program stood in gcs_server_leave */
};

GCS_API void gcs_server_stats(struct gcs_server *server, struct gcs_server_stats *stats);

GCS_END_DECLS

#endif
