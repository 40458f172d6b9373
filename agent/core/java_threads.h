/*
 * The part of the thread table that needs the JVM: while a client is attached, a thread of ours
 * attaches to the JVM as a daemon, enables ThreadStart and ThreadEnd, and lists the threads that
 * already run. Without clients nothing of it remains.
 */
#ifndef GCSPY_AGENT_JAVA_THREADS_H
#define GCSPY_AGENT_JAVA_THREADS_H

#include <jvmti.h>

#include "threads.h"
#include "vm.h"

struct java_threads;

/* NULL without memory or threads. `known` is called on our thread when the table becomes complete or
 * empty. */
struct java_threads *java_threads_create(JavaVM *java, jvmtiEnv *jvmti, const struct vm *vm,
    struct threads *table, void (*known)(void *context, bool complete), void *context);

/* Ends the thread, which leaves the JVM, and waits for it, at most until `deadline_ns` of the
 * monotonic clock; false if it still runs. NULL is fine. */
bool java_threads_end(struct java_threads *j, uint64_t deadline_ns);

/* After java_threads_end, when nothing calls any function below any more. NULL is fine. */
void java_threads_destroy(struct java_threads *j);

/* Whether a client is attached. Any thread; does not wait. */
void java_threads_want(struct java_threads *j, bool wanted);

/*
 * Stops the program briefly: `at` is called in the VM thread, at a safepoint, unless the JVM
 * declines or no client is attached any more; then `done` on our thread. It uses JVMTI's
 * FollowReferences from the heap's roots, aborted at our own thread's object, the only tagged one:
 * no object is allocated or changed. Needs the capability can_tag_objects. Set once, before
 * java_threads_request_safepoint.
 */
struct java_threads_safepoint {
	void (*at)(void *context);
	void (*done)(void *context, bool reached);
	void *context;
};

void java_threads_set_safepoint(
    struct java_threads *j, const struct java_threads_safepoint *safepoint);

/* Any thread; does not wait. */
void java_threads_request_safepoint(struct java_threads *j);

/* `collect` is called on our thread, in the JVM, after each request while a client is attached; some
 * requests may share a call. Set once, before java_threads_request_collect. */
void java_threads_set_collect(
    struct java_threads *j, void (*collect)(void *context), void *context);

/* Any thread; does not wait. */
void java_threads_request_collect(struct java_threads *j);

/* `asked` likewise, with the thread's environment; NULL if the thread is not in the JVM. Set once,
 * before java_threads_request_asked. */
void java_threads_set_asked(
    struct java_threads *j, void (*asked)(void *context, JNIEnv *jni), void *context);

/* Any thread; does not wait. */
void java_threads_request_asked(struct java_threads *j);

/* From JVMTI callbacks, in the thread itself. */
void java_threads_started(struct java_threads *j, JNIEnv *jni);
void java_threads_ended(struct java_threads *j, JNIEnv *jni);

#endif
