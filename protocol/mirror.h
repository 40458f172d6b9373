/*
 * The server as a client sees it: a state machine without I/O that turns received bytes into a
 * model, snapshots and the program's state. Live connections and trace files go through the same
 * mirror.
 */
#ifndef GCSPY_PROTOCOL_MIRROR_H
#define GCSPY_PROTOCOL_MIRROR_H

#include "codec.h"

/* What has arrived. Called from mirror_input; references are the callee's to take. */
struct mirror_events {
	void (*ready)(void *context, struct gcs_model *model);
	void (*model)(void *context, struct gcs_model *model); /* described anew later */
	void (*snapshot)(void *context, struct gcs_snapshot *snapshot);
	void (*state)(void *context, const struct state_message *state);
	void (*notice)(void *context, const char *words);
};

enum mirror_phase { MIRROR_PREAMBLE, MIRROR_WELCOME, MIRROR_BOOTSTRAP, MIRROR_LIVE, MIRROR_ENDED };

struct mirror {
	const struct mirror_events *events;
	void *context;
	enum mirror_phase phase;
	bool other_version;     /* of the server: nothing but its goodbye is understood */
	struct gcs_error error; /* why it ended */
	uint32_t keep_alive_ms; /* the server's limit of silence */
	struct wr in;
	struct inflater *inflater;
	struct gcs_model *model;
	bool model_shared;  /* others hold it: copy before a change */
	bool model_changed; /* since it was last told */
	struct gcs_snapshot *last;
	struct gcs_snapshot *building; /* between BEGIN and END */
};

void mirror_init(struct mirror *m, const struct mirror_events *events, void *context);
void mirror_fini(struct mirror *m);

/*
 * Bytes from the server, in any portions. After a failure the phase is ENDED and `error` says why.
 */
void mirror_input(struct mirror *m, const void *bytes, size_t length);

#endif
