/*
 * The client side: connects to a server, receives its snapshots and controls the program.
 *
 * Each client has a reader thread, which decodes and keeps the connection alive. All functions may
 * be called from any thread. None waits for the network unless its comment says so.
 */
#ifndef GCSPY_CLIENT_H
#define GCSPY_CLIENT_H

#include "control.h"
#include "snapshot.h"
#include "trigger.h"

GCS_BEGIN_DECLS

struct gcs_client;

enum gcs_client_state {
	GCS_CLIENT_CONNECTING, /* looking for the server, or waiting for its description */
	GCS_CLIENT_LIVE,
	GCS_CLIENT_LOST /* rejected, or disconnected later: gcs_client_error has the reason. The
			   last snapshot stays readable */
};

struct gcs_client_options {
	/* "HOST:PORT", "[IPV6]:PORT", ":PORT" or "PORT" on this machine, "unix:PATH"; prefixed with
	 * "2002:" for a server that speaks the protocol of 2002. "HOST:PORT/TARGET",
	 * "http://HOST:PORT/TARGET": a JVM behind `gcspy serve` (docs/serve.md); with "https://"
	 * the program gcspy-serve is executed for TLS, beside the running program or in PATH */
	const char *address;
	const char *token;           /* the server's token, or that of `gcspy serve`, or NULL */
	const char *name;            /* of this client, for the server's log */
	uint32_t connect_timeout_ms; /* 0: 5,000 */
	uint32_t queue_limit; /* snapshots kept for gcs_client_next; 0: 64. When the queue is full,
				 the oldest is dropped and counted */
	bool of_2002; /* the server speaks the protocol of 2002 (docs/protocol-2002.md), even if the
			 address does not say so */
	bool pause_at_start; /* pause the program before its first event is sent */
	bool compress;       /* the server may deflate what it sends; for slow networks */
	/* For recorders: the server queues more before it drops snapshots, and the client stops
	 * reading while its queue is half full, so that it drops none itself. A replay then waits;
	 * the server of a running program counts what it drops. */
	bool every_snapshot;
	/* Connect only to call gcs_client_resume. From protocol 1.3 on, a server admits such a client
	 * even when it is full, ignores its other commands and sends it no snapshots. */
	bool resume_only;
	/* All spaces are collapsed from the start: for clients that show events alone. Servers of
	 * before protocol 1.3 do not know it. */
	bool no_tiles;
	/* Called on the reader thread when a result of the functions below may have changed. Must
	 * not block. */
	void (*changed)(void *context);
	void *context;
	GCS_RESERVED(8);
};

/*
 * Starts to connect and returns at once, with a client in the state CONNECTING. NULL for invalid
 * options, or without memory or threads; `err` has the reason. The options' strings are copied.
 */
GCS_API struct gcs_client *gcs_client_open(
    const struct gcs_client_options *options, struct gcs_error *err);

/* Closes the connection and frees the client; the server resumes a program that only this client
 * held. Waits up to 2 s for the answer of a server of 2002. NULL has no effect. */
GCS_API void gcs_client_close(struct gcs_client *client);

/* The state of the connection now. Any thread. */
GCS_API enum gcs_client_state gcs_client_state(struct gcs_client *client);

/* Why the client is LOST; status GCS_OK in other states. */
GCS_API void gcs_client_error(struct gcs_client *client, struct gcs_error *err);

/* Waits up to `timeout_ms` for the state to change from CONNECTING; returns the state. */
GCS_API enum gcs_client_state gcs_client_wait(struct gcs_client *client, uint32_t timeout_ms);

/* A new reference to the server's description, or NULL before the client is LIVE. */
GCS_API struct gcs_model *gcs_client_model(struct gcs_client *client);

/* A new reference to the newest snapshot, or NULL before the first one. */
GCS_API struct gcs_snapshot *gcs_client_latest(struct gcs_client *client);

