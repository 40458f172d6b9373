/*
 * The client side: connect to a server, receive its snapshots, control it.
 *
 * A client has one reader thread of its own, which decodes and keeps the connection alive. All
 * functions may be called from any thread; none of them waits for the network except where it says
 * so.
 */
#ifndef GCSPY_CLIENT_H
#define GCSPY_CLIENT_H

#include "control.h"
#include "snapshot.h"

GCS_BEGIN_DECLS

struct gcs_client;

enum gcs_client_state {
	GCS_CLIENT_CONNECTING, /* looking for the server, or waiting for its answer */
	GCS_CLIENT_LIVE,       /* bootstrap is complete */
	GCS_CLIENT_LOST /* refused, or lost later; gcs_client_error says why. The last snapshot
			   stays readable */
};

struct gcs_client_options {
	/* "HOST:PORT", "[v6]:PORT", ":PORT" or "PORT" on this machine, "unix:PATH"; each with
	 * "2002:" before it for a server that speaks the protocol of 2002 */
	const char *address;
	const char *token;           /* the server's token, or NULL */
	const char *name;            /* who we are, for the server's log */
	uint32_t connect_timeout_ms; /* 0: 5,000 */
	uint32_t queue_limit; /* snapshots kept for gcs_client_next; 0: 64. The oldest go first,
				 counted */
	/* the server speaks the protocol of 2002, whatever the address says
	 * (docs/protocol-2002.md) */
	bool of_2002;
	bool pause_at_start; /* ask for a pause before the first event is sent */
	bool compress;       /* let the server deflate what it sends (for slow networks) */
	/* recorders: let the server queue more before it thins what it sends, and read no more
	 * while half of queue_limit waits to be fetched, so that nothing is dropped here: a replay
	 * waits, and a running program's server counts what it leaves out */
	bool every_snapshot;
	/* come only for gcs_client_resume: the server, from protocol 1.3 on, lets the client in
	 * when it has no place left, ignores its other commands and sends no snapshots */
	bool resume_only;
	/* Called on the reader thread whenever anything that the functions below return may have
	 * changed. Must not block. */
	void (*changed)(void *context);
	void *context;
};

/*
 * Starts connecting; returns at once with a client in the state CONNECTING, or NULL for bad options
 * (`err` says which) or without memory or threads. The options' strings are copied.
 */
GCS_API struct gcs_client *gcs_client_open(
    const struct gcs_client_options *options, struct gcs_error *err);

/* Closes the connection (the server resumes a program that only this client held) and frees. NULL
 * is fine. A server of 2002 is given up to 2 s to answer. */
GCS_API void gcs_client_close(struct gcs_client *client);

GCS_API enum gcs_client_state gcs_client_state(struct gcs_client *client);

/* Why the client is LOST; status GCS_OK in another state. */
GCS_API void gcs_client_error(struct gcs_client *client, struct gcs_error *err);

/* Waits until the state is not CONNECTING or the time is over; returns the state. */
GCS_API enum gcs_client_state gcs_client_wait(struct gcs_client *client, uint32_t timeout_ms);

/* The description that the server sent, with a reference for the caller; NULL before the bootstrap
 * is complete. */
GCS_API struct gcs_model *gcs_client_model(struct gcs_client *client);

/* A new reference to the newest snapshot, or NULL before the first one. */
GCS_API struct gcs_snapshot *gcs_client_latest(struct gcs_client *client);

/*
 * The oldest snapshot that this function has not yet returned, with a reference for the caller.
 * Waits up to `timeout_ms` (0: not at all) and returns NULL when there is none or the connection is
 * lost and all have been returned.
 */
GCS_API struct gcs_snapshot *gcs_client_next(struct gcs_client *client, uint32_t timeout_ms);

/* Snapshots dropped from the queue of gcs_client_next because nobody fetched them. */
GCS_API uint64_t gcs_client_overrun(struct gcs_client *client);

/* The program's state; `own`, `others` (may be NULL) receive whether this client, and how many
 * others, hold it. */
GCS_API enum gcs_run_state gcs_client_run_state(
    struct gcs_client *client, bool *own, uint32_t *others);

/* The newest message of the server for people ("12 snapshots left out …"), with its running number;
 * 0 before any. */
GCS_API uint32_t gcs_client_notice(struct gcs_client *client, char *buffer, size_t size);

/* Commands: queued for sending; GCS_STATE unless LIVE. */
GCS_API enum gcs_status gcs_client_pause(struct gcs_client *client);
GCS_API enum gcs_status gcs_client_resume(
    struct gcs_client *client, bool everyone); /* also others' holds */
GCS_API enum gcs_status gcs_client_step(
    struct gcs_client *client); /* run to the next event and pause there */

