/*
 * The server side: what a memory manager links in order to be visualised.
 *
 * A target describes itself once (events, groups, spaces with their streams), starts the server, and
 * at each event calls
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
 * A target that may take locks at an event can do both there. The target need not know who is
 * connected: clients come and go on the server's I/O thread, and none can delay the program except
 * by a pause, a filter's delay or lock-step, with the limits stated here. tests/embed/toy_server.c
 * is a complete target in some 130 lines.
 */
#ifndef GCSPY_SERVER_H
#define GCSPY_SERVER_H

#include "control.h"
#include "recorder.h"
#include "trigger.h"

GCS_BEGIN_DECLS

struct gcs_server;

#define GCS_MAX_CLIENTS 32u

/* One occurrence of an event, passed from the program's thread to the publishing one. A plain value
 * that may be copied. */
struct gcs_ticket {
	uint32_t event;      /* id; GCS_NONE for a state request */
	uint32_t audience;   /* a bit per client that gets this occurrence; 0: none */
	uint64_t sequence;   /* over all events and states that anybody gets; 0: nobody */
	uint64_t count;      /* of this event, from 1 */
	uint64_t time_ns;    /* monotonic clock at the event */
	uint64_t cost_ns;    /* GCspy's cost in the program's time until then */
	uint64_t interrupts; /* of a relayed event: gcs_server_interrupt calls known to it */
	uint32_t fired;      /* by gcs_server_check: a bit per trigger that has fired */
	uint32_t pausing;    /* a bit per client of them whose trigger pauses the program */
};

/* The attributes of an occurrence, for gcs_server_check. */
struct gcs_values {
	uint64_t known;           /* bit i: attribute i is known */
	const int64_t *numbers;   /* by attribute: numbers and enumerations */
	const char *const *texts; /* by attribute; NULL: no texts are known */
};

/* A client's query (struct gcs_server_options.query). Valid during the call. */
struct gcs_query {
	uint64_t ticket;   /* for gcs_server_answer */
	const char *topic; /* 1..GCS_MAX_NAME bytes */
	uint32_t count;    /* 0..GCS_MAX_PARAMETERS */
	const struct gcs_info *parameters;
};

/* The value of a query's parameter, of several with that key the last; NULL without one. Any thread;
 * valid as long as the query. */
GCS_API const char *gcs_query_value(const struct gcs_query *query, const char *key);

/* A client's request to change a setting (struct gcs_server_options.set). Valid during the call. */
struct gcs_setting {
	uint64_t ticket;   /* for gcs_server_answer */
	const char *key;   /* 1..GCS_MAX_NAME bytes */
	const char *value; /* 0..GCS_MAX_TEXT bytes */
};

/*
 * A client's request to show part of a space in finer blocks (F16; struct gcs_server_options.zoom).
 * Already checked: the space exists and has blocks of one size, the part is within the addresses that
 * it showed last, and the limits of model.h hold. Valid during the call.
 */
struct gcs_zoom {
	uint64_t ticket;            /* for gcs_server_zoomed or gcs_server_answer */
	uint32_t space;             /* may be a zoom itself */
	const struct gcs_space *of; /* its description */
	uint64_t start, end;        /* addresses: start < end */
	uint64_t block_bytes;       /* a power of two, GCS_MIN_ZOOM_BLOCK .. of->block_bytes */
};

/* What a child of fork has. */
enum gcs_fork {
	GCS_FORK_OFF, /* no server: see gcs_server_start */
	/* A server of its own from the start, with its updates if they run: on any free port instead
	 * of the parent's, at the parent's socket path with the child's process id for the parent's
	 * in its file name, or else behind a dot at its end; without a recorder. A server
	 * with neither is off in the child, and may be started. `log` gets the address, or why there
	 * is none, in the child's fork. */
	GCS_FORK_OWN
};

struct gcs_server_options {
	const char *name; /* shown by clients: "HotSpot 17.0.15, pid 4711" */
	const char
	    *host; /* address to listen on; NULL: 127.0.0.1. Others than loopback need a token */
	int port;  /* 0..65535, 0: any free port; -1: no TCP */
	const char
	    *socket_path;  /* Unix socket with mode 0600, besides or instead of TCP; or NULL */
	const char *token; /* secret required of clients, or NULL */
	/* Without a token, a TCP client must belong to this process's effective user or to root, as
	 * reported by the kernel; true admits all users of this machine. */
	bool allow_any_user;
	uint32_t max_clients; /* 1..GCS_MAX_CLIENTS; 0: 16 */
	/* Drop a client that is silent for this long; 0: 10,000. Clients of 2002 send no keep-alive:
	 * they are dropped when the system finds their connection dead, after about three times as
	 * long. */
	uint32_t keep_alive_ms;
	size_t queue_bytes; /* most memory for one client's queued snapshots; 0: 2 MiB */

