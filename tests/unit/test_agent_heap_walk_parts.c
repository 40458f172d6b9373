/*
 * The walk over a space in parts (H5, F19): each counts by itself, so that full collections at every
 * event do not keep the rest from being counted; and what is copied into a picture.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "heap_image.h"
#include "heap_walk.h"
#include "heap_walk_internal.h"
#include "volume.h"

enum { RANGES = 5, PARTS = 4, YOUNG = 4, CELLS = 4096, BLOCK = 512, PART = 16 * BLOCK };
enum { CARDS = PARTS * PART / BLOCK, PAIRS = 120 };

static struct vm *vm;
static struct volume volume;
static struct heap_walk *heap_walk;
static struct heap_walk_range ranges[RANGES];
static struct vm_gc_counts counts;
static unsigned char entries[CARDS + 1];

static uint32_t list(const void *self, const void *raw, const struct heap_walk_pause *moment,
    struct heap_walk_range *to)
{
	(void)self;
	(void)raw;
	(void)moment;
	memcpy(to, ranges, sizeof ranges);
	return RANGES;
}

/* Says of each card's border up to which the object reaches where that begins. */
static void tell(uint64_t at)
{
	for (uint64_t card = (at - image_low() + BLOCK - 1) / BLOCK;
	     card < CARDS && image_low() + card * BLOCK < image.top; card++) {
		const uint64_t words = (image_low() + card * BLOCK - at) / 8;
		entries[card] = (unsigned char)(words < 64 ? words : 64);
	}
}

/* The old space in four parts: pairs, and an array that reaches over the border to the next part. A
 * young one after them. */
static void open_parts(bool table)
{
	struct heap_walk_driver driver = {.ranges = list, .size = {RANGES, CELLS}};
	world_build_serial();
	image_build(VM_KLASS_NARROW, 8);
	vm = world_open();
	memset(ranges, 0, sizeof ranges);
	for (uint32_t i = 0; i < PARTS; i++) {
		const uint64_t low = image_low() + (uint64_t)i * PART;
		for (int k = 0; k < PAIRS; k++)
			tell(image_scalar(IMAGE_PAIR));
		if (i + 1 < PARTS)
			tell(image_array(IMAGE_INTS, (uint32_t)(low + PART - image.top) / 4));
		ranges[i] = (struct heap_walk_range){.low = low,
		    .from = low,
		    .top = i + 1 < PARTS ? low + PART : image.top,
		    .block = BLOCK,
		    .cell = i * 16,
		    .follows = i != 0,
		    .reach = image.top};
	}
	for (uint32_t i = 0; i < PARTS; i++)
		ranges[i].reach = image.top;
	const uint64_t young = image_low() + (uint64_t)PARTS * PART;
	image.top = young;
	image_scalar(IMAGE_PAIR);
	ranges[YOUNG] = (struct heap_walk_range){.low = young,
	    .from = young,
	    .top = image.top,
	    .block = BLOCK,
	    .cell = 64,
	    .moves = true};
	vm->support[VM_OBJECT_STARTS] = table ? VM_DERIVED : VM_MISSING;
	vm->starts = (struct vm_starts){.low = image_low(),
	    .high = young,
	    .base = (uintptr_t)entries - image_low() / BLOCK,
	    .shift = 9};
	/* Each event walks over one stretch of 256 objects, and has no time for more. */
	volume = (struct volume){.heavy = 1, .events = VOLUME_FINISH};
	counts = (struct vm_gc_counts){.full = 2};
	heap_walk = heap_walk_create(vm, &driver, &volume);
	cr_assert_not_null(heap_walk);
}

static void close_parts(void)
{
	heap_walk_destroy(heap_walk);
	vm_close(vm);
}

