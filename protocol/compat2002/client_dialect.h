/*
 * A client's messages in each dialect. Every function appends whole messages to `w`.
 *
 * A server of 2002 reports only that it has paused. Its other states are inferred from the client's
 * commands and the received events (struct inferred_state).
 */
#ifndef GCSPY_COMPAT2002_CLIENT_DIALECT_H
#define GCSPY_COMPAT2002_CLIENT_DIALECT_H

#include "decoder.h"

struct client_dialect {
	const struct decoder_dialect *decoder;
	bool native;          /* has all commands, pings and run states */
	uint32_t farewell_ms; /* maximum wait for the answer to `leave` */
	void (*hello)(struct wr *w, const struct hello *hello);
	void (*pause)(struct wr *w);
	void (*resume)(struct wr *w, bool everyone);
	void (*step)(struct wr *w);
	/* All filters of the client; that of `event` has changed. */
	void (*filter)(
	    struct wr *w, uint32_t event, uint32_t count, const struct gcs_filter *filters);
	void (*leave)(struct wr *w);
};

extern const struct client_dialect client_dialect_native;
extern const struct client_dialect client_dialect_2002;

/* The inferred state of a server of 2002. Zeroed: running. */
struct inferred_state {
	bool paused;    /* it has reported that it paused */
	uint32_t steps; /* requested steps whose event has not been received */
};

/* Each returns the new state. */
enum gcs_run_state inferred_state_pause(struct inferred_state *b);
enum gcs_run_state inferred_state_resume(struct inferred_state *b);
/* `*play` is true to request one event, false to request a pause of a running server. */
enum gcs_run_state inferred_state_step(struct inferred_state *b, bool *play);
enum gcs_run_state inferred_state_paused(struct inferred_state *b);
enum gcs_run_state inferred_state_event(struct inferred_state *b, enum gcs_run_state now);

#endif
