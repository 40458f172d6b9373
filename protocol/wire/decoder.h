/*
 * The client's end of a connection: a state machine without I/O that turns received bytes into a
 * model, snapshots and the program's state. Trace files use the same decoder.
 *
 * A decoder understands one dialect, a table of functions, which its owner chooses.
 */
#ifndef GCSPY_WIRE_DECODER_H
#define GCSPY_WIRE_DECODER_H

#include "codec.h"

/* Callbacks from decoder_input. The callee takes its own references. */
struct decoder_events {
	void (*ready)(void *context, struct gcs_model *model);
	void (*model)(void *context, struct gcs_model *model); /* a later description */
	void (*snapshot)(void *context, struct gcs_snapshot *snapshot);
	/* May be NULL. */
	void (*state)(void *context, const struct state_message *state);
	void (*notice)(void *context, const char *message);
	void (*answer)(void *context, const struct answer_message *answer); /* one part */
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
	/* Consumes whole messages, returns their size and sets the phase. */
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
	bool other_version;     /* of the server: only its goodbye can be decoded */
	struct gcs_error error; /* why it ended */
	uint32_t keep_alive_ms; /* the server's keep-alive limit */
	struct wr in;
	struct inflater *inflater;
	struct gcs_model *model;
	bool model_shared;  /* copy before a change */
	bool model_changed; /* since the last callback */
	bool in_place;      /* reuse `last` while it has no other references */
	struct gcs_snapshot *last;
	struct gcs_snapshot *building; /* between BEGIN and END */
};

/* GCspy's own dialect, as docs/protocol.md specifies it. */
extern const struct decoder_dialect native_decoder;

void decoder_init(struct decoder *m, const struct decoder_events *events, void *context);

/* Chooses another dialect than the native one; before any bytes. */
void decoder_choose(struct decoder *m, const struct decoder_dialect *dialect);

void decoder_fini(struct decoder *m);

/* Bytes from the server, in any portions. After a failure the phase is ENDED and `error` has the
 * reason. */
void decoder_input(struct decoder *m, const void *bytes, size_t length);

/* Returns to the state after an earlier snapshot. Native dialect only. */
void decoder_resume(struct decoder *m, struct gcs_snapshot *snapshot);

/* For dialects. Makes the model writable; false without one or without memory. */
bool decoder_own_model(struct decoder *m);

/* For dialects. Ends with a status and a message. */
void decoder_end(struct decoder *m, enum gcs_status status, const char *message);

/* Reports a changed description once, before whatever follows it. */
void decoder_report_model(struct decoder *m);

/* A message of a snapshot (decoder_snapshot.c). */
enum gcs_status decoder_snapshot(struct decoder *m, struct frame *frame, struct arena *a);

#endif
