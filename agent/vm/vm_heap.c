#include "vm_heap.h"

#include <stdio.h>

#include "vm_internal.h"

static struct vm_space read_space(const struct vm_spaces *spaces, enum vm_space_index index)
{
	const uintptr_t space = vm_load_pointer(spaces->space[index]);
	return (struct vm_space){
	    .bottom = vm_load_u64(space + spaces->bottom),
	    .top = vm_load_u64(space + spaces->top),
	    .end = vm_load_u64(space + spaces->end),
	};
}

static struct vm_range read_range(uintptr_t virtual_space, size_t low, size_t high)
{
	return (struct vm_range){
	    .low = vm_load_u64(virtual_space + low),
	    .high = vm_load_u64(virtual_space + high),
	};
}

void vm_generations(const struct vm *vm, struct vm_generations *generations)
{
	const struct vm_spaces *s = &vm->spaces;
	*generations = (struct vm_generations){0};
	if (vm_has(vm, VM_GENERATION_SPACES)) {
		generations->eden = read_space(s, VM_SPACE_EDEN);
		generations->from = read_space(s, VM_SPACE_FROM);
		generations->to = read_space(s, VM_SPACE_TO);
		generations->old = read_space(s, VM_SPACE_OLD);
	}
	if (vm_has(vm, VM_GENERATION_RANGES)) {
		const uintptr_t young = s->range[VM_YOUNG];
		const uintptr_t old = s->range[VM_OLD];
		generations->young_reserved = read_range(young, s->reserved_low, s->reserved_high);
		generations->young_committed =
		    read_range(young, s->committed_low, s->committed_high);
		generations->old_reserved = read_range(old, s->reserved_low, s->reserved_high);
		generations->old_committed = read_range(old, s->committed_low, s->committed_high);
	}
}

/* The generations of a Serial heap: pointers in the heap object, virtual spaces inside them. The
 * second names are those of JDK 11 to 21, where Space declares the ends. */
static void find_serial(struct vm *vm, struct vm_lookup *spaces, struct vm_lookup *ranges)
{
	struct vm_spaces *s = &vm->spaces;
	const size_t young_at =
	    vm_lookup_offset(spaces, "SerialHeap::_young_gen GenCollectedHeap::_young_gen");
	const size_t old_at =
	    vm_lookup_offset(spaces, "SerialHeap::_old_gen GenCollectedHeap::_old_gen");
	const size_t eden = vm_lookup_offset(spaces, "DefNewGeneration::_eden_space");
	const size_t from = vm_lookup_offset(spaces, "DefNewGeneration::_from_space");
	const size_t to = vm_lookup_offset(spaces, "DefNewGeneration::_to_space");
	const size_t the = vm_lookup_offset(spaces, "TenuredGeneration::_the_space");
	s->bottom = vm_lookup_offset(spaces, "ContiguousSpace::_bottom Space::_bottom");
	s->end = vm_lookup_offset(spaces, "ContiguousSpace::_end Space::_end");
	s->top = vm_lookup_offset(spaces, "ContiguousSpace::_top");
	const size_t range = vm_lookup_offset(ranges, "Generation::_virtual_space");
	s->reserved_low = vm_lookup_offset(ranges, "VirtualSpace::_low_boundary");
	s->reserved_high = vm_lookup_offset(ranges, "VirtualSpace::_high_boundary");
	s->committed_low = vm_lookup_offset(ranges, "VirtualSpace::_low");
	s->committed_high = vm_lookup_offset(ranges, "VirtualSpace::_high");

	uintptr_t young = 0;
	uintptr_t old = 0;
	if (spaces->missing != NULL ||
	    !vm_reader_pointer(&vm->reader, &young, vm->heap + young_at) ||
	    !vm_reader_pointer(&vm->reader, &old, vm->heap + old_at))
		return;
	s->space[VM_SPACE_EDEN] = young + eden;
	s->space[VM_SPACE_FROM] = young + from;
	s->space[VM_SPACE_TO] = young + to;
	s->space[VM_SPACE_OLD] = old + the;
	s->range[VM_YOUNG] = young + range;
	s->range[VM_OLD] = old + range;
}

/* The generations of a Parallel heap: static pointers, virtual spaces behind pointers that never
 * change. ImmutableSpace declares the ends in JDK 11. */
static void find_parallel(struct vm *vm, struct vm_lookup *spaces, struct vm_lookup *ranges)
{
	struct vm_spaces *s = &vm->spaces;
	const uintptr_t young_at = vm_lookup_static(spaces, "ParallelScavengeHeap::_young_gen");
	const uintptr_t old_at = vm_lookup_static(spaces, "ParallelScavengeHeap::_old_gen");
	const size_t eden = vm_lookup_offset(spaces, "PSYoungGen::_eden_space");
	const size_t from = vm_lookup_offset(spaces, "PSYoungGen::_from_space");
	const size_t to = vm_lookup_offset(spaces, "PSYoungGen::_to_space");
	const size_t object = vm_lookup_offset(spaces, "PSOldGen::_object_space");
	s->bottom = vm_lookup_offset(spaces, "MutableSpace::_bottom ImmutableSpace::_bottom");
	s->end = vm_lookup_offset(spaces, "MutableSpace::_end ImmutableSpace::_end");
	s->top = vm_lookup_offset(spaces, "MutableSpace::_top");
	const size_t young_range = vm_lookup_offset(ranges, "PSYoungGen::_virtual_space");
	const size_t old_range = vm_lookup_offset(ranges, "PSOldGen::_virtual_space");
	s->reserved_low = vm_lookup_offset(ranges, "PSVirtualSpace::_reserved_low_addr");
	s->reserved_high = vm_lookup_offset(ranges, "PSVirtualSpace::_reserved_high_addr");
	s->committed_low = vm_lookup_offset(ranges, "PSVirtualSpace::_committed_low_addr");
	s->committed_high = vm_lookup_offset(ranges, "PSVirtualSpace::_committed_high_addr");

	uintptr_t young = 0;
	uintptr_t old = 0;
	if (spaces->missing != NULL || !vm_reader_pointer(&vm->reader, &young, young_at) ||
	    !vm_reader_pointer(&vm->reader, &old, old_at))
		return;
	s->space[VM_SPACE_EDEN] = young + eden;
	s->space[VM_SPACE_FROM] = young + from;
	s->space[VM_SPACE_TO] = young + to;
	s->space[VM_SPACE_OLD] = old + object;
	if (ranges->missing != NULL ||
	    !vm_reader_pointer(&vm->reader, &s->range[VM_YOUNG], young + young_range) ||
	    !vm_reader_pointer(&vm->reader, &s->range[VM_OLD], old + old_range))
		s->range[VM_OLD] = 0;
}

