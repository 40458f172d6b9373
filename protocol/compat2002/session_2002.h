/* The session dialect for the visualiser, terminal client and recorder of 2002. */
#ifndef GCSPY_COMPAT2002_SESSION_2002_H
#define GCSPY_COMPAT2002_SESSION_2002_H

#include "session.h"

extern const struct dialect dialect_2002;

#endif
