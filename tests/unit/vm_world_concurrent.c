/* The worlds of the concurrent collectors and of Epsilon: see vm_world.h. */
#include <criterion/criterion.h>
#include <string.h>

#include "vm_world.h"

static const int JDK_25 = 25;

static void set_jdk(int jdk)
{
	world.major = jdk;
	world.release = jdk == JDK_25 ? "25.0.99+1" : "17.0.99+1";
}

static void add_type(const char *name, uint64_t size)
{
	size_t i = 0;
	while (world.types[i].name != NULL)
		i++;
	world.types[i] = (struct type_row){.name = name, .size = size};
}

void world_resize_type(const char *type, uint64_t size)
{
	for (size_t i = 0; world.types[i].name != NULL; i++)
		if (strcmp(world.types[i].name, type) == 0)
			world.types[i].size = size;
}

static bool generational(int jdk)
{
	return jdk > 20;
}

/* Puts a page into the table. Offsets in words of JDK 17: type and cycle 0, range 1 and 2, top 3,
 * live map 4 and 5; of JDK 25: 0, 2 and 3 (a size), 4, 6 and 7; of JDK 21: 0, 2 and 3 (an end), 4, 5
 * and 6. */
static void add_page(int jdk, size_t index, uint64_t first, uint64_t granules, uint64_t type)
{
	uint64_t *page = world.z_page[index];
	const uint64_t start = first * GRANULE;
	const bool old = generational(jdk) && index == 1;
	const uint64_t cycle = 5 + index;
	page[0] = type | cycle << 32;
	if (generational(jdk)) {
		page[0] |= old ? UINT64_C(1) << 8 | UINT64_C(15) << 16 : UINT64_C(2) << 16;
		page[2] = start;
		page[3] = granules * GRANULE + (jdk == JDK_25 ? 0 : start);
		page[4] = start + granules * GRANULE - 4096;
		uint64_t *const live = &page[jdk == JDK_25 ? 6 : 5];
		page[5] = UINT64_C(13) << 32 | 8192; /* overwritten in JDK 21 */
		live[0] = 7 | UINT64_C(10) << 32;
		live[1] = 8192 * (index + 1);
	} else {
		page[1] = start;
		page[2] = start + granules * GRANULE;
		page[3] = page[2] - 4096;
		page[4] = 7 | UINT64_C(10) << 32;
		page[5] = 8192 * (index + 1);
	}
	for (uint64_t i = 0; i < granules; i++)
		world.z_table[first + i] = page;
}

static void add_globals(int jdk)
{
	static const char *const names_17[] = {"_ZGlobalPhase", "_ZGlobalSeqNum",
	    "_ZAddressOffsetMask", "_ZAddressMetadataMask", "_ZAddressMetadataFinalizable",
	    "_ZAddressBadMask"};
	static const char *const names_25[] = {"_ZAddressOffsetMask", "_ZPointerLoadGoodMask",
	    "_ZPointerMarkGoodMask", "_ZPointerLoadBadMask"};
	uint64_t *const values_17[] = {&world.z_phase, &world.z_seqnum, &world.z_offset_mask,
	    &world.z_metadata, &world.z_finalizable, &world.z_bad};
	uint64_t *const values_25[] = {
	    &world.z_offset_mask, &world.z_load_good, &world.z_mark_good, &world.z_bad};
	const char *const *names = generational(jdk) ? names_25 : names_17;
	uint64_t *const *values = generational(jdk) ? values_25 : values_17;
	const size_t count = generational(jdk) ? 4 : 6;
	for (size_t i = 0; i < count; i++) {
		world.z_globals[i] = values[i];
		world_add_field("ZGlobalsForVMStructs", names[i], i * 8);
	}
	world.z_globals_pointer = world.z_globals;
	world_add_static("ZGlobalsForVMStructs", "_instance_p", &world.z_globals_pointer);
	world.z_phase = 2;
	world.z_seqnum = 7;
	world.z_offset_mask = (UINT64_C(1) << 42) - 1;
	world.z_metadata = UINT64_C(15) << 42;
	world.z_finalizable = UINT64_C(1) << 45;
	world.z_load_good = 0x1000;
	world.z_mark_good = 0x1500;
}

