/* The captures of the VM module: regions, spaces, allocation buffers, counts, on a synthetic VM. */
#include <criterion/criterion.h>
#include <string.h>

#include "vm_gc.h"
#include "vm_heap.h"
#include "vm_tlab.h"
#include "vm_world.h"

Test(vm_g1, decodes_regions)
{
	world_build_g1();
	struct vm *vm = world_open();
	struct vm_region_layout layout;
	struct vm_g1_region region[REGIONS + 1];
	cr_assert(vm_g1_layout(vm, &layout), "%s", vm_why(vm, VM_G1_REGIONS));
	cr_assert_eq(layout.heap, HEAP);
	cr_assert_eq(layout.region_bytes, GRAIN);
	cr_assert_eq(layout.regions, REGIONS);
	cr_assert_eq(vm_g1_regions(vm, region, REGIONS + 1), REGIONS);
	for (size_t i = 0; i < REGIONS; i++) {
		cr_assert_eq(region[i].type, WORLD_REGION[i].type, "region %zu", i);
		cr_assert_eq(region[i].used, WORLD_REGION[i].used, "region %zu", i);
	}
	world.region[1][3] = UINT64_C(7) << 32; /* a tag that the JVM did not export */
	cr_assert_eq(vm_g1_regions(vm, region, 2), 2);
	cr_assert_eq(region[1].type, VM_G1_OTHER);
	cr_assert_eq(vm_g1_committed(vm), 7 * GRAIN);
	vm_close(vm);
}

/* JDK 25 renamed the types, renumbered the tags and has no archive regions. */
Test(vm_g1, decodes_the_names_and_tags_of_jdk_25)
{
	world_build_g1();
	for (size_t i = 0; i < world.field_count; i++) {
		const char *type = world.fields[i].type;
		if (strcmp(type, "HeapRegion") == 0)
			world.fields[i].type = "G1HeapRegion";
		else if (strcmp(type, "HeapRegionManager") == 0)
			world.fields[i].type = "G1HeapRegionManager";
		else if (strcmp(type, "HeapRegionType") == 0)
			world.fields[i].type = "G1HeapRegionType";
		else if (strcmp(world.fields[i].name, "_g1mm") == 0)
			world.fields[i].name = "_monitoring_support";
	}
	static const struct int_row TAGS[] = {{0, "G1HeapRegionType::FreeTag"},
	    {2, "G1HeapRegionType::EdenTag"}, {3, "G1HeapRegionType::SurvTag"},
	    {4, "G1HeapRegionType::StartsHumongousTag"},
	    {5, "G1HeapRegionType::ContinuesHumongousTag"}, {8, "G1HeapRegionType::OldMask"}};
	static const uint32_t TAG[REGIONS] = {0, 2, 3, 8, 4, 5, 8, 0};
	memset(world.ints, 0, sizeof world.ints);
	memcpy(world.ints, TAGS, sizeof TAGS);
	for (size_t i = 0; i < REGIONS; i++)
		world.region[i][3] = (uint64_t)TAG[i] << 32;
	struct vm *vm = world_open();
	struct vm_g1_region region[REGIONS];
	cr_assert_eq(vm_g1_regions(vm, region, REGIONS), REGIONS, "%s", vm_why(vm, VM_G1_REGIONS));
	for (size_t i = 0; i < REGIONS; i++) {
		const enum vm_g1_type old = WORLD_REGION[i].type;
		cr_assert_eq(region[i].type, old == VM_G1_ARCHIVE ? VM_G1_OLD : old);
	}
	cr_assert_eq(vm_g1_committed(vm), 7 * GRAIN);
	vm_close(vm);
}

Test(vm_g1, says_what_is_not_exported)
{
	world_build_g1();
	world_hide_field("HeapRegion", "_type");
	struct vm *vm = world_open();
	struct vm_g1_region region;
	cr_assert_not(vm_has(vm, VM_G1_REGIONS));
	cr_assert_str_eq(
	    vm_why(vm, VM_G1_REGIONS), "HotSpot 17.0.99+1 does not export G1HeapRegion::_type.");
	cr_assert_eq(vm_g1_regions(vm, &region, 1), 0);
	cr_assert(vm_has(vm, VM_G1_COMMITTED), "one capability does not take another along");
	vm_close(vm);
}

