#include "vm_epsilon.h"

#include "vm_internal.h"

static bool space_sane(const struct vm *vm, const struct vm_epsilon *e)
{
	return vm->range.low == e->low && e->low <= e->top && e->top <= e->committed &&
	       e->committed <= e->high && e->high <= vm->range.high;
}

void vm_open_epsilon(struct vm *vm)
{
	struct vm_epsilon_fields *f = &vm->epsilon;
	struct vm_lookup lookup = {.structs = &vm->structs};
	struct vm_probe probe = {.reader = &vm->reader};
	if (!vm_require(vm, VM_COLLECTOR_EPSILON, VM_EPSILON_SPACE, VM_EPSILON_SPACE))
		return;
	const size_t space_at = vm_lookup_offset(&lookup, "EpsilonHeap::_space");
	f->virtual_space = vm->heap + vm_lookup_offset(&lookup, "EpsilonHeap::_virtual_space");
	const size_t top = vm_lookup_offset(&lookup, "ContiguousSpace::_top");
	f->committed_low = vm_lookup_offset(&lookup, "VirtualSpace::_low");
	f->committed_high = vm_lookup_offset(&lookup, "VirtualSpace::_high");
	f->reserved_high = vm_lookup_offset(&lookup, "VirtualSpace::_high_boundary");
	if (lookup.missing != NULL) {
		vm_set_unexported(vm, VM_EPSILON_SPACE, lookup.missing);
		return;
	}
	f->top = vm_probe_word(&probe, vm->heap + space_at) + top;
	const struct vm_epsilon space = {
	    .low = vm_probe_word(&probe, f->virtual_space + f->committed_low),
	    .top = vm_probe_word(&probe, f->top),
	    .committed = vm_probe_word(&probe, f->virtual_space + f->committed_high),
	    .high = vm_probe_word(&probe, f->virtual_space + f->reserved_high),
	};
	if (probe.failed || !space_sane(vm, &space))
		vm_set(vm, VM_EPSILON_SPACE, VM_MISSING,
		    "The space of Epsilon in HotSpot %s is not where its tables say.", vm->release);
	else
		vm_set_exported(vm, VM_EPSILON_SPACE);
}

void vm_epsilon(const struct vm *vm, struct vm_epsilon *space)
{
	const struct vm_epsilon_fields *f = &vm->epsilon;
	*space = (struct vm_epsilon){0};
	if (!vm_has(vm, VM_EPSILON_SPACE))
		return;
	/* The top first: memory is committed before it is allocated from. */
	space->top = vm_load_u64(f->top);
	space->committed = vm_load_u64(f->virtual_space + f->committed_high);
	space->low = vm_load_u64(f->virtual_space + f->committed_low);
	space->high = vm_load_u64(f->virtual_space + f->reserved_high);
	if (space->top < space->low)
		space->top = space->low;
	if (space->committed < space->top)
		space->committed = space->top;
}