/*
 * A server of 2002 knows those three and filters; the others return UNSUPPORTED for it.
 */

GCS_API enum gcs_status gcs_client_set_filter(
    struct gcs_client *client, uint32_t event, const struct gcs_filter *filter);

GCS_API enum gcs_status gcs_client_set_pace(
    struct gcs_client *client, enum gcs_pace pace, uint32_t interval_ms);

/* Says that the snapshot with this sequence number has been drawn; needed for GCS_PACE_LOCKSTEP. */
GCS_API enum gcs_status gcs_client_ack(struct gcs_client *client, uint64_t sequence);

/* Stops or starts the updates of a group and all in it, or of one space (F14). Nothing is lost on
 * starting again. */
GCS_API enum gcs_status gcs_client_collapse_group(
    struct gcs_client *client, uint32_t group, bool collapsed);
GCS_API enum gcs_status gcs_client_collapse_space(
    struct gcs_client *client, uint32_t space, bool collapsed);

/*
 * Asks the server something beside the snapshots: a topic and what it needs to know, such as
 * "sites" with kind=live (docs/protocol.md, section 10). `id` receives the number under which
 * gcs_client_answer gives the answer. ARGUMENT for texts over their limits, UNSUPPORTED when the
 * server is older than queries, LIMIT while too many are unanswered, STATE unless LIVE.
 */
GCS_API enum gcs_status gcs_client_query(struct gcs_client *client, const char *topic,
    uint32_t count, const struct gcs_info *parameters, uint32_t *id);

/* Asks the server to change a setting, such as "interval" to "64k"; answered like a query. */
GCS_API enum gcs_status gcs_client_set(
    struct gcs_client *client, const char *key, const char *value, uint32_t *id);

/*
 * Asks for a space of its own for the addresses [start, end) of a space, in blocks of `block_bytes`
 * (F16): a power of two from GCS_MIN_ZOOM_BLOCK to the blocks of that space, which may be a zoom
 * itself; at most GCS_MAX_ZOOM_TILES blocks. Answered like a query; gcs_answer_space tells which
 * space it is. It is there, for all clients, until this one releases it or leaves. UNSUPPORTED when
 * the server is older than zooms.
 */
GCS_API enum gcs_status gcs_client_zoom(struct gcs_client *client, uint32_t space, uint64_t start,
    uint64_t end, uint64_t block_bytes, uint32_t *id);

/* Releases a zoom of this client; answered like a query. The space is withdrawn soon. */
GCS_API enum gcs_status gcs_client_unzoom(struct gcs_client *client, uint32_t space, uint32_t *id);

struct gcs_answer {
	uint32_t id;
	/* OK; ARGUMENT, STATE, UNSUPPORTED, LIMIT or NOMEM as the server says. Without words and
	 * bytes: CLOSED when the connection was lost before the answer was complete, MALFORMED
	 * when its parts do not make the whole, LIMIT when the answers here have GCS_MAX_ANSWER
	 * bytes together, NOMEM */
	enum gcs_status status;
	const char *words; /* for people; may be "" */
	size_t length;
	const void *bytes;
};

/*
 * Takes the answer to query `id`, waiting up to `timeout_ms` (0: not at all) for it; NULL while
 * there is none, for an id that is not waited for, or without memory (the answer then stays). The
 * caller frees it with gcs_answer_free. An answer that nobody takes may be dropped once
 * GCS_MAX_QUERIES newer ones have come.
 */
GCS_API struct gcs_answer *gcs_client_answer(
    struct gcs_client *client, uint32_t id, uint32_t timeout_ms);

/*
 * The space that answers gcs_client_zoom: the client's model has it already, and a snapshot of it
 * comes soon. GCS_NONE unless the answer is OK and tells one.
 */
GCS_API uint32_t gcs_answer_space(const struct gcs_answer *answer);

/* NULL is fine. */
GCS_API void gcs_answer_free(struct gcs_answer *answer);

/*
 * True, and where it stands, if the server replays a trace and has said so (docs/protocol.md,
 * section 6.10); false for a server that is live.
 */
GCS_API bool gcs_client_position(struct gcs_client *client, struct gcs_position *position);

/* Asks a server that replays to go elsewhere, at another speed, backwards. UNSUPPORTED for one that
 * is live, STATE unless LIVE. Other clients of it go along. */
GCS_API enum gcs_status gcs_client_seek(struct gcs_client *client, const struct gcs_seek *seek);

/* True if it speaks the protocol of 2002. */
GCS_API bool gcs_client_of_2002(const struct gcs_client *client);

/* Bytes received since the connection was made. */
GCS_API uint64_t gcs_client_received(struct gcs_client *client);

GCS_END_DECLS

#endif
