/*
 * The server as a client sees it: a state machine without I/O that turns received bytes into a
 * model, snapshots and the program's state. Live connections and trace files go through the same
 * decoder.
 *
 * A decoder understands one dialect, which its owner chooses; a dialect is a table of functions in
 * a file of its own.
 */
#ifndef GCSPY_WIRE_DECODER_H
#define GCSPY_WIRE_DECODER_H

#include "codec.h"

/* What has arrived. Called from decoder_input; references are the callee's to take. */
struct decoder_events {
	void (*ready)(void *context, struct gcs_model *model);
	void (*model)(void *context, struct gcs_model *model); /* described anew later */
	void (*snapshot)(void *context, struct gcs_snapshot *snapshot);
	void (*state)(void *context, const struct state_message *state);
	void (*notice)(void *context, const char *words);
	void (*answer)(void *context, const struct answer_message *answer); /* one part */
	/* Of a server that replays a trace. May be NULL. */
	void (*position)(void *context, const struct gcs_position *position);
};

enum decoder_phase {
	DECODER_PREAMBLE,
	DECODER_WELCOME,
	DECODER_BOOTSTRAP,
	DECODER_LIVE,
	DECODER_ENDED
};

struct decoder;

struct decoder_dialect {
	const char *name;
	/* Consumes what it can of the bytes that have come and returns how many; sets the phase. */
	size_t (*input)(struct decoder *m);
	void (*fini)(struct decoder *m);
};

struct decoder {
	const struct decoder_events *events;
	void *context;
	const struct decoder_dialect *dialect;
	void *own; /* the dialect's */
	enum decoder_phase phase;
	unsigned minor;         /* the server's version of our major */
	bool other_version;     /* of the server: nothing but its goodbye is understood */
	struct gcs_error error; /* why it ended */
	uint32_t keep_alive_ms; /* the server's limit of silence */
	struct wr in;
	struct inflater *inflater;
	struct gcs_model *model;
	bool model_shared;  /* others hold it: copy before a change */
	bool model_changed; /* since it was last told */
	bool in_place; /* change `last` itself while nobody else has it, instead of a new one */
	struct gcs_snapshot *last;
	struct gcs_snapshot *building; /* between BEGIN and END */
};

/* GCspy's own dialect, as docs/protocol.md specifies it. */
extern const struct decoder_dialect native_decoder;

void decoder_init(struct decoder *m, const struct decoder_events *events, void *context);

/* Makes it understand another dialect than the native one; before any bytes. */
void decoder_choose(struct decoder *m, const struct decoder_dialect *dialect);

void decoder_fini(struct decoder *m);

/*
 * Bytes from the server, in any portions. After a failure the phase is ENDED and `error` says why.
 */
void decoder_input(struct decoder *m, const void *bytes, size_t length);

/* Goes on behind a snapshot that it gave before, as if nothing had come since. Native dialect. */
void decoder_resume(struct decoder *m, struct gcs_snapshot *snapshot);

/* For dialects. Makes the model one that may be changed; false without one or without memory. */
bool decoder_own_model(struct decoder *m);

/* For dialects. Ends with a status and words for people. */
void decoder_end(struct decoder *m, enum gcs_status status, const char *words);

#endif
