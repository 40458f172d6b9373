/* GCspy's own dialect of a session, as docs/protocol.md specifies it. */
#ifndef GCSPY_WIRE_SESSION_NATIVE_H
#define GCSPY_WIRE_SESSION_NATIVE_H

#include "session.h"

extern const struct dialect native_dialect;

/* Makes a session READY without a client, for recording: `out` has WELCOME and the bootstrap of
 * `model`, and session_model and session_snapshot append to it. No deflation. */
void native_open(struct session *s, struct gcs_model *model, uint32_t keep_alive_ms);

/* A client's command, after its hello (session_commands.c). */
void session_command(struct session *s, struct frame *frame);

/* Closes because of a bad message. */
void session_malformed(struct session *s, unsigned kind, enum gcs_status status);

#endif