static const struct heap_walk_result *collect(enum gc_kind kind)
{
	const struct heap_walk_event event = {.cause = "", .finish = true};
	heap_walk_start(heap_walk, &counts);
	counts.full += kind == GC_FULL;
	heap_walk_finish(heap_walk, kind, &counts);
	const struct heap_walk_result *p = heap_walk_now(heap_walk, &event);
	cr_assert_not_null(p);
	heap_walk_complete(heap_walk, p);
	heap_walk_release(heap_walk, p);
	return p;
}

static const struct heap_walk_class *class_of(const struct heap_walk_result *p, const char *name)
{
	for (uint32_t i = 0; i < p->class_count; i++)
		if (strcmp(heap_walk_class_name(heap_walk, p->classes[i].id), name) == 0)
			return &p->classes[i];
	return NULL;
}

static uint64_t objects(const struct heap_walk_result *p, const char *name)
{
	const struct heap_walk_class *class = class_of(p, name);
	return class == NULL ? 0 : class->objects;
}

/* Which parts have counts of this event. */
static unsigned fresh_parts(const struct heap_walk_result *p)
{
	unsigned found = 0;
	for (unsigned i = 0; i < PARTS; i++) {
		const unsigned cells = area_tiles(ranges[i].low, ranges[i].top, BLOCK);
		unsigned behind = 0;
		for (unsigned k = 0; k < cells; k++)
			behind += p->cells[i * 16 + k].behind;
		found |= behind == 0 ? 1u << i : 0;
	}
	return found;
}

/* Without parts, or with walks that begin at the bottom only, nothing was ever counted. */
Test(agent_heap_walk, full_collections_at_each_event_do_not_stop_it)
{
	open_parts(true);
	const struct heap_walk_result *p = NULL;
	for (unsigned i = 0; i < PARTS; i++) {
		p = collect(GC_FULL);
		cr_assert_eq(fresh_parts(p), 1u << i, "event %u: %x", i, fresh_parts(p));
		cr_assert_eq(objects(p, "test/Pair"), (i + 1) * PAIRS, "event %u", i);
		cr_assert_gt(p->behind, 0);
	}
	p = collect(GC_FULL);
	cr_assert_eq(objects(p, "test/Pair"), PARTS * PAIRS + 1, "and the young one");
	cr_assert_eq(objects(p, "[I"), PARTS - 1);
	uint64_t bytes = 0;
	volume.budget_ms = 1000;
	p = collect(GC_FULL);
	cr_assert_eq(p->behind + p->unparsable + p->unsettled, 0);
	for (int k = 0; k < 64; k++)
		bytes += p->cells[k].bytes;
	cr_assert_eq(bytes, ranges[3].top - ranges[0].low, "no byte twice, none left out");
	cr_assert_eq(objects(p, "test/Pair"), PARTS * PAIRS + 1);
	cr_assert_not(heap_walk->misled);
	close_parts();
}

/* An object that fills a part and begins before it. */
Test(agent_heap_walk, an_object_may_reach_over_several_parts)
{
	for (int table = 0; table < 2; table++) {
		open_parts(table != 0);
		volume.budget_ms = 1000;
		heap_walk->agreed = (uint64_t)table;
		memset(entries, 0, sizeof entries);
		image.top = image_low();
		const uint64_t array = image_array(IMAGE_INTS, (2 * PART + 1000) / 4);
		tell(array);
		const uint64_t pairs = image.top;
		while (image.top + 24 <= ranges[3].top)
			tell(image_scalar(IMAGE_PAIR));
		ranges[3].top = image.top;
		for (int i = 0; i < PARTS; i++)
			ranges[i].reach = image.top;
		heap_walk->turn = table ? 3 : 0;
		const struct heap_walk_result *p = collect(GC_FULL);
		cr_assert_eq(p->behind + p->unparsable, 0);
		cr_assert_eq(p->cells[20].bytes, BLOCK);
		cr_assert_eq(p->cells[20].objects, 0);
		cr_assert_eq(objects(p, "[I"), 1);
		cr_assert_eq(objects(p, "test/Pair"), (image.top - pairs) / 24 + 1);
		cr_assert_not(heap_walk->misled);
		close_parts();
	}
}

