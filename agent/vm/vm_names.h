/*
 * What a Method is called, read from its class without JVMTI: for stacks of native allocations, which are
 * taken where no call of JVMTI is allowed (agent/core/native_frames.h). The layouts are those that the JVM
 * exports; the table of lines is that of HotSpot's compressedStream.hpp.
 *
 * Only for a Method of a frame on the calling thread's own stack, which the JVM frees neither itself nor by
 * unloading its class. No locks, no memory allocation, no system calls.
 */
#ifndef GCSPY_AGENT_VM_NAMES_H
#define GCSPY_AGENT_VM_NAMES_H

#include "vm.h"

/* Of the JVM: modified UTF-8, without an end mark. */
struct vm_text {
	const char *text; /* NULL: there is none */
	size_t length;
};

struct vm_method_name {
	struct vm_text class_name; /* "java/util/HashMap" */
	struct vm_text method;     /* "resize" */
	struct vm_text file;       /* "HashMap.java" */
	uint32_t line;             /* 0: not known */
};

/* Whether this JVM exports what it takes. */
bool vm_names_known(const struct vm *vm);

/* The method, and the line of its bytecode `index`; negative: of none. False if it does not look like a
 * method. */
bool vm_method_describe(
    const struct vm *vm, uint64_t method, int32_t index, struct vm_method_name *name);

#endif