Test(vm_g1, a_region_in_the_wrong_place_turns_regions_off)
{
	world_build_g1();
	world.region[3][0] += 8;
	struct vm *vm = world_open();
	cr_assert_not(vm_has(vm, VM_G1_REGIONS));
	vm_close(vm);

	world_build_g1();
	world.region_table[2] = (uint64_t *)8; /* not mapped: must not crash */
	vm = world_open();
	cr_assert_not(vm_has(vm, VM_G1_REGIONS));
	cr_assert(vm_has(vm, VM_TLABS));
	vm_close(vm);

	world_build_g1();
	world.heap[14] = REGIONS - 1; /* fewer regions than the heap reserves */
	vm = world_open();
	cr_assert_not(vm_has(vm, VM_G1_REGIONS));
	vm_close(vm);
}

Test(vm_heap, follows_the_swap_of_the_survivors)
{
	world_build_serial();
	struct vm *vm = world_open();
	struct vm_generations g;
	cr_assert(vm_has(vm, VM_GENERATION_SPACES), "%s", vm_why(vm, VM_GENERATION_SPACES));
	cr_assert(vm_has(vm, VM_GENERATION_RANGES), "%s", vm_why(vm, VM_GENERATION_RANGES));
	cr_assert_not(vm_has(vm, VM_G1_REGIONS));
	vm_generations(vm, &g);
	cr_assert_eq(g.eden.bottom, HEAP);
	cr_assert_eq(g.eden.top, HEAP + 0x1000);
	cr_assert_eq(g.eden.end, HEAP + 0x2000);
	cr_assert_eq(g.from.top, HEAP + 0x2008);
	cr_assert_eq(g.old.top, HEAP + 0x5000);
	cr_assert_eq(g.old_committed.high, HEAP + 0x6000);
	cr_assert_eq(g.old_reserved.high, HEAP + 0x8000);
	cr_assert_eq(g.young_reserved.low, HEAP);
	world.young[5] = (uintptr_t)world.space[2];
	world.young[6] = (uintptr_t)world.space[1];
	vm_generations(vm, &g);
	cr_assert_eq(g.from.bottom, HEAP + 0x3000);
	cr_assert_eq(g.to.bottom, HEAP + 0x2000);
	vm_close(vm);
}

Test(vm_heap, a_space_outside_the_heap_turns_spaces_off)
{
	world_build_serial();
	world.space[0][1] = HEAP + REGIONS * (uint64_t)GRAIN + 8;
	struct vm *vm = world_open();
	struct vm_generations g;
	cr_assert_not(vm_has(vm, VM_GENERATION_SPACES));
	cr_assert(vm_has(vm, VM_GENERATION_RANGES));
	vm_generations(vm, &g);
	cr_assert_eq(g.eden.end, 0);
	cr_assert_eq(g.young_reserved.low, HEAP);
	vm_close(vm);
}

Test(vm_tlab, walks_the_list)
{
	world_build_g1();
	struct vm *vm = world_open();
	struct vm_tlab tlab[3];
	size_t total = 0;
	cr_assert_eq(vm_tlabs(vm, tlab, 3, &total), 2, "%s", vm_why(vm, VM_TLAB_LIST));
	cr_assert_eq(total, 2);
	cr_assert_eq(tlab[0].start, 0);
	cr_assert_eq(tlab[0].hard_end, 0, "a thread without a buffer");
	cr_assert_eq(tlab[1].thread, (uintptr_t)world.thread[1]);
	cr_assert_eq(tlab[1].start, HEAP);
	cr_assert_eq(tlab[1].top, HEAP + 0x100);
	cr_assert_eq(tlab[1].end, HEAP + 0x200);
	cr_assert_eq(tlab[1].hard_end, HEAP + 0x410, "two words of reserve after it");
	cr_assert_eq(tlab[1].desired_bytes, 0x400);
	cr_assert_eq(tlab[1].refills, 3);
	cr_assert_eq(tlab[1].refill_waste_bytes, 32);
	cr_assert_eq(tlab[1].gc_waste_bytes, 40);
	cr_assert_eq(tlab[1].slow_allocations, 6);
	cr_assert_eq(tlab[1].allocated_bytes, 123456);
	cr_assert_eq(vm_tlabs(vm, tlab, 1, &total), 1);
	cr_assert_eq(total, 2, "the caller learns what did not fit");
	vm_close(vm);
}

