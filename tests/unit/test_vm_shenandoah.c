/* The regions of Shenandoah and the space of Epsilon on a synthetic VM (H3, H7). */
#include <criterion/criterion.h>
#include <string.h>

#include "vm_epsilon.h"
#include "vm_gc.h"
#include "vm_heap.h"
#include "vm_shenandoah.h"
#include "vm_world.h"

static const int JDKS[] = {17, 25};

Test(vm_shenandoah, decodes_regions)
{
	for (size_t i = 0; i < 2; i++) {
		world_build_shenandoah(JDKS[i]);
		uint64_t *const used[] = {&world.heap[10], &world_marks.generation[24]};
		struct vm *vm = world_open();
		struct vm_region_layout layout;
		struct vm_shenandoah_region region[REGIONS];
		struct vm_shenandoah_totals totals;
		cr_assert(
		    vm_shenandoah_layout(vm, &layout), "%s", vm_why(vm, VM_SHENANDOAH_REGIONS));
		cr_assert_eq(layout.heap, HEAP);
		cr_assert_eq(layout.region_bytes, GRAIN);
		cr_assert_eq(layout.regions, REGIONS);
		cr_assert_eq(vm_shenandoah_regions(vm, region, REGIONS), REGIONS);
		for (uint32_t k = 0; k < REGIONS; k++) {
			cr_assert_eq(region[k].state, WORLD_STATE[k]);
			cr_assert_eq(region[k].used, k < 2 ? 0 : 4096 * k);
			cr_assert_eq(region[k].live, k < 2 ? 0 : 2048 * k);
			cr_assert_eq(region[k].age, JDKS[i] == 25 ? k : 0);
		}
		cr_assert_eq(vm_shenandoah_regions(vm, region, 3), 3);
		vm_shenandoah_totals(vm, &totals);
		cr_assert_eq(totals.used, 120000);
		cr_assert_eq(totals.committed, 7 * GRAIN);
		cr_assert_eq(vm_used(vm), 120000);
		world.region_table[5][3] = 9; /* trash */
		cr_assert_eq(vm_used(vm), 120000 - 5 * 4096, "counted until it is recycled");
		*used[i] -= 5 * 4096;
		cr_assert_eq(vm_used(vm), 120000 - 5 * 4096, "not counted by JDK 26 and later");
		cr_assert_eq(vm_support(vm, VM_SHENANDOAH_LIVE), VM_DERIVED);
		cr_assert_eq(vm_has(vm, VM_SHENANDOAH_AGE), JDKS[i] == 25);
		vm_close(vm);
	}
}

Test(vm_shenandoah, counts_the_states_that_tell_pauses_apart)
{
	world_build_shenandoah(17);
	struct vm *vm = world_open();
	struct vm_shenandoah_census census;
	world.region_table[1][3] = 8; /* pinned, in the collection set */
	world.region_table[2][3] = 9; /* trash */
	world.region_table[3][3] = 15;
	vm_shenandoah_census(vm, true, &census);
	cr_assert(census.known && census.live_known);
	cr_assert_eq(census.uncommitted, 1);
	cr_assert_eq(census.collected, 2);
	cr_assert_eq(census.trash, 1);
	cr_assert_eq(census.live, 2048 * (2 + 3 + 4 + 5 + 6 + 7));
	struct vm_shenandoah_region region[REGIONS];
	vm_shenandoah_regions(vm, region, REGIONS);
	cr_assert_eq(region[3].state, VM_SHENANDOAH_OTHER);
	vm_shenandoah_census(vm, false, &census);
	cr_assert(census.known && !census.live_known);
	vm_close(vm);
}

