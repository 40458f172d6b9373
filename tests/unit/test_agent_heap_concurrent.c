/*
 * The drivers of ZGC, Shenandoah and Epsilon on the synthetic VM: from VM memory to tiles, without
 * a JVM (H3, H4, F2, F4, F5, F15).
 */
#include <criterion/criterion.h>
#include <string.h>

#include "agent_driver.h"
#include "vm_z.h"

enum { NO_PAGE, SMALL, MEDIUM, LARGE };
enum { TILES = 16 }; /* how many come into view at a time */

static const char Z[] = "ZGC pages";

static struct gcs_snapshot *show(const struct vm_tlab *tlabs, size_t count)
{
	driver->capture(heap, raw);
	return map(NULL, tlabs, count);
}

/* Both ends of the address range, up to where pages have been seen. */
Test(agent_heap_concurrent, z_shows_both_ends_of_the_range)
{
	static const int jdks[] = {17, 25};
	for (size_t i = 0; i < 2; i++) {
		const bool jdk25 = jdks[i] == 25;
		const int64_t low = INT64_C(1) << (jdk25 ? 42 : 44);
		world_build_z(jdks[i]);
		open_driver((struct heap_limits){.max_tiles = 8192});
		struct gcs_snapshot *s = show(NULL, 0);
		cr_assert_eq(gcs_snapshot_tiles(s, 0), 2 * TILES);
		cr_assert_eq(value(s, Z, "Type", 0), SMALL);
		cr_assert_eq(value(s, Z, "Type", 1), NO_PAGE);
		cr_assert_eq(value(s, Z, "Type", 2), MEDIUM);
		cr_assert_eq(value(s, Z, "Type", 3), MEDIUM);
		cr_assert_eq(value(s, Z, "Type", 2 * TILES - 1), LARGE);
		cr_assert_eq(value(s, Z, "Used", 0), GRANULE - 4096);
		cr_assert_eq(value(s, Z, "Used", 2), GRANULE);
		cr_assert_eq(value(s, Z, "Used", 3), GRANULE - 4096);
		cr_assert_eq(value(s, Z, "Cycle", 0), 5);
		cr_assert_eq(value(s, Z, "Cycle", 3), 6);
		cr_assert_eq(value(s, Z, "Control", 0), GCS_TILE_USED);
		cr_assert_eq(value(s, Z, "Control", 1), GCS_TILE_UNUSED);
		cr_assert_eq(value(s, Z, "Control", 2), GCS_TILE_USED | GCS_TILE_LINK);
		cr_assert_eq(value(s, Z, "Control", 3), GCS_TILE_USED);
		cr_assert_eq(value(s, Z, "Control", TILES), GCS_TILE_UNUSED | GCS_TILE_SEPARATOR);
		cr_assert_eq(value(s, Z, "Start", 1), low + GRANULE);
		cr_assert_eq(value(s, Z, "End", TILES - 1), low + TILES * (int64_t)GRANULE);
		cr_assert_eq(
		    value(s, Z, "Start", TILES), low + (GRANULES - TILES) * (int64_t)GRANULE);
		cr_assert_eq(value(s, Z, "End", 2 * TILES - 1), low + GRANULES * (int64_t)GRANULE);
		cr_assert_eq(summary(s, Z, "Used", 0), 4 * GRANULE, "whole pages, as ZGC counts");
		cr_assert_eq(summary(s, Z, "Used", 1), 4 * GRANULE);
		for (uint32_t type = SMALL; type <= LARGE; type++)
			cr_assert_eq(summary(s, Z, "Type", type), 1);
		/* All live maps are of cycle 7, which is the newest of the young pages. The old
		 * page belongs to cycle 6, its live map to 7 as well. */
		cr_assert_eq(value(s, Z, "Live", 0), 8192);
		cr_assert_eq(value(s, Z, "Live", 2), 2 * 8192);
		cr_assert_eq(summary(s, Z, "Live", 0), 6 * 8192);
		cr_assert_eq(has_stream(s, Z, "Age"), jdk25);
		cr_assert_eq(has_stream(s, Z, "Generation"), jdk25);
		cr_assert_eq(has_stream(s, Z, "Relocation set"), !jdk25);
		if (jdk25) {
			cr_assert_eq(value(s, Z, "Age", 0), 2);
			cr_assert_eq(value(s, Z, "Age", 3), 15);
			cr_assert_eq(value(s, Z, "Generation", 0), 1);
			cr_assert_eq(value(s, Z, "Generation", 3), 2);
			cr_assert_eq(summary(s, Z, "Generation", 1), 2);
		}
		gcs_snapshot_unref(s);
		close_driver();
	}
}

