/* From a heap walk's result to tiles, and to classes (H5, F4, F5). */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include <gcspy/memory.h>

#include "agent_driver.h"
#include "classes_space.h"
#include "heap_image.h"
#include "heavy.h"
#include "heap_walk_ranges.h"
#include "vm_heap.h"

enum { NOT_COUNTED, COUNTED, COUNTED_IN_PART, UNPARSABLE, CELLS = 3000 };
enum { RANGES = HEAP_WALK_OLD + 4096 };

static struct heap_walk_range ranges[RANGES];
static struct heap_walk_cell cells[CELLS];
static struct heap_walk_result picture = {.range_count = RANGES, .ranges = ranges, .cells = cells};

static void open_serial(void)
{
	struct vm_generations *generations = (struct vm_generations *)(void *)raw;
	world_build_serial();
	image_build(VM_KLASS_NARROW, 8);
	image_build_cards();
	open_driver((struct heap_limits){.block_bytes = 512, .max_tiles = 100000});
	driver->capture(heap, raw);
	struct heap_walk_pause at = {.buffers = true};
	cr_assert_leq(driver->heap_walk_size(heap).ranges, RANGES);
	picture.range_count = driver->heap_walk_ranges(heap, raw, &at, ranges);
	cr_assert_gt(picture.range_count, HEAP_WALK_OLD);
	cr_assert_eq(ranges[HEAP_WALK_OLD].low, generations->old.bottom);
	memset(cells, 0, sizeof cells);
}

static struct gcs_snapshot *map_walk(
    struct gcs_snapshot *s, bool heavy, const struct heap_walk_result *heap_walk)
{
	struct gcs_error err = {0};
	struct heap_event event = {.raw = raw,
	    .server = server,
	    .ticket = &ticket,
	    .heavy = heavy,
	    .heap_walk = heap_walk};
	cr_assert(driver->map(heap, &event, s));
	cr_assert_eq(gcs_snapshot_check(s, &err), GCS_OK, "%s", err.text);
	return s;
}

Test(agent_heavy, tiles_have_the_values_of_their_cells)
{
	open_serial();
	struct heap_walk_cell *old = cells + ranges[HEAP_WALK_OLD].cell,
			      *eden = cells + ranges[HEAP_WALK_EDEN].cell;
	old[0] = (struct heap_walk_cell){.bytes = 400, .objects = 7, .arrays = 2, .dirty = 1};
	old[1] = (struct heap_walk_cell){.bytes = 100, .objects = 1, .unparsable = 412, .clean = 1};
	old[2] = (struct heap_walk_cell){.unparsable = 512, .other = 1};
	eden[1] = (struct heap_walk_cell){.bytes = 512, .objects = 3};
	struct gcs_snapshot *s = map_walk(gcs_server_begin(server, &ticket), true, &picture);
	static const int64_t states[] = {COUNTED, COUNTED_IN_PART, UNPARSABLE, COUNTED};
	for (uint32_t i = 0; i < 4; i++)
		cr_assert_eq(value(s, "Old", "Counted", i), states[i], "tile %u", i);
	cr_assert_eq(value(s, "Old", "Objects", 0), 7);
	cr_assert_eq(value(s, "Old", "Arrays", 0), 2);
	cr_assert_eq(value(s, "Old", "Scalars", 0), 5);
	cr_assert_eq(value(s, "Old", "Object bytes", 1), 100);
	cr_assert_eq(value(s, "Old", "Unparsable", 2), 512);
	cr_assert_eq(value(s, "Old", "Dirty cards", 0), 1);
	cr_assert_eq(value(s, "Old", "Clean cards", 1), 1);
	cr_assert_eq(value(s, "Old", "Other cards", 2), 1);
	cr_assert_eq(value(s, "Eden", "Objects", 1), 3);
	cr_assert_eq(summary(s, "Old", "Objects", 0), 8);
	cr_assert_eq(summary(s, "Old", "Unparsable", 0), 924);
	cr_assert_eq(summary(s, "Old", "Counted", UNPARSABLE), 1);
	cr_assert(has_stream(s, "Old", "Dirty cards"));
	cr_assert_not(has_stream(s, "Eden", "Dirty cards"), "young cards say nothing");
	cr_assert_not(has_stream(s, "Old", "Fillers"), "JDK 17 cannot tell them");
	gcs_snapshot_unref(s);
	close_driver();
}

