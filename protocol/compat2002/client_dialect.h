/*
 * What a client says, in the words of each dialect. Every function appends whole messages to `w`.
 *
 * A server of 2002 tells only that it has paused. What it does otherwise is believed: it follows
 * from what the client said and from the events that come; see struct inferred_state.
 */
#ifndef GCSPY_COMPAT2002_CLIENT_DIALECT_H
#define GCSPY_COMPAT2002_CLIENT_DIALECT_H

#include "decoder.h"

struct client_dialect {
	const struct decoder_dialect *decoder;
	bool native;          /* knows all commands, keeps alive by pings, and tells its state */
	uint32_t farewell_ms; /* how long to wait for the answer to `leave` */
	void (*hello)(struct wr *w, const struct hello *hello);
	void (*pause)(struct wr *w);
	void (*resume)(struct wr *w, bool everyone);
	void (*step)(struct wr *w);
	/* All filters of the client, of which that of `event` is new. */
	void (*filter)(
	    struct wr *w, uint32_t event, uint32_t count, const struct gcs_filter *filters);
	void (*leave)(struct wr *w);
};

extern const struct client_dialect client_dialect_native;
extern const struct client_dialect client_dialect_2002;

/* What is believed of a server that does not tell. Zeroed: it runs. */
struct inferred_state {
	bool stands;    /* it has said that it paused */
	uint32_t steps; /* asked for, and not yet seen as an event */
};

/* Each returns the state that is believed from then on. */
enum gcs_run_state inferred_state_pause(struct inferred_state *b);
enum gcs_run_state inferred_state_resume(struct inferred_state *b);
/* `*play` says whether to ask for one event, or, of a server that runs, for a pause. */
enum gcs_run_state inferred_state_step(struct inferred_state *b, bool *play);
enum gcs_run_state inferred_state_paused(struct inferred_state *b);
enum gcs_run_state inferred_state_event(struct inferred_state *b, enum gcs_run_state now);

#endif
