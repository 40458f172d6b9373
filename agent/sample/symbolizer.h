/*
 * Maps JVMTI's identities to numbers of the stack table: methods, classes, threads. Everything is
 * resolved in the callback of the sample, in the allocating thread, while the classes are alive;
 * later one may have been unloaded (async-profiler's issue 974).
 *
 * The results for methods are cached in a table of fixed size in which new entries replace old
 * ones; it is read and written without a lock. An entry's two words are tied to each other, in whatever
 * order they arrive, and the one with the number releases the frame that it stands for.
 */
#ifndef GCSPY_AGENT_SYMBOLIZER_H
#define GCSPY_AGENT_SYMBOLIZER_H

#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

#include "stack_table.h"

struct symbolizer;

/* Adds names to this stack table, which is borrowed. NULL without memory. */
struct symbolizer *symbolizer_create(struct stack_table *stack_table);
void symbolizer_destroy(struct symbolizer *n);

enum { SYMBOLIZER_MEMO = 48 };

/* The oldest frames of a thread's last stack and their numbers: its next stack usually begins the
 * same way. A zeroed one is empty. */
struct symbolizer_memo {
	const struct symbolizer *of;
	uint32_t generation; /* of the stack table, because another one may get the same address */
	uint32_t count;
	bool truncated;
	struct {
		jmethodID method;
		jlocation location;
		uint32_t stack;
	} steps[SYMBOLIZER_MEMO];
};

/* Frames, youngest first, as GetStackTrace returns them. */
struct symbolizer_frames {
	const jvmtiFrameInfo *frames;
	jint count;
	bool truncated;   /* there are older frames */
	uint32_t base;    /* the stack of the older frames; STACK_TABLE_NONE: there are none */
	uint32_t *stacks; /* gets for each frame the stack that ends there */
};

/* The stack of these frames, STACK_TABLE_NONE when the stack table is full or there are none. */
uint32_t symbolizer_stack(struct symbolizer *n, jvmtiEnv *jvmti, JNIEnv *jni,
    const struct symbolizer_frames *frames, struct symbolizer_memo *memo, uint32_t generation);

/* The class's name as a text. `identity`: of the class, so that its name is kept; 0: not known. */
uint32_t symbolizer_class(struct symbolizer *n, jvmtiEnv *jvmti, jclass class_, uint64_t identity);

/* The name of the thread and of its group (class_name_format.h). NULL: the current one. */
void symbolizer_thread(struct symbolizer *n, jvmtiEnv *jvmti, JNIEnv *jni, jthread thread,
    uint32_t *name, uint32_t *group);

/* A cache of the same kind for addresses of C functions (native_stack.h): their frames. */
bool symbolizer_find_native(const struct symbolizer *n, uintptr_t ip, uint32_t *frame);
void symbolizer_keep_native(struct symbolizer *n, uintptr_t ip, uint32_t frame);

struct stack_table *symbolizer_stacks(const struct symbolizer *n);

#endif
