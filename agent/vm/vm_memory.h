/*
 * Where the VM has memory of its own beside the heap: class metadata, compiled code, the card table,
 * the stacks of Java threads.
 *
 * By fault-safe reads, which are system calls: any thread, but not in a pause. No locks. What the JVM
 * does not export is not found; nothing is guessed.
 */
#ifndef GCSPY_AGENT_VM_MEMORY_H
#define GCSPY_AGENT_VM_MEMORY_H

#include "vm.h"

/* Metaspace grows by chunks of this size and alignment, or a multiple of it, since JDK 16. */
enum { VM_METADATA_CHUNK = 4 << 20 };

struct vm_metadata_chunk {
	uint64_t address;
	bool classes; /* it has Klass structures and no constant pools: compressed class space */
};

/*
 * Lists the chunks that hold class metadata, also those of the class data archive; returns their
 * number, at most `capacity`. A chunk counts if a class and its constant pool, which refer to each
 * other, are in it: a class that is unloaded meanwhile cannot bring a wrong one. About a microsecond
 * per class. Sets `*known` to false if this JVM does not export what is needed.
 */
size_t vm_metadata_chunks(
    const struct vm *vm, struct vm_metadata_chunk *chunks, size_t capacity, bool *known);

/* A number that changes when classes are loaded or unloaded; 0 if the JVM does not count them. */
uint64_t vm_metadata_version(const struct vm *vm);

/* Each is empty if it is not known. */
struct vm_range vm_code_range(const struct vm *vm);
struct vm_range vm_card_range(const struct vm *vm);

/* The stack of a JavaThread, with its guard pages. What is read of a thread that may have ended
 * counts only if it had not. */
struct vm_range vm_stack_range(const struct vm *vm, uint64_t thread);

#endif
