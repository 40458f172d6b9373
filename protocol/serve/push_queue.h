/*
 * What `gcspy push` has to send to a receiver, in order, and the thread that sends it by libcurl. The queue is
 * bounded in bytes: when it is full the oldest requests are dropped and counted. While a receiver does not
 * answer, or says that it cannot now, a request is sent again after 1 s, then 2, 4 … up to 60, or when it says;
 * what it refuses for good is counted and not sent again.
 */
#ifndef GCSPY_SERVE_PUSH_QUEUE_H
#define GCSPY_SERVE_PUSH_QUEUE_H

#include <stdatomic.h>

#include <gcspy/status.h>

#include "bytes.h"

/* For the metrics; any thread may read them. Requests, but for `failures`, attempts that are made again. */
struct push_counts {
	const char *receiver; /* NULL: none */
	atomic_ullong sent, refused, dropped, failures, queued_bytes;
};

struct push_queue;

/* Where to: all strings must live as long as the queue. */
struct push_receiver {
	const char *name;  /* in messages */
	const char *type;  /* of media */
	const char *token; /* a bearer's; NULL: none */
	size_t limit;      /* of the queue, in bytes */
	/* Whether an answer of success says that something was not taken, with the reason; or NULL. */
	bool (*refuses)(const char *answer, size_t length, char *why, size_t size);
};

/* NULL with the reason. */
struct push_queue *push_queue_create(
    const struct push_receiver *to, struct push_counts *counts, struct gcs_error *err);

/* Sends what waits, for at most two seconds and until an attempt fails, and frees it. A wait for the next
 * attempt ends. */
void push_queue_free(struct push_queue *queue);

/* Adds a request; takes the body over and leaves it empty. */
void push_queue_put(struct push_queue *queue, const char *url, struct wr *body);

#endif
