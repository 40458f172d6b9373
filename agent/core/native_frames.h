/*
 * The Java frames below the C functions that call malloc (docs/decisions/014-java-below-malloc.md): the library
 * of the native heap calls this module for the blocks that it samples, in the thread that allocates, amid
 * malloc. That thread may be in any state and hold any lock of the JVM, so that nothing here takes a lock,
 * allocates, waits, or calls JVMTI: the frames are those that vm_walk.h finds on the thread's own stack, and
 * their names are read from the JVM's memory (vm_names.h).
 */
#ifndef GCSPY_AGENT_NATIVE_FRAMES_H
#define GCSPY_AGENT_NATIVE_FRAMES_H

#include <jni.h>
#include <stdbool.h>

#include <gcspy/native_table.h>

#include "vm.h"

/* Passes the Java frames of the calling thread, whose environment this is, to `add`, the youngest first. `meets`:
 * there are some, as native frames that lead to Java code show. */
void native_frames_add(const struct vm *vm, const JNIEnv *env, bool meets,
    void (*add)(void *stack, const struct gcs_frame *frame), void *stack);

/* Begins; `vm` must outlive it. NULL, or a sentence with the reason why it cannot. There is one of these. */
const char *native_frames_begin(JavaVM *java, const struct vm *vm);

/* When this returns, no thread is in this module. Also if it has not begun. */
void native_frames_end(void);

#endif
