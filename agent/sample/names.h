/*
 * From JVMTI's identities to numbers of the depot: methods, classes, threads. Everything is resolved
 * in the callback of the sample, in the allocating thread: then the classes are alive, while one may be
 * unloaded before anybody asks (async-profiler's issue 974).
 *
 * The results for methods are kept in a table of fixed size in which a new entry takes the place of
 * an old one; it is read and written without a lock.
 */
#ifndef GCSPY_AGENT_NAMES_H
#define GCSPY_AGENT_NAMES_H

#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

#include "depot.h"

struct names;

/* Names that go to this depot, which is borrowed. NULL without memory. */
struct names *names_create(struct depot *depot);
void names_destroy(struct names *n);

enum { NAMES_MEMO = 48 };

/* The oldest frames of the last stack of one thread and their numbers: its next stack mostly begins the
 * same way. A zeroed one is empty. */
struct names_memo {
	const struct names *of;
	uint32_t generation; /* of the depot, because another may come at the same address */
	uint32_t count;
	bool truncated;
	struct {
		jmethodID method;
		jlocation location;
		uint32_t stack;
	} steps[NAMES_MEMO];
};

/* The stack of these frames, youngest first as GetStackTrace gives them; DEPOT_NONE when the depot
 * is full or there are none. `truncated`: there are older frames. */
uint32_t names_stack(struct names *n, jvmtiEnv *jvmti, JNIEnv *jni, const jvmtiFrameInfo *frames,
    jint count, bool truncated, struct names_memo *memo, uint32_t generation);

/* The class's name as a text. */
uint32_t names_class(struct names *n, jvmtiEnv *jvmti, jclass class_);

/* The name of the thread and of its group (spelling.h). NULL: the current one. */
void names_thread(
    struct names *n, jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, uint32_t *name, uint32_t *group);

/* A table of the same kind for addresses of C functions (native_stack.h): their frames. */
bool names_find_native(const struct names *n, uintptr_t ip, uint32_t *frame);
void names_keep_native(struct names *n, uintptr_t ip, uint32_t frame);

struct depot *names_depot(const struct names *n);

#endif