	/*
	 * A state request: publish the present state with this ticket (event GCS_NONE) soon, on any
	 * thread but the calling one. A client has attached, or has expanded a group whose data were
	 * not gathered, or recording begins. Called on the I/O thread or in gcs_server_start; must
	 * not block. May be NULL.
	 */
	void (*state_request)(void *context, const struct gcs_ticket *ticket);

	/*
	 * The program is about to wait in gcs_server_leave, because of a hold, a delay or lock-step.
	 * A target that publishes later should now publish what it has captured, because a user who
	 * pauses a program wants to see its state. Called on the program's thread; must not block.
	 * May be NULL.
	 */
	void (*waiting)(void *context);

	/*
	 * A client sends a query or changes a setting. A query whose topic is the name of a plugin
	 * has all parameters that the plugin describes, in their order: checked, those left out with
	 * their initial values, and numbers in plain decimal digits. Answer each once with gcs_server_answer, here
	 * or later on any thread; leave what takes longer than microseconds to a thread of the
	 * target. Called on the I/O thread; must not block. NULL: the server rejects them.
	 */
	void (*query)(void *context, const struct gcs_query *query);
	void (*set)(void *context, const struct gcs_setting *setting);

	/*
	 * For servers that replay: a client seeks, changes the speed or, with its step command, moves
	 * on by one event (GCS_SEEK_MOVE; its hold has been taken). Called on the I/O thread; must
	 * not block. NULL for live servers.
	 */
	void (*seek)(void *context, const struct gcs_seek *seek);

	/*
	 * `zoom`: a client requests a zoom. Describe a space with blocks of the requested size, the
	 * last one cut at the end, and call gcs_server_zoomed, or reject the request with
	 * gcs_server_answer. `unzoom`: a zoom's client has released it or disconnected. Withdraw the
	 * space with gcs_server_remove_space, and describe it again for later zooms, so that ids do
	 * not run out. Called on the I/O thread; must not block. Both or neither are NULL.
	 */
	void (*zoom)(void *context, const struct gcs_zoom *zoom);
	void (*unzoom)(void *context, uint32_t space);

	/*
	 * Computes an attribute with parameters, or one on demand, that a trigger's condition compares
	 * and of which the rest is known to hold; false: it is not known. On the thread that called
	 * gcs_server_check, in its call, under the rules of that function. May be NULL.
	 */
	bool (*attribute)(void *context, const struct gcs_ticket *ticket, uint32_t event,
	    uint32_t attribute, const int64_t *parameters, int64_t *value);

	/*
	 * A trigger has fired that asks a plugin: writes its answer, with the parameters' initial
	 * values, into `buffer`. `length` is the room in bytes, and receives the answer's length. On the
	 * same thread; no lock, no allocation. NULL: plugins do not answer at events.
	 */
	enum gcs_status (*plugin_at_event)(void *context, const struct gcs_ticket *ticket,
	    const char *plugin, void *buffer, size_t *length);

	/* The first client or recorder has attached (true), or the last one has left (false). Called
	 * on the I/O thread or in gcs_server_start and _stop; must not block. May be NULL. */
	void (*attached)(void *context, bool anybody);

	/* One line for the operator, such as why a client was rejected, or why a recorder without a
	 * callback `changed` has failed. On the I/O thread, or in a call. May be NULL. */
	void (*log)(void *context, const char *line);
	void *context;
	enum gcs_fork fork;

	/*
	 * A trigger is set whose condition compares an attribute with parameters: true accepts them,
	 * else `why` receives a line for the client, of at most `why_bytes` with its NUL, and the
	 * trigger is refused as ARGUMENT. Once for each comparison and event that has the attribute; on
	 * the I/O thread or in gcs_server_set_trigger; must not block. NULL: all are accepted.
	 */
	bool (*parameters)(void *context, uint32_t event, uint32_t attribute,
	    const int64_t *parameters, char *why, size_t why_bytes);
	GCS_RESERVED(4);
};

