#include "vm_heap.h"

#include "vm_internal.h"
#include "vm_shenandoah.h"
#include "vm_z.h"

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

/* A Serial heap: pointers to generations in the heap object, virtual spaces inside those. The
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

	struct vm_probe probe = {.reader = &vm->reader, .failed = spaces->missing != NULL};
	const uintptr_t young = vm_probe_word(&probe, vm->heap + young_at);
	const uintptr_t old = vm_probe_word(&probe, vm->heap + old_at);
	if (probe.failed)
		return;
	s->space[VM_SPACE_EDEN] = young + eden;
	s->space[VM_SPACE_FROM] = young + from;
	s->space[VM_SPACE_TO] = young + to;
	s->space[VM_SPACE_OLD] = old + the;
	s->range[VM_YOUNG] = young + range;
	s->range[VM_OLD] = old + range;
}

uintptr_t vm_find_generation(const struct vm *vm, struct vm_lookup *lookup, const char *name)
{
	struct vm_field field;
	if (vm_structs_field(lookup->structs, name, &field) && !field.is_static)
		return vm->heap + field.offset;
	return vm_lookup_static(lookup, name);
}

/* A Parallel heap: pointers to generations, virtual spaces behind pointers that never change.
 * ImmutableSpace declares the ends in JDK 11. */
static void find_parallel(struct vm *vm, struct vm_lookup *spaces, struct vm_lookup *ranges)
{
	struct vm_spaces *s = &vm->spaces;
	const uintptr_t young_at =
	    vm_find_generation(vm, spaces, "ParallelScavengeHeap::_young_gen");
	const uintptr_t old_at = vm_find_generation(vm, spaces, "ParallelScavengeHeap::_old_gen");
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

	struct vm_probe probe = {.reader = &vm->reader, .failed = spaces->missing != NULL};
	const uintptr_t young = vm_probe_word(&probe, young_at);
	const uintptr_t old = vm_probe_word(&probe, old_at);
	if (probe.failed)
		return;
	s->space[VM_SPACE_EDEN] = young + eden;
	s->space[VM_SPACE_FROM] = young + from;
	s->space[VM_SPACE_TO] = young + to;
	s->space[VM_SPACE_OLD] = old + object;
	probe.failed = ranges->missing != NULL;
	s->range[VM_YOUNG] = vm_probe_word(&probe, young + young_range);
	s->range[VM_OLD] = vm_probe_word(&probe, old + old_range);
}

/* Is the space ordered, word-aligned and inside the heap? */
static bool space_sane(const struct vm *vm, enum vm_space_index index)
{
	const struct vm_spaces *s = &vm->spaces;
	struct vm_probe probe = {.reader = &vm->reader, .failed = s->space[index] == 0};
	const uintptr_t space = vm_probe_word(&probe, s->space[index]);
	const uintptr_t bottom = vm_probe_word(&probe, space + s->bottom);
	const uintptr_t top = vm_probe_word(&probe, space + s->top);
	const uintptr_t end = vm_probe_word(&probe, space + s->end);
	return !probe.failed && bottom % VM_WORD == 0 && bottom <= top && top <= end &&
	       vm->range.low <= bottom && end <= vm->range.high;
}

/* Is the generation's committed range in its reserved one, and that in the heap? */
static bool range_sane(const struct vm *vm, size_t generation)
{
	const struct vm_spaces *s = &vm->spaces;
	const uintptr_t at = s->range[generation];
	struct vm_probe probe = {.reader = &vm->reader, .failed = at == 0};
	const uintptr_t low = vm_probe_word(&probe, at + s->reserved_low);
	const uintptr_t high = vm_probe_word(&probe, at + s->reserved_high);
	const uintptr_t committed_low = vm_probe_word(&probe, at + s->committed_low);
	const uintptr_t committed_high = vm_probe_word(&probe, at + s->committed_high);
	return !probe.failed && vm->range.low <= low && low <= committed_low &&
	       committed_low <= committed_high && committed_high <= high &&
	       high <= vm->range.high && low < high;
}

/* Sets both capabilities, after checking what was found. */
static void check(struct vm *vm, const char *unexported_range)
{
	int index = 0;
	while (index < VM_SPACE_COUNT && space_sane(vm, (enum vm_space_index)index))
		index++;
	if (index < VM_SPACE_COUNT)
		vm_set(vm, VM_GENERATION_SPACES, VM_MISSING,
		    "A space of the heap of HotSpot %s is not where its tables say.", vm->release);
	else
		vm_set_exported(vm, VM_GENERATION_SPACES);

	if (unexported_range != NULL)
		vm_set_unexported(vm, VM_GENERATION_RANGES, unexported_range);
	else if (!range_sane(vm, VM_YOUNG) || !range_sane(vm, VM_OLD))
		vm_set(vm, VM_GENERATION_RANGES, VM_MISSING,
		    "A generation of HotSpot %s is not where its tables say.", vm->release);
	else
		vm_set_exported(vm, VM_GENERATION_RANGES);
}

void vm_open_spaces(struct vm *vm)
{
	struct vm_lookup spaces = {.structs = &vm->structs};
	struct vm_lookup ranges = {.structs = &vm->structs};
	const bool serial = vm->collector == VM_COLLECTOR_SERIAL;
	if (!serial && vm->collector != VM_COLLECTOR_PARALLEL) {
		vm_set_missing(vm, VM_GENERATION_SPACES, VM_GENERATION_RANGES,
		    "The collector is %s; only Serial and Parallel have such spaces.",
		    vm_collector_name(vm->collector));
		return;
	}
	if (!vm_require(vm, vm->collector, VM_GENERATION_SPACES, VM_GENERATION_RANGES))
		return;
	if (serial)
		find_serial(vm, &spaces, &ranges);
	else
		find_parallel(vm, &spaces, &ranges);
	if (spaces.missing == NULL) {
		check(vm, ranges.missing);
		return;
	}
	vm_set_unexported(vm, VM_GENERATION_SPACES, spaces.missing);
	vm_set_like(vm, VM_GENERATION_RANGES, VM_GENERATION_SPACES);
}

uint64_t vm_used(const struct vm *vm)
{
	struct vm_generations g;
	struct vm_z_totals z;
	switch (vm_collector(vm)) {
	case VM_COLLECTOR_SERIAL:
	case VM_COLLECTOR_PARALLEL:
		vm_generations(vm, &g);
		return g.eden.top - g.eden.bottom + g.from.top - g.from.bottom + g.to.top -
		       g.to.bottom + g.old.top - g.old.bottom;
	case VM_COLLECTOR_G1:
		return vm->g1.used == 0 ? 0 : vm_load_u64(vm->g1.used);
	case VM_COLLECTOR_SHENANDOAH:
		return vm_shenandoah_used(vm);
	case VM_COLLECTOR_ZGC:
		vm_z_totals(vm, &z);
		return z.used;
	default:
		return 0;
	}
}
