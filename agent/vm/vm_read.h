/*
 * Fault-safe copies of this process's own memory: an unmapped or protected source gives false,
 * never a signal. No signal handler is installed: they belong to HotSpot.
 *
 * Each copy is one or more system calls (about a microsecond): not for a loop over regions inside a
 * pause. Any thread; no locks, no memory allocation.
 */
#ifndef GCSPY_AGENT_VM_READ_H
#define GCSPY_AGENT_VM_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum vm_read_method {
	VM_READ_NONE,    /* nothing works: every copy fails */
	VM_READ_PROCESS, /* process_vm_readv on this process; containers may forbid it */
	VM_READ_PIPE,    /* through a pipe: write reports EFAULT for a bad source; slower */
};

struct vm_reader {
	enum vm_read_method method;
};

/* Chooses the first method that works in this process. */
void vm_reader_init(struct vm_reader *reader);

/* Copies `bytes` bytes; false, with `to` undefined, unless all of them were readable. */
bool vm_reader_copy(const struct vm_reader *reader, void *to, uintptr_t from, size_t bytes);

/* One pointer-sized or 32-bit word, the same way. */
bool vm_reader_pointer(const struct vm_reader *reader, uintptr_t *to, uintptr_t from);
bool vm_reader_u32(const struct vm_reader *reader, uint32_t *to, uintptr_t from);

/* A series of such reads that fails as a whole: the results are valid only while `failed` is false.
 * Start with {.reader = …}. */
struct vm_probe {
	const struct vm_reader *reader;
	bool failed;
};

uintptr_t vm_probe_word(struct vm_probe *probe, uintptr_t from);
uint32_t vm_probe_u32(struct vm_probe *probe, uintptr_t from);

/* One sentence about the method, for the agent's report. */
const char *vm_reader_text(enum vm_read_method method);

#endif
