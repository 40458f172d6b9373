/*
 * The heap drivers and the TLAB space on the synthetic VM of vm_world.h: from VM memory to tiles,
 * without a JVM (H3, H4, F2, F4, F5, F15).
 */
#include <criterion/criterion.h>
#include <string.h>

#include "agent_driver.h"
#include "area.h"
#include "tlab_space.h"

enum { FREE, EDEN, SURVIVOR, OLD, HUMONGOUS, ARCHIVE };

Test(agent_heap, g1_has_a_tile_for_each_region)
{
	static const int64_t types[REGIONS] = {
	    FREE, EDEN, SURVIVOR, OLD, HUMONGOUS, HUMONGOUS, ARCHIVE, FREE};
	const char *g1 = "G1 regions";
	world_build_g1();
	open_driver((struct heap_limits){.max_tiles = 8192});
	driver->capture(heap, raw);
	struct gcs_snapshot *s = map(NULL, NULL, 0);
	int64_t used = 0;
	for (uint32_t i = 0; i < REGIONS; i++) {
		cr_assert_eq(value(s, g1, "Type", i), types[i], "region %u", i);
		cr_assert_eq(value(s, g1, "Used", i), WORLD_REGION[i].used, "region %u", i);
		cr_assert_eq(value(s, g1, "Start", i), HEAP + (int64_t)i * GRAIN);
		cr_assert_eq(value(s, g1, "End", i), HEAP + (int64_t)(i + 1) * GRAIN);
		cr_assert_eq(value(s, g1, "Collection", i), 0);
		used += WORLD_REGION[i].used;
	}
	cr_assert_eq(value(s, g1, "Control", 7), GCS_TILE_UNUSED, "never committed");
	cr_assert_eq(value(s, g1, "Control", 0), GCS_TILE_USED);
	cr_assert_eq(value(s, g1, "Control", 4), GCS_TILE_USED | GCS_TILE_LINK,
	    "the humongous object goes on");
	cr_assert_eq(value(s, g1, "Control", 5), GCS_TILE_USED);
	cr_assert_eq(value(s, g1, "Humongous", 4), 1);
	cr_assert_eq(value(s, g1, "Humongous", 5), 2);
	cr_assert_eq(summary(s, g1, "Used", 0), used);
	cr_assert_eq(summary(s, g1, "Used", 1), 7 * GRAIN);
	cr_assert_eq(summary(s, g1, "Type", HUMONGOUS), 2);
	cr_assert_eq(
	    summary(s, g1, "Type", FREE), 1, "an uncommitted region is not counted as free");
	gcs_snapshot_unref(s);
	close_driver();
}

Test(agent_heap, g1_tells_what_a_collection_did)
{
	enum { UNTOUCHED, FREED, FILLED, GREW, SHRANK, KEPT };
	const char *g1 = "G1 regions";
	world_build_g1();
	open_driver((struct heap_limits){.max_tiles = 8192});
	driver->capture(heap, before);
	world.region[0][2] += 64; /* free, then old: filled */
	world.region[0][3] = UINT64_C(16) << 32;
	world.region[1][2] = world.region[1][0]; /* eden, then free: freed */
	world.region[1][3] = 0;
	world.region[2][3] = UINT64_C(16) << 32; /* survivor, then old in its place */
	world.region[3][2] -= 512;               /* old and compacted */
	world.region[6][2] += 8;
	driver->capture(heap, raw);
	struct gcs_snapshot *s = map(before, NULL, 0);
	static const int64_t fates[REGIONS] = {
	    FILLED, FREED, KEPT, SHRANK, UNTOUCHED, UNTOUCHED, GREW, UNTOUCHED};
	for (uint32_t i = 0; i < REGIONS; i++)
		cr_assert_eq(value(s, g1, "Collection", i), fates[i], "region %u", i);
	cr_assert_eq(summary(s, g1, "Collection", FREED), 1);
	gcs_snapshot_unref(s);

	cr_assert_not(driver->old_freed(before, raw), "only an eden region was freed");
	world.region[3][2] = world.region[3][0];
	world.region[3][3] = 0;
	driver->capture(heap, raw);
	cr_assert(driver->old_freed(before, raw), "a mixed collection");
	close_driver();
}

