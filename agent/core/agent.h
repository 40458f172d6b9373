/* The agent as a whole: its parts, the two steps that create them, and their end. There is one per
 * process. `gcspy detach` takes it down, and another attach creates a new one. */
#ifndef GCSPY_AGENT_AGENT_H
#define GCSPY_AGENT_AGENT_H

#include <jvmti.h>

#include <gcspy/server.h>

#include "gc_events.h"
#include "options.h"

enum agent_state {
	AGENT_NONE,      /* not loaded, or detached: nothing exists */
	AGENT_LISTENING, /* loaded with the JVM, which is not initialized yet */
	AGENT_RUNNING,
	AGENT_ENDING, /* a part is still in use after agent_end; the next attempt frees it */
	AGENT_DYING   /* with the JVM */
};

struct agent {
	enum agent_state state;
	struct agent_options options;
	JavaVM *java;
	jvmtiEnv *jvmti;
	struct vm *vm;
	struct gcs_server *server;
	struct threads *threads;
	struct java_threads *java_threads;
	struct heap_zooms *zooms; /* NULL: no heap map */
	struct gc_events_parts parts;
	struct gc_events *events;
	struct sampler *sampler;
	struct queries *queries;
	struct force_gc *force_gc;
	struct plugins *plugins;
	struct paths *paths;
	struct volume volume;
	char name[GCS_MAX_NAME + 1];
	struct clock *clock;
	char tcp[300]; /* TCP address, "" for none */
	char listening[OPTIONS_PATH + 340];
};

/* Writes one line to standard error, in one write, so that it does not mix with the program's.
 * Standard output belongs to the program. Any thread. */
void agent_log(const char *text);

/* agent_build.c. Opens the port, before the JVM is initialized. Leaves nothing behind when it
 * fails. */
enum gcs_status agent_listen(struct agent *a, struct gcs_error *err);

/* Creates everything else, when the JVM is initialized: on one of its threads. */
enum gcs_status agent_build(struct agent *a, JNIEnv *jni, struct gcs_error *err);

/*
 * agent_end.c. Takes the agent down: clients are disconnected with a goodbye and release the
 * program, a recording is finished, threads and sockets end, the JVM is left as if the agent had
 * never been loaded, and `a` is zeroed. On a Java thread outside the callbacks that inflight.h
 * counts; `jni` is its environment, NULL before the JVM is initialized. At any stage of creation,
 * and again after a failure: TIMEOUT when a part is in use even after some seconds; then the agent
 * no longer serves clients.
 */
enum gcs_status agent_end(struct agent *a, JNIEnv *jni, struct gcs_error *err);

/* The first step, also at the JVM's death: clients and a recording get the last collections and
 * profiles, and the server stops. */
void agent_say_goodbye(struct agent *a, bool program_ends);

/* agent_describe.c: general information about the JVM, and what is not available of it. */
void agent_describe(struct agent *a);
void agent_info(struct agent *a, const char *key, const char *format, const char *value);

#endif
