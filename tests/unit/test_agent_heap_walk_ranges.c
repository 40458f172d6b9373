/*
 * What of a heap is walked at a pause (H5, F19): the ranges of each collector, and what is not safe
 * there; the totals by class, and the settings of the heavy volume.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "heap_walk_ranges.h"
#include "volume.h"
#include "vm_world.h"
#include "walk_totals.h"

/* Eden and the old space at the end of a collection that ends with an allocation. */
Test(agent_heap_walk_ranges, knows_what_serial_has_not_filled_in)
{
	struct vm_generations raw = {.eden = {0x1000, 0x3000, 0x9000},
	    .from = {0x9000, 0x9400, 0xa000},
	    .to = {0xa000, 0xa000, 0xb000},
	    .old = {0xb000, 0xf000, 0x10000},
	    .old_reserved = {0xb000, 0x20000}};
	struct heap_walk_pause at = {.finish = true, .allocated = true, .buffers = true};
	const struct heap_walk_plan plan = {
	    .block = 0x1000, .part = 0x2000, .parts = 11, .cells = 80};
	struct heap_walk_range r[HEAP_WALK_OLD + 11];
	cr_assert_eq(heap_walk_generations_size(&plan).ranges, HEAP_WALK_OLD + 11);
	cr_assert_eq(heap_walk_generations(&raw, &plan, &at, r), HEAP_WALK_OLD + 11);
	cr_assert_eq(r[HEAP_WALK_EDEN].way, HEAP_WALK_NEVER);
	cr_assert_eq(r[HEAP_WALK_OLD].way, HEAP_WALK_OBJECTS);
	cr_assert(r[HEAP_WALK_OLD].cards && !r[HEAP_WALK_OLD].moves && r[HEAP_WALK_FROM].moves);
	cr_assert_eq(r[HEAP_WALK_EDEN].cell, 0x15, "the old space has room to grow");
	cr_assert(!r[HEAP_WALK_OLD].follows && r[HEAP_WALK_OLD + 1].follows);
	cr_assert_eq(r[HEAP_WALK_OLD].top, r[HEAP_WALK_OLD + 1].low);
	cr_assert_eq(r[HEAP_WALK_OLD + 1].top, 0xf000);
	cr_assert_eq(r[HEAP_WALK_OLD + 1].cell, 2);
	cr_assert_eq(r[HEAP_WALK_OLD].reach, 0xf000);
	cr_assert_eq(r[HEAP_WALK_OLD + 2].low, r[HEAP_WALK_OLD + 2].top, "beyond what is in use");
	raw.eden.top = raw.eden.bottom;
	heap_walk_generations(&raw, &plan, &at, r);
	cr_assert_eq(r[HEAP_WALK_OLD].way, HEAP_WALK_LATER, "it went into the old space");
	at.allocated = false;
	raw.eden.top = 0x3000;
	heap_walk_generations(&raw, &plan, &at, r);
	cr_assert_eq(r[HEAP_WALK_EDEN].way, HEAP_WALK_OBJECTS);
	cr_assert_eq(r[HEAP_WALK_OLD].way, HEAP_WALK_OBJECTS);
	at = (struct heap_walk_pause){.buffers = false};
	heap_walk_generations(&raw, &plan, &at, r);
	cr_assert_eq(r[HEAP_WALK_EDEN].way, HEAP_WALK_NEVER, "buffers that are not known");
	const struct heap_walk_plan small = {.block = 16, .part = 0x2000, .parts = 11, .cells = 80};
	heap_walk_generations(&raw, &small, &at, r);
	cr_assert_eq(r[HEAP_WALK_OLD].low, r[HEAP_WALK_OLD].top, "no room for so many cells");
	const struct heap_walk_plan few = {
	    .block = 0x1000, .part = 0x2000, .parts = 1, .cells = 80};
	heap_walk_generations(&raw, &few, &at, r);
	cr_assert_eq(r[HEAP_WALK_OLD].low, r[HEAP_WALK_OLD].top, "no room for so many parts");
}

