/*
 * The part of the thread table that needs the JVM: while a client is attached, a thread of ours
 * attaches to the JVM as a daemon, switches ThreadStart and ThreadEnd on, and lists the threads
 * that run already. With nobody attached nothing of it is left.
 */
#ifndef GCSPY_AGENT_JAVA_THREADS_H
#define GCSPY_AGENT_JAVA_THREADS_H

#include <jvmti.h>

#include "threads.h"
#include "vm.h"

struct java_threads;

/* NULL without memory or threads. `known` is called on our thread when the table becomes complete
 * or empty. */
struct java_threads *java_threads_create(JavaVM *java, jvmtiEnv *jvmti, const struct vm *vm,
    struct threads *table, void (*known)(void *context, bool complete), void *context);

/* Ends the thread, which leaves the JVM, and waits for it, at most until `deadline_ns` of the
 * monotonic clock; false if it still runs. NULL is fine. */
bool java_threads_end(struct java_threads *j, uint64_t deadline_ns);

/* After java_threads_end, when nothing calls any function below any more. NULL is fine. */
void java_threads_destroy(struct java_threads *j);

/* Somebody is attached, or nobody any more. Any thread; does not wait. */
void java_threads_want(struct java_threads *j, bool wanted);

/*
 * Has the program stand still for a moment: `still` is called in the VM thread, at a safepoint,
 * unless the JVM refuses; then `stood` on our thread, which also is told if nobody is attached any
 * more. The means is JVMTI's FollowReferences from the heap's roots, broken off at our own thread's
 * object, the only one with a tag: no object is allocated or changed. Set once, before
 * java_threads_stop; needs the capability can_tag_objects.
 */
struct java_threads_stop {
	void (*still)(void *context);
	void (*stood)(void *context, bool was);
	void *context;
};

void java_threads_set_stop(struct java_threads *j, const struct java_threads_stop *stop);

/* Asks for it. Any thread; does not wait. */
void java_threads_stop(struct java_threads *j);

/* From the JVMTI callbacks, in the thread itself. */
void java_threads_started(struct java_threads *j, JNIEnv *jni);
void java_threads_ended(struct java_threads *j, JNIEnv *jni);

#endif
