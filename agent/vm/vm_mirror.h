/*
 * The Klass that a java.lang.Class stands for. HotSpot keeps its address in a field that it adds to that
 * class, and JNI's GetLongField reads any field from an id that is made of its offset: without a
 * transition into the JVM where nothing moves the object meanwhile, and rightly where something does.
 */
#ifndef GCSPY_AGENT_VM_MIRROR_H
#define GCSPY_AGENT_VM_MIRROR_H

#include <jni.h>

#include "vm.h"

/* The address of the Klass, or 0: this JVM does not allow it, or the class is a primitive type. Another
 * class may get the address when walker_unloading (walk.h) has changed. In an attached thread. */
uint64_t vm_klass_of(const struct vm *vm, JNIEnv *env, jclass class_);

#endif
