/*
 * The sweep on an image of a heap (H5, F19, F4): what is counted, what waits, what is never
 * guessed.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "heap_image.h"
#include "sweep.h"
#include "sweep_generations.h"
#include "sweep_g1.h"
#include "sweep_shenandoah.h"
#include "sweep_tally.h"
#include "volume.h"

enum { RANGES = 4, CELLS = 64, BLOCK = 512 };

static struct vm *vm;
static struct volume volume;
static struct sweep *sweep;
static struct sweep_range ranges[RANGES];
static struct vm_gc_counts counts;
static const char *cause;
static const struct vm_tlab *tlabs;
static size_t tlab_count, tlab_total;

static uint32_t list(
    const void *self, const void *raw, const struct sweep_moment *moment, struct sweep_range *to)
{
	(void)self;
	(void)raw;
	(void)moment;
	memcpy(to, ranges, sizeof ranges);
	return RANGES;
}

/* Range 0 is old; range 1 moves. Each has 16 cells. */
static void open_sweep(void)
{
	struct sweep_driver driver = {.ranges = list, .size = {RANGES, CELLS}};
	world_build_serial();
	image_build(VM_KLASS_NARROW, 8);
	vm = world_open();
	cr_assert(vm_has(vm, VM_OBJECTS), "%s", vm_why(vm, VM_OBJECTS));
	memset(ranges, 0, sizeof ranges);
	for (uint32_t i = 0; i < RANGES; i++) {
		uint64_t low = image_low() + (uint64_t)i * 16 * BLOCK;
		ranges[i] = (struct sweep_range){.low = low,
		    .top = low,
		    .from = low,
		    .block = BLOCK,
		    .cell = i * 16,
		    .kind = 1,
		    .moves = i != 0};
	}
	volume = (struct volume){.heavy = 1, .events = VOLUME_FINISH, .budget_ms = 1000};
	counts = (struct vm_gc_counts){.full = 2};
	cause = "System.gc()";
	tlabs = NULL;
	tlab_count = tlab_total = 0;
	sweep = sweep_create(vm, &driver, &volume);
	cr_assert_not_null(sweep);
}

static void close_sweep(void)
{
	sweep_destroy(sweep);
	vm_close(vm);
}

static const struct sweep_picture *moment(bool finish)
{
	struct sweep_event event = {.cause = cause,
	    .finish = finish,
	    .tlabs = tlabs,
	    .tlab_count = tlab_count,
	    .tlab_total = tlab_total};
	const struct sweep_picture *p = sweep_now(sweep, &event);
	sweep_develop(sweep, p);
	return p;
}

static const struct sweep_picture *collect(enum gc_kind kind)
{
	sweep_start(sweep, &counts);
	cr_assert_null(moment(false));
	counts.full += kind == GC_FULL;
	sweep_finish(sweep, kind, &counts);
	return moment(true);
}

static const struct sweep_class *class_of(const struct sweep_picture *p, const char *name)
{
	for (uint32_t i = 0; i < p->class_count; i++)
		if (strcmp(sweep_class_name(sweep, p->classes[i].id), name) == 0)
			return &p->classes[i];
	return NULL;
}

/* Fills a range from its top on with pairs of 24 bytes. */
static void add_pairs(uint32_t range, int count)
{
	image.top = ranges[range].top;
	while (count-- > 0)
		image_scalar(IMAGE_PAIR);
	ranges[range].top = image.top;
}