/* Parts are small enough to be walked in a pause, whole tiles, and not too many. */
Test(agent_heap_walk_ranges, cuts_a_heap_into_parts)
{
	struct heap_walk_plan p = heap_walk_generations_plan(UINT64_C(400) << 20, 65536, 8192);
	cr_assert_eq(p.part, 1 << 17);
	cr_assert_eq(p.parts, 3201);
	p = heap_walk_generations_plan(UINT64_C(64) << 20, 4096, 8192);
	cr_assert_eq(p.part, 1 << 16);
	p = heap_walk_generations_plan(UINT64_C(64) << 30, 512, 8192);
	cr_assert_eq(p.part, 32 << 20);
	cr_assert_leq(p.parts, 4096);
	p = heap_walk_generations_plan(UINT64_C(64) << 30, 1 << 30, 8192);
	cr_assert_eq(p.part, 1 << 30);
}

Test(agent_heap_walk_ranges, knows_the_regions_of_g1)
{
	struct vm_region_layout layout;
	struct vm_g1_region regions[REGIONS];
	struct heap_walk_range r[REGIONS];
	struct heap_walk_pause at = {.finish = false, .buffers = true};
	world_build_g1();
	struct vm *vm = world_open();
	vm_g1_layout(vm, &layout);
	vm_g1_regions(vm, regions, REGIONS);
	cr_assert_eq(heap_walk_g1(vm, &layout, regions, REGIONS, &at, r), REGIONS);
	for (uint32_t i = 0; i < REGIONS; i++) {
		cr_assert_eq(r[i].low, layout.heap + i * layout.region_bytes);
		cr_assert_eq(r[i].cell, i);
		bool kept = regions[i].type == VM_G1_OLD || regions[i].type == VM_G1_ARCHIVE;
		cr_assert_eq(r[i].moves, !kept, "region %u", i);
		cr_assert_eq(
		    r[i].way, kept ? HEAP_WALK_OBJECTS_OLD : HEAP_WALK_OBJECTS, "region %u", i);
	}
	cr_assert_eq(r[4].top, layout.heap + 5 * layout.region_bytes + regions[5].used,
	    "a humongous object in two regions");
	cr_assert_eq(r[5].top, r[5].low, "its second one");
	at.buffers = false;
	heap_walk_g1(vm, &layout, regions, REGIONS, &at, r);
	cr_assert_eq(r[1].way, HEAP_WALK_NEVER);
	vm_close(vm);
}

/* The regions of vm_world.h, at the pauses of a cycle. */
Test(agent_heap_walk_ranges, knows_the_regions_of_shenandoah)
{
	struct vm_region_layout layout;
	struct vm_shenandoah_region regions[REGIONS];
	struct heap_walk_range r[REGIONS];
	struct heap_walk_pause at = {.finish = true, .kind = GC_FINAL_MARK, .buffers = true};
	world_build_shenandoah(25);
	struct vm *vm = world_open();
	cr_assert(vm_shenandoah_layout(vm, &layout));
	vm_shenandoah_regions(vm, regions, REGIONS);
	cr_assert_eq(layout.regions, REGIONS);
	cr_assert_eq(heap_walk_shenandoah(vm, &layout, regions, REGIONS, &at, r), 0, "broken off");
	*world_marks.flag = 1;
	cr_assert_eq(heap_walk_shenandoah(vm, &layout, regions, REGIONS, &at, r), REGIONS);
	for (uint32_t i = 0; i < REGIONS; i++) {
		cr_assert_eq(r[i].low, HEAP + i * (uint64_t)GRAIN);
		cr_assert_eq(r[i].from, r[i].low);
		cr_assert_eq(r[i].cell, i);
		cr_assert_not(r[i].moves);
		cr_assert_eq(r[i].way, HEAP_WALK_OBJECTS, "region %u", i);
	}
	cr_assert_eq(r[0].top, r[0].low, "uncommitted");
	cr_assert_eq(r[2].top, r[2].low + 2 * 4096);
	cr_assert_eq(r[2].marked, r[2].top - 1024);
	cr_assert_eq(r[3].top, r[4].low + 4 * 4096, "a humongous object in two regions");
	cr_assert_eq(r[4].top, r[4].low, "its second one");
	cr_assert_neq(r[2].kind, r[6].kind, "the collection set is something else");
	at.kind = GC_FINAL_UPDATE_REFS;
	regions[2].state = VM_SHENANDOAH_TRASH;
	heap_walk_shenandoah(vm, &layout, regions, REGIONS, &at, r);
	cr_assert_eq(r[2].top, r[2].low);
	cr_assert_eq(r[6].way, HEAP_WALK_NEVER, "it was copied");
	at.buffers = false;
	heap_walk_shenandoah(vm, &layout, regions, REGIONS, &at, r);
	cr_assert_eq(r[7].way, HEAP_WALK_NEVER);
	/* A full collection of JDK 25 leaves no marks: what it has not compacted is unknown. */
	at = (struct heap_walk_pause){.finish = true, .kind = GC_FULL, .buffers = true};
	*world_marks.flag = 0;
	world_marks.tops[7] = HEAP + 7 * (uint64_t)GRAIN;
	cr_assert_eq(heap_walk_shenandoah(vm, &layout, regions, REGIONS, &at, r), REGIONS);
	cr_assert_eq(r[7].way, HEAP_WALK_OBJECTS);
	cr_assert_eq(r[3].way, HEAP_WALK_NEVER);
	static const enum gc_kind never[] = {GC_OTHER, GC_INIT_MARK, GC_INIT_UPDATE_REFS};
	*world_marks.flag = 1;
	for (size_t i = 0; i < 3; i++) {
		at.kind = never[i];
		cr_assert_eq(heap_walk_shenandoah(vm, &layout, regions, REGIONS, &at, r), 0);
	}
	at = (struct heap_walk_pause){.kind = GC_FINAL_MARK, .buffers = true};
	cr_assert_eq(heap_walk_shenandoah(vm, &layout, regions, REGIONS, &at, r), 0, "a start");
	vm_close(vm);
}