/* Buffers are mapped to their regions, across a border too (H4). */
Test(agent_heap, g1_shows_where_buffers_lie)
{
	const struct vm_tlab tlabs[] = {
	    {.thread = 1,
		.start = HEAP + GRAIN + 100,
		.top = HEAP + GRAIN + 200,
		.hard_end = HEAP + GRAIN + 300},
	    {.thread = 2, .start = HEAP + 3 * GRAIN - 10, .hard_end = HEAP + 3 * GRAIN + 20},
	    {.thread = 3},
	};
	world_build_g1();
	open_driver((struct heap_limits){.max_tiles = 8192});
	driver->capture(heap, raw);
	struct gcs_snapshot *s = map(NULL, tlabs, 3);
	cr_assert_eq(value(s, "G1 regions", "TLABs", 1), 200);
	cr_assert_eq(value(s, "G1 regions", "TLABs", 2), 10);
	cr_assert_eq(value(s, "G1 regions", "TLABs", 3), 20);
	cr_assert_eq(summary(s, "G1 regions", "TLABs", 0), 230);
	gcs_snapshot_unref(s);
	close_driver();
}

/* A bound on tiles puts neighbouring regions together and loses no byte. */
Test(agent_heap, g1_keeps_to_the_limit_of_tiles)
{
	world_build_g1();
	open_driver(
	    (struct heap_limits){.max_tiles = 3}); /* 3 regions to a tile, the last one with 2 */
	driver->capture(heap, raw);
	struct gcs_snapshot *s = map(NULL, NULL, 0);
	cr_assert_eq(gcs_snapshot_tiles(s, 0), 3);
	cr_assert_eq(value(s, "G1 regions", "Used", 0), 4096 + 8);
	cr_assert_eq(value(s, "G1 regions", "Used", 1), 2 * GRAIN + 16);
	cr_assert_eq(value(s, "G1 regions", "Type", 1), HUMONGOUS, "the commonest");
	cr_assert_eq(value(s, "G1 regions", "Type", 0), EDEN, "not the free one beside it");
	cr_assert_eq(value(s, "G1 regions", "End", 2), HEAP + 8 * GRAIN);
	cr_assert_eq(
	    value(s, "G1 regions", "Control", 2), GCS_TILE_USED, "one of the two is committed");
	gcs_snapshot_unref(s);
	close_driver();
}

Test(agent_heap, generations_are_cut_into_blocks)
{
	world_build_serial();
	open_driver((struct heap_limits){.max_tiles = 8192, .block_bytes = 0x800});
	driver->capture(heap, raw);
	struct gcs_snapshot *s = map(NULL, NULL, 0);
	const struct gcs_model *m = gcs_snapshot_model(s);
	cr_assert_eq(gcs_snapshot_tiles(s, gcs_model_find_space(m, "Eden")), 4);
	cr_assert_eq(gcs_snapshot_tiles(s, gcs_model_find_space(m, "From")), 2);
	cr_assert_eq(gcs_snapshot_tiles(s, gcs_model_find_space(m, "To")), 2);
	cr_assert_eq(
	    gcs_snapshot_tiles(s, gcs_model_find_space(m, "Old")), 8, "4 committed, 4 reserved");
	cr_assert_eq(value(s, "Eden", "Used", 1), 0x800);
	cr_assert_eq(value(s, "Eden", "Used", 2), 0);
	cr_assert_eq(value(s, "From", "Used", 0), 8);
	cr_assert_eq(value(s, "Old", "Control", 3), GCS_TILE_USED);
	cr_assert_eq(value(s, "Old", "Control", 4), GCS_TILE_UNUSED | GCS_TILE_SEPARATOR);
	cr_assert_eq(value(s, "Old", "Control", 5), GCS_TILE_UNUSED);
	cr_assert_eq(value(s, "Old", "Start", 0), HEAP + 0x4000);
	cr_assert_eq(value(s, "Old", "End", 7), HEAP + 0x8000);
	cr_assert_eq(summary(s, "Old", "Used", 0), 0x1000);
	cr_assert_eq(summary(s, "Old", "Used", 1), 0x2000);
	gcs_snapshot_unref(s);

	/* The survivor spaces change places, eden shrinks to nothing: as after a resize. */
	uint64_t from[3];
	memcpy(from, world.space[1], sizeof from);
	memcpy(world.space[1], world.space[2], sizeof from);
	memcpy(world.space[2], from, sizeof from);
	world.space[0][1] = world.space[0][2] = world.space[0][0];
	driver->capture(heap, raw);
	s = map(NULL, NULL, 0);
	cr_assert_eq(gcs_snapshot_tiles(s, 0), 0);
	cr_assert_eq(summary(s, "Eden", "Used", 1), 0);
	cr_assert_eq(value(s, "To", "Start", 0), HEAP + 0x2000);
	gcs_snapshot_unref(s);
	close_driver();
}