Test(agent_sweep, counts_by_tile_and_by_class)
{
	open_sweep();
	add_pairs(0, 10);
	image_array(IMAGE_INTS, 300); /* 1,216 bytes, into the fourth cell */
	image_array(IMAGE_FILLER, 20);
	ranges[0].top = image.top;
	add_pairs(1, 3);
	const struct sweep_picture *p = collect(GC_YOUNG);
	cr_assert_not_null(p);
	cr_assert_eq(p->cells[0].objects, 11);
	cr_assert_eq(p->cells[0].arrays, 1);
	cr_assert_eq(p->cells[0].bytes, BLOCK);
	cr_assert_eq(p->cells[1].objects, 0, "the array goes on here");
	cr_assert_eq(p->cells[1].bytes, BLOCK);
	cr_assert_eq(p->cells[2].bytes, 240 + 1216 - 2 * BLOCK);
	cr_assert_eq(p->cells[2].fillers + p->cells[3].fillers, 80 + 16);
	cr_assert_eq(p->cells[16].objects, 3);
	for (int i = 0; i < CELLS; i++)
		cr_assert_not(p->cells[i].behind || p->cells[i].unparsable != 0, "cell %d", i);
	cr_assert_eq(p->behind, 0);
	cr_assert_eq(p->used, 240 + 1216 + 96 + 72);
	cr_assert_eq(class_of(p, "test/Pair")->objects, 13);
	cr_assert_eq(class_of(p, "test/Pair")->bytes, 13 * 24);
	cr_assert_eq(class_of(p, "[I")->bytes, 1216);
	cr_assert_null(class_of(p, "[Ljdk/internal/vm/FillerElement;"), "no object");
	cr_assert(p->first);
	sweep_release(sweep, p);
	close_sweep();
}

Test(agent_sweep, walks_old_memory_once_and_the_rest_each_time)
{
	open_sweep();
	add_pairs(0, 10);
	add_pairs(1, 5);
	sweep_release(sweep, collect(GC_YOUNG));
	/* What was walked is not looked at again, so that a damage there is not seen. */
	image.words[1] = 0;
	add_pairs(0, 4);
	ranges[1].top = ranges[1].low;
	add_pairs(1, 2);
	const struct sweep_picture *p = collect(GC_YOUNG);
	cr_assert_eq(p->cells[0].objects, 14);
	cr_assert_eq(p->cells[16].objects, 2);
	cr_assert_eq(p->cells[16].bytes, 48);
	cr_assert_eq(p->unparsable, 0);
	cr_assert_eq(class_of(p, "test/Pair")->objects, 16);
	cr_assert_eq(class_of(p, "test/Pair")->growth, 24);
	cr_assert_not(p->first);
	sweep_release(sweep, p);
	/* A full collection may have moved anything; now the damage counts. */
	p = collect(GC_FULL);
	cr_assert_eq(p->unparsable, 14 * 24);
	cr_assert_eq(p->cells[0].unparsable, 14 * 24);
	cr_assert_eq(class_of(p, "test/Pair")->objects, 2);
	sweep_release(sweep, p);
	close_sweep();
}

/* JDK 17 does not announce the collection before a class histogram. */
Test(agent_sweep, sees_a_full_collection_that_nobody_announced)
{
	open_sweep();
	add_pairs(0, 10);
	sweep_release(sweep, collect(GC_YOUNG));
	image.words[1] = 0;
	counts.full++;
	const struct sweep_picture *p = collect(GC_YOUNG);
	cr_assert_eq(p->unparsable, 240);
	sweep_release(sweep, p);
	close_sweep();
}

Test(agent_sweep, begins_again_after_collections_that_it_did_not_see)
{
	open_sweep();
	add_pairs(0, 10);
	sweep_release(sweep, collect(GC_YOUNG));
	image.words[1] = 0;
	sweep_start(sweep, &counts);
	sweep_finish(sweep, GC_YOUNG, &counts); /* nobody looked */
	const struct sweep_picture *p = collect(GC_YOUNG);
	cr_assert_eq(p->unparsable, 240);
	cr_assert_eq(class_of(p, "test/Pair")->growth, -240);
	sweep_release(sweep, p);
	close_sweep();
}

