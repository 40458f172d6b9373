/*
 * Addresses of targets behind `gcspy serve`: "HOST:PORT/TARGET", "http://HOST:PORT/TARGET" and the same
 * with https://. TARGET is a PID or the name of a program; the port may be missing behind a scheme.
 */
#ifndef GCSPY_BASE_SERVED_ADDRESS_H
#define GCSPY_BASE_SERVED_ADDRESS_H

#include <stdbool.h>

#include <gcspy/status.h>

#include "net.h"

struct served_address {
	bool tls;
	struct net_address server;
	char host[280];    /* as a request names it: HOST:PORT */
	char target[1540]; /* encoded for the query of a URL */
};

/* Whether the text has this form, which a path may have too. */
bool served_address_is(const char *text);

/* False with the reason. */
bool served_address_parse(const char *text, struct served_address *address, struct gcs_error *err);

#endif
