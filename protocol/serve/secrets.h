/*
 * The files of `gcspy serve` with its token and with TLS's certificate and key, which are read again when they
 * change: those of Kubernetes and of ACME clients do, every few weeks. Main thread.
 */
#ifndef GCSPY_SERVE_SECRETS_H
#define GCSPY_SERVE_SECRETS_H

#include "http.h"
#include "tool.h"

struct secret_files {
	const char *paths[2]; /* NULL: none */
	/* What they were at the last look, and when they were last read. */
	struct secret_stamp {
		uint64_t device, file;
		int64_t bytes, changed_ns;
	} seen[2], read[2];
};

struct secrets {
	struct http_secrets are;
	struct secret_files token, certificate;
};

/* False after a message. */
bool secrets_read(struct secrets *secrets, const struct cli_arguments *arguments);
void secrets_free(struct secrets *secrets);

/* The token in a file, if `path` is not NULL; false after a message. */
bool secrets_token(const char *option, const char *path, char token[GCS_MAX_TOKEN + 1]);

/* Now and then: what has changed, and has not changed since the last look, is for the server from now on. A file that is
 * wrong has no effect, but for a message. */
void secrets_look(struct secrets *secrets, struct http *http);

#endif
