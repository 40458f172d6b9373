/* The way to a target behind `gcspy serve`: an HTTP request that turns its connection into one to the JVM
 * (docs/serve.md). */
#ifndef GCSPY_CLIENT_UPGRADE_H
#define GCSPY_CLIENT_UPGRADE_H

#include "served_address.h"

/* Connects within `timeout_ms`; `token` may be "". The descriptor, or -1 with the reason. Readable data on
 * `cancel` ends the wait. */
int upgrade_connect(const struct served_address *address, const char *token, uint32_t timeout_ms,
    int cancel, struct gcs_error *err);

/*
 * Connects by TLS to HOST:PORT through gcspy-serve, which is executed and ends with the descriptor. A
 * non-blocking descriptor at once, or -1 with the reason. What fails later comes as an HTTP response with
 * one line that says why.
 */
int upgrade_tls(const char *host, uint32_t timeout_ms, struct gcs_error *err);

#endif