Test(agent_heavy, tiles_left_over_keep_their_values_and_are_stale)
{
	open_serial();
	struct heap_walk_cell *old = cells + ranges[HEAP_WALK_OLD].cell;
	old[0] = (struct heap_walk_cell){.bytes = 400, .objects = 7};
	old[1] = (struct heap_walk_cell){.bytes = 500, .objects = 8};
	struct gcs_snapshot *s = map_walk(gcs_server_begin(server, &ticket), true, &picture);
	old[0] = (struct heap_walk_cell){.bytes = 24, .objects = 1, .behind = true};
	old[1] = (struct heap_walk_cell){.bytes = 48, .objects = 2};
	map_walk(s, true, &picture);
	cr_assert_eq(value(s, "Old", "Objects", 0), 7, "its walk has not come to its end");
	cr_assert_eq(value(s, "Old", "Control", 0), GCS_TILE_USED | GCS_TILE_STALE);
	cr_assert_eq(value(s, "Old", "Objects", 1), 2);
	cr_assert_eq(value(s, "Old", "Control", 1), GCS_TILE_USED);
	cr_assert_eq(summary(s, "Old", "Objects", 0), 9);
	map_walk(s, true, NULL);
	cr_assert_eq(value(s, "Old", "Control", 1), GCS_TILE_USED | GCS_TILE_STALE,
	    "an event that is not walked");
	old[0].behind = false;
	old[0].cards_behind = true;
	map_walk(s, true, &picture);
	cr_assert_eq(value(s, "Old", "Objects", 0), 1);
	cr_assert_eq(value(s, "Old", "Control", 0), GCS_TILE_USED | GCS_TILE_STALE, "old cards");
	map_walk(s, false, NULL);
	cr_assert_eq(value(s, "Old", "Objects", 0), 0, "the volume is light");
	cr_assert_eq(value(s, "Old", "Counted", 1), NOT_COUNTED);
	cr_assert_eq(value(s, "Old", "Control", 0), GCS_TILE_USED);
	cr_assert_eq(summary(s, "Old", "Counted", NOT_COUNTED), gcs_snapshot_tiles(s, 3));
	gcs_snapshot_unref(s);
	close_driver();
}

static uint32_t list(const void *self, const void *from, const struct heap_walk_pause *moment,
    struct heap_walk_range *to)
{
	(void)self;
	(void)from;
	(void)moment;
	*to = (struct heap_walk_range){.low = image_low(),
	    .top = image.top,
	    .from = image_low(),
	    .block = sizeof image.words,
	    .moves = true};
	return 1;
}

/* Classes have tiles by their bytes and keep them; the last tile has all others. */
Test(agent_heavy, classes_have_tiles_by_their_bytes)
{
	enum { CLASSES = 50 };
	struct heap_walk_driver with = {.ranges = list, .size = {1, 1}};
	struct volume volume = {.heavy = 1, .events = VOLUME_BOTH, .budget_ms = 1000};
	struct vm_gc_counts counts = {0};
	struct heap_walk_event event = {.cause = "", .finish = true};
	char name[32];
	open_serial();
	struct heap_walk *heap_walk = heap_walk_create(vm, &with, &volume);
	struct classes_space *classes = classes_space_create(heap_walk);
	cr_assert_eq(classes_space_describe(classes, server, 0, NULL), GCS_OK);
	for (int i = 0; i < CLASSES; i++) {
		snprintf(name, sizeof name, "test/Class%d", i);
		int class = image_add_class(name, 24);
		for (int k = 0; k <= i % 3; k++)
			image_scalar(class);
	}
	image_array(IMAGE_INTS, 200);
	struct gcs_snapshot *s = gcs_server_begin(server, &ticket);
	uint32_t space = classes_space_id(classes);
	int64_t arrays = 0;
	for (int turn = 0; turn < 2; turn++) {
		heap_walk_finish(heap_walk, GC_YOUNG, &counts);
		const struct heap_walk_result *p = heap_walk_now(heap_walk, &event);
		cr_assert(classes_space_map(classes, s, p, true));
		heap_walk_release(heap_walk, p);
		cr_assert_eq(gcs_snapshot_tiles(s, space), CLASSES + 2);
		cr_assert_str_eq(gcs_snapshot_name(s, space, 0), "int[]", "the biggest at first");
		cr_assert_eq(value(s, "Classes", "Instances", 0), 1);
		arrays = value(s, "Classes", "Bytes", 0);
		cr_assert_eq(arrays, 816);
		cr_assert_str_eq(gcs_snapshot_name(s, space, CLASSES + 1), "[all other classes]");
		cr_assert_eq(value(s, "Classes", "Control", 0), GCS_TILE_USED);
		for (int k = 0; k < 60 && turn == 0; k++)
			image_scalar(image.classes - 1);
	}
	bool grown = false;
	for (uint32_t i = 0; i < CLASSES + 1; i++)
		grown = grown || value(s, "Classes", "Growth", i) == 60 * 24;
	cr_assert(grown);
	cr_assert_eq(summary(s, "Classes", "Growth", 0), 60 * 24);
	/* A server without a client keeps no snapshot to build on. */
	struct gcs_snapshot *anew = gcs_server_begin(server, &ticket);
	heap_walk_finish(heap_walk, GC_YOUNG, &counts);
	const struct heap_walk_result *p = heap_walk_now(heap_walk, &event);
	cr_assert(classes_space_map(classes, anew, p, true));
	heap_walk_release(heap_walk, p);
	for (uint32_t i = 0; i < CLASSES + 2; i++)
		cr_assert_str_eq(gcs_snapshot_name(anew, space, i), gcs_snapshot_name(s, space, i));
	gcs_snapshot_unref(anew);
	cr_assert(classes_space_map(classes, s, NULL, true));
	cr_assert_not(gcs_snapshot_gathered(s, space), "an event that is not walked");
	cr_assert_eq(gcs_snapshot_tiles(s, space), CLASSES + 2);
	cr_assert(classes_space_map(classes, s, NULL, false));
	cr_assert_eq(gcs_snapshot_tiles(s, space), 0, "the volume is light");
	gcs_snapshot_unref(s);
	heap_walk_destroy(heap_walk);
	gcs_free(classes);
	close_driver();
}
