/*
 * The walk over an image of a heap (H5, F19, F4): what is counted, what waits, what is never
 * guessed.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "heap_image.h"
#include "heap_walk.h"
#include "heap_walk_ranges.h"
#include "volume.h"

enum { RANGES = 4, CELLS = 64, BLOCK = 512 };

static struct vm *vm;
static struct volume volume;
static struct heap_walk *heap_walk;
static struct heap_walk_range ranges[RANGES];
static struct vm_gc_counts counts;
static const char *cause;
static const struct vm_tlab *tlabs;
static size_t tlab_count, tlab_total;

static uint32_t list(const void *self, const void *raw, const struct heap_walk_pause *moment,
    struct heap_walk_range *to)
{
	(void)self;
	(void)raw;
	(void)moment;
	memcpy(to, ranges, sizeof ranges);
	return RANGES;
}

/* Range 0 is old; range 1 moves. Each has 16 cells. */
static void open_heap_walk(void)
{
	struct heap_walk_driver driver = {.ranges = list, .size = {RANGES, CELLS}};
	world_build_serial();
	image_build(VM_KLASS_NARROW, 8);
	vm = world_open();
	cr_assert(vm_has(vm, VM_OBJECTS), "%s", vm_why(vm, VM_OBJECTS));
	memset(ranges, 0, sizeof ranges);
	for (uint32_t i = 0; i < RANGES; i++) {
		uint64_t low = image_low() + (uint64_t)i * 16 * BLOCK;
		ranges[i] = (struct heap_walk_range){.low = low,
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
	heap_walk = heap_walk_create(vm, &driver, &volume);
	cr_assert_not_null(heap_walk);
}

static void close_heap_walk(void)
{
	heap_walk_destroy(heap_walk);
	vm_close(vm);
}

static const struct heap_walk_result *moment(bool finish)
{
	struct heap_walk_event event = {.cause = cause,
	    .finish = finish,
	    .tlabs = tlabs,
	    .tlab_count = tlab_count,
	    .tlab_total = tlab_total};
	const struct heap_walk_result *p = heap_walk_now(heap_walk, &event);
	heap_walk_complete(heap_walk, p);
	return p;
}

static const struct heap_walk_result *collect(enum gc_kind kind)
{
	heap_walk_start(heap_walk, &counts);
	cr_assert_null(moment(false));
	counts.full += kind == GC_FULL;
	heap_walk_finish(heap_walk, kind, &counts);
	return moment(true);
}

static const struct heap_walk_class *class_of(const struct heap_walk_result *p, const char *name)
{
	for (uint32_t i = 0; i < p->class_count; i++)
		if (strcmp(heap_walk_class_name(heap_walk, p->classes[i].id), name) == 0)
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

Test(agent_heap_walk, counts_by_tile_and_by_class)
{
	open_heap_walk();
	add_pairs(0, 10);
	image_array(IMAGE_INTS, 300); /* 1,216 bytes, into the fourth cell */
	image_array(IMAGE_FILLER, 20);
	ranges[0].top = image.top;
	add_pairs(1, 3);
	const struct heap_walk_result *p = collect(GC_YOUNG);
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
	heap_walk_release(heap_walk, p);
	close_heap_walk();
}

Test(agent_heap_walk, walks_old_memory_once_and_the_rest_each_time)
{
	open_heap_walk();
	add_pairs(0, 10);
	add_pairs(1, 5);
	heap_walk_release(heap_walk, collect(GC_YOUNG));
	/* What was walked is not looked at again, so that a damage there is not seen. */
	image.words[1] = 0;
	add_pairs(0, 4);
	ranges[1].top = ranges[1].low;
	add_pairs(1, 2);
	const struct heap_walk_result *p = collect(GC_YOUNG);
	cr_assert_eq(p->cells[0].objects, 14);
	cr_assert_eq(p->cells[16].objects, 2);
	cr_assert_eq(p->cells[16].bytes, 48);
	cr_assert_eq(p->unparsable, 0);
	cr_assert_eq(class_of(p, "test/Pair")->objects, 16);
	cr_assert_eq(class_of(p, "test/Pair")->growth, 24);
	cr_assert_not(p->first);
	heap_walk_release(heap_walk, p);
	/* A full collection may have moved anything; now the damage counts. */
	p = collect(GC_FULL);
	cr_assert_eq(p->unparsable, 14 * 24);
	cr_assert_eq(p->cells[0].unparsable, 14 * 24);
	cr_assert_eq(class_of(p, "test/Pair")->objects, 2);
	heap_walk_release(heap_walk, p);
	close_heap_walk();
}

/* Nobody looked at it; or JDK 17 did not announce it, as before a class histogram. */
Test(agent_heap_walk, begins_again_after_collections_that_it_did_not_see)
{
	for (int announced = 0; announced < 2; announced++) {
		open_heap_walk();
		add_pairs(0, 10);
		heap_walk_release(heap_walk, collect(GC_YOUNG));
		image.words[1] = 0;
		if (announced != 0) {
			heap_walk_start(heap_walk, &counts);
			heap_walk_finish(heap_walk, GC_YOUNG, &counts);
		} else {
			counts.full++;
		}
		const struct heap_walk_result *p = collect(GC_YOUNG);
		cr_assert_eq(p->unparsable, 240);
		cr_assert_eq(class_of(p, "test/Pair")->growth, -240);
		heap_walk_release(heap_walk, p);
		close_heap_walk();
	}
}

Test(agent_heap_walk, ends_a_range_at_what_is_no_object)
{
	open_heap_walk();
	add_pairs(0, 30);
	uint64_t bad = ranges[0].top;
	add_pairs(0, 30);
	memset((void *)(uintptr_t)bad, 0, 16);
	add_pairs(1, 1);
	const struct heap_walk_result *p = collect(GC_YOUNG);
	cr_assert_eq(p->unparsable, 30 * 24);
	cr_assert_eq(p->cells[0].unparsable, 0);
	cr_assert_eq(p->cells[1].unparsable, 2 * BLOCK - 30 * 24);
	cr_assert_eq(p->cells[2].bytes, 0);
	cr_assert_eq(p->cells[16].objects, 1, "other ranges are walked all the same");
	heap_walk_release(heap_walk, p);
	/* What comes behind is unparsable too, and what is in front keeps its counts. */
	add_pairs(0, 1);
	p = collect(GC_YOUNG);
	cr_assert_eq(p->unparsable, 31 * 24);
	cr_assert_eq(class_of(p, "test/Pair")->objects, 31);
	heap_walk_release(heap_walk, p);
	close_heap_walk();
}

Test(agent_heap_walk, does_not_walk_what_it_must_not)
{
	open_heap_walk();
	add_pairs(0, 10);
	add_pairs(1, 10);
	ranges[1].way = HEAP_WALK_NEVER;
	add_pairs(2, 10);
	ranges[2].from = ranges[2].low + 48;
	const struct heap_walk_result *p = collect(GC_YOUNG);
	cr_assert_eq(p->cells[16].unparsable, 240);
	cr_assert_eq(p->cells[16].objects, 0);
	cr_assert_eq(p->cells[32].unparsable, 48);
	cr_assert_eq(p->cells[32].objects, 8);
	cr_assert_eq(p->unparsable, 288);
	cr_assert_eq(class_of(p, "test/Pair")->objects, 18);
	heap_walk_release(heap_walk, p);
	close_heap_walk();
}

/* G1 of JDK 17: dead objects whose classes a marking has unloaded. */
Test(agent_heap_walk, leaves_old_ranges_alone_after_an_unloading)
{
	open_heap_walk();
	for (int i = 0; i < 3; i++) {
		ranges[i].way = HEAP_WALK_OBJECTS_OLD;
		ranges[i].moves = false;
	}
	add_pairs(0, 10);
	heap_walk_release(heap_walk, collect(GC_YOUNG));
	const struct heap_walk_result *p = collect(GC_REMARK);
	cr_assert_eq(p->unparsable, 0, "no class was unloaded");
	heap_walk_release(heap_walk, p);
	++*world.unloaded;
	p = collect(GC_REMARK);
	cr_assert_eq(p->unparsable, 240);
	heap_walk_release(heap_walk, p);
	add_pairs(1, 5); /* came to be afterwards */
	p = collect(GC_YOUNG);
	cr_assert_eq(p->unparsable, 240);
	cr_assert_eq(p->cells[16].objects, 5);
	heap_walk_release(heap_walk, p);
	p = collect(GC_FULL);
	cr_assert_eq(p->unparsable, 0);
	cr_assert_eq(p->cells[0].objects, 10);
	heap_walk_release(heap_walk, p);
	close_heap_walk();
}

/* Serial and Parallel of JDK 17: the last object may not have been filled in. */
Test(agent_heap_walk, leaves_the_last_part_for_the_next_event)
{
	open_heap_walk();
	add_pairs(0, 10);
	heap_walk_release(heap_walk, collect(GC_YOUNG));
	uint64_t fresh = ranges[0].top;
	add_pairs(0, 1);
	uint64_t header = *(uint64_t *)(uintptr_t)(fresh + 8);
	*(uint64_t *)(uintptr_t)(fresh + 8) = 0;
	ranges[0].way = HEAP_WALK_LATER;
	const struct heap_walk_result *p = collect(GC_YOUNG);
	cr_assert_eq(p->unparsable, 0);
	cr_assert_eq(p->behind, 24);
	cr_assert(p->cells[0].behind);
	cr_assert_eq(class_of(p, "test/Pair")->objects, 10);
	heap_walk_release(heap_walk, p);
	*(uint64_t *)(uintptr_t)(fresh + 8) = header;
	add_pairs(0, 1);
	p = collect(GC_YOUNG);
	cr_assert_eq(p->behind, 24, "the one before is walked, the new one waits");
	cr_assert_eq(class_of(p, "test/Pair")->objects, 11);
	heap_walk_release(heap_walk, p);
	ranges[0].way = HEAP_WALK_OBJECTS;
	p = collect(GC_YOUNG);
	cr_assert_eq(p->behind, 0);
	cr_assert_not(p->cells[0].behind);
	cr_assert_eq(class_of(p, "test/Pair")->objects, 12);
	heap_walk_release(heap_walk, p);
	close_heap_walk();
}

Test(agent_heap_walk, walks_around_the_free_parts_of_buffers)
{
	struct vm_tlab own[3] = {{0}};
	open_heap_walk();
	atomic_store(&volume.events, VOLUME_START);
	add_pairs(1, 4);
	own[0] = (struct vm_tlab){
	    .start = ranges[1].top, .top = ranges[1].top, .hard_end = ranges[1].top + 64};
	own[1] = (struct vm_tlab){
	    .start = ranges[1].low, .top = ranges[1].top, .hard_end = ranges[1].top};
	memset((void *)(uintptr_t)ranges[1].top, 0, 64);
	ranges[1].top += 64;
	add_pairs(1, 2);
	tlabs = own;
	tlab_count = tlab_total = 3;
	heap_walk_start(heap_walk, &counts);
	const struct heap_walk_result *p = moment(false);
	cr_assert_not_null(p);
	cr_assert_eq(p->cells[16].objects, 6);
	cr_assert_eq(p->cells[16].bytes, 144);
	cr_assert_eq(p->unparsable, 0);
	heap_walk_release(heap_walk, p);
	heap_walk_finish(heap_walk, GC_YOUNG, &counts);
	cr_assert_null(moment(true), "only starts are walked");
	close_heap_walk();
}

/* What was free in a thread's buffer is walked when there are objects, and only then. */
Test(agent_heap_walk, comes_back_to_the_free_parts_of_buffers_in_old_memory)
{
	struct vm_tlab own = {0};
	open_heap_walk();
	add_pairs(0, 4);
	const uint64_t free = ranges[0].top;
	memset((void *)(uintptr_t)free, 0, 240);
	ranges[0].top += 240;
	add_pairs(0, 2);
	own = (struct vm_tlab){.start = ranges[0].low, .top = free, .hard_end = free + 240};
	tlabs = &own;
	tlab_count = tlab_total = 1;
	const struct heap_walk_result *p = collect(GC_YOUNG);
	cr_assert_eq(p->cells[0].objects, 6);
	cr_assert_eq(p->cells[0].bytes, 144);
	heap_walk_release(heap_walk, p);
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
		heap_walk_release(heap_walk, p);
	}
	memset((void *)(uintptr_t)free, 0, 240); /* not looked at again */
	p = collect(GC_YOUNG);
	cr_assert_eq(p->cells[0].objects, 18);
	heap_walk_release(heap_walk, p);
	close_heap_walk();
}

Test(agent_heap_walk, ends_a_range_in_a_buffer_that_holds_no_objects)
{
	struct vm_tlab own = {0};
	open_heap_walk();
	add_pairs(0, 4);
	own = (struct vm_tlab){
	    .start = ranges[0].low, .top = ranges[0].top, .hard_end = ranges[0].top + 48};
	memset((void *)(uintptr_t)own.top, 0, 48);
	ranges[0].top += 48;
	add_pairs(0, 2);
	tlabs = &own;
	tlab_count = tlab_total = 1;
	heap_walk_release(heap_walk, collect(GC_YOUNG));
	tlab_count = tlab_total = 0;
	const struct heap_walk_result *p = collect(GC_YOUNG);
	cr_assert_eq(p->unparsable, 48 + 2 * 24);
	heap_walk_release(heap_walk, p);
	p = collect(GC_YOUNG);
	cr_assert_eq(p->unparsable, 48 + 2 * 24, "nothing is tried there again");
	heap_walk_release(heap_walk, p);
	close_heap_walk();
}

/* Epsilon: a heap that is never walked to its end is shown as far as it was. */
Test(agent_heap_walk, shows_at_once_what_nothing_ever_leaves)
{
	for (int grows = 0; grows < 2; grows++) {
		open_heap_walk();
		atomic_store(&volume.budget_ms, 0);
		ranges[0].grows = grows != 0;
		for (uint32_t i = 1; i < RANGES; i++)
			ranges[i].low = ranges[i].top = ranges[i].from = 0;
		add_pairs(0, 1300);
		const struct heap_walk_result *p = collect(GC_YOUNG);
		const struct heap_walk_class *pair = class_of(p, "test/Pair");
		cr_assert_gt(p->behind, 0);
		cr_assert_eq(pair != NULL, grows != 0);
		if (grows != 0)
			cr_assert_eq(pair->bytes, p->used - p->behind);
		heap_walk_release(heap_walk, p);
		close_heap_walk();
	}
}

/* Shenandoah: the marks of a cycle stand until the next one, whatever pauses it has. */
Test(agent_heap_walk, walks_a_cycle_of_shenandoah_once)
{
	static const enum gc_kind later[] = {
	    GC_INIT_UPDATE_REFS, GC_FINAL_UPDATE_REFS, GC_FINAL_ROOTS};
	open_heap_walk();
	add_pairs(0, 10);
	heap_walk_release(heap_walk, collect(GC_FINAL_MARK));
	image.words[1] = 0;
	for (size_t i = 0; i < 3; i++) {
		add_pairs(0, 1);
		const struct heap_walk_result *p = collect(later[i]);
		cr_assert_eq(p->unparsable, 0);
		cr_assert_eq(p->cells[0].objects, 11 + i);
		heap_walk_release(heap_walk, p);
	}
	heap_walk_start(heap_walk, &counts);
	ranges[0].marked = ranges[0].low; /* another marking */
	heap_walk_finish(heap_walk, GC_INIT_MARK, &counts);
	const struct heap_walk_result *p = moment(true);
	cr_assert_eq(p->unparsable, 13 * 24);
	heap_walk_release(heap_walk, p);
	close_heap_walk();
}

/* A slow reader stops the walk, not the heap's history: nothing is lost when it comes back. */
Test(agent_heap_walk, has_three_pictures)
{
	const struct heap_walk_result *p[3];
	open_heap_walk();
	add_pairs(0, 10);
	for (int i = 0; i < 3; i++)
		cr_assert_not_null(p[i] = collect(GC_YOUNG));
	add_pairs(0, 5);
	cr_assert_null(collect(GC_YOUNG));
	cr_assert_eq(p[2]->cells[0].objects, 10);
	heap_walk_release(heap_walk, p[1]);
	add_pairs(0, 1);
	cr_assert_eq(collect(GC_YOUNG), p[1]);
	cr_assert_eq(p[1]->cells[0].objects, 16);
	cr_assert_eq(class_of(p[1], "test/Pair")->growth, 6 * 24);
	for (int i = 0; i < 3; i++)
		heap_walk_release(heap_walk, p[i]);
	close_heap_walk();
}

Test(agent_heap_walk, does_nothing_while_the_volume_is_light)
{
	open_heap_walk();
	add_pairs(0, 10);
	heap_walk_release(heap_walk, collect(GC_YOUNG));
	atomic_store(&volume.heavy, 0);
	cr_assert_null(collect(GC_YOUNG));
	image.words[1] = 0;
	atomic_store(&volume.heavy, 1);
	const struct heap_walk_result *p = collect(GC_YOUNG);
	cr_assert_eq(p->unparsable, 240, "what was known is forgotten");
	heap_walk_release(heap_walk, p);
	close_heap_walk();
}