Test(vm_shenandoah, the_cause_tells_how_it_collects)
{
	static const struct {
		const char *cause;
		enum vm_gc_way way;
	} ways[] = {
	    {"Concurrent GC", VM_GC_WAY_CONCURRENT},
	    {"System.gc()", VM_GC_WAY_CONCURRENT},
	    {"Allocation Failure", VM_GC_WAY_FAILED},
	    {"unknown GCCause", VM_GC_WAY_FAILED}, /* humongous, in JDK 25 */
	    {"Upgrade To Full GC", VM_GC_WAY_FULL},
	    {"Metadata GC Threshold", VM_GC_WAY_FULL}, /* its flag is not there: false */
	    {"No GC", VM_GC_WAY_UNKNOWN},
	};
	world_build_shenandoah(17);
	struct vm *vm = world_open();
	struct vm_gc_signs signs;
	for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
		world_set_causes(ways[i].cause, "No GC");
		vm_gc_signs(vm, (struct vm_gc_ask){0}, &signs);
		cr_assert_eq(signs.way, ways[i].way, "%s", ways[i].cause);
		cr_assert_not(signs.census.known, "nobody asked");
	}
	vm_gc_signs(vm, (struct vm_gc_ask){.regions = true}, &signs);
	cr_assert(signs.census.known);
	cr_assert_not(vm_gc_generational(vm));
	vm_close(vm);

	world_build_shenandoah(25);
	world.explicit_concurrent = 0;
	world.shenandoah_mode = "generational";
	vm = world_open();
	world_set_causes("System.gc()", "No GC");
	vm_gc_signs(vm, (struct vm_gc_ask){0}, &signs);
	cr_assert_eq(signs.way, VM_GC_WAY_FULL);
	cr_assert(vm_gc_generational(vm));
	vm_close(vm);
}

Test(vm_shenandoah, says_what_is_wrong)
{
	world_build_shenandoah(17);
	world_hide_field("ShenandoahHeapRegion", "_state");
	struct vm *vm = world_open();
	struct vm_shenandoah_region region;
	struct vm_shenandoah_census census;
	cr_assert_str_eq(vm_why(vm, VM_SHENANDOAH_REGIONS),
	    "HotSpot 17.0.99+1 does not export ShenandoahHeapRegion::_state.");
	cr_assert_eq(vm_shenandoah_regions(vm, &region, 1), 0);
	vm_shenandoah_census(vm, true, &census);
	cr_assert_not(census.known);
	cr_assert(vm_has(vm, VM_TLABS), "one capability does not take another along");
	vm_close(vm);

	world_build_shenandoah(17);
	world.region_table[3][1] += 8; /* a region in the wrong place */
	vm = world_open();
	cr_assert_not_null(strstr(vm_why(vm, VM_SHENANDOAH_REGIONS), "not where"));
	vm_close(vm);

	world_build_shenandoah(17);
	world.region_table[2] = (uint64_t *)8; /* not mapped: must not crash */
	vm = world_open();
	cr_assert_not(vm_has(vm, VM_SHENANDOAH_REGIONS));
	vm_close(vm);
}

/* Another layout: without a watermark, or with words where no live bytes can be. */
Test(vm_shenandoah, an_unknown_layout_turns_off_what_is_derived)
{
	for (int damage = 0; damage < 2; damage++) {
		world_build_shenandoah(25);
		if (damage == 0)
			world.region_table[4][10] = 0;
		else
			world.region_table[4][8] = GRAIN;
		struct vm *vm = world_open();
		struct vm_shenandoah_region region[REGIONS];
		cr_assert_not(vm_has(vm, VM_SHENANDOAH_LIVE));
		cr_assert_not(vm_has(vm, VM_SHENANDOAH_AGE));
		cr_assert_eq(vm_shenandoah_regions(vm, region, REGIONS), REGIONS);
		cr_assert_eq(region[5].live, 0);
		cr_assert_eq(region[5].age, 0);
		vm_close(vm);
	}
}

Test(vm_shenandoah, finds_the_marks)
{
	for (size_t i = 0; i < 2; i++) {
		world_build_shenandoah(JDKS[i]);
		struct vm *vm = world_open();
		cr_assert_eq(vm_support(vm, VM_SHENANDOAH_MARKS), VM_DERIVED, "%s",
		    vm_why(vm, VM_SHENANDOAH_MARKS));
		cr_assert_not(vm_shenandoah_marked(vm));
		*world_marks.flag = 1;
		cr_assert(vm_shenandoah_marked(vm));
		cr_assert_eq(vm_shenandoah_top_at_start(vm, 1), HEAP + GRAIN);
		cr_assert_eq(vm_shenandoah_top_at_start(vm, 3), HEAP + 3 * GRAIN + 3 * 4096 - 1024);
		world_marks.tops[3] = HEAP;
		cr_assert_eq(vm_shenandoah_top_at_start(vm, 3), 0, "in another region");
		cr_assert_eq(vm_shenandoah_top_at_start(vm, REGIONS), 0);
		vm_close(vm);
	}
}