/* What an earlier cycle marked is not shown as this one's. */
Test(agent_heap_concurrent, z_leaves_out_old_live_bytes)
{
	world_build_z(17);
	open_driver((struct heap_limits){.max_tiles = 8192});
	world.z_seqnum = 8;
	world.z_page[1][4] = 8 | UINT64_C(1) << 32;
	world.z_forwarding[0] = world.z_page[3];
	struct gcs_snapshot *s = show(NULL, 0);
	cr_assert_eq(value(s, Z, "Live", 0), 0);
	cr_assert_eq(value(s, Z, "Live", 2), 2 * 8192);
	cr_assert_eq(value(s, Z, "Relocation set", 0), 1);
	cr_assert_eq(summary(s, Z, "Relocation set", 1), 1);
	gcs_snapshot_unref(s);
	close_driver();

	world_build_z(25);
	open_driver((struct heap_limits){.max_tiles = 8192});
	world.z_page[2][0] |= UINT64_C(9) << 32; /* a young page of a newer cycle */
	s = show(NULL, 0);
	cr_assert_eq(value(s, Z, "Live", 0), 0);
	cr_assert_eq(value(s, Z, "Live", 2), 2 * 8192, "the old generation has its own cycles");
	gcs_snapshot_unref(s);
	close_driver();
}

/* Several pages in a tile: nothing is lost, and nothing in use hides behind nothing. */
Test(agent_heap_concurrent, z_keeps_to_the_limit_of_tiles)
{
	world_build_z(25);
	open_driver((struct heap_limits){.max_tiles = 8}); /* 8 granules to a tile */
	const struct vm_tlab tlab = {
	    .thread = 1, .start = (UINT64_C(1) << 42) + 100, .hard_end = (UINT64_C(1) << 42) + 300};
	struct gcs_snapshot *s = show(&tlab, 1);
	cr_assert_eq(gcs_snapshot_tiles(s, 0), 8);
	cr_assert_eq(value(s, Z, "Used", 0), 3 * GRANULE - 2 * 4096);
	cr_assert_eq(value(s, Z, "Type", 0), MEDIUM, "two of its granules to one");
	cr_assert_eq(value(s, Z, "Cycle", 0), 6, "the newest");
	cr_assert_eq(value(s, Z, "Age", 0), 15, "the oldest");
	cr_assert_eq(value(s, Z, "Control", 0), GCS_TILE_USED);
	cr_assert_eq(value(s, Z, "Control", 7), GCS_TILE_USED);
	cr_assert_eq(value(s, Z, "Used", 7), 2 * GRANULE - 4096);
	cr_assert_eq(value(s, Z, "TLABs", 0), 200);
	cr_assert_eq(summary(s, Z, "TLABs", 0), 200);
	gcs_snapshot_unref(s);
	close_driver();
}

/* The page of a TLAB has been freed before the pages were read, after the pause. */
Test(agent_heap_concurrent, z_keeps_the_page_of_a_tlab)
{
	world_build_z(25);
	open_driver((struct heap_limits){.max_tiles = 8192});
	const uint64_t start = (UINT64_C(1) << 42) + 20 * (uint64_t)GRANULE;
	const struct vm_tlab tlab = {.thread = 1, .start = start + 100, .hard_end = start + 300};
	struct gcs_snapshot *s = show(&tlab, 1);
	cr_assert_eq(gcs_snapshot_tiles(s, 0), 3 * TILES, "the tile has come into view");
	cr_assert_eq(value(s, Z, "TLABs", 20), 200);
	cr_assert_eq(value(s, Z, "Control", 20), GCS_TILE_USED | GCS_TILE_STALE);
	cr_assert_eq(value(s, Z, "Control", 21), GCS_TILE_UNUSED);
	cr_assert_eq(value(s, Z, "Type", 20), NO_PAGE);
	cr_assert_eq(summary(s, Z, "TLABs", 0), 200);
	gcs_snapshot_unref(s);
	close_driver();
}

