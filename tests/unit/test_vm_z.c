/* The pages of ZGC on a synthetic VM with the layouts of JDK 17, 21 and 25 (H3, H7). */
#include <criterion/criterion.h>
#include <string.h>

#include "vm_gc.h"
#include "vm_tlab.h"
#include "vm_world.h"
#include "vm_z.h"

static const int JDKS[] = {17, 21, 25};
enum { JDK_COUNT = 3 };

/* What world_build_z puts there. */
static void expect_pages(const struct vm_z_page *page, size_t count, int jdk)
{
	static const uint32_t first[] = {0, 2, GRANULES - 2}, granules[] = {1, 2, 2};
	cr_assert_eq(count, 3);
	for (uint32_t i = 0; i < 3; i++) {
		const uint32_t old = jdk != 17 && i == 1;
		cr_assert_eq(page[i].granule, first[i]);
		cr_assert_eq(page[i].granules, granules[i]);
		cr_assert_eq(page[i].type, i);
		cr_assert_eq(page[i].used, granules[i] * (uint64_t)GRANULE - 4096);
		cr_assert_eq(page[i].live, 8192 * (i + 1));
		cr_assert_eq(page[i].live_seqnum, 7);
		cr_assert_eq(page[i].seqnum, 5 + i);
		cr_assert_eq(page[i].old, old);
		cr_assert_eq(page[i].age, jdk == 17 ? 0 : old ? 15 : 2);
	}
}

Test(vm_z, decodes_pages_in_place_and_by_safe_copies)
{
	for (size_t i = 0; i < JDK_COUNT; i++) {
		world_build_z(JDKS[i]);
		struct vm *vm = world_open();
		struct vm_z_page page[Z_PAGES];
		struct vm_z_layout layout;
		struct vm_z_totals totals;
		cr_assert(vm_z_layout(vm, &layout), "%s", vm_why(vm, VM_Z_PAGES));
		cr_assert_eq(layout.granule_bytes, GRANULE);
		cr_assert_eq(layout.granules, GRANULES);
		cr_assert_eq(layout.pages, 4 + 16);
		expect_pages(page, vm_z_pages(vm, page, Z_PAGES), JDKS[i]);
		expect_pages(page, vm_z_pages_safely(vm, page, Z_PAGES), JDKS[i]);
		cr_assert_eq(vm_z_pages(vm, page, 2), 2);
		cr_assert_eq(vm_z_pages_safely(vm, page, 2), 2);
		vm_z_totals(vm, &totals);
		cr_assert(vm_has(vm, VM_Z_TOTALS), "%s", vm_why(vm, VM_Z_TOTALS));
		cr_assert_eq(totals.used, 4 * GRANULE);
		cr_assert_eq(totals.capacity, 4 * GRANULE);
		cr_assert_eq(totals.seqnum, JDKS[i] == 17 ? 7 : 0);
		cr_assert_eq(vm_support(vm, VM_Z_LIVE), VM_DERIVED);
		cr_assert_eq(vm_support(vm, VM_Z_AGE), JDKS[i] == 17 ? VM_MISSING : VM_DERIVED);
		vm_close(vm);
	}
}

/* A page that is freed while it is looked at, and an entry that points to nothing at all. */
Test(vm_z, a_look_survives_freed_pages)
{
	world_build_z(25);
	struct vm *vm = world_open();
	struct vm_z_page page[Z_PAGES];
	world.z_table[5] = (uint64_t *)8;
	world.z_table[6] = world.z_page[3]; /* all zero: begins elsewhere */
	memset(world.z_page[1], 0xab, sizeof world.z_page[1]);
	const size_t count = vm_z_pages_safely(vm, page, Z_PAGES);
	cr_assert_eq(count, 2);
	cr_assert_eq(page[1].granule, GRANULES - 2);
	world.z_table[5] = NULL;
	cr_assert_eq(vm_z_pages(vm, page, Z_PAGES), 2, "nor does a capture take it for a page");
	vm_close(vm);
}

/* Pages chosen for relocation have a forwarding; those that are younger than it only have its
 * address. */
