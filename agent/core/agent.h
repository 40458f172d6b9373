/*
 * The agent as a whole: its parts, the two steps in which they are made, and their end. There is
 * one for each process. `gcspy detach` takes it down, and another attach makes a new one.
 */
#ifndef GCSPY_AGENT_AGENT_H
#define GCSPY_AGENT_AGENT_H

#include <jvmti.h>

#include <gcspy/server.h>

#include "gc_events.h"
#include "options.h"

enum agent_state {
	AGENT_NONE,      /* not loaded, or detached: nothing exists */
	AGENT_LISTENING, /* loaded with the JVM, which does not live yet */
	AGENT_RUNNING,
	AGENT_ENDING, /* something of it is in use after agent_end; the next attempt frees it */
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
	struct volume volume;
	char name[GCS_MAX_NAME + 1];
	struct clock *clock;
	char tcp[300]; /* where it listens, "" for nowhere */
	char listening[OPTIONS_PATH + 340];
};

/* One line on standard error, in one write, so that it is not mixed with the program's. Standard
 * output is the program's alone. Any thread. */
void agent_log(const char *text);

/* agent_build.c. The port, as the options say: before the JVM lives. Nothing is left when it
 * fails. */
enum gcs_status agent_listen(struct agent *a, struct gcs_error *err);

/* Everything else, when the JVM lives: on one of its threads. */
enum gcs_status agent_build(struct agent *a, JNIEnv *jni, struct gcs_error *err);

/*
 * agent_end.c. Takes the agent down: clients get their goodbye and give up what they hold, a
 * recording is finished, threads and sockets end, the JVM is left as if the agent had never been
 * loaded, and `a` is zeroed. On a Java thread outside of callbacks that inflight.h counts, `jni`
 * its environment, NULL before the JVM lives. At any stage of its making, and again after a
 * failure: TIMEOUT when something of it is in use even after some seconds; then it serves nobody
 * any more.
 */
enum gcs_status agent_end(struct agent *a, JNIEnv *jni, struct gcs_error *err);

/* What comes before, and at the JVM's death: clients and a recording get the last collections and
 * profiles, and the server stops. */
void agent_say_goodbye(struct agent *a);

/* agent_describe.c: what clients are told of the JVM, and what cannot be had of it. */
void agent_describe(struct agent *a);
void agent_info(struct agent *a, const char *key, const char *format, const char *value);

#endif
