/*
 * The pauses of ZGC and Shenandoah (H2): sequences as JVMs of JDK 17 and 25 gave them, with what
 * their logs called the pauses.
 */
#include <criterion/criterion.h>

#include "gc_kind.h"

/* ZGC of JDK 17: the phase before and after, the count of collections after it. */

static enum gc_kind z17(
    struct gc_kinds *k, enum vm_gc_phase before, enum vm_gc_phase after, uint64_t total)
{
	struct vm_gc_counts counts = {.total = before == VM_GC_RELOCATE ? total - 1 : total};
	struct vm_gc_signs signs = {.phase = before};
	gc_kinds_start(k, &counts, &signs);
	cr_assert_eq(gc_kinds_expected(k), total);
	counts.total = total;
	signs.phase = after;
	enum gc_kind kind = gc_kinds_finish(k, &counts, &signs);
	cr_assert_eq(k->number, total);
	return kind;
}

Test(agent_kinds_concurrent, z_of_jdk_17_by_its_phase)
{
	struct gc_kinds k = {.collector = VM_COLLECTOR_ZGC, .jdk = 17};
	cr_assert_eq(z17(&k, VM_GC_RELOCATE, VM_GC_MARK, 1), GC_MARK_START);
	cr_assert_eq(z17(&k, VM_GC_MARK, VM_GC_MARK, 1), GC_MARK_END, "much was left to mark");
	cr_assert_eq(z17(&k, VM_GC_MARK, VM_GC_MARKED, 1), GC_MARK_END);
	cr_assert_eq(z17(&k, VM_GC_MARKED, VM_GC_RELOCATE, 1), GC_RELOCATE_START);
	cr_assert_eq(z17(&k, VM_GC_RELOCATE, VM_GC_MARK, 2), GC_MARK_START);
	cr_assert_eq(z17(&k, VM_GC_MARKED, VM_GC_MARKED, 2), GC_OTHER);
}

/* ZGC of JDK 25: masks of good pointers after each pause, from one run. */

struct z25 {
	uint64_t load, mark, total;
	enum gc_kind kind;
	uint64_t expected, number; /* at the start and at the finish */
	bool overlap;              /* both generations are collected */
};

static void run_z25(struct gc_kinds *k, uint64_t load, uint64_t mark, uint64_t total,
    const struct z25 *steps, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct vm_gc_counts counts = {.total = total};
		struct vm_gc_signs signs = {
		    .phase = VM_GC_PHASE_UNKNOWN, .load_good = load, .mark_good = mark};
		gc_kinds_start(k, &counts, &signs);
		cr_assert_eq(gc_kinds_expected(k), steps[i].expected, "step %zu", i);
		load = signs.load_good = steps[i].load;
		mark = signs.mark_good = steps[i].mark;
		total = counts.total = steps[i].total;
		cr_assert_eq(gc_kinds_finish(k, &counts, &signs), steps[i].kind, "step %zu", i);
		cr_assert_eq(k->number, steps[i].number, "step %zu", i);
		cr_assert_eq(k->overlap, steps[i].overlap, "step %zu", i);
	}
}