/* Is the space ordered, word-aligned and inside the heap? Read safely: nothing is trusted yet. */
static bool space_sane(const struct vm *vm, enum vm_space_index index)
{
	const struct vm_spaces *s = &vm->spaces;
	uintptr_t space = 0;
	uintptr_t bottom = 0;
	uintptr_t top = 0;
	uintptr_t end = 0;
	if (s->space[index] == 0 || !vm_reader_pointer(&vm->reader, &space, s->space[index]) ||
	    !vm_reader_pointer(&vm->reader, &bottom, space + s->bottom) ||
	    !vm_reader_pointer(&vm->reader, &top, space + s->top) ||
	    !vm_reader_pointer(&vm->reader, &end, space + s->end))
		return false;
	return bottom % VM_WORD == 0 && bottom <= top && top <= end && vm->range.low <= bottom &&
	       end <= vm->range.high;
}

/* Does the generation's committed range lie in its reserved one, and that in the heap? */
static bool range_sane(const struct vm *vm, size_t generation)
{
	const struct vm_spaces *s = &vm->spaces;
	const uintptr_t at = s->range[generation];
	uintptr_t low = 0;
	uintptr_t high = 0;
	uintptr_t committed_low = 0;
	uintptr_t committed_high = 0;
	if (at == 0 || !vm_reader_pointer(&vm->reader, &low, at + s->reserved_low) ||
	    !vm_reader_pointer(&vm->reader, &high, at + s->reserved_high) ||
	    !vm_reader_pointer(&vm->reader, &committed_low, at + s->committed_low) ||
	    !vm_reader_pointer(&vm->reader, &committed_high, at + s->committed_high))
		return false;
	return vm->range.low <= low && low <= committed_low && committed_low <= committed_high &&
	       committed_high <= high && high <= vm->range.high && low < high;
}

static void set_missing(struct vm *vm, const char *reason)
{
	vm_set(vm, VM_GENERATION_SPACES, VM_MISSING, "%s", reason);
	vm_set(vm, VM_GENERATION_RANGES, VM_MISSING, "%s", reason);
}

static void set_unexported(struct vm *vm, const char *names)
{
	vm_set_unexported(vm, VM_GENERATION_SPACES, names);
	vm_set_unexported(vm, VM_GENERATION_RANGES, names);
}

/* Sets both capabilities from what was found and whether it bears the check. */
static void check(struct vm *vm, const char *unexported_range)
{
	int index = 0;
	while (index < VM_SPACE_COUNT && space_sane(vm, (enum vm_space_index)index))
		index++;
	if (index < VM_SPACE_COUNT)
		vm_set(vm, VM_GENERATION_SPACES, VM_MISSING,
		    "A space of the heap of HotSpot %s is not where its tables say.", vm->release);
	else
		vm_set(vm, VM_GENERATION_SPACES, VM_EXPORTED, "%s", "");

	if (unexported_range != NULL)
		vm_set_unexported(vm, VM_GENERATION_RANGES, unexported_range);
	else if (!range_sane(vm, VM_YOUNG) || !range_sane(vm, VM_OLD))
		vm_set(vm, VM_GENERATION_RANGES, VM_MISSING,
		    "A generation of HotSpot %s is not where its tables say.", vm->release);
	else
		vm_set(vm, VM_GENERATION_RANGES, VM_EXPORTED, "%s", "");
}

void vm_open_spaces(struct vm *vm)
{
	struct vm_lookup spaces = {.structs = &vm->structs};
	struct vm_lookup ranges = {.structs = &vm->structs};
	const bool serial = vm->collector == VM_COLLECTOR_SERIAL;
	if (!serial && vm->collector != VM_COLLECTOR_PARALLEL) {
		char reason[VM_REASON];
		(void)snprintf(reason, sizeof reason,
		    "The collector is %s; only Serial and Parallel have such spaces.",
		    vm_collector_name(vm->collector));
		set_missing(vm, reason);
		return;
	}
	if (!vm_has(vm, VM_HEAP_RANGE)) {
		set_missing(vm, vm->why[VM_HEAP_RANGE]);
		return;
	}
	if (serial)
		find_serial(vm, &spaces, &ranges);
	else
		find_parallel(vm, &spaces, &ranges);
	if (spaces.missing != NULL)
		set_unexported(vm, spaces.missing);
	else
		check(vm, ranges.missing);
}
