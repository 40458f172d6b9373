/* The one space of an Epsilon heap. Its objects are never freed: plain loads of a few words, on any
 * thread at any time. The top only grows. */
#ifndef GCSPY_AGENT_VM_EPSILON_H
#define GCSPY_AGENT_VM_EPSILON_H

#include "vm.h"

/* Addresses: low <= top <= committed <= high. All 0 without VM_EPSILON_SPACE. */
struct vm_epsilon {
	uint64_t low;
	uint64_t top;       /* the end of allocated memory, including allocation buffers */
	uint64_t committed; /* the end of the committed memory */
	uint64_t high;      /* the end of the reserved memory */
};

void vm_epsilon(const struct vm *vm, struct vm_epsilon *space);

#endif