Test(agent_sweep, ends_a_range_at_what_is_no_object)
{
	open_sweep();
	add_pairs(0, 30);
	uint64_t bad = ranges[0].top;
	add_pairs(0, 30);
	memset((void *)(uintptr_t)bad, 0, 16);
	add_pairs(1, 1);
	const struct sweep_picture *p = collect(GC_YOUNG);
	cr_assert_eq(p->unparsable, 30 * 24);
	cr_assert_eq(p->cells[0].unparsable, 0);
	cr_assert_eq(p->cells[1].unparsable, 2 * BLOCK - 30 * 24);
	cr_assert_eq(p->cells[2].bytes, 0);
	cr_assert_eq(p->cells[16].objects, 1, "other ranges are walked all the same");
	sweep_release(sweep, p);
	/* What comes behind is unparsable too, and what is in front keeps its counts. */
	add_pairs(0, 1);
	p = collect(GC_YOUNG);
	cr_assert_eq(p->unparsable, 31 * 24);
	cr_assert_eq(class_of(p, "test/Pair")->objects, 31);
	sweep_release(sweep, p);
	close_sweep();
}

Test(agent_sweep, does_not_walk_what_it_must_not)
{
	open_sweep();
	add_pairs(0, 10);
	add_pairs(1, 10);
	ranges[1].way = SWEEP_NEVER;
	add_pairs(2, 10);
	ranges[2].from = ranges[2].low + 48;
	const struct sweep_picture *p = collect(GC_YOUNG);
	cr_assert_eq(p->cells[16].unparsable, 240);
	cr_assert_eq(p->cells[16].objects, 0);
	cr_assert_eq(p->cells[32].unparsable, 48);
	cr_assert_eq(p->cells[32].objects, 8);
	cr_assert_eq(p->unparsable, 288);
	cr_assert_eq(class_of(p, "test/Pair")->objects, 18);
	sweep_release(sweep, p);
	close_sweep();
}

/* G1 of JDK 17: dead objects whose classes a marking has unloaded. */
Test(agent_sweep, leaves_old_ranges_alone_after_an_unloading)
{
	open_sweep();
	for (int i = 0; i < 3; i++) {
		ranges[i].way = SWEEP_WALK_OLD;
		ranges[i].moves = false;
	}
	add_pairs(0, 10);
	sweep_release(sweep, collect(GC_YOUNG));
	const struct sweep_picture *p = collect(GC_REMARK);
	cr_assert_eq(p->unparsable, 0, "no class was unloaded");
	sweep_release(sweep, p);
	++*world.unloaded;
	p = collect(GC_REMARK);
	cr_assert_eq(p->unparsable, 240);
	sweep_release(sweep, p);
	add_pairs(1, 5); /* came to be afterwards */
	p = collect(GC_YOUNG);
	cr_assert_eq(p->unparsable, 240);
	cr_assert_eq(p->cells[16].objects, 5);
	sweep_release(sweep, p);
	p = collect(GC_FULL);
	cr_assert_eq(p->unparsable, 0);
	cr_assert_eq(p->cells[0].objects, 10);
	sweep_release(sweep, p);
	close_sweep();
}

/* Serial and Parallel of JDK 17: the last object may not have been filled in. */
Test(agent_sweep, leaves_the_last_part_for_the_next_event)
{
	open_sweep();
	add_pairs(0, 10);
	sweep_release(sweep, collect(GC_YOUNG));
	uint64_t fresh = ranges[0].top;
	add_pairs(0, 1);
	uint64_t header = *(uint64_t *)(uintptr_t)(fresh + 8);
	*(uint64_t *)(uintptr_t)(fresh + 8) = 0;
	ranges[0].way = SWEEP_LATER;
	const struct sweep_picture *p = collect(GC_YOUNG);
	cr_assert_eq(p->unparsable, 0);
	cr_assert_eq(p->behind, 24);
	cr_assert(p->cells[0].behind);
	cr_assert_eq(class_of(p, "test/Pair")->objects, 10);
	sweep_release(sweep, p);
	*(uint64_t *)(uintptr_t)(fresh + 8) = header;
	add_pairs(0, 1);
	p = collect(GC_YOUNG);
	cr_assert_eq(p->behind, 24, "the one before is walked, the new one waits");
	cr_assert_eq(class_of(p, "test/Pair")->objects, 11);
	sweep_release(sweep, p);
	ranges[0].way = SWEEP_WALK;
	p = collect(GC_YOUNG);
	cr_assert_eq(p->behind, 0);
	cr_assert_not(p->cells[0].behind);
	cr_assert_eq(class_of(p, "test/Pair")->objects, 12);
	sweep_release(sweep, p);
	close_sweep();
}