Test(agent_kinds_concurrent, z_of_jdk_25_by_its_masks)
{
	static const struct z25 steps[] = {
	    {0x1000, 0x1a00, 1, GC_BOTH_MARK_START, 1, 1, false},
	    {0x1000, 0x1a00, 1, GC_YOUNG_MARK_END, 1, 1, false},
	    {0x2000, 0x2a00, 1, GC_YOUNG_RELOCATE_START, 1, 1, false},
	    {0x2000, 0x2a00, 1, GC_OLD_MARK_END, 0, 1, false},
	    {0x8000, 0x8a00, 1, GC_OLD_RELOCATE_START, 0, 1, false},
	    {0x8000, 0x8900, 2, GC_YOUNG_MARK_START, 2, 2, false},
	    {0x8000, 0x8900, 2, GC_YOUNG_MARK_END, 2, 2, false},
	    {0x4000, 0x4900, 2, GC_YOUNG_RELOCATE_START, 2, 2, false},
	    {0x4000, 0x4600, 3, GC_BOTH_MARK_START, 3, 3, false},
	    {0x4000, 0x4600, 3, GC_YOUNG_MARK_END, 3, 3, false},
	    {0x8000, 0x8600, 3, GC_YOUNG_RELOCATE_START, 3, 3, false},
	    /* A young collection while the old generation is marked: which marking has ended? */
	    {0x8000, 0x8500, 4, GC_YOUNG_MARK_START, 0, 4, true},
	    {0x8000, 0x8500, 4, GC_MARK_END, 0, 0, true},
	    {0x8000, 0x8500, 4, GC_MARK_END, 0, 0, true},
	    {0x4000, 0x4500, 4, GC_YOUNG_RELOCATE_START, 0, 4, true},
	    {0x1000, 0x1500, 4, GC_OLD_RELOCATE_START, 0, 3, false},
	    {0x1000, 0x1600, 5, GC_YOUNG_MARK_START, 5, 5, false},
	};
	struct gc_kinds k = {.collector = VM_COLLECTOR_ZGC, .jdk = 25};
	run_z25(&k, 0x1000, 0x1500, 0, steps, sizeof steps / sizeof steps[0]);
}

/* Loaded in the middle of a cycle: an old collection may run until one begins or relocates. */
Test(agent_kinds_concurrent, z_of_jdk_25_from_the_middle)
{
	static const struct z25 steps[] = {
	    {0x1000, 0x1500, 7, GC_MARK_END, 0, 0, true},
	    {0x2000, 0x2500, 7, GC_YOUNG_RELOCATE_START, 0, 7, true},
	    {0x2000, 0x2600, 8, GC_YOUNG_MARK_START, 0, 8, true},
	    {0x2000, 0x2600, 8, GC_MARK_END, 0, 0, true}, /* of either */
	    {0x1000, 0x1600, 8, GC_YOUNG_RELOCATE_START, 0, 8, true},
	    {0x4000, 0x4600, 8, GC_OLD_RELOCATE_START, 0, 0, true},
	    {0x4000, 0x4500, 9, GC_YOUNG_MARK_START, 9, 9, false},
	    {0x4000, 0x4500, 9, GC_YOUNG_MARK_END, 9, 9, false},
	    {0x7000, 0x7500, 9, GC_OTHER, 9, 9, false}, /* no mask that there can be */
	};
	static const struct z25 idle[] = {
	    {0x1000, 0x1600, 8, GC_YOUNG_MARK_START, 0, 8, true},
	    {0x1000, 0x1600, 8, GC_MARK_END, 0, 0, true},
	    {0x2000, 0x2600, 8, GC_YOUNG_RELOCATE_START, 0, 8, true},
	    {0x2000, 0x2900, 9, GC_BOTH_MARK_START, 0, 9, false},
	    {0x2000, 0x2900, 9, GC_YOUNG_MARK_END, 9, 9, false},
	};
	static const struct z25 first[] = {
	    {0x1000, 0x1600, 1, GC_YOUNG_MARK_START, 1, 1, false},
	    {0x1000, 0x1600, 1, GC_YOUNG_MARK_END, 1, 1, false},
	};
	struct gc_kinds k = {.collector = VM_COLLECTOR_ZGC, .jdk = 25, .unsure = true};
	run_z25(&k, 0x1000, 0x1500, 7, steps, sizeof steps / sizeof steps[0]);
	k = (struct gc_kinds){.collector = VM_COLLECTOR_ZGC, .jdk = 25, .unsure = true};
	run_z25(&k, 0x1000, 0x1500, 7, idle, sizeof idle / sizeof idle[0]);
	k = (struct gc_kinds){.collector = VM_COLLECTOR_ZGC, .jdk = 25, .unsure = true};
	run_z25(&k, 0x1000, 0x1500, 0, first, sizeof first / sizeof first[0]);
}

static const enum vm_gc_way ways[] = {VM_GC_WAY_CONCURRENT, VM_GC_WAY_FAILED, VM_GC_WAY_FULL};
enum { C, F, S }; /* their indices */

/* Shenandoah: collection set, trash, live bytes before and after. */