/* A table that is wrong is found out by the walk, and what was counted by it goes. */
Test(agent_heap_walk, does_not_believe_a_table_that_is_wrong)
{
	open_parts(true);
	collect(GC_FULL);
	entries[32] = 2; /* where part 2 begins: in the middle of something */
	const struct heap_walk_result *p = collect(GC_FULL);
	cr_assert(heap_walk->misled, "the walk of part 1 has come to another place");
	cr_assert_eq(objects(p, "test/Pair"), PAIRS, "part 1 was begun by the table");
	volume.budget_ms = 1000;
	p = collect(GC_YOUNG);
	cr_assert_eq(objects(p, "test/Pair"), PARTS * PAIRS + 1, "from the bottom on");
	cr_assert_eq(p->behind + p->unparsable, 0);
	close_parts();
}

/* A JVM whose table is not known: each walk begins at the bottom, what it reaches counts. */
Test(agent_heap_walk, without_a_table_counts_what_it_reaches)
{
	open_parts(false);
	const struct heap_walk_result *p = collect(GC_FULL);
	cr_assert_eq(objects(p, "test/Pair"), PAIRS);
	p = collect(GC_FULL);
	p = collect(GC_FULL);
	cr_assert_eq(objects(p, "test/Pair"), PAIRS + 1, "the young range has its turn too");
	for (unsigned i = 0; i < PARTS + 1; i++)
		p = collect(GC_YOUNG);
	cr_assert_eq(objects(p, "test/Pair"), PARTS * PAIRS + 1, "given time, all of it");
	close_parts();
}

/* What follows something that cannot be walked is found again by the table only. */
Test(agent_heap_walk, a_part_that_cannot_be_walked_is_not_the_end)
{
	for (int table = 0; table < 2; table++) {
		open_parts(table != 0);
		volume.budget_ms = 1000;
		heap_walk->agreed = (uint64_t)table;
		memset((void *)(uintptr_t)(ranges[1].low + 64), 0, 16);
		const struct heap_walk_result *p = collect(GC_FULL);
		const uint64_t rest = table ? ranges[1].top : ranges[3].top;
		cr_assert_eq(p->behind, 0);
		cr_assert_eq(p->unparsable, rest - ranges[1].low - 64);
		cr_assert_eq(objects(p, "test/Pair"), 3 + (table ? 3 : 1) * PAIRS);
		close_parts();
	}
}

/* The picture: only what has changed is copied, and no more than there is time for. */
Test(agent_heap_walk, copies_what_has_changed_while_there_is_time)
{
	open_parts(false);
	volume.budget_ms = 1000;
	const struct heap_walk_result *p = collect(GC_FULL);
	cr_assert_eq(p->behind, 0);
	/* Another picture, which has nothing yet, and no time: one range at each event. */
	struct result_buffer *other = &heap_walk->buffers[1];
	for (unsigned i = 0; i < RANGES; i++) {
		heap_walk_take_result(heap_walk, other, 0);
		heap_walk_complete(heap_walk, &other->shown);
		cr_assert_eq(i + 1 == RANGES, other->shown.behind == 0, "event %u", i);
		cr_assert_eq(other->shown.cells[i * 16].behind, false);
		cr_assert_eq(other->shown.cells[i * 16].objects, p->cells[i * 16].objects);
		cr_assert_eq(other->shown.cells[64].behind, i + 1 < RANGES);
	}
	/* The cells were not copied again, and did not need to be. */
	heap_walk->cells[0].objects += 1;
	heap_walk_take_result(heap_walk, other, 0);
	cr_assert_eq(other->shown.cells[0].objects, p->cells[0].objects);
	heap_walk->tracks[0].changed = true;
	heap_walk_take_result(heap_walk, other, 0);
	cr_assert_eq(other->shown.cells[0].objects, p->cells[0].objects + 1);
	close_parts();
}
