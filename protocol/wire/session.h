/*
 * The server's end of a connection: a state machine without I/O. It turns received bytes into calls of
 * its host, and the server's messages into bytes in `out`, which the caller sends and consumes.
 *
 * A session speaks one dialect, a table of functions, chosen by the first four bytes. One thread at a
 * time.
 */
#ifndef GCSPY_WIRE_SESSION_H
#define GCSPY_WIRE_SESSION_H

#include "codec.h"

struct session;

/* The callbacks of a session, called from session_input; `step` also from session_state. */
struct session_host {
	/* The accepted dialects, ending with NULL. */
	const struct dialect *const *dialects;
	/* The client's hello: true admits it; otherwise the session says goodbye with the reason. */
	bool (*admit)(void *context, const struct hello *hello, enum bye_reason *reason,
	    const char **message);
	/* Admitted, with the bootstrap in `out`: send the present state. */
	void (*ready)(void *context);
	void (*pause)(void *context);
	void (*resume)(void *context, bool everyone);
	void (*step)(void *context);
	void (*filter)(void *context, uint32_t event, const struct gcs_filter *filter);
	void (*pace)(void *context, enum gcs_pace pace, uint32_t interval_ms);
	void (*ack)(void *context, uint64_t sequence);
	/* Spaces were collapsed or expanded (session_hides). */
	void (*collapsed)(void *context, bool opened);
	/* A query, zoom or setting, to be answered by session_answer. */
	void (*query)(void *context, const struct query_message *query);
	void (*zoom)(void *context, const struct zoom_message *zoom);
	void (*set)(void *context, const struct set_message *set);
	/* Sets or removes a trigger, to be answered by session_answer. May be NULL, as the next. */
	void (*trigger)(void *context, const struct trigger_message *trigger);
	/* An event and attribute of the model. */
	void (*interest)(void *context, const struct interest_message *interest);
	/* A request to a replay. NULL for a live server. */
	void (*seek)(void *context, const struct gcs_seek *seek);
	/* The model for the bootstrap, with a reference for the session. */
	struct gcs_model *(*model)(void *context);
	/* Maximum silence of a client. */
	uint32_t (*keep_alive_ms)(void *context);
};

enum session_phase {
	SESSION_OPENING, /* no dialect yet */
	SESSION_HELLO,   /* the dialect is known */
	SESSION_READY,
	SESSION_CLOSING /* send what is in `out`, then close */
};

struct dialect {
	const char *name;
	uint8_t first[4];
	/* Its clients send no keep-alive. */
	bool quiet;
	/* Consumes whole messages, returns their size and sets the phase. */
	size_t (*input)(struct session *s, const uint8_t *bytes, size_t length);
	void (*model)(struct session *s, struct gcs_model *model);
	void (*snapshot)(struct session *s, const struct gcs_snapshot *snapshot, uint64_t missed);
	void (*state)(struct session *s, const struct state_message *state);
	void (*notice)(struct session *s, const char *message);
	/* NULL: the dialect has no queries. */
	void (*answer)(struct session *s, const struct answer_message *answer);
	/* NULL: the dialect has no replay position. */
	void (*position)(struct session *s, const struct gcs_position *position);
	void (*bye)(struct session *s, enum bye_reason reason, const char *message);
	void (*fini)(struct session *s);
};

struct session {
	const struct session_host *host;
	void *context;
	const struct dialect *dialect;
	enum session_phase phase;
	char why[160]; /* why it is closing, for the log */
	struct wr in;  /* an incomplete message */
	struct wr out;
	struct deflater *deflater;             /* if requested */
	struct gcs_model *model;               /* as described to this client */
	struct gcs_snapshot *base;             /* the state of the client */
	uint64_t base_serial;                  /* of the last sent snapshot */
	uint32_t current[GCS_MAX_SPACES / 32]; /* spaces sent with it */
	uint64_t last_time_ns;                 /* of the last sent snapshot, for elapsed time */
	uint64_t last_cost_ns;
	bool introduced; /* the preambles have been exchanged */
	bool blamed;  /* closed because of an error of the client that the dialect cannot report */
	bool restate; /* send the state again, even if it is the same */
	void *own;    /* the dialect's */
	uint32_t closed_groups[GCS_MAX_GROUPS / 32];
	uint32_t closed_spaces[GCS_MAX_SPACES / 32];
};

/* Most bytes of output; it contains at most one encoded snapshot. */
#define SESSION_MAX_OUT ((size_t)512 << 20)

void session_init(struct session *s, const struct session_host *host, void *context);
void session_fini(struct session *s);

/* Bytes from the client, in any portions. */
void session_input(struct session *s, const void *bytes, size_t length);

/* The following have no effect unless the session is READY. */

/* Sends the changes of the description. */
void session_model(struct session *s, struct gcs_model *model);

/* Sends the differences to the client's state, for the spaces that it shows. */
void session_snapshot(struct session *s, const struct gcs_snapshot *snapshot, uint64_t missed);

void session_state(struct session *s, const struct state_message *state);
void session_notice(struct session *s, const char *message);

/* A part of the answer to a query or setting. */
void session_answer(struct session *s, const struct answer_message *answer);

/* The position of a replay. */
void session_position(struct session *s, const struct gcs_position *position);

/* Says goodbye and changes to CLOSING, in any phase. */
void session_bye(struct session *s, enum bye_reason reason, const char *message);

/* Sets the times since this client's previous snapshot, and stores those of this one. */
void session_set_times(struct session *s, struct gcs_occurrence *o);

/* True if the client has collapsed the space or a group above it. */
bool session_hides(const struct session *s, const struct gcs_model *model, uint32_t space);

#endif
