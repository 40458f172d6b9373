/*
 * The Java frames of the calling thread, as they are physically on its stack: one per interpreted
 * frame, and one per compiled method with everything inlined there.
 *
 * The walk goes from the thread's JavaFrameAnchor outwards. It reads the thread's own stack,
 * between its stack pointer and the stack's base and always upwards, and what vm_code_find reads;
 * any mismatch ends it. It touches no object and no metadata.
 *
 * Only in the thread that owns the JNI environment, in a JVMTI callback or in native code, also of the
 * JVM's, that is called from Java. No locks, no memory allocation, no system calls. All need
 * VM_STACK_WALK.
 */
#ifndef GCSPY_AGENT_VM_WALK_H
#define GCSPY_AGENT_VM_WALK_H

#include "vm.h"

/*
 * One frame in two words. Interpreted: the address of its Method, and of its bytecode, 0 for a
 * native method. Compiled: the program counter, and VM_FRAME_COMPILED with the compile id and
 * perhaps VM_FRAME_DEOPTIMIZED; no address of a process has these bits.
 */
struct vm_frame {
	uint64_t where;
	uint64_t what;
};

#define VM_FRAME_COMPILED    (UINT64_C(1) << 63)
#define VM_FRAME_DEOPTIMIZED (UINT64_C(1) << 62)

static inline bool vm_frame_compiled(const struct vm_frame *frame)
{
	return (frame->what & VM_FRAME_COMPILED) != 0;
}

/* How a walk ended; from VM_WALK_NO_JAVA on the frames are meaningless. */
#define VM_WALK_ENDS(X)                                                                            \
	X(WHOLE, "the whole stack")                                                                \
	X(CONTINUATION, "the whole stack of a virtual thread")                                     \
	X(MORE, "there are more frames")                                                           \
	X(NO_JAVA, "no Java frame")                                                                \
	X(FROZEN, "frames of a virtual thread that are in the heap")                               \
	X(THREAD, "not the stack of this thread")                                                  \
	X(POINTER, "a pointer that leaves the stack")                                              \
	X(CODE, "code that is not known")

enum vm_walk_end {
#define X(id, text) VM_WALK_##id,
	VM_WALK_ENDS(X)
#undef X
	    VM_WALK_END_COUNT
};

/* "a pointer that leaves the stack". */
const char *vm_walk_end_text(enum vm_walk_end end);

/* Writes up to `depth` frames, youngest first; `*count` is their number. */
enum vm_walk_end vm_walk(const struct vm *vm, const JNIEnv *env, struct vm_frame *frames,
    uint32_t depth, uint32_t *count);

/* The bytecode index of an interpreted frame of the own stack, -1 for a native method. False when
 * it would be outside its method's code. */
bool vm_frame_index(const struct vm *vm, const struct vm_frame *frame, int32_t *index);

/*
 * Whether the method id currently represents this Method, of a frame on the own stack. Up to JDK 25
 * an id is the address of a word that leads to the Method, which HotSpot never frees; later it is a
 * number, which the Method's class has in a table. `safely`: the Method has not been found to have
 * this id before, and may be no Method.
 */
bool vm_method_has_id(const struct vm *vm, uint64_t method, jmethodID id, bool safely);

/* Number of classes the JVM has unloaded: grows before their memory is reused. 0 if the JVM does not
 * count them (-XX:-UsePerfData). */
uint64_t vm_unloaded_classes(const struct vm *vm);
bool vm_counts_unloading(const struct vm *vm);

#endif
