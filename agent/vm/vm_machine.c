#include "vm_machine.h"

#include <string.h>

/* The last is any other processor, with ZGC's colours as most have them. */
static const struct vm_machine MACHINES[] = {
    {
	.name = "x86-64",
	.method = -3,
	.bytecode = -8,
	.code_bits = UINTPTR_MAX,
	.z_shift_varies = true,
    },
    {
	.name = "aarch64",
	.method = -3,
	.bytecode = -9,
	.wrapper = -8,
	.sender_sp = -1,
	.code_bits = ((uintptr_t)1 << 48) - 1,
	.z_inverted = 0xf000,
    },
    {.name = "another processor", .code_bits = UINTPTR_MAX},
};

enum { MACHINE_COUNT = sizeof MACHINES / sizeof MACHINES[0] };

const struct vm_machine *vm_machine_named(const char *name)
{
	size_t i = 0;
	while (i < MACHINE_COUNT - 1 && strcmp(MACHINES[i].name, name) != 0)
		i++;
	return &MACHINES[i];
}

const struct vm_machine *vm_machine_here(void)
{
#if defined(__x86_64__)
	return vm_machine_named("x86-64");
#elif defined(__aarch64__)
	return vm_machine_named("aarch64");
#else
	return vm_machine_named("");
#endif
}