Test(vm_z, knows_what_is_relocated)
{
	world_build_z(17);
	struct vm *vm = world_open();
	struct vm_z_page page[Z_PAGES];
	cr_assert(vm_has(vm, VM_Z_RELOCATION), "%s", vm_why(vm, VM_Z_RELOCATION));
	world.z_forwarding[0] = world.z_forwarding[GRANULES - 2] = world.z_page[3];
	cr_assert_eq(vm_z_pages(vm, page, Z_PAGES), 3);
	cr_assert_eq(page[0].relocating, 1);
	cr_assert_eq(page[1].relocating, 0);
	cr_assert_eq(page[2].relocating, 0, "allocated in this cycle, number 7");
	cr_assert_eq(vm_z_pages_safely(vm, page, Z_PAGES), 3);
	cr_assert_eq(page[0].relocating, 1);
	cr_assert_eq(page[2].relocating, 0);
	world.z_phase = 0; /* the next cycle marks: the entries are of the one before */
	cr_assert_eq(vm_z_pages(vm, page, Z_PAGES), 3);
	cr_assert_eq(page[0].relocating, 0);
	vm_close(vm);

	world_build_z(17);
	world_hide_field("ZGlobalsForVMStructs", "_ZGlobalPhase");
	vm = world_open();
	cr_assert_not(vm_has(vm, VM_Z_RELOCATION));
	world.z_forwarding[0] = world.z_page[3];
	cr_assert_eq(vm_z_pages(vm, page, Z_PAGES), 3);
	cr_assert_eq(page[0].relocating, 0);
	vm_close(vm);

	world_build_z(25);
	vm = world_open();
	cr_assert_str_eq(vm_why(vm, VM_Z_RELOCATION),
	    "HotSpot 25.0.99+1 does not export ZHeap::_forwarding_table.");
	vm_close(vm);
}

/* Addresses lose their colours (17), and are 0 only if there is none (H4). */
Test(vm_z, buffers_have_addresses_of_one_mapping)
{
	for (size_t i = 0; i < JDK_COUNT; i++) {
		world_build_z(JDKS[i]);
		struct vm *vm = world_open();
		const uint64_t heap = UINT64_C(1) << (JDKS[i] == 17 ? 44 : 42);
		struct vm_tlab tlab[2];
		struct vm_z_layout layout;
		size_t total;
		cr_assert(vm_has(vm, VM_TLABS), "%s", vm_why(vm, VM_TLABS));
		vm_z_layout(vm, &layout);
		cr_assert_eq(layout.heap, heap);
		cr_assert_eq(vm_heap_range(vm).low, heap);
		cr_assert_eq(vm_heap_range(vm).high, heap + (uint64_t)GRANULES * GRANULE);
		cr_assert_eq(vm_tlabs(vm, tlab, 2, &total), 2);
		cr_assert_eq(tlab[0].start, 0);
		cr_assert_eq(tlab[1].start, heap);
		cr_assert_eq(tlab[1].top, heap + 0x100);
		cr_assert_eq(tlab[1].end, heap + 0x200);
		cr_assert_eq(tlab[1].hard_end, heap + 0x410);
		cr_assert(vm_tlab_of(vm, (uintptr_t)world.thread[1], &tlab[0]));
		cr_assert_eq(tlab[0].start, heap);
		vm_close(vm);
	}
}

static const char *why_after(int jdk, void (*damage)(void))
{
	static char why[256];
	world_build_z(jdk);
	damage();
	struct vm *vm = world_open();
	struct vm_z_page page;
	cr_assert_not(vm_has(vm, VM_Z_PAGES));
	cr_assert_not(vm_has(vm, VM_Z_LIVE));
	cr_assert_not(vm_has(vm, VM_HEAP_RANGE));
	cr_assert_not(vm_has(vm, VM_TLABS), "without a mask no address means anything");
	cr_assert_eq(vm_z_pages(vm, &page, 1), 0);
	cr_assert_eq(vm_z_pages_safely(vm, &page, 1), 0);
	strcpy(why, vm_why(vm, VM_Z_PAGES));
	vm_close(vm);
	return why;
}