struct pause {
	int way; /* index of ways */
	uint32_t set_before, set, trash_before, trash;
	uint64_t live_before, live;
	uint32_t uncommitted_before, uncommitted;
	enum gc_kind kind;
	uint64_t expected, number;
};

static void run(struct gc_kinds *k, const struct pause *pauses, size_t count)
{
	k->collector = VM_COLLECTOR_SHENANDOAH;
	for (size_t i = 0; i < count; i++) {
		const struct pause *p = &pauses[i];
		const struct vm_gc_counts counts = {0};
		struct vm_gc_signs signs = {.way = ways[p->way],
		    .census = {.known = true,
			.live_known = k->generational,
			.collected = p->set_before,
			.trash = p->trash_before,
			.live = k->generational ? p->live_before : 0,
			.uncommitted = p->uncommitted_before}};
		gc_kinds_start(k, &counts, &signs);
		cr_assert_eq(gc_kinds_expected(k), p->expected, "pause %zu", i);
		signs.census = (struct vm_shenandoah_census){.known = true,
		    .live_known = true,
		    .collected = p->set,
		    .trash = p->trash,
		    .live = p->live,
		    .uncommitted = p->uncommitted};
		cr_assert_eq(gc_kinds_finish(k, &counts, &signs), p->kind, "pause %zu", i);
		cr_assert_eq(k->number, p->number, "pause %zu", i);
	}
}

#define RUN(k, pauses) run(k, pauses, sizeof(pauses) / sizeof *(pauses))

Test(agent_kinds_concurrent, shenandoah_of_jdk_17)
{
	static const struct pause pauses[] = {
	    {C, 0, 0, 0, 0, 0, 0, 128, 128, GC_INIT_MARK, 0, 1},
	    {C, 0, 10, 0, 34, 5957, 10309, 128, 128, GC_FINAL_MARK, 1, 1},
	    {C, 10, 10, 0, 0, 10309, 10309, 126, 126, GC_INIT_UPDATE_REFS, 1, 1},
	    {C, 10, 0, 0, 10, 10309, 10309, 126, 126, GC_FINAL_UPDATE_REFS, 1, 1},
	    {C, 0, 0, 0, 0, 0, 0, 126, 126, GC_INIT_MARK, 2, 2},
	    {C, 0, 0, 0, 71, 5953, 6965, 126, 126, GC_FINAL_MARK, 2, 2},
	    {C, 0, 0, 0, 0, 6965, 6965, 118, 118, GC_FINAL_ROOTS, 2, 2},
	    {C, 0, 0, 0, 0, 0, 0, 118, 118, GC_INIT_MARK, 3, 3},
	    {C, 0, 0, 0, 0, 100, 100, 118, 118, GC_FINAL_MARK, 3, 3}, /* nothing to free */
	    {C, 0, 0, 0, 0, 100, 100, 118, 118, GC_FINAL_ROOTS, 3, 3},
	    {S, 0, 0, 0, 0, 13609, 5915, 126, 0, GC_FULL, 4, 4},
	    {C, 0, 0, 0, 0, 0, 0, 8, 8, GC_INIT_MARK, 5, 5},
	    {F, 0, 0, 0, 0, 0, 26336, 8, 7, GC_DEGENERATED, 6, 6},
	    {F, 0, 0, 0, 0, 0, 26336, 8, 0, GC_FULL, 7, 7}, /* upgraded */
	    {F, 0, 0, 0, 0, 0, 26336, 0, 0, GC_STOPPED, 8, 8},
	    {C, 0, 0, 0, 0, 0, 0, 8, 8, GC_INIT_MARK, 9, 9},
	};
	struct gc_kinds k = {.jdk = 17};
	RUN(&k, pauses);
}

