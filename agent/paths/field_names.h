/*
 * The numbers that JVMTI's heap functions give to fields (jvmtiHeapReferenceInfoField): first the
 * fields of all interfaces of a class and its superclasses, each interface once, then those of the
 * classes from java.lang.Object down, each in the order of GetClassFields. Not in a pause.
 */
#ifndef GCSPY_AGENT_FIELD_NAMES_H
#define GCSPY_AGENT_FIELD_NAMES_H

#include <jvmti.h>

#include <stddef.h>
#include <stdint.h>

/* Writes the name of a field of the class, static or not; "?" if there is none. */
void field_name(
    jvmtiEnv *jvmti, JNIEnv *jni, jclass class_, uint32_t index, char *text, size_t size);

/* The number of the field with that name of the topmost class that has one; UINT32_MAX: none. */
uint32_t field_index(jvmtiEnv *jvmti, JNIEnv *jni, jclass class_, const char *name);

#endif