/* The allocator is at word 4 of ZHeap, which is at word 4 of the heap object. */
static void add_totals(int jdk)
{
	world_add_field("ZHeap", "_page_allocator", 32);
	if (jdk == JDK_25) {
		world_add_field("ZPageAllocator", "_partitions", 8);
		world_add_field("ZPerNUMAZPartition", "_addr", 0);
		world_add_static("ZNUMA", "_count", &world.z_nodes);
		world_add_field("ZPartition", "_used", 8);
		world_add_field("ZPartition", "_capacity", 16);
		world.z_nodes = 1;
		world.heap[9] = (uintptr_t)world.z_partition;
		world.z_partition[1] = 4 * GRANULE;
		world.z_partition[2] = 4 * GRANULE;
		return;
	}
	world_add_field("ZPageAllocator", "_used", 8);
	world_add_field("ZPageAllocator", "_capacity", 16);
	world.heap[9] = 4 * GRANULE;
	world.heap[10] = 4 * GRANULE;
}

static void add_page_fields(int jdk)
{
	world_add_field("ZPage", "_type", 0);
	world_add_field("ZPage", "_seqnum", 4);
	world_add_field("ZPage", "_virtual", generational(jdk) ? 16 : 8);
	world_add_field("ZPage", "_top", generational(jdk) ? 32 : 24);
	world_add_field("ZVirtualMemory", "_start", 0);
	world_add_field("ZVirtualMemory", jdk == JDK_25 ? "_size" : "_end", 8);
	add_type("ZPage", jdk == JDK_25 ? 160 : generational(jdk) ? 192 : 136);
}

void world_build_z(int jdk)
{
	world_build_common();
	world_build_threads();
	set_jdk(jdk);
	world.zgc = 1;
	world.heap[0] = world.heap[1] = 0; /* ZGC does not tell its range */
	world.max_heap = 4 * GRANULE;
	world.longs[1] = (struct long_row){.name = "ZGranuleSizeShift", .value = 21};
	world_add_field("ZCollectedHeap", "_heap", 32);
	world_add_field("ZHeap", "_page_table", 160);
	world_add_field("ZPageTable", "_map", 0);
	world_add_field("ZGranuleMapForPageTable", "_map", 8);
	world.heap[24] = GRANULES;
	world.heap[25] = (uintptr_t)world.z_table;
	if (!generational(jdk)) {
		world_add_int("ZPhaseRelocate", 2);
		world_add_field("ZHeap", "_forwarding_table", 200);
		world_add_field("ZForwardingTable", "_map", 0);
		world_add_field("ZGranuleMapForForwarding", "_map", 8);
		world.heap[30] = (uintptr_t)world.z_forwarding;
	}
	add_page_fields(jdk);
	add_globals(jdk);
	add_totals(jdk);
	add_page(jdk, 0, 0, 1, 0);
	add_page(jdk, 1, 2, 2, 1);
	add_page(jdk, 2, GRANULES - 2, 2, 2);
	/* One thread has a buffer at the very beginning: offset 0, with colours in JDK 17. */
	const uint64_t colour = generational(jdk) ? world.z_offset_mask + 1 : UINT64_C(1) << 43;
	const uint64_t words[5] = {colour, colour + 0x100, 0, colour + 0x200, colour + 0x400};
	memcpy(&world.thread[1][2], words, sizeof words);
}

const enum vm_shenandoah_state WORLD_STATE[REGIONS] = {
    VM_SHENANDOAH_UNCOMMITTED,
    VM_SHENANDOAH_EMPTY,
    VM_SHENANDOAH_REGULAR,
    VM_SHENANDOAH_HUMONGOUS_START,
    VM_SHENANDOAH_HUMONGOUS_CONT,
    VM_SHENANDOAH_PINNED_HUMONGOUS_START,
    VM_SHENANDOAH_COLLECTION_SET,
    VM_SHENANDOAH_PINNED,
};

static void add_states(void)
{
	static const char *const names[] = {"_empty_uncommitted", "_empty_committed", "_regular",
	    "_humongous_start", "_humongous_cont", "_pinned_humongous_start", "_cset", "_pinned",
	    "_pinned_cset", "_trash"};
	static char full[10][64];
	for (int32_t i = 0; i < 10; i++) {
		strcpy(full[i], "ShenandoahHeapRegion::");
		strcat(full[i], names[i]);
		world_add_int(full[i], i);
	}
}

struct world_marks world_marks;

/* The description of the marks stands in word 20 of the heap object, after one that is of something
 * else; the generation of JDK 25, with its flag, in word 12, the young and the old one in words 15
 * and 16. Every region's marking began at its
 * present top but one kilobyte. */
