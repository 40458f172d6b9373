/*
 * `gcspy push` (E3): what `gcspy serve` offers, sent where nothing scrapes. Metrics go to an OTLP receiver, each
 * JVM's profiles to Pyroscope or to an OTLP receiver, each from a thread of its own, so that a JVM that does
 * not answer delays no metrics.
 */
#ifndef GCSPY_SERVE_PUSH_H
#define GCSPY_SERVE_PUSH_H

#include "targets.h"

struct push_options {
	const char *urls[TARGETS_PUSHES]; /* without the path of the request; NULL: none */
	const char *token;                /* for all; NULL: none */
	uint64_t every_ms;
	size_t queue_bytes;
};

struct push;

/* NULL with the reason. The strings and the targets must live as long. */
struct push *push_start(
    const struct push_options *options, struct targets *targets, struct gcs_error *err);
void push_stop(struct push *push); /* NULL is fine */

/* Whether it is http:// or https:// with a host, of a length that fits. */
bool push_is_url(const char *url);

#endif