/*
 * The oldest snapshot that this function has not returned yet, with a reference for the caller.
 * Waits up to `timeout_ms` (0: not at all). NULL on timeout, or when the connection is lost and the
 * queue is empty.
 */
GCS_API struct gcs_snapshot *gcs_client_next(struct gcs_client *client, uint32_t timeout_ms);

/* Snapshots dropped, because the queue of gcs_client_next was full, before the one that it returned last. */
GCS_API uint64_t gcs_client_overrun(struct gcs_client *client);

/* Whether the program runs. `own` receives whether this client holds it, `others` how many other
 * clients do; both may be NULL. */
GCS_API enum gcs_run_state gcs_client_run_state(
    struct gcs_client *client, bool *own, uint32_t *others);

/* The server's newest message for users ("12 snapshots left out …") and its number, counted from 1;
 * 0 before the first one. */
GCS_API uint32_t gcs_client_notice(struct gcs_client *client, char *buffer, size_t size);

/* Commands: queued for sending; GCS_STATE unless LIVE. A server of 2002 knows pause, resume, step
 * and filters; the other commands return UNSUPPORTED for it. */

/* Holds the program at its next event, until this client resumes it. */
GCS_API enum gcs_status gcs_client_pause(struct gcs_client *client);

/* Gives up this client's hold, or with `everyone` the holds of all clients. */
GCS_API enum gcs_status gcs_client_resume(struct gcs_client *client, bool everyone);

/* Runs the program to its next event and pauses it there. */
GCS_API enum gcs_status gcs_client_step(struct gcs_client *client);

/* Which occurrences of an event this client gets, and what the program does at them. */
GCS_API enum gcs_status gcs_client_set_filter(
    struct gcs_client *client, uint32_t event, const struct gcs_filter *filter);

/* How fast snapshots are sent (control.h); `interval_ms` is for GCS_PACE_INTERVAL. */
GCS_API enum gcs_status gcs_client_set_pace(
    struct gcs_client *client, enum gcs_pace pace, uint32_t interval_ms);

/* Acknowledges the snapshot with this sequence number, as GCS_PACE_LOCKSTEP requires. */
GCS_API enum gcs_status gcs_client_ack(struct gcs_client *client, uint64_t sequence);

/* Stops or resumes the updates of a group with all that it contains, or of one space (F14). After
 * resuming, the client has the full state again. */
GCS_API enum gcs_status gcs_client_collapse_group(
    struct gcs_client *client, uint32_t group, bool collapsed);
GCS_API enum gcs_status gcs_client_collapse_space(
    struct gcs_client *client, uint32_t space, bool collapsed);

/*
 * Sends a query: a topic with parameters, such as "sites" with kind=live (docs/protocol.md, section
 * 10). `id` receives the number that gcs_client_answer takes. ARGUMENT for texts that are too long,
 * UNSUPPORTED for a server that is older than queries, LIMIT while GCS_MAX_QUERIES are unanswered,
 * STATE unless LIVE.
 */
GCS_API enum gcs_status gcs_client_query(struct gcs_client *client, const char *topic,
    uint32_t count, const struct gcs_info *parameters, uint32_t *id);

/* Asks the server to change a setting, such as "interval" to "64k"; answered like a query. */
GCS_API enum gcs_status gcs_client_set(
    struct gcs_client *client, const char *key, const char *value, uint32_t *id);

/*
 * Asks for a new space that shows the addresses [start, end) of `space` in blocks of `block_bytes`
 * (F16): a power of two from GCS_MIN_ZOOM_BLOCK to the block size of `space`, which may be a zoom
 * itself; at most GCS_MAX_ZOOM_TILES blocks. Answered like a query; gcs_answer_space returns the new
 * space. All clients see it, until this one releases it or disconnects. UNSUPPORTED for a server that
 * is older than zooms.
 */
GCS_API enum gcs_status gcs_client_zoom(struct gcs_client *client, uint32_t space, uint64_t start,
    uint64_t end, uint64_t block_bytes, uint32_t *id);