Test(agent_sweep, walks_around_the_free_parts_of_buffers)
{
	static const struct vm_tlab buffers[2] = {{0}};
	struct vm_tlab own[3];
	open_sweep();
	atomic_store(&volume.events, VOLUME_START);
	add_pairs(1, 4);
	memcpy(own, buffers, sizeof buffers);
	own[0] = (struct vm_tlab){
	    .start = ranges[1].top, .top = ranges[1].top, .hard_end = ranges[1].top + 64};
	own[1] = (struct vm_tlab){
	    .start = ranges[1].low, .top = ranges[1].top, .hard_end = ranges[1].top};
	own[2] = (struct vm_tlab){0};
	memset((void *)(uintptr_t)ranges[1].top, 0, 64);
	ranges[1].top += 64;
	add_pairs(1, 2);
	tlabs = own;
	tlab_count = tlab_total = 3;
	sweep_start(sweep, &counts);
	const struct sweep_picture *p = moment(false);
	cr_assert_not_null(p);
	cr_assert_eq(p->cells[16].objects, 6);
	cr_assert_eq(p->cells[16].bytes, 144);
	cr_assert_eq(p->unparsable, 0);
	sweep_release(sweep, p);
	sweep_finish(sweep, GC_YOUNG, &counts);
	cr_assert_null(moment(true), "only starts are swept");
	close_sweep();
}

/* What was free in a thread's buffer is walked when there are objects, and only then. */
Test(agent_sweep, comes_back_to_the_free_parts_of_buffers_in_old_memory)
{
	struct vm_tlab own = {0};
	open_sweep();
	add_pairs(0, 4);
	const uint64_t free = ranges[0].top;
	memset((void *)(uintptr_t)free, 0, 240);
	ranges[0].top += 240;
	add_pairs(0, 2);
	own = (struct vm_tlab){.start = ranges[0].low, .top = free, .hard_end = free + 240};
	tlabs = &own;
	tlab_count = tlab_total = 1;
	const struct sweep_picture *p = collect(GC_YOUNG);
	cr_assert_eq(p->cells[0].objects, 6);
	cr_assert_eq(p->cells[0].bytes, 144);
	sweep_release(sweep, p);
	for (int turn = 1; turn <= 2; turn++) { /* five objects, then five more: it is full */
		image.top = own.top;
		for (int i = 0; i < 5; i++)
			image_scalar(IMAGE_PAIR);
		own.top = image.top;
		add_pairs(0, 1);
		p = collect(GC_YOUNG);
		cr_assert_eq(p->cells[0].objects, 6 + 6 * (uint32_t)turn);
		cr_assert_eq(p->cells[0].bytes, 24 * (6 + 6 * (uint64_t)turn));
		cr_assert_eq(class_of(p, "test/Pair")->objects, 6 + 6 * (uint64_t)turn);
		cr_assert_eq(p->behind + p->unparsable, 0);
		sweep_release(sweep, p);
	}
	memset((void *)(uintptr_t)free, 0, 240); /* not looked at again */
	p = collect(GC_YOUNG);
	cr_assert_eq(p->cells[0].objects, 18);
	sweep_release(sweep, p);
	close_sweep();
}

Test(agent_sweep, ends_a_range_in_a_buffer_that_holds_no_objects)
{
	struct vm_tlab own = {0};
	open_sweep();
	add_pairs(0, 4);
	own = (struct vm_tlab){
	    .start = ranges[0].low, .top = ranges[0].top, .hard_end = ranges[0].top + 48};
	memset((void *)(uintptr_t)own.top, 0, 48);
	ranges[0].top += 48;
	add_pairs(0, 2);
	tlabs = &own;
	tlab_count = tlab_total = 1;
	sweep_release(sweep, collect(GC_YOUNG));
	tlab_count = tlab_total = 0;
	const struct sweep_picture *p = collect(GC_YOUNG);
	cr_assert_eq(p->unparsable, 48 + 2 * 24);
	sweep_release(sweep, p);
	p = collect(GC_YOUNG);
	cr_assert_eq(p->unparsable, 48 + 2 * 24, "nothing is tried there again");
	sweep_release(sweep, p);
	close_sweep();
}

