/*
 * What differs between the processors that HotSpot runs on and is not in its tables: the layout of
 * frames, the form of return addresses, the colours of ZGC's references. All of it is constant; what
 * is wrong on some JVM shows where it is used: stacks are compared with JVMTI's (agent/sample/walk.h),
 * a weak reference with a local one (vm_weak.c).
 */
#ifndef GCSPY_AGENT_VM_MACHINE_H
#define GCSPY_AGENT_VM_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vm_machine {
	const char *name;
	/* Words from the fp of an interpreted frame (cpu/x86/frame_x86.hpp,
	 * cpu/aarch64/frame_aarch64.hpp), which no JVM exports. 0: frames are not known. */
	ptrdiff_t method, bytecode;
	/* Where the JVM does not export them: words from the fp of an entry frame and of an interpreted
	 * one. 0: it does. */
	ptrdiff_t wrapper, sender_sp;
	/* The bits of a code address. The others of a return address may be its signature
	 * (-XX:UseBranchProtection). */
	uintptr_t code_bits;
	/* ZGC of JDK 21 and later (zAddress_x86.hpp, zAddress_aarch64.hpp): the colours that are stored
	 * inverted, and whether the address begins above the one that is set; else above bit 15. */
	uint64_t z_inverted;
	bool z_shift_varies;
};

/* The processor that this is compiled for. */
const struct vm_machine *vm_machine_here(void);

/* "x86-64", "aarch64": for tests. Any other name is a processor of which nothing is known. */
const struct vm_machine *vm_machine_named(const char *name);

#endif