static void hide_top(void)
{
	world_hide_field("ZPage", "_top");
}

static void hide_mask(void)
{
	world_hide_field("ZGlobalsForVMStructs", "_ZAddressOffsetMask");
}

static void lose_table(void)
{
	world.heap[25] = 8;
}

static void lengthen_table(void)
{
	world.heap[24] = UINT64_C(1) << 40;
}

static void spoil_pages(void)
{
	memset(world.z_page, 0x55, sizeof world.z_page);
}

static void empty_table(void)
{
	memset(world.z_table, 0, sizeof world.z_table);
}

Test(vm_z, says_what_is_wrong)
{
	static void (*const damages[])(void) = {
	    hide_mask, lose_table, lengthen_table, spoil_pages, empty_table};
	cr_assert_str_eq(why_after(17, hide_top), "HotSpot 17.0.99+1 does not export ZPage::_top.");
	for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++)
		for (size_t k = 0; k < 2; k++)
			cr_assert_not_null(strstr(why_after(JDKS[k], damages[i]), "not where"));
	world_build_g1();
	struct vm *vm = world_open();
	cr_assert_str_eq(vm_why(vm, VM_Z_PAGES), "The collector is G1, not ZGC.");
	vm_close(vm);
}

/* Another size of a page, or an impossible age, may be another layout: what is derived is given up,
 * the rest stays. */
Test(vm_z, an_unknown_layout_turns_off_what_is_derived)
{
	for (size_t i = 0; i < JDK_COUNT; i++) {
		world_build_z(JDKS[i]);
		world_resize_type("ZPage", 144);
		world.z_page[1][0] |= 0x100000; /* an age of 31, where there are ages */
		struct vm *vm = world_open();
		struct vm_z_page page[Z_PAGES];
		cr_assert(vm_has(vm, VM_Z_PAGES));
		cr_assert_not(vm_has(vm, VM_Z_LIVE));
		cr_assert_not(vm_has(vm, VM_Z_AGE));
		cr_assert_eq(vm_z_pages(vm, page, Z_PAGES), 3);
		cr_assert_eq(page[1].live, 0);
		cr_assert_eq(page[1].age, 0);
		vm_close(vm);
	}
}

/* The heap on several memory nodes: each has its own totals (JDK 25). */
Test(vm_z, totals_of_several_nodes_are_not_known)
{
	world_build_z(25);
	world.z_nodes = 2;
	struct vm *vm = world_open();
	struct vm_z_totals totals;
	cr_assert_not(vm_has(vm, VM_Z_TOTALS));
	vm_z_totals(vm, &totals);
	cr_assert_eq(totals.used, 0);
	cr_assert(vm_has(vm, VM_Z_PAGES));
	vm_close(vm);
}

Test(vm_z, gives_the_signs_of_its_pauses)
{
	struct vm_gc_signs signs;
	world_build_z(17);
	struct vm *vm = world_open();
	vm_gc_signs(vm, (struct vm_gc_ask){0}, &signs);
	cr_assert_eq(signs.phase, VM_GC_RELOCATE);
	cr_assert_eq(signs.load_good, 0);
	world.z_phase = 0;
	vm_gc_signs(vm, (struct vm_gc_ask){0}, &signs);
	cr_assert_eq(signs.phase, VM_GC_MARK);
	vm_close(vm);

	world_build_z(25);
	vm = world_open();
	vm->machine = vm_machine_named("x86-64");
	vm_gc_signs(vm, (struct vm_gc_ask){0}, &signs);
	cr_assert_eq(signs.phase, VM_GC_PHASE_UNKNOWN);
	cr_assert_eq(signs.load_good, 0x1000);
	cr_assert_eq(signs.mark_good, 0x1500);
	vm->machine = vm_machine_named("aarch64"); /* which stores the inverse */
	world.z_load_good = 0xe000;
	world.z_mark_good = 0xe500;
	vm_gc_signs(vm, (struct vm_gc_ask){0}, &signs);
	cr_assert_eq(signs.load_good, 0x1000);
	cr_assert_eq(signs.mark_good, 0x1500);
	vm_close(vm);
}
