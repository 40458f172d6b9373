/*
 * Redefines a class again and again while walk_agent.c walks its methods' frames: retransforms it, every
 * second time with another text of the same length in the place of "gcspy-tick".
 */
#ifndef GCSPY_TESTS_WALK_REDEFINE_H
#define GCSPY_TESTS_WALK_REDEFINE_H

#include <jvmti.h>

/* Its name with slashes; "": none. Set before the callbacks run. */
extern const char *walk_redefine_class;

/* Callbacks of JVMTI. */
void JNICALL walk_redefine_class_file(jvmtiEnv *jvmti, JNIEnv *jni, jclass class, jobject loader,
    const char *name, jobject domain, jint length, const unsigned char *bytes, jint *new_length,
    unsigned char **new_bytes);
void JNICALL walk_redefine_class_prepare(
    jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jclass class);

/* In VMInit; at the end of the JVM. */
void walk_redefine_start(jvmtiEnv *jvmti, JNIEnv *jni);
void walk_redefine_end(void);

/* How often it has been redefined so far. */
unsigned long long walk_redefine_count(void);

#endif
