/*
 * The stack of a Java thread as it is now, by JVMTI, for the plugin `backtrace`. JVMTI reads it at a
 * handshake or safepoint: on a thread of ours in the JVM, never in the VM thread. While a collection
 * pauses the program, the call waits for its end.
 */
#ifndef GCSPY_AGENT_THREAD_STACK_H
#define GCSPY_AGENT_THREAD_STACK_H

#include <jvmti.h>
#include <stddef.h>

#include <gcspy/status.h>

enum { THREAD_STACK_MOST = 1024 };

/*
 * Encodes a table of the youngest `depth` frames (1..THREAD_STACK_MOST) of the thread with that name;
 * gcs_plugin_free frees `*bytes`. ARGUMENT, with names of threads, if there is none.
 */
enum gcs_status thread_stack_answer(jvmtiEnv *jvmti, JNIEnv *jni, const char *name, jint depth,
    void **bytes, size_t *length, struct gcs_error *err);

#endif
