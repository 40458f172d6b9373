#include "vm_epsilon.h"

#include "vm_internal.h"

static bool space_sane(const struct vm *vm, const struct vm_epsilon *e)
{
	return vm->range.low == e->low && e->low <= e->top && e->top <= e->committed &&
	       e->committed <= e->high && e->high <= vm->range.high;
}

/* Reads it safely; nothing is trusted yet. */
static bool read_safely(const struct vm *vm, struct vm_epsilon *e)
{
	const struct vm_epsilon_fields *f = &vm->epsilon;
	uintptr_t low = 0;
	uintptr_t top = 0;
	uintptr_t committed = 0;
	uintptr_t high = 0;
	const bool good =
	    vm_reader_pointer(&vm->reader, &low, f->virtual_space + f->committed_low) &&
	    vm_reader_pointer(&vm->reader, &top, f->top) &&
	    vm_reader_pointer(&vm->reader, &committed, f->virtual_space + f->committed_high) &&
	    vm_reader_pointer(&vm->reader, &high, f->virtual_space + f->reserved_high);
	*e = (struct vm_epsilon){.low = low, .top = top, .committed = committed, .high = high};
	return good;
}

void vm_open_epsilon(struct vm *vm)
{
	struct vm_epsilon_fields *f = &vm->epsilon;
	struct vm_lookup lookup = {.structs = &vm->structs};
	struct vm_epsilon space;
	uintptr_t at = 0;
	if (vm->collector != VM_COLLECTOR_EPSILON) {
		vm_set(vm, VM_EPSILON_SPACE, VM_MISSING, "The collector is %s, not Epsilon.",
		    vm_collector_name(vm->collector));
		return;
	}
	const size_t space_at = vm_lookup_offset(&lookup, "EpsilonHeap::_space");
	const size_t virtual_at = vm_lookup_offset(&lookup, "EpsilonHeap::_virtual_space");
	const size_t top = vm_lookup_offset(&lookup, "ContiguousSpace::_top");
	f->committed_low = vm_lookup_offset(&lookup, "VirtualSpace::_low");
	f->committed_high = vm_lookup_offset(&lookup, "VirtualSpace::_high");
	f->reserved_high = vm_lookup_offset(&lookup, "VirtualSpace::_high_boundary");
	if (lookup.missing != NULL) {
		vm_set_unexported(vm, VM_EPSILON_SPACE, lookup.missing);
		return;
	}
	if (!vm_has(vm, VM_HEAP_RANGE)) {
		vm_set(vm, VM_EPSILON_SPACE, VM_MISSING, "%s", vm->why[VM_HEAP_RANGE]);
		return;
	}
	const bool found = vm_reader_pointer(&vm->reader, &at, vm->heap + space_at);
	f->top = at + top;
	f->virtual_space = vm->heap + virtual_at;
	if (!found || !read_safely(vm, &space) || !space_sane(vm, &space))
		vm_set(vm, VM_EPSILON_SPACE, VM_MISSING,
		    "The space of Epsilon in HotSpot %s is not where its tables say.", vm->release);
	else
		vm_set(vm, VM_EPSILON_SPACE, VM_EXPORTED, "%s", "");
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