/* No pause for the final roots; in generational mode old markings end between young cycles. */
Test(agent_kinds_concurrent, shenandoah_of_jdk_25)
{
	static const struct pause plain[] = {
	    {C, 0, 0, 0, 0, 0, 0, 128, 128, GC_INIT_MARK, 0, 1},
	    {C, 0, 0, 0, 33, 6562, 13474, 128, 128, GC_FINAL_MARK, 1, 1},
	    {C, 0, 0, 0, 0, 0, 0, 102, 102, GC_INIT_MARK, 2, 2},
	    {C, 0, 11, 0, 0, 6540, 6540, 67, 67, GC_FINAL_MARK, 2, 2},
	    {C, 11, 11, 0, 0, 6540, 6540, 65, 65, GC_INIT_UPDATE_REFS, 2, 2},
	    {C, 11, 0, 0, 11, 6540, 6540, 65, 65, GC_FINAL_UPDATE_REFS, 2, 2},
	    {C, 0, 0, 0, 0, 0, 0, 92, 92, GC_INIT_MARK, 3, 3},
	};
	static const struct pause generational[] = {
	    {C, 0, 0, 0, 0, 0, 0, 34, 34, GC_INIT_MARK, 0, 1},
	    {C, 0, 11, 0, 24, 476, 476, 34, 34, GC_FINAL_MARK, 1, 1},
	    {C, 11, 11, 0, 0, 476, 476, 31, 31, GC_INIT_UPDATE_REFS, 1, 1},
	    {C, 11, 0, 0, 11, 476, 476, 31, 31, GC_FINAL_UPDATE_REFS, 1, 1},
	    {C, 0, 0, 0, 0, 6084, 6596, 31, 31, GC_FINAL_MARK, 0, 1}, /* of the old generation */
	    {C, 0, 0, 0, 0, 0, 0, 31, 31, GC_INIT_MARK, 0, 2},
	    {C, 0, 1, 0, 0, 6540, 6540, 31, 31, GC_FINAL_MARK, 2, 2},
	    {C, 1, 1, 0, 0, 6540, 6540, 31, 31, GC_INIT_UPDATE_REFS, 2, 2},
	    {C, 1, 0, 0, 1, 6540, 6540, 31, 31, GC_FINAL_UPDATE_REFS, 2, 2},
	    {C, 0, 0, 0, 0, 6540, 6540, 80, 80, GC_INIT_MARK, 0, 3},
	};
	struct gc_kinds k = {.jdk = 25};
	RUN(&k, plain);
	k = (struct gc_kinds){.jdk = 25, .generational = true};
	RUN(&k, generational);
}

/* A cycle of JDK 25 that evacuates nothing ends with its marking, whoever looks; in JDK 17 it has
 * another pause. In generational mode an old marking may end after it. */
Test(agent_kinds_concurrent, shenandoah_ends_a_cycle_with_its_marking)
{
	static const struct pause first[] = {
	    {C, 0, 0, 0, 0, 0, 0, 9, 9, GC_INIT_MARK, 0, 1},
	    {C, 0, 0, 0, 5, 100, 200, 9, 9, GC_FINAL_MARK, 1, 1},
	};
	static const struct pause old[] = {
	    {C, 0, 0, 0, 0, 200, 300, 9, 9, GC_FINAL_MARK, 0, 1},
	    {C, 0, 0, 0, 0, 0, 0, 9, 9, GC_INIT_MARK, 0, 2},
	};
	struct gc_kinds k = {.jdk = 17};
	RUN(&k, first);
	cr_assert_eq(k.cycle, GC_MARKED);
	k = (struct gc_kinds){.jdk = 25};
	RUN(&k, first);
	cr_assert_eq(k.cycle, GC_IDLE);
	k = (struct gc_kinds){.jdk = 25, .generational = true};
	RUN(&k, first);
	RUN(&k, old);
}

/* Loaded in the middle of a cycle: the first pause that changes regions sets it right. */
Test(agent_kinds_concurrent, shenandoah_from_the_middle)
{
	static const struct pause pauses[] = {
	    {C, 0, 0, 0, 0, 300, 300, 9, 9, GC_OTHER, 0, 0},
	    {C, 0, 2, 0, 3, 300, 300, 9, 9, GC_FINAL_MARK, 0, 0},
	    {C, 2, 2, 0, 0, 300, 300, 9, 9, GC_INIT_UPDATE_REFS, 0, 0},
	    {C, 2, 0, 0, 2, 300, 300, 9, 9, GC_FINAL_UPDATE_REFS, 0, 0},
	    {C, 0, 0, 0, 0, 0, 0, 9, 9, GC_INIT_MARK, 1, 1},
	};
	struct gc_kinds k = {.jdk = 17};
	RUN(&k, pauses);
}