Test(agent_heap_walk_ranges, tally_keeps_what_there_is_room_for)
{
	struct walk_totals *t = walk_totals_create(4, 100, 4); /* three chunks of seven */
	const struct walk_total *totals = walk_totals_totals(t);
	for (uint32_t i = 0; i < 20; i++)
		walk_totals_add(t, i, 10);
	walk_totals_flush(t, 0, true);
	for (uint32_t i = 0; i < 20; i++)
		walk_totals_add(t, i, 10);
	walk_totals_flush(t, 0, true);
	cr_assert_eq(totals[19].objects, 2);
	cr_assert_eq(walk_totals_lost(t), 0, "the same classes need no more room");
	for (uint32_t i = 0; i < 5; i++)
		walk_totals_add(t, i, 100);
	walk_totals_flush(t, 1, true);
	cr_assert_eq(walk_totals_lost(t), 500);
	cr_assert_eq(totals[0].bytes, 20);
	walk_totals_drop(t, 0);
	cr_assert_eq(totals[19].objects, 0);
	walk_totals_add(t, 7, 70);
	walk_totals_flush(t, 1, false);
	cr_assert_eq(totals[7].bytes, 0, "not before the walk has come to its end");
	walk_totals_replace(t, 1);
	cr_assert_eq(totals[7].bytes, 70);
	cr_assert_eq(walk_totals_lost(t), 0);
	walk_totals_destroy(t);
}

Test(agent_heap_walk_ranges, volume_takes_words_and_refuses_others)
{
	struct volume v = {.budget_ms = 20};
	struct gcs_error err;
	char text[200];
	cr_assert(volume_has("volume") && volume_has("heavy-events") && volume_has("heavy-budget"));
	cr_assert_not(volume_has("interval"));
	cr_assert_eq(volume_set(&v, "volume", "heavy", &err), GCS_OK);
	cr_assert_eq(volume_set(&v, "heavy-events", "both", &err), GCS_OK);
	cr_assert_eq(volume_set(&v, "heavy-budget", "1000", &err), GCS_OK);
	size_t length = volume_list(&v, text, sizeof text);
	cr_assert_eq(length, strlen(text));
	cr_assert_str_eq(text, "volume=heavy\nheavy-events=both\nheavy-budget=1000\n");
	cr_assert(volume_counts(&v, true) && volume_counts(&v, false));
	cr_assert_eq(volume_describe(&v, text, sizeof text), strlen(text));
	cr_assert_str_eq(text, "heavy: objects are counted at the start and the finish of each "
			       "collection, for at most 1000 ms");
	static const char *const bad[][2] = {{"volume", "loud"}, {"volume", ""},
	    {"heavy-events", "end"}, {"heavy-budget", "0"}, {"heavy-budget", "1001"},
	    {"heavy-budget", "2x"}};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		cr_assert_eq(volume_set(&v, bad[i][0], bad[i][1], &err), GCS_ARGUMENT);
		cr_assert_not_null(strstr(err.text, "expected"), "%s", err.text);
	}
	cr_assert_eq(volume_list(&v, text, sizeof text), length, "nothing has changed");
}
