#include "vm_starts.h"

#include "vm_internal.h"

/* An entry of at least the words of a card is the logarithm, to the base of this many bits, of the
 * cards to go back (HotSpot's BOTConstants). */
enum { LOG_BASE = 4, LOG_CARDS = 40 };

/* The entry of a card on which no object begins, in the form VM_STARTS_LAST. */
enum { NONE_BEGINS = 0xff };

/* A table: its first entry, and the entry of address 0. */
struct table {
	uintptr_t first, base;
};

/* Serial: up to some release after 17 the JVM has the first entry, later the entry of address 0. */
static bool find_serial(struct vm *vm, struct vm_lookup *lookup, uint64_t low, struct table *t)
{
	const size_t old_at =
	    vm_lookup_offset(lookup, "SerialHeap::_old_gen GenCollectedHeap::_old_gen");
	const size_t table_at =
	    vm_lookup_offset(lookup, "TenuredGeneration::_bts CardGeneration::_bts");
	const size_t range_at = vm_lookup_offset(
	    lookup, "SerialBlockOffsetTable::_reserved BlockOffsetSharedArray::_reserved");
	const size_t space_at =
	    vm_lookup_offset(lookup, "SerialBlockOffsetTable::_vs BlockOffsetSharedArray::_vs");
	const size_t entries_at = vm_lookup_offset(
	    lookup, "SerialBlockOffsetTable::_offset_base BlockOffsetSharedArray::_offset_array");
	const size_t low_at = vm_lookup_offset(lookup, "VirtualSpace::_low_boundary");
	struct vm_field field;
	const bool biased =
	    vm_structs_field(lookup->structs, "SerialBlockOffsetTable::_offset_base", &field);
	struct vm_probe probe = {.reader = &vm->reader, .failed = lookup->missing != NULL};
	const uintptr_t old = vm_probe_word(&probe, vm->heap + old_at);
	const uintptr_t table = vm_probe_word(&probe, old + table_at);
	const uintptr_t start = vm_probe_word(&probe, table + range_at);
	const uintptr_t entries = vm_probe_word(&probe, table + entries_at);
	t->first = vm_probe_word(&probe, table + space_at + low_at);
	t->base = biased ? entries : entries - (low >> vm->starts.shift);
	return !probe.failed && start == low;
}

/*
 * Parallel: the table is not exported. In JDK 17 it is in the generation between two exported
 * fields, its last words being the first entry and the entry of address 0; in JDK 25 there is a
 * pointer to it: its space, and the entry of address 0.
 */
static bool find_parallel(struct vm *vm, struct vm_lookup *lookup, struct table *t)
{
	enum { WITHIN = 136, BEHIND = 16 };
	const uintptr_t old_at = vm_find_generation(vm, lookup, "ParallelScavengeHeap::_old_gen");
	const size_t before = vm_lookup_offset(lookup, "PSOldGen::_virtual_space");
	const size_t after = vm_lookup_offset(lookup, "PSOldGen::_object_space");
	const size_t low_at = vm_lookup_offset(lookup, "PSVirtualSpace::_reserved_low_addr");
	struct vm_probe probe = {.reader = &vm->reader, .failed = lookup->missing != NULL};
	const uintptr_t old = vm_probe_word(&probe, old_at);
	if (after - before == BEHIND) {
		const uintptr_t table = vm_probe_word(&probe, old + after - VM_WORD);
		t->first = vm_probe_word(&probe, vm_probe_word(&probe, table) + low_at);
		t->base = vm_probe_word(&probe, table + VM_WORD);
		return !probe.failed;
	}
	vm->starts.form = VM_STARTS_LAST;
	const uintptr_t first = vm_probe_word(&probe, old + before + 2 * VM_WORD + low_at);
	t->first = vm_probe_word(&probe, old + after - 2 * VM_WORD);
	t->base = vm_probe_word(&probe, old + after - VM_WORD);
	return !probe.failed && after - before == WITHIN && t->first == first;
}