/* Without a client only the end of marking is examined, and counting continues. */
Test(agent_kinds_concurrent, shenandoah_is_counted_with_nobody_attached)
{
	static const enum gc_kind kinds[] = {GC_INIT_MARK, GC_FINAL_MARK, GC_INIT_UPDATE_REFS,
	    GC_FINAL_UPDATE_REFS, GC_INIT_MARK, GC_FINAL_MARK, GC_FINAL_ROOTS, GC_INIT_MARK};
	static const uint64_t numbers[] = {1, 1, 1, 1, 2, 2, 2, 3};
	struct gc_kinds k = {.collector = VM_COLLECTOR_SHENANDOAH, .jdk = 17};
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		const struct vm_gc_counts counts = {0};
		struct vm_gc_signs signs = {.way = VM_GC_WAY_CONCURRENT};
		cr_assert_not(gc_kinds_ask(&k, false, false).regions);
		gc_kinds_start(&k, &counts, &signs);
		const bool asked = gc_kinds_ask(&k, true, false).regions;
		cr_assert_eq(asked, kinds[i] == GC_FINAL_MARK, "pause %zu", i);
		if (asked)
			signs.census = (struct vm_shenandoah_census){
			    .known = true, .collected = i < 3 ? 5 : 0};
		cr_assert_eq(gc_kinds_finish(&k, &counts, &signs), kinds[i], "pause %zu", i);
		cr_assert_eq(k.number, numbers[i]);
	}
	cr_assert(gc_kinds_ask(&k, false, true).regions);
	cr_assert(gc_kinds_ask(&k, true, true).live);
	cr_assert_not(gc_kinds_ask(&k, false, true).live);
	k.generational = true;
	cr_assert(gc_kinds_ask(&k, false, true).live, "old markings would be missed");
	k.collector = VM_COLLECTOR_G1;
	cr_assert_not(gc_kinds_ask(&k, true, true).regions);
}

/* The cycles of JDK 26 have no pause before their references are updated. */
Test(agent_kinds_concurrent, shenandoah_of_jdk_26_is_counted_with_nobody_attached)
{
	static const enum gc_kind kinds[] = {GC_INIT_MARK, GC_FINAL_MARK, GC_FINAL_UPDATE_REFS,
	    GC_INIT_MARK, GC_FINAL_MARK, GC_INIT_MARK};
	static const uint64_t numbers[] = {1, 1, 1, 2, 2, 3};
	struct gc_kinds k = {.collector = VM_COLLECTOR_SHENANDOAH, .jdk = 26};
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		const struct vm_gc_counts counts = {0};
		struct vm_gc_signs signs = {.way = VM_GC_WAY_CONCURRENT};
		gc_kinds_start(&k, &counts, &signs);
		if (gc_kinds_ask(&k, true, false).regions)
			signs.census = (struct vm_shenandoah_census){
			    .known = true, .collected = i < 2 ? 5 : 0};
		cr_assert_eq(gc_kinds_finish(&k, &counts, &signs), kinds[i], "pause %zu", i);
		cr_assert_eq(k.number, numbers[i]);
	}
}