/* A server that does not listen yet, or NULL with the reason in `err`. Options are copied. */
GCS_API struct gcs_server *gcs_server_create(
    const struct gcs_server_options *options, struct gcs_error *err);

/* Replaces the name of the options. STATE after the start. */
GCS_API enum gcs_status gcs_server_set_name(
    struct gcs_server *server, const char *name, struct gcs_error *err);

/*
 * Describe the target: events before the start; the others also later, on any thread, and clients
 * are then sent the change. `id` receives the new id as in model.h. ARGUMENT for two streams of one
 * name in a space.
 *
 * A server has the plugin `fragmentation` as soon as it has a space in address order with a stream
 * "Used" in bytes and blocks of one size or address ranges; the library answers it. A plugin of that
 * name that the target adds replaces it.
 */
GCS_API enum gcs_status gcs_server_add_event(
    struct gcs_server *server, const struct gcs_event *event, uint32_t *id, struct gcs_error *err);
GCS_API enum gcs_status gcs_server_add_group(
    struct gcs_server *server, const struct gcs_group *group, uint32_t *id, struct gcs_error *err);
GCS_API enum gcs_status gcs_server_add_space(
    struct gcs_server *server, const struct gcs_space *space, uint32_t *id, struct gcs_error *err);
GCS_API enum gcs_status gcs_server_add_plugin(struct gcs_server *server,
    const struct gcs_plugin *plugin, uint32_t *id, struct gcs_error *err);
GCS_API enum gcs_status gcs_server_set_space(
    struct gcs_server *server, uint32_t id, const struct gcs_space *space, struct gcs_error *err);
GCS_API enum gcs_status gcs_server_remove_space(
    struct gcs_server *server, uint32_t id, struct gcs_error *err);
GCS_API enum gcs_status gcs_server_set_info(
    struct gcs_server *server, const char *key, const char *value, struct gcs_error *err);

/* Opens the sockets, so that a target learns early whether its port is free. Clients that connect
 * wait for gcs_server_start. On failure nothing is left open. */
GCS_API enum gcs_status gcs_server_listen(struct gcs_server *server, struct gcs_error *err);

/*
 * Opens the sockets unless gcs_server_listen did, and starts the I/O thread. On failure nothing is
 * left open, and it may be called again.
 *
 * After fork the child has no server: its copy is stopped, without clients or sockets, and its events
 * wait for nothing, while the parent's clients notice nothing. With GCS_FORK_OWN it then starts at
 * another address; else the child may call gcs_server_start for a server of its own, if the options let
 * it listen beside the parent's (port 0), or gcs_server_destroy and create another. The library has no handlers of signals or of exit, and is never unloaded.
 */
GCS_API enum gcs_status gcs_server_start(struct gcs_server *server, struct gcs_error *err);

/*
 * Records what a client with default filters would get, from the start to gcs_server_stop or
 * gcs_server_destroy, which finish the recorder. It takes one of the GCS_MAX_CLIENTS slots and
 * counts as attached, but not towards max_clients or the statistics. It is independent of other
 * clients' filters and collapsed spaces, and never holds the program. Before the start only: STATE
 * otherwise, and the caller keeps the recorder. A server with neither TCP nor a socket has no I/O
 * thread and only records.
 */
GCS_API enum gcs_status gcs_server_record(
    struct gcs_server *server, struct gcs_recorder *recorder, struct gcs_error *err);

/* Records a copy of an encoded profile after the snapshots published so far. False without a
 * recorder, or if it rejects the profile (gcs_recorder_put_profile). Any thread; does not wait. */
GCS_API bool gcs_server_record_profile(struct gcs_server *server, const void *bytes, size_t length);

/* Likewise a plugin's answer. A flight ring keeps none from before it is saved. */
GCS_API bool gcs_server_record_answer(
    struct gcs_server *server, const struct gcs_trace_answer *answer);

/* The TCP port in use, also when the options asked for any free one; -1 without TCP. After
 * gcs_server_listen or the start. */
GCS_API int gcs_server_port(const struct gcs_server *server);

/* The path of its socket, or NULL. Valid until the server is destroyed, or the process forks. */
GCS_API const char *gcs_server_socket_path(const struct gcs_server *server);

/* Says goodbye to the clients, resumes the program, closes the sockets and ends the I/O thread. No
 * effect when stopped. */
GCS_API void gcs_server_stop(struct gcs_server *server);

/* The same at the end of the program: clients get GCS_ENDED, not GCS_CLOSED, and need not wait for
 * the server to come back. */
