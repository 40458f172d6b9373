/* The dialect of 2002 of a session, for the original visualiser, terminal client and recorder. */
#ifndef GCSPY_COMPAT2002_SESSION_2002_H
#define GCSPY_COMPAT2002_SESSION_2002_H

#include "session.h"

extern const struct dialect dialect_2002;

#endif
