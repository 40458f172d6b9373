/*
 * The code cache: which piece of compiled code contains a program counter, and which Java methods
 * are inlined there.
 *
 * A search reads the JVM's segment map and the header of the piece, both with plain loads. That is
 * exact and safe only for a program counter on the calling thread's own stack: the JVM frees no
 * code that is being executed and never unmaps the memory of the cache. Numbers outside code are
 * rejected. Nothing is cached between calls, because a header of freed code may contain anything.
 *
 * No locks, no memory allocation, no system calls. All need VM_CODE_CACHE.
 */
#ifndef GCSPY_AGENT_VM_CODE_H
#define GCSPY_AGENT_VM_CODE_H

#include "vm.h"

/* What HotSpot calls a blob. */
struct vm_code {
	uintptr_t start;
	size_t bytes;
	size_t frame_bytes;  /* of its frames, with return address; 0: it has none */
	bool is_method;      /* compiled from a Java method, or the wrapper of a native one */
	bool is_wrapper;     /* the latter, where the JVM's tables have no kinds of blobs */
	uint32_t compile_id; /* of a method; no two methods of a JVM's life have the same */
	uintptr_t deoptimized, deoptimized_call; /* a frame that returns there is deoptimized … */
	size_t original_pc; /* … and has its real program counter here, from its stack pointer */
};

/* Finds the code that contains `pc`; false without any that can have a frame. */
bool vm_code_find(const struct vm *vm, uintptr_t pc, struct vm_code *code);

/*
 * The bytecode indices of the methods inlined at `pc`, youngest first: writes at most `capacity` of
 * them and returns their number. The wrapper of a native method is one with index -1. 0 when the
 * JVM describes no frame there. The compile id verifies that it is still the same code.
 */
size_t vm_code_scopes(
    const struct vm *vm, uintptr_t pc, uint32_t compile_id, int32_t *indices, size_t capacity);

enum { VM_CODE_INLINED = 64 };

/* The same with the methods: the addresses of Methods, or 0. */
struct vm_code_methods {
	int32_t indices[VM_CODE_INLINED];
	uint64_t methods[VM_CODE_INLINED];
};

/* 0 also if there are more, or where the JVM does not say which methods they are. */
size_t vm_code_methods(
    const struct vm *vm, uintptr_t pc, uint32_t compile_id, struct vm_code_methods *to);

/* Whether there is code of the JVM's making: compiled, interpreter, stubs. */
bool vm_code_contains(const struct vm *vm, uintptr_t pc);

#endif
