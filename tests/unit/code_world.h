/*
 * A code cache and a Java thread with a stack, made of arrays beside the world of vm_world.h: for
 * tests of vm_code.h, vm_walk.h and what stands on them, in the layouts of JDK 17 and 25. Offsets
 * are others than HotSpot's.
 *
 * The frames of the thread are words above the stack on which code_world_run calls a function, so
 * that they are on that function's own stack. One world for each process, one thread at a time.
 */
#ifndef GCSPY_TESTS_CODE_WORLD_H
#define GCSPY_TESTS_CODE_WORLD_H

#include "vm_code.h"
#include "vm_machine.h"
#include "vm_walk.h"
#include "vm_world.h"

enum { CODE_SEGMENT = 64, CODE_SEGMENTS = 1024, CODE_START = 128, JAVA_WORDS = 1024 };

/* A place in a compiled method: where, and the bytecode indices there, youngest first. */
struct code_place {
	uint32_t pc;
	uint32_t count;
	int32_t indices[8];
};

struct code_world {
	_Alignas(64) unsigned char memory[CODE_SEGMENTS * CODE_SEGMENT];
	unsigned char map[CODE_SEGMENTS];
	uint32_t next;                 /* free segment */
	unsigned char described[8192]; /* JDK 25: what is outside the blobs */
	uint32_t described_bytes;
	uint64_t heap[8];       /* CodeHeap: memory low, high; map low, high; shift */
	uint64_t *heap_list[1]; /* elements of the growable array */
	uint64_t heaps[2];      /* the growable array */
	uint64_t *heaps_pointer;
	uint64_t queue[2]; /* StubQueue of the interpreter */
	uint64_t *queue_pointer;
	uintptr_t call_stub, interpreter, continuation_pc;
	uint64_t thread[32];                         /* JavaThread */
	uint64_t methods[4][2], const_methods[4][8]; /* and the ids of methods: */
	uint64_t ids[4];                             /* addresses of these words */
	uint64_t *java;                              /* the Java frames, JAVA_WORDS of them */
};
extern struct code_world code_world;

/* Whose frames there are, and which the VM is opened with; NULL: those of the processor that runs the
 * tests. To be set before the world is built. */
extern const struct vm_machine *code_world_machine;

/* Offsets of words in the fake JavaThread; its JNI environment is the word after them. */
enum { THREAD_SP = 2, THREAD_PC = 3, THREAD_FP = 4, THREAD_CONTINUATION = 8, THREAD_ENV = 16 };

/* Builds the world of one JDK, with the call stub and the interpreter in the code cache. */
void code_world_build(int major);

/* Opens it with VM_STACK_WALK; the test closes it. */
struct vm *code_world_open(void);

/* Adds code that is no method; returns the blob's address. */
uintptr_t code_world_stub(const char *name, uint32_t frame_words, uint32_t code_bytes);

/* Adds a compiled method. Without places it is the wrapper of a native one. */
uintptr_t code_world_method(
    uint32_t compile_id, uint32_t frame_words, const struct code_place *places, uint32_t count);

/* The program counter of a place. */
uintptr_t code_world_pc(uintptr_t blob, uint32_t pc);

/* Method number i of four: has 200 bytes of code; number 3 is native. */
uint64_t code_world_java_method(int i);
uint64_t code_world_bytecode(int i, int index);
jmethodID code_world_id(int i);

/* Where a compiled frame returns to when it is deoptimized. */
uintptr_t code_world_deoptimized(uintptr_t blob);

/* Sets the anchor of the thread to words of the Java stack. */
void code_world_anchor(uint32_t sp, uintptr_t pc, uint32_t fp);

/* The address of a word of the Java stack. */
uintptr_t code_world_at(uint32_t word);

JNIEnv *code_world_env(void);

/* The code of an example, and the places of calls in it. */
struct code_example {
	uintptr_t stub, inner, outer, wrapper, enter;
};
extern struct code_example code_example;
enum { EXAMPLE_STUB = 40, EXAMPLE_INNER = 12, EXAMPLE_OUTER = 20 };

/* Builds a world with the code of the example, without a stack. */
void code_example_build(int major);

/*
 * Lays its stack out. From word 100 up: the stub that allocates (4 words), the compiled inner with
 * two methods (8), an interpreted frame of method 1 with its fp in word 124, whose caller is the
 * compiled outer at 130 (6), the entry from C++ with its fp in word 146 and the wrapper in 160,
 * whose anchor leads to a native wrapper at 170 (6), then an interpreted frame of the native method
 * 3 with its fp in 190, and the first entry with its fp in 206, which ends it all.
 */
void code_example_stack(void);

/* Calls the function in a thread below the Java frames. */
void code_world_run(void (*function)(void *argument), void *argument);

#endif
