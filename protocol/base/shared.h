/*
 * libgcspyclient has code of its own for all that has no state: bytes, messages, sockets. What has
 * state - models, snapshots, memory - is in libgcspy alone, and this marks the private functions of it
 * that libgcspyclient calls. libgcspy exports them under a symbol version of their own, which another
 * release does not have (docs/decisions/009-two-libraries.md).
 */
#ifndef GCSPY_BASE_SHARED_H
#define GCSPY_BASE_SHARED_H

#include <gcspy/version.h>

#define SHARED_WITH_CLIENT GCS_API

#endif