static void add_marks(int jdk)
{
	struct world_marks *m = &world_marks;
	const uint64_t words = REGIONS * GRAIN / 8;
	memset(m, 0, sizeof *m);
	m->description[1] = HEAP;
	m->description[2] = words;
	m->description[3] = (uintptr_t)m->map;
	m->description[4] = 2 * words;
	m->description[6] = (uintptr_t)m->tops;
	m->description[7] = (uintptr_t)m->tops - HEAP / GRAIN * 8;
	memcpy(m->other, m->description, sizeof m->other);
	m->other[4] = words;
	for (uint64_t i = 0; i < REGIONS; i++)
		m->tops[i] = world.region_table[i][4] - (i < 2 ? 0 : 1024);
	m->generation[24] = 120000;
	m->flag = (unsigned char *)m->description + 128;
	world.heap[19] = (uintptr_t)m->other;
	world.heap[20] = (uintptr_t)m->description;
	add_type("ShenandoahHeap", sizeof world.heap);
	if (jdk != JDK_25)
		return;
	m->flag = (unsigned char *)m->generation + 88;
	world.heap[12] = (uintptr_t)m->generation;
	m->young[1] = 2;
	m->old[1] = 3;
	world.heap[15] = (uintptr_t)m->young;
	world.heap[16] = (uintptr_t)m->old;
	add_type("ShenandoahGeneration", 224);
	world_add_field("ShenandoahHeap", "_global_generation", 96);
	world_add_field("ShenandoahGeneration", "_used", 192);
}

/* Words of a region: index, bottom, end, state; then in JDK 17 top 4, live 7; in 25 top 4, live 8,
 * age 11. */
void world_build_shenandoah(int jdk)
{
	static uint64_t region[REGIONS][16];
	memset(region, 0, sizeof region);
	world_build_common();
	world_build_threads();
	set_jdk(jdk);
	world.use_shenandoah = 1;
	world.shenandoah_mode = "satb";
	world.explicit_concurrent = 1;
	world.grain = GRAIN;
	for (uint64_t i = 0; i < REGIONS; i++) {
		const uint64_t bottom = HEAP + i * GRAIN;
		const uint64_t used = i < 2 ? 0 : 4096 * i;
		const uint64_t words[5] = {i, bottom, bottom + GRAIN, i, bottom + used};
		memcpy(region[i], words, sizeof words);
		region[i][jdk == JDK_25 ? 8 : 7] = used / 16; /* half of it, in words */
		region[i][jdk == JDK_25 ? 10 : 9] = bottom;   /* the watermark */
		region[i][11] = jdk == JDK_25 ? i : 0;
		world.region_table[i] = region[i];
	}
	world.heap[8] = REGIONS;
	world.heap[9] = (uintptr_t)world.region_table;
	world.heap[10] = 120000;
	world.heap[11] = 7 * GRAIN;
	world_add_field("ShenandoahHeap", "_num_regions", 64);
	world_add_field("ShenandoahHeap", "_regions", 72);
	world_add_field("ShenandoahHeap", "_used", 80);
	world_add_field("ShenandoahHeap", "_committed", 88);
	world_add_static("ShenandoahHeapRegion", "RegionSizeBytes", &world.grain);
	world_add_field("ShenandoahHeapRegion", "_index", 0);
	world_add_field("ShenandoahHeapRegion", "_bottom", 8);
	world_add_field("ShenandoahHeapRegion", "_end", 16);
	world_add_field("ShenandoahHeapRegion", "_state", 24);
	world_add_field("ShenandoahHeapRegion", "_top", 32);
	add_type("ShenandoahHeapRegion", jdk == JDK_25 ? 256 : 96);
	add_states();
	add_marks(jdk);
}

/* The virtual space stands in words 12 to 15 of the heap object. */
void world_build_epsilon(void)
{
	const uint64_t space[4] = {HEAP, HEAP + REGIONS * GRAIN, HEAP, HEAP + 2 * GRAIN};
	world_build_common();
	world_build_threads();
	world.epsilon = 1;
	memcpy(&world.heap[12], space, sizeof space);
	world.heap[11] = (uintptr_t)world.space[0];
	world.space[0][2] = HEAP + GRAIN;
	world_add_field("EpsilonHeap", "_space", 88);
	world_add_field("EpsilonHeap", "_virtual_space", 96);
	world_add_field("ContiguousSpace", "_top", 16);
	world_add_field("VirtualSpace", "_low_boundary", 0);
	world_add_field("VirtualSpace", "_high_boundary", 8);
	world_add_field("VirtualSpace", "_low", 16);
	world_add_field("VirtualSpace", "_high", 24);
}