/* With generations nothing is counted: which of them was marked in the pause tells. */
Test(agent_kinds_concurrent, generations_of_shenandoah_without_a_client)
{
	static const struct {
		bool young_before, young, old_before, old;
		enum gc_kind kind;
		uint64_t number;
	} pauses[] = {
	    {1, 1, 0, 0, GC_OTHER, 0}, /* loaded in the middle */
	    {0, 0, 0, 0, GC_INIT_MARK, 1},
	    {0, 1, 0, 0, GC_FINAL_MARK, 1},
	    {1, 1, 0, 0, GC_INIT_UPDATE_REFS, 1},
	    {1, 1, 0, 0, GC_FINAL_UPDATE_REFS, 1},
	    {1, 1, 0, 1, GC_FINAL_MARK, 1}, /* of the old generation */
	    {0, 0, 1, 1, GC_INIT_MARK, 2},
	    {0, 1, 1, 1, GC_FINAL_MARK, 2}, /* nothing to evacuate */
	    {0, 0, 0, 0, GC_INIT_MARK, 3},
	    {0, 1, 0, 0, GC_FINAL_MARK, 3},
	    {1, 1, 0, 1, GC_FINAL_MARK, 3},
	    {0, 0, 0, 0, GC_INIT_MARK, 4},
	    {0, 1, 0, 1, GC_FINAL_MARK, 4}, /* of the whole heap */
	    {1, 1, 1, 1, GC_INIT_UPDATE_REFS, 4},
	    {1, 1, 1, 1, GC_FINAL_UPDATE_REFS, 4},
	};
	struct gc_kinds k = {.collector = VM_COLLECTOR_SHENANDOAH, .jdk = 25, .generational = true};
	for (size_t i = 0; i < sizeof pauses / sizeof pauses[0]; i++) {
		const struct vm_gc_counts counts = {0};
		struct vm_gc_signs signs = {.way = VM_GC_WAY_CONCURRENT,
		    .marking = {true, pauses[i].young_before, pauses[i].old_before}};
		struct vm_gc_ask ask = gc_kinds_ask(&k, false, false);
		cr_assert_not(ask.regions || ask.live, "pause %zu", i);
		gc_kinds_start(&k, &counts, &signs);
		ask = gc_kinds_ask(&k, true, false);
		cr_assert_not(ask.regions || ask.live, "pause %zu", i);
		signs.marking.young = pauses[i].young;
		signs.marking.old = pauses[i].old;
		cr_assert_eq(gc_kinds_finish(&k, &counts, &signs), pauses[i].kind, "pause %zu", i);
		cr_assert_eq(k.number, pauses[i].number, "pause %zu", i);
	}
}

/* A client sees the regions, too; where they do not change, it is again what was marked. */
Test(agent_kinds_concurrent, generations_of_shenandoah_that_change_no_region)
{
	static const struct {
		bool young_before, young, old_before, old;
		enum gc_kind kind;
	} pauses[] = {
	    {0, 1, 0, 0, GC_FINAL_MARK}, /* attached in the middle */
	    {1, 1, 0, 1, GC_FINAL_MARK}, /* of the old generation */
	    {0, 0, 1, 1, GC_INIT_MARK},
	    {0, 0, 0, 0, GC_INIT_MARK}, /* the cycle before it was cancelled */
	    {0, 1, 0, 0, GC_FINAL_MARK},
	};
	struct gc_kinds k = {.collector = VM_COLLECTOR_SHENANDOAH, .jdk = 25, .generational = true};
	for (size_t i = 0; i < sizeof pauses / sizeof pauses[0]; i++) {
		const struct vm_gc_counts counts = {0};
		struct vm_gc_signs signs = {.way = VM_GC_WAY_CONCURRENT,
		    .marking = {true, pauses[i].young_before, pauses[i].old_before},
		    .census = {.known = true, .live_known = true, .live = 500}};
		gc_kinds_start(&k, &counts, &signs);
		signs.marking.young = pauses[i].young;
		signs.marking.old = pauses[i].old;
		cr_assert_eq(gc_kinds_finish(&k, &counts, &signs), pauses[i].kind, "pause %zu", i);
	}
}

/* A JVM whose regions are not known: the order of pauses alone. */
Test(agent_kinds_concurrent, shenandoah_without_regions)
{
	struct gc_kinds k = {.collector = VM_COLLECTOR_SHENANDOAH, .jdk = 25};
	const struct vm_gc_counts counts = {0};
	const struct vm_gc_signs signs = {.way = VM_GC_WAY_CONCURRENT},
				 failed = {.way = VM_GC_WAY_FAILED};
	static const enum gc_kind kinds[] = {GC_INIT_MARK, GC_FINAL_MARK, GC_INIT_MARK};
	for (size_t i = 0; i < 3; i++) {
		gc_kinds_start(&k, &counts, &signs);
		cr_assert_eq(gc_kinds_finish(&k, &counts, &signs), kinds[i], "pause %zu", i);
	}
	gc_kinds_start(&k, &counts, &failed);
	cr_assert_eq(gc_kinds_finish(&k, &counts, &failed), GC_STOPPED);
	cr_assert_eq(k.number, 3);
}
