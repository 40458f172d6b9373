/*
 * The agent as a whole: its parts, and the two steps in which they are made. There is one for each
 * process; it is never taken down.
 */
#ifndef GCSPY_AGENT_AGENT_H
#define GCSPY_AGENT_AGENT_H

#include <jvmti.h>
#include <stdatomic.h>

#include <gcspy/server.h>

#include "gc_events.h"
#include "options.h"

struct agent {
	atomic_bool loaded;
	struct agent_options options;
	JavaVM *java;
	jvmtiEnv *jvmti;
	struct vm *vm;
	struct gcs_server *server;
	struct threads *threads;
	struct java_threads *java_threads;
	struct heap_zooms *zooms; /* NULL: no heap map */
	struct gc_events *events;
	struct sampler *sampler;
	struct questions *questions;
	struct volume volume;
	char name[GCS_MAX_NAME + 1];
	struct clock *clock;
	bool failed;   /* half built, so that it can neither serve nor be tried again */
	char tcp[300]; /* where it listens, "" for nowhere */
	char listening[OPTIONS_PATH + 340];
};

/* One line on standard error, in one write, so that it is not mixed with the program's. Standard
 * output is the program's alone. Any thread. */
void agent_say(const char *text);

/* agent_build.c. The port, as the options say: before the JVM lives. Nothing is left when it fails. */
enum gcs_status agent_listen(struct agent *a, struct gcs_error *err);

/* Everything else, when the JVM lives: on one of its threads. */
enum gcs_status agent_build(struct agent *a, JNIEnv *jni, struct gcs_error *err);

/* agent_describe.c: what clients are told of the JVM, and what cannot be had of it. */
void agent_describe(struct agent *a);
void agent_info(struct agent *a, const char *key, const char *format, const char *value);

#endif
