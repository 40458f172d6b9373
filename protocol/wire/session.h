/*
 * One client as the server sees it: a state machine without I/O. Bytes in become calls of the
 * host's functions; the server's messages become bytes in `out`, which the caller sends and
 * consumes.
 *
 * A session speaks one dialect, chosen by the first four bytes that arrive; a dialect is a table of
 * functions in a file of its own. Only one thread at a time may be inside a session.
 */
#ifndef GCSPY_WIRE_SESSION_H
#define GCSPY_WIRE_SESSION_H

#include "codec.h"

struct session;

/* What a session asks of its server. Called from session_input only, `step` also from
 * session_state. */
struct session_host {
	/* The dialects that it accepts; the last one is followed by NULL. */
	const struct dialect *const *dialects;
	/* The client has introduced itself. OK lets it in; otherwise the session says goodbye with
	 * that reason. */
	bool (*admit)(
	    void *context, const struct hello *hello, enum bye_reason *reason, const char **words);
	/* It is in, and its bootstrap is in `out`: give it the present state. */
	void (*ready)(void *context);
	void (*pause)(void *context);
	void (*resume)(void *context, bool everyone);
	void (*step)(void *context);
	void (*filter)(void *context, uint32_t event, const struct gcs_filter *filter);
	void (*pace)(void *context, enum gcs_pace pace, uint32_t interval_ms);
	void (*ack)(void *context, uint64_t sequence);
	/* Spaces were collapsed or opened; session_hides tells which. */
	void (*collapsed)(void *context, bool opened);
	/* A question beside the snapshots, a wish for a zoom or for a setting; answered by
	 * session_answer. */
	void (*query)(void *context, const struct query_message *query);
	void (*zoom)(void *context, const struct zoom_message *zoom);
	void (*set)(void *context, const struct set_message *set);
	/* A wish of somebody who watches a replay. May be NULL: this is none. */
	void (*seek)(void *context, const struct gcs_seek *seek);
	/* The model to describe at bootstrap; a reference for the session. */
	struct gcs_model *(*model)(void *context);
	/* After how long a silence the client will be dropped. */
	uint32_t (*keep_alive_ms)(void *context);
};

enum session_phase {
	SESSION_OPENING, /* nothing understood yet */
	SESSION_HELLO,   /* the dialect is known */
	SESSION_READY,
	SESSION_CLOSING /* send what is in `out`, then close */
};

struct dialect {
	const char *name;
	uint8_t first[4];
	/* Its clients say nothing by themselves: their silence means nothing. */
	bool quiet;
	/* Consumes what it can of the bytes and returns how many; sets the phase. */
	size_t (*input)(struct session *s, const uint8_t *bytes, size_t length);
	void (*model)(struct session *s, struct gcs_model *model);
	void (*snapshot)(struct session *s, const struct gcs_snapshot *snapshot, uint64_t missed);
	void (*state)(struct session *s, const struct state_message *state);
	void (*notice)(struct session *s, const char *words);
	/* NULL: clients of this dialect cannot ask. */
	void (*answer)(struct session *s, const struct answer_message *answer);
	/* NULL: clients of this dialect are not told. */
	void (*position)(struct session *s, const struct gcs_position *position);
	void (*bye)(struct session *s, enum bye_reason reason, const char *words);
	void (*fini)(struct session *s);
};

struct session {
	const struct session_host *host;
	void *context;
	const struct dialect *dialect;
	enum session_phase phase;
	char why[160]; /* why it is closing, for the log */
	struct wr in;  /* bytes that do not make a whole message yet */
	struct wr out;
	struct deflater *deflater;             /* if the client asked for it */
	struct gcs_model *model;               /* as described to this client */
	struct gcs_snapshot *base;             /* the state that this client has */
	uint64_t base_serial;                  /* serial of the snapshot last sent */
	uint32_t current[GCS_MAX_SPACES / 32]; /* spaces that were sent with it */
	uint64_t last_time_ns;                 /* of the snapshot last sent, for elapsed time */
	uint64_t last_cost_ns;
	bool introduced; /* the preambles have been exchanged */
	bool blamed;     /* it is closed for what the client did, and the client cannot be told */
	bool restate;    /* tell the state again, though it may be what was told before */
	void *own;       /* the dialect's */
	uint32_t closed_groups[GCS_MAX_GROUPS / 32];
	uint32_t closed_spaces[GCS_MAX_SPACES / 32];
};

/* Most bytes that a session's output may take: one encoded snapshot at a time is put there. */
#define SESSION_MAX_OUT ((size_t)512 << 20)

void session_init(struct session *s, const struct session_host *host, void *context);
void session_fini(struct session *s);

/* Bytes from the client, in any portions. */
void session_input(struct session *s, const void *bytes, size_t length);

/* The following do nothing unless the session is READY. */

/* Describes what of the model has changed since it was last described. */
void session_model(struct session *s, struct gcs_model *model);

/* Sends the difference between what the client has and this snapshot, for the spaces that it looks
 * at. */
void session_snapshot(struct session *s, const struct gcs_snapshot *snapshot, uint64_t missed);

void session_state(struct session *s, const struct state_message *state);
void session_notice(struct session *s, const char *words);

/* A part of the answer to a query or setting. */
void session_answer(struct session *s, const struct answer_message *answer);

/* Where the replay stands. */
void session_position(struct session *s, const struct gcs_position *position);

/* Says goodbye and turns to CLOSING, from any phase. */
void session_bye(struct session *s, enum bye_reason reason, const char *words);

/* Sets elapsed and compensation time, since what this client got before, and remembers the
 * occurrence. */
void session_set_times(struct session *s, struct gcs_occurrence *o);

/* True if the client has collapsed the space or a group above it. */
bool session_hides(const struct session *s, const struct gcs_model *model, uint32_t space);

#endif