/* Epsilon: a heap that is never walked to its end is shown as far as it was. */
Test(agent_sweep, shows_at_once_what_nothing_ever_leaves)
{
	for (int grows = 0; grows < 2; grows++) {
		open_sweep();
		atomic_store(&volume.budget_ms, 0);
		ranges[0].grows = grows != 0;
		for (uint32_t i = 1; i < RANGES; i++)
			ranges[i].low = ranges[i].top = ranges[i].from = 0;
		add_pairs(0, 1300);
		const struct sweep_picture *p = collect(GC_YOUNG);
		const struct sweep_class *pair = class_of(p, "test/Pair");
		cr_assert_gt(p->behind, 0);
		cr_assert_eq(pair != NULL, grows != 0);
		if (grows != 0)
			cr_assert_eq(pair->bytes, p->used - p->behind);
		sweep_release(sweep, p);
		close_sweep();
	}
}

/* Shenandoah: the marks of a cycle stand until the next one, whatever pauses it has. */
Test(agent_sweep, walks_a_cycle_of_shenandoah_once)
{
	static const enum gc_kind later[] = {
	    GC_INIT_UPDATE_REFS, GC_FINAL_UPDATE_REFS, GC_FINAL_ROOTS};
	open_sweep();
	add_pairs(0, 10);
	sweep_release(sweep, collect(GC_FINAL_MARK));
	image.words[1] = 0;
	for (size_t i = 0; i < 3; i++) {
		add_pairs(0, 1);
		const struct sweep_picture *p = collect(later[i]);
		cr_assert_eq(p->unparsable, 0);
		cr_assert_eq(p->cells[0].objects, 11 + i);
		sweep_release(sweep, p);
	}
	sweep_start(sweep, &counts);
	ranges[0].marked = ranges[0].low; /* another marking */
	sweep_finish(sweep, GC_INIT_MARK, &counts);
	const struct sweep_picture *p = moment(true);
	cr_assert_eq(p->unparsable, 13 * 24);
	sweep_release(sweep, p);
	close_sweep();
}

/* A slow reader stops the sweep, not the heap's history: nothing is lost when it comes back. */
Test(agent_sweep, has_three_pictures)
{
	const struct sweep_picture *p[3];
	open_sweep();
	add_pairs(0, 10);
	for (int i = 0; i < 3; i++)
		cr_assert_not_null(p[i] = collect(GC_YOUNG));
	add_pairs(0, 5);
	cr_assert_null(collect(GC_YOUNG));
	cr_assert_eq(p[2]->cells[0].objects, 10);
	sweep_release(sweep, p[1]);
	add_pairs(0, 1);
	cr_assert_eq(collect(GC_YOUNG), p[1]);
	cr_assert_eq(p[1]->cells[0].objects, 16);
	cr_assert_eq(class_of(p[1], "test/Pair")->growth, 6 * 24);
	for (int i = 0; i < 3; i++)
		sweep_release(sweep, p[i]);
	close_sweep();
}

Test(agent_sweep, does_nothing_while_the_volume_is_light)
{
	open_sweep();
	add_pairs(0, 10);
	sweep_release(sweep, collect(GC_YOUNG));
	atomic_store(&volume.heavy, 0);
	cr_assert_null(collect(GC_YOUNG));
	image.words[1] = 0;
	atomic_store(&volume.heavy, 1);
	const struct sweep_picture *p = collect(GC_YOUNG);
	cr_assert_eq(p->unparsable, 240, "what was known is forgotten");
	sweep_release(sweep, p);
	close_sweep();
}

