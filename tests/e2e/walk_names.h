/*
 * The names and lines of a stack's frames as those of native blocks have them (agent/core/native_frames.h),
 * compared with JVMTI's, for walk_agent.c.
 */
#ifndef GCSPY_TESTS_WALK_NAMES_H
#define GCSPY_TESTS_WALK_NAMES_H

#include <jvmti.h>

#include <stdio.h>

struct vm;

/* Compares the calling thread's stack, and counts the outcome. */
void walk_names_check(const struct vm *vm, jvmtiEnv *jvmti, JNIEnv *jni, jthread thread);

/* A line of what was counted. */
void walk_names_print(FILE *to);

#endif