/* More tiles than the maximum: each now represents more memory. */
Test(agent_heap_concurrent, z_grows_its_tiles)
{
	world_build_z(25);
	open_driver((struct heap_limits){.max_tiles = 40}); /* room for one heap at either end */
	struct gcs_snapshot *s = show(NULL, 0);
	cr_assert_eq(gcs_snapshot_tiles(s, 0), 2 * TILES);
	gcs_snapshot_unref(s);
	world.z_table[0] = NULL;
	world.z_page[0][2] = 30 * (uint64_t)GRANULE;
	world.z_page[0][4] = world.z_page[0][2] + 8;
	world.z_table[30] = world.z_page[0];
	driver->capture(heap, raw);
	s = gcs_server_begin(server, &ticket);
	const struct heap_event event = {.raw = raw, .server = server, .ticket = &ticket};
	cr_assert_not(driver->map(heap, &event, s), "this snapshot has the old description");
	gcs_snapshot_unref(s);
	s = show(NULL, 0);
	const struct gcs_space *space = &gcs_snapshot_model(s)->spaces[0];
	cr_assert_eq(space->block_bytes, 2 * GRANULE);
	cr_assert_eq(gcs_snapshot_tiles(s, 0), 32, "all of the range");
	cr_assert_eq(value(s, Z, "Used", 15), 8);
	cr_assert_eq(value(s, Z, "Type", 1), MEDIUM);
	gcs_snapshot_unref(s);
	close_driver();
}

/* A pause's start has the totals, and leaves the spaces as of the event before. */
Test(agent_heap_concurrent, starts_have_totals_only)
{
	for (int i = 0; i < 2; i++) {
		struct heap_totals totals;
		if (i == 0)
			world_build_z(17);
		else
			world_build_shenandoah(25);
		open_driver((struct heap_limits){.max_tiles = 8192});
		driver->capture_start(heap, raw);
		driver->totals(heap, raw, &totals);
		cr_assert_eq(totals.used, i == 0 ? 4 * GRANULE : 120000);
		cr_assert_eq(totals.committed, i == 0 ? 4 * GRANULE : 7 * GRAIN);
		cr_assert_leq(driver->raw_length(raw), 64);
		struct gcs_snapshot *s = map(NULL, NULL, 0);
		cr_assert_not(gcs_snapshot_gathered(s, 0));
		gcs_snapshot_unref(s);
		driver->capture(heap, raw);
		cr_assert_leq(driver->raw_length(raw), driver->raw_bytes(heap));
		s = map(NULL, NULL, 0);
		cr_assert(gcs_snapshot_gathered(s, 0));
		gcs_snapshot_unref(s);
		close_driver();
	}
}

/* A look by safe copies shows what a capture shows. */
Test(agent_heap_concurrent, z_looks_alike_from_outside)
{
	world_build_z(25);
	open_driver((struct heap_limits){.max_tiles = 8192});
	cr_assert_not(driver->large(heap), "small enough to be captured in a pause");
	struct gcs_snapshot *captured = show(NULL, 0);
	driver->capture_safely(heap, raw);
	struct gcs_snapshot *looked = map(NULL, NULL, 0);
	for (uint32_t i = 0; i < gcs_snapshot_tiles(captured, 0); i++) {
		cr_assert_eq(value(looked, Z, "Used", i), value(captured, Z, "Used", i));
		cr_assert_eq(value(looked, Z, "Type", i), value(captured, Z, "Type", i));
	}
	gcs_snapshot_unref(looked);
	gcs_snapshot_unref(captured);
	close_driver();
}

Test(agent_heap_concurrent, shenandoah_has_a_tile_for_each_region)
{
	const char *name = "Shenandoah regions";
	const struct vm_tlab tlab = {
	    .thread = 1, .start = HEAP + 2 * GRAIN + 100, .hard_end = HEAP + 2 * GRAIN + 300};
	world_build_shenandoah(25);
	open_driver((struct heap_limits){.max_tiles = 8192});
	struct gcs_snapshot *s = show(&tlab, 1);
	cr_assert_eq(gcs_snapshot_tiles(s, 0), REGIONS);
	for (uint32_t i = 0; i < REGIONS; i++) {
		cr_assert_eq(value(s, name, "State", i), WORLD_STATE[i]);
		cr_assert_eq(value(s, name, "Used", i), i < 2 ? 0 : 4096 * i);
		cr_assert_eq(value(s, name, "Live", i), i < 2 ? 0 : 2048 * i);
		cr_assert_eq(value(s, name, "Age", i), i);
		cr_assert_eq(value(s, name, "Start", i), HEAP + i * (int64_t)GRAIN);
		cr_assert_eq(value(s, name, "End", i), HEAP + (i + 1) * (int64_t)GRAIN);
		cr_assert_eq(summary(s, name, "State", WORLD_STATE[i]), 1);
	}
	cr_assert_eq(value(s, name, "Control", 0), GCS_TILE_UNUSED);
	cr_assert_eq(value(s, name, "Control", 1), GCS_TILE_USED);
	cr_assert_eq(value(s, name, "Control", 3), GCS_TILE_USED | GCS_TILE_LINK);
	cr_assert_eq(value(s, name, "Control", 4), GCS_TILE_USED);
	cr_assert_eq(value(s, name, "TLABs", 2), 200);
	cr_assert_eq(summary(s, name, "Used", 0), 120000);
	cr_assert_eq(summary(s, name, "Used", 1), 7 * GRAIN);
	cr_assert_eq(summary(s, name, "Live", 0), 2048 * (2 + 3 + 4 + 5 + 6 + 7));
	gcs_snapshot_unref(s);
	close_driver();
}

