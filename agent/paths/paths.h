/*
 * "Why is it alive": searches for the reference chains of sampled live objects, and histograms of all
 * objects by class. Both need tags of objects, in a JVMTI environment of their own that exists only
 * meanwhile (tag_space.h), and pause the program: only when a client asks.
 *
 * One question at a time, on a thread of its own, which exists and is attached to the JVM since the
 * first one. A search ends early when no client is attached any more, and with the agent; either way
 * nothing stays tagged.
 */
#ifndef GCSPY_AGENT_PATHS_H
#define GCSPY_AGENT_PATHS_H

#include <gcspy/server.h>

#include "object_locations.h"
#include "path_targets.h"
#include "sampler.h"

struct paths;

/* All borrowed. */
struct paths_parts {
	JavaVM *java;
	jvmtiEnv *jvmti;
	const struct vm *vm;
	struct gcs_server *server;
	struct sampler *sampler;
	const struct heap_driver *driver; /* NULL: none, as its state */
	const void *heap;
	uint32_t limit_ms; /* of a single pause, unless the client sets another */
};

/* NULL without memory. */
struct paths *paths_create(const struct paths_parts *parts);

/* Ends the thread and waits for it, at most until `deadline_ns` of the monotonic clock; false if it
 * still runs. Before sampler_end. NULL is fine. */
bool paths_end(struct paths *p, uint64_t deadline_ns);
void paths_destroy(struct paths *p);

/* Answers the question, at once or when the search has ended; or records the answer, or why there is
 * none. On the thread that answers queries. */
void paths_ask(struct paths *p, const struct path_question *question,
    struct object_locations *object_locations);

/* Whether a question is being answered. Any thread. NULL is fine. */
bool paths_busy(const struct paths *p);

/* Describes the plugins `paths` and `histogram` to the server. */
enum gcs_status paths_describe(struct gcs_server *server, struct gcs_error *err);

/* Whether the query is for one of them; the question is then filled in. Its parameters have been
 * checked by the server. */
bool paths_parse(const struct gcs_query *query, struct path_question *question);

/* In class_histogram.c: counts all objects by class, in one pause; the body of the answer and a line of
 * `key=value`. `counted` stays without an answer. On a thread of the JVM. */
enum gcs_status class_histogram(const struct paths_parts *parts, JNIEnv *jni,
    struct path_counted *counted, void **bytes, size_t *length, char *message, size_t size,
    struct gcs_error *err);

#endif