/* Captures, maps on top of the previous event's snapshot, and compares with a mapping from nothing.
 * Takes the previous snapshot and returns the new one. */
static struct gcs_snapshot *map_again(struct gcs_snapshot *previous, const char *what)
{
	struct gcs_model *m = gcs_model_ref((struct gcs_model *)gcs_snapshot_model(previous));
	driver->capture(heap, raw);
	struct gcs_snapshot *fresh = map(NULL, NULL, 0);
	struct gcs_snapshot *s = map_into(gcs_snapshot_begin(m, previous), NULL, NULL, 0);
	for (uint32_t i = 0; i < m->space_count; i++) {
		uint32_t tiles = gcs_snapshot_tiles(fresh, i);
		cr_assert_eq(gcs_snapshot_tiles(s, i), tiles, "%s: %s", what, m->spaces[i].name);
		for (uint32_t k = 0; k < m->spaces[i].stream_count; k++)
			for (uint32_t tile = 0; tile < tiles; tile++)
				cr_assert_eq(gcs_snapshot_values(s, i, k)[tile],
				    gcs_snapshot_values(fresh, i, k)[tile], "%s: %s, %s of tile %u",
				    what, m->spaces[i].name, m->spaces[i].streams[k].name, tile);
	}
	gcs_snapshot_unref(fresh);
	gcs_snapshot_unref(previous);
	gcs_model_unref(m);
	return s;
}

/* What is not written again at an event is what would have been written. */
Test(agent_heap, generations_are_the_same_on_top_of_an_event_before)
{
	world_build_serial();
	open_driver((struct heap_limits){.max_tiles = 8192, .block_bytes = 0x800});
	driver->capture(heap, raw);
	struct gcs_snapshot *s = map(NULL, NULL, 0);
	const int64_t *ends = gcs_snapshot_values(s, 3, 4);
	s = map_again(s, "nothing has changed");
	cr_assert_eq(ends, gcs_snapshot_values(s, 3, 4), "unchanged ranges are not written again");
	world.space[3][2] += 0x400;
	s = map_again(s, "more is used");
	world.old[3] = world.space[3][1] = HEAP + 0x7000;
	s = map_again(s, "the old space grows by whole blocks");
	world.old[3] = world.space[3][1] = HEAP + 0x6c00;
	s = map_again(s, "it shrinks within a block");
	world.old[3] = world.space[3][1] = HEAP + 0x6800;
	s = map_again(s, "it shrinks to the block's beginning");
	world.old[3] = world.space[3][1] = HEAP + 0x8000;
	s = map_again(s, "nothing is uncommitted any more");
	uint64_t from[3];
	memcpy(from, world.space[1], sizeof from);
	memcpy(world.space[1], world.space[2], sizeof from);
	memcpy(world.space[2], from, sizeof from);
	s = map_again(s, "the survivor spaces change places");
	world.young[3] = HEAP + 0x3000;
	s = map_again(s, "the young generation gives memory back");
	gcs_snapshot_unref(s);
	close_driver();
}

Test(agent_heap, generations_keep_to_the_limit_of_tiles)
{
	world_build_serial();
	world.max_heap = 0x8000;
	open_driver((struct heap_limits){.max_tiles = 16, .block_bytes = 512});
	driver->capture(heap, raw);
	struct gcs_snapshot *s = map(NULL, NULL, 0);
	for (uint32_t i = 0; i < 4; i++)
		cr_assert_leq(gcs_snapshot_tiles(s, i), 16);
	cr_assert_eq(summary(s, "Old", "Used", 0), 0x1000);
	gcs_snapshot_unref(s);
	close_driver();
}