Test(vm_tlab, one_thread_is_read_safely)
{
	world_build_g1();
	struct vm *vm = world_open();
	struct vm_tlab tlab;
	const uint64_t thread = (uintptr_t)world.thread[1];
	cr_assert(vm_tlab_of(vm, thread, &tlab));
	cr_assert_eq(tlab.top, HEAP + 0x100);
	cr_assert_not(vm_tlab_of(vm, 4096, &tlab), "nothing is mapped there");
	cr_assert_not(vm_tlab_of(vm, 0, &tlab));
	world.thread[1][3] = HEAP + 0x300; /* the top beyond the end: read while it changed */
	cr_assert_not(vm_tlab_of(vm, thread, &tlab));
	vm_close(vm);
}

Test(vm_gc, counts_and_causes)
{
	char cause[32];
	struct vm_gc_counts counts;
	world_build_g1();
	struct vm *vm = world_open();
	vm_gc_counts(vm, &counts);
	cr_assert_eq(counts.total, 5);
	cr_assert_eq(counts.full, 2);
	cr_assert_eq(vm_gc_cause(vm, VM_GC_START, cause, sizeof cause), 18);
	cr_assert_str_eq(cause, "Allocation Failure");
	cr_assert_eq(vm_gc_cause(vm, VM_GC_START, cause, 4), 3);
	cr_assert_str_eq(cause, "All");
	world_set_causes("No GC", "System.gc()");
	cr_assert_eq(vm_gc_cause(vm, VM_GC_FINISH, cause, sizeof cause), 0,
	    "G1's lastCause belongs to another pause");
	vm_close(vm);

	world_build_serial();
	world.types[1].size = 97; /* an unknown layout: the counter of PerfData stands in */
	world_set_causes("No GC", "System.gc()");
	vm = world_open();
	vm_gc_counts(vm, &counts);
	cr_assert_eq(counts.full, 7);
	cr_assert_eq(vm_gc_cause(vm, VM_GC_START, cause, sizeof cause), 0);
	cr_assert_eq(vm_gc_cause(vm, VM_GC_FINISH, cause, sizeof cause), 11);
	cr_assert_str_eq(cause, "System.gc()");
	vm_close(vm);

	memset(world.perf, 0, sizeof world.perf); /* and without PerfData its values */
	vm = world_open();
	vm_gc_counts(vm, &counts);
	cr_assert_eq(counts.full, 2);
	cr_assert(counts.caused == false && vm_has(vm, VM_GC_KINDS));
	world.heap[3] = 2;
	vm_gc_counts(vm, &counts);
	cr_assert(counts.caused);
	vm_close(vm);
	world.heap[3] = 123456789; /* the VM thread's processor time, as in JDK 26 */
	world.heap[4] = 10 | UINT64_C(1) << 32;
	vm = world_open();
	vm_gc_counts(vm, &counts);
	cr_assert(counts.full == 2 && !counts.caused && vm_has(vm, VM_GC_KINDS));
	vm_close(vm);
	world.heap[4] = 0;
	static const uint64_t others[] = {0, 64 | UINT64_C(1) << 32, 10 | UINT64_C(64) << 32};
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
		world.heap[3] = others[i]; /* no causes */
		vm = world_open();
		cr_assert_not(vm_has(vm, VM_GC_FULL_COUNT));
		cr_assert_not(vm_has(vm, VM_GC_KINDS));
		vm_close(vm);
	}
}