/* Releases a zoom of this client; answered like a query. The space is withdrawn soon after. */
GCS_API enum gcs_status gcs_client_unzoom(struct gcs_client *client, uint32_t space, uint32_t *id);

/*
 * Sets a trigger, or replaces this client's trigger of the same name; removes one. Answered like a
 * query: ARGUMENT with a line that names the word in the condition and what is expected; STATE for
 * another client's trigger, unless it is kept; LIMIT; UNSUPPORTED from replays and servers that are
 * older than triggers. The topic `triggers` lists them (gcs_triggers_decode). What fires comes with the
 * snapshots (gcs_snapshot_fired).
 */
GCS_API enum gcs_status gcs_client_set_trigger(
    struct gcs_client *client, const struct gcs_trigger *trigger, uint32_t *id);
GCS_API enum gcs_status gcs_client_remove_trigger(
    struct gcs_client *client, const char *name, uint32_t *id);

/* Whether this client wants an attribute that is computed on demand; not answered. */
GCS_API enum gcs_status gcs_client_interest(
    struct gcs_client *client, uint32_t event, uint32_t attribute, bool on);

/* The body of an answer to the topic `triggers`: `count` triggers in one block, to be freed with
 * gcs_triggers_free, or NULL with the reason in `err`. Any thread. */
GCS_API struct gcs_trigger_state *gcs_triggers_decode(
    const void *bytes, size_t length, uint32_t *count, struct gcs_error *err);
GCS_API void gcs_triggers_free(struct gcs_trigger_state *states);

struct gcs_answer {
	uint32_t id;
	/* OK; ARGUMENT, STATE, UNSUPPORTED, LIMIT or NOMEM from the server. Without message and
	 * bytes also: CLOSED if the connection was lost before the answer was complete, MALFORMED
	 * if its parts do not fit together, LIMIT if the answers held here exceed GCS_MAX_ANSWER
	 * bytes, NOMEM */
	enum gcs_status status;
	const char *message; /* one line for users; may be "" */
	size_t length;
	const void *bytes;
};

/*
 * Takes the answer to the query `id`; waits for it up to `timeout_ms` (0: not at all). NULL on
 * timeout, for an unknown id, or without memory (the answer can then be taken later). The caller
 * frees it with gcs_answer_free. An answer that is not taken may be dropped after GCS_MAX_QUERIES
 * newer ones. An answer comes behind the snapshots that were sent before it: with `every_snapshot`, wait
 * for it by turns with gcs_client_next, because the client reads no further while its queue is half full.
 */
GCS_API struct gcs_answer *gcs_client_answer(
    struct gcs_client *client, uint32_t id, uint32_t timeout_ms);

/*
 * The new space of an answer to gcs_client_zoom. The client's model already has it, and a snapshot
 * with its tiles follows soon. GCS_NONE if the answer is not OK or names no space.
 */
GCS_API uint32_t gcs_answer_space(const struct gcs_answer *answer);

/* NULL has no effect. */
GCS_API void gcs_answer_free(struct gcs_answer *answer);

/*
 * True if the server replays a trace and has sent its position (docs/protocol.md, section 6.10),
 * which is stored in `position`; false for a live server.
 */
GCS_API bool gcs_client_position(struct gcs_client *client, struct gcs_position *position);

/* Asks a replaying server to seek, or to change its speed or direction, for all of its clients.
 * UNSUPPORTED for a live server, STATE unless LIVE. */
GCS_API enum gcs_status gcs_client_seek(struct gcs_client *client, const struct gcs_seek *seek);

/* True if the client speaks the protocol of 2002. */
GCS_API bool gcs_client_of_2002(const struct gcs_client *client);

/* Bytes received on this connection. */
GCS_API uint64_t gcs_client_received(struct gcs_client *client);

GCS_END_DECLS

#endif