Test(agent_heap, area_is_cut_at_both_ends)
{
	struct area area = {.low = 1000, .block = 100, .tiles = 3};
	int64_t values[3] = {0};
	area_add(&area, values, 0, 1050);
	area_add(&area, values, 1250, 5000);
	area_add(&area, values, 1120, 1120);
	area_add(&area, values, 1190, 1210);
	cr_assert_eq(values[0], 50);
	cr_assert_eq(values[1], 10);
	cr_assert_eq(values[2], 60);
	cr_assert_eq(area_tiles(1000, 1000, 100), 0);
	cr_assert_eq(area_tiles(1000, 1001, 100), 1);
	cr_assert_eq(area_tiles(1000, 900, 100), 0);
}

/* The TLAB space: threads come and go, tiles keep their order (F13, H4). */

static struct threads *threads;
static struct tlab_space *tlab_space;
static struct gcs_snapshot *last;

static void show(const uint64_t *ids, size_t count)
{
	static struct vm_tlab tlabs[600];
	struct gcs_error err;
	for (size_t i = 0; i < count; i++)
		tlabs[i] = (struct vm_tlab){.thread = ids[i],
		    .start = ids[i] * 100,
		    .top = ids[i] * 100 + 10,
		    .hard_end = ids[i] * 100 + 50};
	struct gcs_snapshot *begun = gcs_server_begin(server, &ticket);
	struct gcs_snapshot *s =
	    gcs_snapshot_begin((struct gcs_model *)(uintptr_t)gcs_snapshot_model(begun), last);
	gcs_snapshot_unref(begun);
	gcs_snapshot_unref(last);
	cr_assert(tlab_space_map(tlab_space, s, tlabs, count, count));
	cr_assert_eq(gcs_snapshot_check(s, &err), GCS_OK, "%s", err.text);
	last = s;
}

static void expect(const uint64_t *ids, size_t count)
{
	cr_assert_eq(gcs_snapshot_tiles(last, tlab_space_id(tlab_space)), count);
	for (uint32_t i = 0; i < count; i++)
		cr_assert_eq(value(last, "TLABs", "Start", i), (int64_t)ids[i] * 100, "tile %u", i);
}

#define IDS(...) (const uint64_t[]){__VA_ARGS__}, sizeof(uint64_t[]){__VA_ARGS__} / sizeof(uint64_t)

Test(agent_heap, tlab_space_keeps_the_order_of_threads)
{
	world_build_g1();
	open_driver((struct heap_limits){.max_tiles = 8192});
	struct gcs_error err;
	threads = threads_create();
	threads_add(threads, 3, "main");
	tlab_space = tlab_space_create(vm, threads, 500);
	cr_assert_eq(tlab_space_describe(tlab_space, server, &err), GCS_OK, "%s", err.text);
	show(IDS(5, 3, 9));
	expect(IDS(5, 3, 9));
	cr_assert_str_eq(gcs_snapshot_name(last, tlab_space_id(tlab_space), 1), "main");
	cr_assert_str_eq(
	    gcs_snapshot_name(last, tlab_space_id(tlab_space), 0), "(thread of the JVM)");
	cr_assert_eq(value(last, "TLABs", "Used", 1), 10);
	cr_assert_eq(value(last, "TLABs", "Size", 1), 50);
	show(IDS(9, 2, 3));
	expect(IDS(3, 9, 2));
	cr_assert_str_eq(gcs_snapshot_name(last, tlab_space_id(tlab_space), 0), "main",
	    "names move with their tiles");
	show(IDS(1));
	expect(IDS(1));
	show(NULL, 0);
	expect(NULL, 0);

	/* A storm: so many threads end at once that all tiles are rebuilt; then more than fit. */
	uint64_t many[600], odd[300];
	for (uint64_t i = 0; i < 600; i++)
		many[i] = i + 1;
	for (uint64_t i = 0; i < 300; i++)
		odd[i] = 2 * i + 1;
	show(many, 400);
	expect(many, 400);
	show(odd, 300);
	cr_assert_eq(value(last, "TLABs", "Start", 199), 39900, "the survivors first, in order");
	show(many, 600);
	cr_assert_eq(gcs_snapshot_tiles(last, tlab_space_id(tlab_space)), 500);
	gcs_snapshot_unref(last);
	tlab_space_destroy(tlab_space);
	threads_destroy(threads);
	close_driver();
}