GCS_API void gcs_server_stop_at_exit(struct gcs_server *server);

/*
 * For a library that is preloaded into programs that know nothing of it, before any other call: programs
 * close descriptors that they have not opened, and use their numbers. From now on GCspy's threads have
 * tables of descriptors of their own, as far as the system allows it, and what remains in the program's
 * has high numbers and is used only while it is still GCspy's.
 */
GCS_API void gcs_keep_files_apart(void);

/* Stops and frees the server. No other thread may be inside a function of this server. NULL has no
 * effect. */
GCS_API void gcs_server_destroy(struct gcs_server *server);

/*
 * An event occurs. Counts it and fills `ticket`; true if a client wants its data. Any thread, also
 * inside a safepoint or a signal-free callback: no lock, no allocation; one load and one add while
 * no client is attached.
 */
GCS_API bool gcs_server_enter(struct gcs_server *server, uint32_t event, struct gcs_ticket *ticket);

/*
 * Ends the event; required after every gcs_server_enter. Returns at once unless a client holds the
 * program, has a delay for this event, or is in lock-step. Then it waits on a condition variable:
 * until a hold is given up (by command, disconnection, or keep_alive_ms of silence), at most 10 s
 * for a delay, at most 1 s for lock-step. The publishing thread must not depend on the caller.
 */
GCS_API void gcs_server_leave(struct gcs_server *server, const struct gcs_ticket *ticket);

/* True if a trigger can fire at this event. Any thread; one load. */
GCS_API bool gcs_server_triggered(const struct gcs_server *server, uint32_t event);

/*
 * Evaluates the event's triggers (trigger.h), between gcs_server_enter and gcs_server_leave, if
 * gcs_server_triggered. What fires is noted in `ticket`, whose audience is then everybody; gcs_server_begin
 * adds it to the snapshot, and gcs_server_leave pauses the program for the clients that want that. True if
 * the ticket has an audience, by a filter or a trigger: capture and publish. Any thread, as
 * gcs_server_enter: no lock, no allocation.
 *
 *	bool wanted = gcs_server_enter(server, GC_FINISH, &ticket);
 *	if (gcs_server_triggered(server, GC_FINISH))
 *		wanted = gcs_server_check(server, &ticket, &values);
 *	if (wanted)
 *		capture(&ticket);
 *	gcs_server_leave(server, &ticket);
 */
GCS_API bool gcs_server_check(
    struct gcs_server *server, struct gcs_ticket *ticket, const struct gcs_values *values);

/* True if a trigger compares this attribute, or a client has asked for it (gcs_client_interest): others
 * need not be computed. Any thread; two loads. */
GCS_API bool gcs_server_interested(
    const struct gcs_server *server, uint32_t event, uint32_t attribute);

/*
 * Sets or removes a trigger of the target itself, after its events have been added. ARGUMENT with a
 * line that names the word in the condition and what is expected, LIMIT, UNSUPPORTED for a plugin that
 * does not answer at events, NOMEM. Any thread.
 */
GCS_API enum gcs_status gcs_server_set_trigger(
    struct gcs_server *server, const struct gcs_trigger *trigger, struct gcs_error *err);
GCS_API enum gcs_status gcs_server_remove_trigger(
    struct gcs_server *server, const char *name, struct gcs_error *err);

/* True if a client has this event enabled. Any thread; one load. */
GCS_API bool gcs_server_wants(const struct gcs_server *server, uint32_t event);

/* True while a client or recorder is attached. Any thread; one load. */
GCS_API bool gcs_server_attached(const struct gcs_server *server);

/* True if a client of the audience shows the space, or a trigger pauses at the event. Any thread. */
GCS_API bool gcs_server_wants_space(
    struct gcs_server *server, const struct gcs_ticket *ticket, uint32_t space);

/* Adds `ns` to the cost in later tickets: time that the program lost outside of gcs_server_enter
 * and gcs_server_leave, as when it was stopped for a timer event. Any thread; one add. */
GCS_API void gcs_server_charge(struct gcs_server *server, uint64_t ns);

/*
 * Gives the ticket of a state request its sequence number and time. Call it just before the state is
 * read; events entered earlier should be published first. Optional, because gcs_server_begin does
 * it otherwise. Any thread.
 */
GCS_API void gcs_server_stamp(struct gcs_server *server, struct gcs_ticket *ticket);

