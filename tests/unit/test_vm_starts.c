/* The JVM's table of object starts (H5), as each collector keeps it. */
#include <criterion/criterion.h>
#include <string.h>

#include "heap_image.h"
#include "vm_starts.h"

enum { OLD_AT = 0x4000, ENTRIES = 96 };

static struct vm *vm;
static _Alignas(8) unsigned char entries[ENTRIES];
static uint64_t table[20], space[8];

static uint64_t old_low(void)
{
	return image_low() + OLD_AT;
}

static uintptr_t base(void)
{
	return (uintptr_t)entries - old_low() / IMAGE_CARD;
}

/* The image is the heap, its old generation begins at OLD_AT. */
static void build(void)
{
	world_build_serial();
	image_build(VM_KLASS_NARROW, 8);
	image_as_heap();
	image_build_cards();
	const uint64_t end = image_low() + sizeof image.words;
	const uint64_t young[4] = {image_low(), old_low(), image_low(), old_low()};
	const uint64_t old[4] = {old_low(), end, old_low(), end};
	memcpy(world.young, young, sizeof young);
	memcpy(world.old, old, sizeof old);
	memset(entries, 0, sizeof entries);
}

/* In word 5 of the generation, as JDK 17 and 25 have it. */
static void build_serial(bool biased)
{
	build();
	const char *const type = biased ? "SerialBlockOffsetTable" : "BlockOffsetSharedArray";
	world.old[5] = (uintptr_t)table;
	table[0] = old_low();
	table[2] = (uintptr_t)entries;
	table[10] = biased ? base() : (uintptr_t)entries;
	world_add_field(biased ? "TenuredGeneration" : "CardGeneration", "_bts", 40);
	world_add_field(type, "_reserved", 0);
	world_add_field(type, "_vs", 16);
	world_add_field(type, biased ? "_offset_base" : "_offset_array", 80);
}

static uint64_t before(uint64_t card)
{
	return vm_start_before(vm, old_low() + card * IMAGE_CARD) - old_low();
}

Test(vm_starts, serial_says_how_far_to_go_back)
{
	for (int biased = 0; biased < 2; biased++) {
		build_serial(biased != 0);
		vm = world_open();
		cr_assert_eq(vm_support(vm, VM_OBJECT_STARTS), VM_EXPORTED, "%s",
		    vm_why(vm, VM_OBJECT_STARTS));
		entries[1] = 3;   /* words before the border */
		entries[2] = 64;  /* one card, and on from there */
		entries[30] = 65; /* sixteen cards */
		entries[14] = 5;
		entries[40] = 66; /* 256: before the beginning */
		cr_assert_eq(before(0), 0);
		cr_assert_eq(before(1), IMAGE_CARD - 24);
		cr_assert_eq(before(2), IMAGE_CARD - 24);
		cr_assert_eq(before(30), 14 * IMAGE_CARD - 40);
		cr_assert_eq(vm_start_before(vm, old_low() + 40 * IMAGE_CARD), 0);
		cr_assert_eq(vm_start_before(vm, old_low() + 8), 0, "no border");
		cr_assert_eq(vm_start_before(vm, old_low() - IMAGE_CARD), 0, "not in it");
		vm_close(vm);
	}
}

/* Parallel of JDK 17 has the table in the generation, that of 25 a pointer to it. */
static void build_parallel(bool within)
{
	static uint64_t *generation;
	build();
	generation = table;
	world.serial = 0;
	world.parallel = 1;
	world_add_static("ParallelScavengeHeap", "_old_gen", &generation);
	world_add_static("ParallelScavengeHeap", "_young_gen", &generation);
	world_add_field("PSYoungGen", "_eden_space", 8);
	world_add_field("PSYoungGen", "_from_space", 8);
	world_add_field("PSYoungGen", "_to_space", 8);
	world_add_field("PSYoungGen", "_virtual_space", 8);
	world_add_field("PSOldGen", "_virtual_space", 8);
	world_add_field("PSOldGen", "_object_space", within ? 144 : 24);
	world_add_field("MutableSpace", "_bottom", 0);
	world_add_field("MutableSpace", "_end", 8);
	world_add_field("MutableSpace", "_top", 16);
	world_add_field("PSVirtualSpace", "_reserved_low_addr", 0);
	world_add_field("PSVirtualSpace", "_reserved_high_addr", 8);
	world_add_field("PSVirtualSpace", "_committed_low_addr", 16);
	world_add_field("PSVirtualSpace", "_committed_high_addr", 24);
	memset(table, 0, sizeof table);
	table[1] = (uintptr_t)world.old;
	space[0] = (uintptr_t)entries;
	space[4] = (uintptr_t)space;
	space[5] = base();
	table[within ? 18 : 3] = (uintptr_t)world.space[3];
	if (within) {
		table[3] = (uintptr_t)entries;
		table[16] = (uintptr_t)entries;
		table[17] = base();
	} else {
		table[2] = (uintptr_t)&space[4];
	}
}

Test(vm_starts, parallel_is_found_by_its_place)
{
	for (int within = 0; within < 2; within++) {
		build_parallel(within != 0);
		vm = world_open();
		cr_assert_eq(vm_support(vm, VM_OBJECT_STARTS), VM_DERIVED, "%s",
		    vm_why(vm, VM_OBJECT_STARTS));
		memset(entries, 0xff, sizeof entries);
		entries[0] = 0;
		entries[1] = within ? 63 : 1;
		entries[2] = within ? 2 : 64;
		cr_assert_eq(before(0), 0);
		cr_assert_eq(before(2), within ? 2 * IMAGE_CARD - 8 : IMAGE_CARD - 8);
		if (within) {
			cr_assert_eq(before(40), 2 * IMAGE_CARD + 16, "none begins in between");
			entries[20] = 100;
			cr_assert_eq(vm_start_before(vm, old_low() + 40 * IMAGE_CARD), 0);
		}
		vm_close(vm);
	}
}

Test(vm_starts, are_missing_where_the_table_does_not_fit)
{
	build_serial(true);
	table[10]++;
	vm = world_open();
	cr_assert_not(vm_has(vm, VM_OBJECT_STARTS), "the base");
	cr_assert_not_null(strstr(vm_why(vm, VM_OBJECT_STARTS), "object starts"));
	vm_close(vm);
	build_serial(true);
	table[0] += 512;
	vm = world_open();
	cr_assert_not(vm_has(vm, VM_OBJECT_STARTS), "another range");
	vm_close(vm);
	build_parallel(true);
	table[16] += 8;
	vm = world_open();
	cr_assert_not(vm_has(vm, VM_OBJECT_STARTS), "another space");
	vm_close(vm);
	build();
	vm = world_open();
	cr_assert_not(vm_has(vm, VM_OBJECT_STARTS), "not exported");
	vm_close(vm);
}