/* Eden and the old space at the end of a collection that ends with an allocation. */
Test(agent_sweep, knows_what_serial_has_not_filled_in)
{
	struct vm_generations raw = {.eden = {0x1000, 0x3000, 0x9000},
	    .from = {0x9000, 0x9400, 0xa000},
	    .to = {0xa000, 0xa000, 0xb000},
	    .old = {0xb000, 0xf000, 0x10000},
	    .old_reserved = {0xb000, 0x20000}};
	struct sweep_moment at = {.finish = true, .allocated = true, .buffers = true};
	const struct sweep_plan plan = {.block = 0x1000, .part = 0x2000, .parts = 11, .cells = 80};
	struct sweep_range r[SWEEP_OLD + 11];
	cr_assert_eq(sweep_generations_size(&plan).ranges, SWEEP_OLD + 11);
	cr_assert_eq(sweep_generations(&raw, &plan, &at, r), SWEEP_OLD + 11);
	cr_assert_eq(r[SWEEP_EDEN].way, SWEEP_NEVER);
	cr_assert_eq(r[SWEEP_OLD].way, SWEEP_WALK);
	cr_assert(r[SWEEP_OLD].cards && !r[SWEEP_OLD].moves && r[SWEEP_FROM].moves);
	cr_assert_eq(r[SWEEP_EDEN].cell, 0x15, "the old space has room to grow");
	cr_assert(!r[SWEEP_OLD].follows && r[SWEEP_OLD + 1].follows);
	cr_assert_eq(r[SWEEP_OLD].top, r[SWEEP_OLD + 1].low);
	cr_assert_eq(r[SWEEP_OLD + 1].top, 0xf000);
	cr_assert_eq(r[SWEEP_OLD + 1].cell, 2);
	cr_assert_eq(r[SWEEP_OLD].reach, 0xf000);
	cr_assert_eq(r[SWEEP_OLD + 2].low, r[SWEEP_OLD + 2].top, "beyond what is in use");
	raw.eden.top = raw.eden.bottom;
	sweep_generations(&raw, &plan, &at, r);
	cr_assert_eq(r[SWEEP_OLD].way, SWEEP_LATER, "it went into the old space");
	at.allocated = false;
	raw.eden.top = 0x3000;
	sweep_generations(&raw, &plan, &at, r);
	cr_assert_eq(r[SWEEP_EDEN].way, SWEEP_WALK);
	cr_assert_eq(r[SWEEP_OLD].way, SWEEP_WALK);
	at = (struct sweep_moment){.buffers = false};
	sweep_generations(&raw, &plan, &at, r);
	cr_assert_eq(r[SWEEP_EDEN].way, SWEEP_NEVER, "buffers that are not known");
	const struct sweep_plan small = {.block = 16, .part = 0x2000, .parts = 11, .cells = 80};
	sweep_generations(&raw, &small, &at, r);
	cr_assert_eq(r[SWEEP_OLD].low, r[SWEEP_OLD].top, "no room for so many cells");
	const struct sweep_plan few = {.block = 0x1000, .part = 0x2000, .parts = 1, .cells = 80};
	sweep_generations(&raw, &few, &at, r);
	cr_assert_eq(r[SWEEP_OLD].low, r[SWEEP_OLD].top, "no room for so many parts");
}

/* Parts are small enough to be walked in a pause, whole tiles, and not too many. */
Test(agent_sweep, cuts_a_heap_into_parts)
{
	struct sweep_plan p = sweep_generations_plan(UINT64_C(400) << 20, 65536, 8192);
	cr_assert_eq(p.part, 1 << 20);
	cr_assert_eq(p.parts, 401);
	p = sweep_generations_plan(UINT64_C(64) << 30, 512, 8192);
	cr_assert_eq(p.part, 32 << 20);
	cr_assert_leq(p.parts, 4096);
	p = sweep_generations_plan(UINT64_C(64) << 30, 1 << 30, 8192);
	cr_assert_eq(p.part, 1 << 30);
}