/* A snapshot to be filled for this ticket. It has the newest published state, and its counters and
 * occurrence are set. One thread at a time between begin and publish. NULL without memory. */
GCS_API struct gcs_snapshot *gcs_server_begin(
    struct gcs_server *server, const struct gcs_ticket *ticket);

/* Queues the snapshot for the ticket's audience; takes over the caller's reference. Does not
 * wait. */
GCS_API void gcs_server_publish(
    struct gcs_server *server, const struct gcs_ticket *ticket, struct gcs_snapshot *snapshot);

/* The occurrence could not be captured or published (ring full, no memory): its audience counts it
 * as missed. */
GCS_API void gcs_server_miss(struct gcs_server *server, const struct gcs_ticket *ticket);

/*
 * Answers a query or setting: OK with `length` bytes (copied; at most GCS_MAX_ANSWER), or ARGUMENT,
 * STATE, UNSUPPORTED, LIMIT or NOMEM (other statuses become UNSUPPORTED). `message` is one line for
 * users, truncated to GCS_MAX_TEXT bytes; may be "". No effect if the client has disconnected or the
 * ticket has been answered. Any thread, until gcs_server_destroy; does not wait.
 */
GCS_API void gcs_server_answer(struct gcs_server *server, uint64_t ticket, enum gcs_status status,
    const char *message, const void *bytes, size_t length);

/*
 * For servers that show the data of a trace or of another server, such as `gcspy replay`. Events are
 * added before the start; the rest of the description comes with the snapshots.
 */

/*
 * Publishes a snapshot unchanged, with its own sequence number, times and counters, to the clients
 * whose filters want it; its description replaces the server's where they differ. Fills `ticket` for
 * gcs_server_leave, which waits as at an event of this process. One thread at a time. NOMEM, or
 * ARGUMENT if its events are not the server's.
 */
GCS_API enum gcs_status gcs_server_relay(struct gcs_server *server,
    const struct gcs_snapshot *snapshot, struct gcs_ticket *ticket, struct gcs_error *err);

/* Answers a state request with the last relayed snapshot, if there is one. Any thread. */
GCS_API void gcs_server_relay_again(struct gcs_server *server, const struct gcs_ticket *ticket);

/* The length of the longest queue of a client that wants every snapshot, including the snapshot in
 * transmission. A replay at full speed waits for it to become short. Any thread. */
GCS_API uint32_t gcs_server_backlog(struct gcs_server *server);

/*
 * gcs_server_leave for a relayed event. False, after no or part of the wait, if gcs_server_interrupt
 * was called since gcs_server_relay or the last call with this ticket.
 */
GCS_API bool gcs_server_relay_leave(struct gcs_server *server, struct gcs_ticket *ticket);

/* Ends the wait of the relayed event, or of the one that is being relayed; the holds stay. Any
 * thread. */
GCS_API void gcs_server_interrupt(struct gcs_server *server);

/* True if a client is stepping and does not get this event, so that its step continues past it. To
 * be called before gcs_server_leave. Any thread. */
GCS_API bool gcs_server_steps_over(struct gcs_server *server, const struct gcs_ticket *ticket);

/* Sends the replay's position to the clients. A replay that is at an end or has speed 0 counts as
 * paused while a client holds it. Any thread. */
GCS_API void gcs_server_set_position(
    struct gcs_server *server, const struct gcs_position *position);

/*
 * The zoom with this ticket is now described as `space`. The server answers the client and sends a
 * state request for it. False if the client has disconnected: withdraw the space; `unzoom` will not
 * be called for it. Any thread.
 */
GCS_API bool gcs_server_zoomed(struct gcs_server *server, uint64_t ticket, uint32_t space);

struct gcs_server_stats {
	uint32_t clients; /* attached now */
	uint64_t clients_ever;
	uint64_t clients_rejected; /* bad hello, bad token, wrong user, too many */
	uint64_t clients_silent;   /* dropped by the keep-alive limit */
	uint64_t published;        /* snapshots */
	uint64_t thinned;          /* snapshots dropped from a slow client's queue */
	uint64_t missed;           /* occurrences reported by gcs_server_miss */
	uint64_t sent_bytes;
	uint64_t held_ns; /* time that the program waited in gcs_server_leave */
	GCS_RESERVED(8);
};

/* The figures since the server was created. Any thread. */
GCS_API void gcs_server_stats(struct gcs_server *server, struct gcs_server_stats *stats);

GCS_END_DECLS

#endif