Test(agent_heap_concurrent, shenandoah_puts_regions_together)
{
	const char *name = "Shenandoah regions";
	world_build_shenandoah(17);
	world.region_table[2][3] = 1; /* empty */
	world.region_table[2][4] = HEAP + 2 * GRAIN;
	open_driver((struct heap_limits){.max_tiles = 3}); /* 3, 3 and 2 regions */
	struct gcs_snapshot *s = show(NULL, 0);
	cr_assert_eq(gcs_snapshot_tiles(s, 0), 3);
	cr_assert_eq(value(s, name, "State", 0), VM_SHENANDOAH_EMPTY, "not the uncommitted one");
	cr_assert_eq(value(s, name, "Control", 0), GCS_TILE_USED);
	cr_assert_eq(value(s, name, "Used", 1), 4096 * (3 + 4 + 5));
	cr_assert_not(has_stream(s, name, "Age"));
	gcs_snapshot_unref(s);
	for (uint32_t i = 0; i < 3; i++)
		world.region_table[i][3] = 0;
	s = show(NULL, 0);
	cr_assert_eq(value(s, name, "State", 0), VM_SHENANDOAH_UNCOMMITTED, "all of them");
	cr_assert_eq(value(s, name, "Control", 0), GCS_TILE_UNUSED);
	gcs_snapshot_unref(s);
	close_driver();

	world_build_shenandoah(17);
	world_hide_field("ShenandoahHeap", "_used");
	open_driver((struct heap_limits){.max_tiles = 8192});
	world.region_table[7][3] = 9; /* trash is not used any more */
	s = show(NULL, 0);
	cr_assert_eq(summary(s, name, "Used", 0), 4096 * (2 + 3 + 4 + 5 + 6), "our own sum");
	cr_assert_eq(summary(s, name, "Used", 1), 7 * GRAIN);
	gcs_snapshot_unref(s);
	close_driver();
}

Test(agent_heap_concurrent, epsilon_is_cut_into_blocks)
{
	const char *name = "Epsilon heap";
	const struct vm_tlab tlab = {
	    .thread = 1, .start = HEAP + GRAIN - 0x100, .hard_end = HEAP + GRAIN + 0x100};
	world_build_epsilon();
	open_driver((struct heap_limits){.max_tiles = 8192, .block_bytes = GRAIN / 2});
	world.space[0][2] = HEAP + GRAIN + 8;
	struct gcs_snapshot *s = show(&tlab, 1);
	cr_assert_eq(gcs_snapshot_tiles(s, 0), 2 * REGIONS);
	cr_assert_eq(value(s, name, "Used", 1), GRAIN / 2);
	cr_assert_eq(value(s, name, "Used", 2), 8);
	cr_assert_eq(value(s, name, "Used", 3), 0);
	cr_assert_eq(value(s, name, "Control", 3), GCS_TILE_USED);
	cr_assert_eq(value(s, name, "Control", 4), GCS_TILE_UNUSED);
	cr_assert_eq(value(s, name, "TLABs", 1), 0x100);
	cr_assert_eq(value(s, name, "TLABs", 2), 0x100);
	cr_assert_eq(value(s, name, "Start", 0), HEAP);
	cr_assert_eq(value(s, name, "End", 2 * REGIONS - 1), HEAP + REGIONS * (int64_t)GRAIN);
	cr_assert_eq(summary(s, name, "Used", 0), GRAIN + 8);
	cr_assert_eq(summary(s, name, "Used", 1), 2 * GRAIN);
	gcs_snapshot_unref(s);
	struct heap_walk_pause at = {.buffers = true};
	struct heap_walk_range range;
	cr_assert(driver->stops_at_clock);
	cr_assert_eq(driver->heap_walk_size(heap).cells, 2 * REGIONS);
	cr_assert_eq(driver->heap_walk_ranges(heap, raw, &at, &range), 1);
	cr_assert_eq(range.low, HEAP);
	cr_assert_eq(range.top, HEAP + GRAIN + 8);
	cr_assert_eq(range.block, GRAIN / 2);
	cr_assert_eq(range.way, HEAP_WALK_OBJECTS);
	cr_assert(range.grows && !range.moves);
	at.buffers = false;
	driver->heap_walk_ranges(heap, raw, &at, &range);
	cr_assert_eq(range.way, HEAP_WALK_NEVER);
	close_driver();
}