Test(agent_sweep, knows_the_regions_of_g1)
{
	struct vm_g1_layout layout;
	struct vm_g1_region regions[REGIONS];
	struct sweep_range r[REGIONS];
	struct sweep_moment at = {.finish = false, .buffers = true};
	world_build_g1();
	vm = world_open();
	vm_g1_layout(vm, &layout);
	vm_g1_regions(vm, regions, REGIONS);
	cr_assert_eq(sweep_g1(vm, &layout, regions, REGIONS, &at, r), REGIONS);
	for (uint32_t i = 0; i < REGIONS; i++) {
		cr_assert_eq(r[i].low, layout.heap + i * layout.region_bytes);
		cr_assert_eq(r[i].cell, i);
		bool kept = regions[i].type == VM_G1_OLD || regions[i].type == VM_G1_ARCHIVE;
		cr_assert_eq(r[i].moves, !kept, "region %u", i);
		cr_assert_eq(r[i].way, kept ? SWEEP_WALK_OLD : SWEEP_WALK, "region %u", i);
	}
	cr_assert_eq(r[4].top, layout.heap + 5 * layout.region_bytes + regions[5].used,
	    "a humongous object in two regions");
	cr_assert_eq(r[5].top, r[5].low, "its second one");
	at.buffers = false;
	sweep_g1(vm, &layout, regions, REGIONS, &at, r);
	cr_assert_eq(r[1].way, SWEEP_NEVER);
	vm_close(vm);
}

/* The regions of vm_world.h, at the pauses of a cycle. */
Test(agent_sweep, knows_the_regions_of_shenandoah)
{
	struct vm_shenandoah_layout layout;
	struct vm_shenandoah_region regions[REGIONS];
	struct sweep_range r[REGIONS];
	struct sweep_moment at = {.finish = true, .kind = GC_FINAL_MARK, .buffers = true};
	world_build_shenandoah(25);
	vm = world_open();
	cr_assert(vm_shenandoah_layout(vm, &layout));
	vm_shenandoah_regions(vm, regions, REGIONS);
	cr_assert_eq(sweep_shenandoah_size(&layout).ranges, REGIONS);
	cr_assert_eq(sweep_shenandoah(vm, &layout, regions, REGIONS, &at, r), 0, "broken off");
	*world_marks.flag = 1;
	cr_assert_eq(sweep_shenandoah(vm, &layout, regions, REGIONS, &at, r), REGIONS);
	for (uint32_t i = 0; i < REGIONS; i++) {
		cr_assert_eq(r[i].low, HEAP + i * (uint64_t)GRAIN);
		cr_assert_eq(r[i].from, r[i].low);
		cr_assert_eq(r[i].cell, i);
		cr_assert_not(r[i].moves);
		cr_assert_eq(r[i].way, SWEEP_WALK, "region %u", i);
	}
	cr_assert_eq(r[0].top, r[0].low, "uncommitted");
	cr_assert_eq(r[2].top, r[2].low + 2 * 4096);
	cr_assert_eq(r[2].marked, r[2].top - 1024);
	cr_assert_eq(r[3].top, r[4].low + 4 * 4096, "a humongous object in two regions");
	cr_assert_eq(r[4].top, r[4].low, "its second one");
	cr_assert_neq(r[2].kind, r[6].kind, "the collection set is something else");
	at.kind = GC_FINAL_UPDATE_REFS;
	regions[2].state = VM_SHENANDOAH_TRASH;
	sweep_shenandoah(vm, &layout, regions, REGIONS, &at, r);
	cr_assert_eq(r[2].top, r[2].low);
	cr_assert_eq(r[6].way, SWEEP_NEVER, "it was copied");
	at.buffers = false;
	sweep_shenandoah(vm, &layout, regions, REGIONS, &at, r);
	cr_assert_eq(r[7].way, SWEEP_NEVER);
	/* A full collection of JDK 25 leaves no marks: what it has not compacted is unknown. */
	at = (struct sweep_moment){.finish = true, .kind = GC_FULL, .buffers = true};
	*world_marks.flag = 0;
	world_marks.tops[7] = HEAP + 7 * (uint64_t)GRAIN;
	cr_assert_eq(sweep_shenandoah(vm, &layout, regions, REGIONS, &at, r), REGIONS);
	cr_assert_eq(r[7].way, SWEEP_WALK);
	cr_assert_eq(r[3].way, SWEEP_NEVER);
	static const enum gc_kind never[] = {GC_OTHER, GC_INIT_MARK, GC_INIT_UPDATE_REFS};
	*world_marks.flag = 1;
	for (size_t i = 0; i < 3; i++) {
		at.kind = never[i];
		cr_assert_eq(sweep_shenandoah(vm, &layout, regions, REGIONS, &at, r), 0);
	}
	at = (struct sweep_moment){.kind = GC_FINAL_MARK, .buffers = true};
	cr_assert_eq(sweep_shenandoah(vm, &layout, regions, REGIONS, &at, r), 0, "a start");
	vm_close(vm);
}