void vm_open_starts(struct vm *vm)
{
	struct vm_lookup lookup = {.structs = &vm->structs};
	struct vm_starts *f = &vm->starts;
	struct table table = {0};
	struct vm_probe probe = {.reader = &vm->reader};
	if (!vm_has(vm, VM_GENERATION_RANGES) || !vm_has(vm, VM_CARDS)) {
		vm_set_like(
		    vm, VM_OBJECT_STARTS, vm_has(vm, VM_CARDS) ? VM_GENERATION_RANGES : VM_CARDS);
		return;
	}
	const struct vm_spaces *s = &vm->spaces;
	const bool serial = vm->collector == VM_COLLECTOR_SERIAL;
	const uintptr_t low = vm_probe_word(&probe, s->range[VM_OLD] + s->reserved_low);
	const uintptr_t high = vm_probe_word(&probe, s->range[VM_OLD] + s->reserved_high);
	*f = (struct vm_starts){.low = low, .high = high, .shift = vm->cards.shift};
	const bool found = !probe.failed && (serial ? find_serial(vm, &lookup, low, &table)
						    : find_parallel(vm, &lookup, &table));
	f->base = table.base;
	if (lookup.missing != NULL)
		vm_set_unexported(vm, VM_OBJECT_STARTS, lookup.missing);
	else if (!found || table.first == 0 || table.base + (low >> f->shift) != table.first)
		vm_set(vm, VM_OBJECT_STARTS, VM_MISSING,
		    "The table of object starts of HotSpot %s is not where this version of GCspy "
		    "looks for it.",
		    vm->release);
	else if (serial)
		vm_set_exported(vm, VM_OBJECT_STARTS);
	else
		vm_set(vm, VM_OBJECT_STARTS, VM_DERIVED,
		    "The words before PSOldGen::_object_space, by the layout of JDK %d.",
		    f->form == VM_STARTS_LAST ? 17 : 25);
}

/* Each entry is the offset of the last object that begins on its card, in words, if any. */
static uint64_t last_start(const struct vm_starts *f, uint64_t address)
{
	const uintptr_t lowest = f->base + (f->low >> f->shift);
	uintptr_t at = f->base + (address >> f->shift);
	while (at > lowest) {
		if (at % VM_WORD == 0 && at - lowest >= VM_WORD &&
		    vm_load_u64(at - VM_WORD) == UINT64_MAX) {
			at -= VM_WORD;
			continue;
		}
		const uint8_t words = vm_load_u8(--at);
		if (words < UINT64_C(1) << f->shift >> 3)
			return ((at - f->base) << f->shift) + (uint64_t)words * VM_WORD;
		if (words != NONE_BEGINS)
			return 0;
	}
	return address == f->low ? f->low : 0;
}

/* Each entry is the distance to go back from its card's border: in words, or in cards and on from
 * there. */
static uint64_t start_over(const struct vm_starts *f, uint64_t address)
{
	const uint64_t words = UINT64_C(1) << f->shift >> 3;
	uint64_t card = address >> f->shift;
	while (card >= f->low >> f->shift) {
		const uint8_t entry = vm_load_u8(f->base + card);
		if (entry < words)
			return (card << f->shift) - (uint64_t)entry * VM_WORD;
		const uint64_t power = (entry - words) * LOG_BASE;
		if (power >= LOG_CARDS || UINT64_C(1) << power > card)
			return 0;
		card -= UINT64_C(1) << power;
	}
	return 0;
}

uint64_t vm_start_before(const struct vm *vm, uint64_t address)
{
	const struct vm_starts *f = &vm->starts;
	if (address < f->low || address >= f->high ||
	    (address & ((UINT64_C(1) << f->shift) - 1)) != 0)
		return 0;
	const uint64_t start =
	    f->form == VM_STARTS_LAST ? last_start(f, address) : start_over(f, address);
	return start >= f->low && start <= address ? start : 0;
}