/* What looks like the marks but is not, or is laid out in another way. */
Test(vm_shenandoah, does_without_marks_that_it_does_not_know)
{
	enum damage { RANGE, SIZE, TABLE, TOP, FLAG, NO_TYPE, REGION, GENERATION, MODE, DAMAGES };
	for (size_t i = 0; i < 2; i++) {
		for (int damage = 0; damage < DAMAGES; damage++) {
			uint64_t *d = world_marks.description;
			world_build_shenandoah(JDKS[i]);
			d[1] += damage == RANGE ? 8 : 0;
			d[4] += damage == SIZE ? 2 : 0;
			d[7] += damage == TABLE ? 8 : 0;
			world_marks.tops[7] += damage == TOP ? 2 * GRAIN : 0;
			*world_marks.flag = damage == FLAG ? 7 : 0;
			if (damage == NO_TYPE)
				world_resize_type("ShenandoahHeap", 160);
			else if (damage == REGION)
				world.region_table[3][JDKS[i] == 25 ? 10 : 9] = 0;
			else if (damage == GENERATION && JDKS[i] == 25)
				world_resize_type("ShenandoahGeneration", 232);
			else if (damage == GENERATION)
				world.major = 24; /* the first with generations */
			else if (damage == MODE)
				world.shenandoah_mode = "generational";
			struct vm *vm = world_open();
			cr_assert_not(vm_has(vm, VM_SHENANDOAH_MARKS), "damage %d", damage);
			cr_assert_neq(vm_why(vm, VM_SHENANDOAH_MARKS)[0], '\0');
			cr_assert_not(vm_shenandoah_marked(vm));
			cr_assert_eq(vm_shenandoah_top_at_start(vm, 3), 0);
			vm_close(vm);
		}
	}
}

/* Flags of the generations, which their numbers identify. */
Test(vm_shenandoah, knows_which_generation_is_marked)
{
	for (int damage = 0; damage < 5; damage++) {
		struct vm_gc_signs signs;
		world_build_shenandoah(25);
		world.shenandoah_mode = damage == 1 ? "satb" : "generational";
		world_marks.young[1] += damage == 2;
		world_marks.old[11] = damage == 3 ? 7 : 1;
		if (damage == 4)
			world_resize_type("ShenandoahGeneration", 232);
		struct vm *vm = world_open();
		vm_gc_signs(vm, (struct vm_gc_ask){0}, &signs);
		cr_assert_eq(signs.marking.known, damage == 0, "damage %d", damage);
		cr_assert_not(signs.marking.young);
		cr_assert_eq(signs.marking.old, damage == 0);
		world_marks.young[11] = 1;
		world_marks.old[11] = 0;
		vm_gc_signs(vm, (struct vm_gc_ask){0}, &signs);
		cr_assert_eq(signs.marking.young, damage == 0);
		cr_assert_not(signs.marking.old);
		vm_close(vm);
	}
}

Test(vm_epsilon, reads_the_space)
{
	world_build_epsilon();
	struct vm *vm = world_open();
	struct vm_epsilon space;
	cr_assert(vm_has(vm, VM_EPSILON_SPACE), "%s", vm_why(vm, VM_EPSILON_SPACE));
	vm_epsilon(vm, &space);
	cr_assert_eq(space.low, HEAP);
	cr_assert_eq(space.top, HEAP + GRAIN);
	cr_assert_eq(space.committed, HEAP + 2 * GRAIN);
	cr_assert_eq(space.high, HEAP + REGIONS * GRAIN);
	world.space[0][2] = HEAP + 3 * GRAIN; /* it grows while it is read */
	vm_epsilon(vm, &space);
	cr_assert_eq(space.committed, HEAP + 3 * GRAIN);
	vm_close(vm);

	world_build_epsilon();
	world.space[0][2] = HEAP + 3 * GRAIN; /* more used than committed, at rest: no such space */
	vm = world_open();
	cr_assert_not(vm_has(vm, VM_EPSILON_SPACE));
	vm_epsilon(vm, &space);
	cr_assert_eq(space.high, 0);
	vm_close(vm);

	world_build_epsilon();
	world_hide_field("EpsilonHeap", "_space");
	vm = world_open();
	cr_assert_str_eq(
	    vm_why(vm, VM_EPSILON_SPACE), "HotSpot 17.0.99+1 does not export EpsilonHeap::_space.");
	vm_close(vm);
}