Test(agent_sweep, tally_keeps_what_there_is_room_for)
{
	struct sweep_tally *t = sweep_tally_create(4, 100, 4); /* three chunks of seven */
	const struct tally_total *totals = sweep_tally_totals(t);
	for (uint32_t i = 0; i < 20; i++)
		sweep_tally_add(t, i, 10);
	sweep_tally_flush(t, 0, true);
	for (uint32_t i = 0; i < 20; i++)
		sweep_tally_add(t, i, 10);
	sweep_tally_flush(t, 0, true);
	cr_assert_eq(totals[19].objects, 2);
	cr_assert_eq(sweep_tally_lost(t), 0, "the same classes need no more room");
	for (uint32_t i = 0; i < 5; i++)
		sweep_tally_add(t, i, 100);
	sweep_tally_flush(t, 1, true);
	cr_assert_eq(sweep_tally_lost(t), 500);
	cr_assert_eq(totals[0].bytes, 20);
	sweep_tally_drop(t, 0);
	cr_assert_eq(totals[19].objects, 0);
	sweep_tally_add(t, 7, 70);
	sweep_tally_flush(t, 1, false);
	cr_assert_eq(totals[7].bytes, 0, "not before the walk has come to its end");
	sweep_tally_replace(t, 1);
	cr_assert_eq(totals[7].bytes, 70);
	cr_assert_eq(sweep_tally_lost(t), 0);
	sweep_tally_destroy(t);
}

Test(agent_sweep, volume_takes_words_and_refuses_others)
{
	struct volume v = {.budget_ms = 20};
	struct gcs_error err;
	char text[200];
	cr_assert(volume_has("volume") && volume_has("heavy-events") && volume_has("heavy-budget"));
	cr_assert_not(volume_has("interval"));
	cr_assert_eq(volume_set(&v, "volume", "heavy", &err), GCS_OK);
	cr_assert_eq(volume_set(&v, "heavy-events", "both", &err), GCS_OK);
	cr_assert_eq(volume_set(&v, "heavy-budget", "1000", &err), GCS_OK);
	size_t length = volume_tell(&v, text, sizeof text);
	cr_assert_eq(length, strlen(text));
	cr_assert_str_eq(text, "volume=heavy\nheavy-events=both\nheavy-budget=1000\n");
	cr_assert(volume_sweeps(&v, true) && volume_sweeps(&v, false));
	cr_assert_eq(volume_describe(&v, text, sizeof text), strlen(text));
	cr_assert_str_eq(text, "heavy: objects are counted at the start and the finish of each "
			       "collection, for at most 1000 ms");
	static const char *const bad[][2] = {{"volume", "loud"}, {"volume", ""},
	    {"heavy-events", "end"}, {"heavy-budget", "0"}, {"heavy-budget", "1001"},
	    {"heavy-budget", "2x"}};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		cr_assert_eq(volume_set(&v, bad[i][0], bad[i][1], &err), GCS_ARGUMENT);
		cr_assert_not_null(strstr(err.text, "allowed"), "%s", err.text);
	}
	cr_assert_eq(volume_tell(&v, text, sizeof text), length, "nothing has changed");
}
