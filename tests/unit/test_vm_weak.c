/* Weak references on a synthetic VM: where the object lies, for each collector's words (S8). */
#include <criterion/criterion.h>

#include "vm_internal.h"
#include "vm_weak.h"
#include "vm_world.h"
#include "vm_z.h"

static uint64_t slot;

static const void *weak(unsigned tag)
{
	return (const void *)((uintptr_t)&slot + tag);
}

static void expect(const struct vm *vm, uint64_t word, uint64_t address, bool exact)
{
	slot = word;
	const struct vm_position p = vm_weak_position(vm, weak(1));
	cr_assert_eq(p.address, address, "%#llx: %#llx", (unsigned long long)word,
	    (unsigned long long)p.address);
	cr_assert_eq(p.exact, exact, "%#llx", (unsigned long long)word);
}

Test(vm_weak, plain_words_are_addresses)
{
	void (*const worlds[])(void) = {world_build_g1, world_build_serial, world_build_epsilon};
	for (size_t i = 0; i < sizeof worlds / sizeof worlds[0]; i++) {
		worlds[i]();
		struct vm *vm = world_open();
		cr_assert(vm_has(vm, VM_WEAK_POSITIONS), "%s", vm_why(vm, VM_WEAK_POSITIONS));
		cr_assert_str_eq(vm_why(vm, VM_WEAK_POSITIONS), "The word after a weak reference.");
		expect(vm, HEAP, HEAP, true);
		expect(vm, HEAP + 0x1238, HEAP + 0x1238, true);
		expect(vm, 0, 0, false); /* cleared */
		expect(vm, HEAP - 8, 0, false);
		expect(vm, vm_heap_range(vm).high, 0, false);
		vm_close(vm);
	}
}

/* Local and strong references, and what is none, are not followed. */
Test(vm_weak, only_weak_references_are_read)
{
	world_build_g1();
	struct vm *vm = world_open();
	slot = HEAP + 8;
	for (unsigned tag = 0; tag < 8; tag++)
		cr_assert_eq(
		    vm_weak_position(vm, weak(tag)).address, tag == 1 ? HEAP + 8 : 0, "%u", tag);
	cr_assert_eq(vm_weak_position(vm, NULL).address, 0);
	vm_close(vm);
}

Test(vm_weak, colours_above_the_offset)
{
	enum { OFFSET = 3 << 20 };
	const uint64_t marked0 = UINT64_C(1) << 42, marked1 = UINT64_C(2) << 42;
	const uint64_t remapped = UINT64_C(4) << 42, final = UINT64_C(8) << 42;
	world_build_z(17);
	struct vm *vm = world_open();
	cr_assert(vm_has(vm, VM_WEAK_POSITIONS), "%s", vm_why(vm, VM_WEAK_POSITIONS));
	const uint64_t heap = vm_heap_range(vm).low;
	world.z_bad = marked1 | remapped; /* it is being marked with the first colour */
	expect(vm, marked0 | OFFSET, heap + OFFSET, true);
	expect(vm, marked1 | OFFSET, heap + OFFSET, false);
	expect(vm, remapped | OFFSET, heap + OFFSET, true); /* nothing has moved since */
	expect(vm, marked0 | final | OFFSET, heap + OFFSET, true);
	expect(vm, remapped, heap, true); /* the very first object */
	expect(vm, 0, 0, false);
	expect(vm, marked0 | (uint64_t)GRANULES * GRANULE, 0, false);
	world.z_bad = marked0 | marked1; /* it is being relocated */
	expect(vm, marked0 | OFFSET, heap + OFFSET, false);
	expect(vm, remapped | OFFSET, heap + OFFSET, true);
	vm_close(vm);
}

/* The address begins after the remapped bit that is set, or after all four. What is bad is what good
 * references have not. */
static void expect_colours(const char *machine, bool varies, uint64_t inverted)
{
	enum { OFFSET = 5 << 20, OTHERS = 0xa30 };
	world_build_z(25);
	struct vm *vm = world_open();
	vm->machine = vm_machine_named(machine);
	cr_assert(vm_has(vm, VM_WEAK_POSITIONS), "%s", vm_why(vm, VM_WEAK_POSITIONS));
	const uint64_t heap = vm_heap_range(vm).low, address = heap + OFFSET;
	for (unsigned good = 0; good < 4; good++) {
		world.z_bad = 0xf000 ^ (UINT64_C(0x1000) << good ^ inverted);
		for (unsigned set = 0; set < 4; set++) {
			const unsigned shift = varies ? 13 + set : 16;
			const uint64_t colour = (UINT64_C(0x1000) << set ^ inverted) | OTHERS;
			expect(vm, address << shift | colour, address, good == set);
			expect(vm, colour, 0, false); /* a dead object's */
		}
	}
	expect(vm, 0, 0, false);
	expect(vm, address << 16 | (0x3000 ^ inverted), 0, false); /* no reference has two */
	expect(vm, address << 16 | inverted, 0, false);
	vm_close(vm);
}

Test(vm_weak, colours_below_the_address)
{
	expect_colours("x86-64", true, 0);
	expect_colours("aarch64", false, 0xf000);
	expect_colours("another", false, 0);
}

Test(vm_weak, is_missing_without_what_it_needs)
{
	world_build_z(17);
	world_hide_field("ZGlobalsForVMStructs", "_ZAddressBadMask");
	struct vm *vm = world_open();
	cr_assert_str_eq(vm_why(vm, VM_WEAK_POSITIONS),
	    "HotSpot 17.0.99+1 does not export which references of ZGC are out of date.");
	slot = vm_heap_range(vm).low;
	cr_assert_eq(vm_weak_position(vm, weak(1)).address, 0);
	vm_close(vm);
	world_build_g1();
	world_hide_field("CollectedHeap", "_reserved");
	vm = world_open();
	cr_assert_not(vm_has(vm, VM_WEAK_POSITIONS));
	cr_assert_str_eq(vm_why(vm, VM_WEAK_POSITIONS), vm_why(vm, VM_HEAP_RANGE));
	vm_close(vm);
}
