/* A decoder for servers that speak the protocol of 2002 (docs/protocol-2002.md). Such a server waits for
 * the client's hello, so the client must know the protocol beforehand. */
#ifndef GCSPY_COMPAT2002_DECODER_2002_H
#define GCSPY_COMPAT2002_DECODER_2002_H

#include "decoder.h"

extern const struct decoder_dialect decoder_2002;

#endif
