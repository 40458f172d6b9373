/* GCspy's own dialect of a session, as docs/protocol.md specifies it. */
#ifndef GCSPY_PROTOCOL_SESSION_NATIVE_H
#define GCSPY_PROTOCOL_SESSION_NATIVE_H

#include "session.h"

extern const struct dialect native_dialect;

#endif
