#include "vm_world.h"

#include <criterion/criterion.h>
#include <string.h>

struct world world;

void *world_find(void *context, const char *name)
{
	const struct world *from = context;
	for (size_t i = 0; i < from->symbol_count; i++) {
		if (strcmp(from->symbols[i].name, name) == 0)
			return (void *)(uintptr_t)from->symbols[i].address;
	}
	return NULL;
}

static void add_table(const char *name, const void **first)
{
	world.symbols[world.symbol_count++] = (struct symbol){.name = name, .address = first};
}

static void add_number(const char *name, uint64_t number)
{
	struct symbol *symbol = &world.symbols[world.symbol_count++];
	*symbol = (struct symbol){.name = name, .address = &symbol->number, .number = number};
}

void world_add_field(const char *type, const char *name, uint64_t offset)
{
	world.fields[world.field_count++] =
	    (struct field_row){.type = type, .name = name, .offset = offset, .type_string = "T"};
}

void world_add_static(const char *type, const char *name, void *address)
{
	world.fields[world.field_count++] = (struct field_row){
	    .type = type,
	    .name = name,
	    .is_static = 1,
	    .address = address,
	    .offset = 0x1234,
	};
}

void world_add_int(const char *name, int32_t value)
{
	world.ints[world.int_count++] = (struct int_row){.name = name, .value = value};
}

void world_hide_field(const char *type, const char *name)
{
	for (size_t i = 0; i < world.field_count; i++) {
		if (strcmp(world.fields[i].type, type) == 0 &&
		    strcmp(world.fields[i].name, name) == 0)
			world.fields[i].name = "_renamed";
	}
}

void world_hide_symbol(const char *name)
{
	for (size_t i = 0; i < world.symbol_count; i++) {
		if (strcmp(world.symbols[i].name, name) == 0)
			world.symbols[i].name = "renamed";
	}
}

static void build_tables(void)
{
	world.tables[0] = world.fields;
	world.tables[1] = world.types;
	world.tables[2] = world.ints;
	world.tables[3] = world.longs;
	add_table("gHotSpotVMStructs", &world.tables[0]);
	add_number("gHotSpotVMStructEntryArrayStride", sizeof(struct field_row));
	add_number("gHotSpotVMStructEntryTypeNameOffset", offsetof(struct field_row, type));
	add_number("gHotSpotVMStructEntryFieldNameOffset", offsetof(struct field_row, name));
	add_number(
	    "gHotSpotVMStructEntryTypeStringOffset", offsetof(struct field_row, type_string));
	add_number("gHotSpotVMStructEntryIsStaticOffset", offsetof(struct field_row, is_static));
	add_number("gHotSpotVMStructEntryOffsetOffset", offsetof(struct field_row, offset));
	add_number("gHotSpotVMStructEntryAddressOffset", offsetof(struct field_row, address));
	add_table("gHotSpotVMTypes", &world.tables[1]);
	add_number("gHotSpotVMTypeEntryArrayStride", sizeof(struct type_row));
	add_number("gHotSpotVMTypeEntryTypeNameOffset", offsetof(struct type_row, name));
	add_number("gHotSpotVMTypeEntrySizeOffset", offsetof(struct type_row, size));
	add_table("gHotSpotVMIntConstants", &world.tables[2]);
	add_number("gHotSpotVMIntConstantEntryArrayStride", sizeof(struct int_row));
	add_number("gHotSpotVMIntConstantEntryNameOffset", offsetof(struct int_row, name));
	add_number("gHotSpotVMIntConstantEntryValueOffset", offsetof(struct int_row, value));
	add_table("gHotSpotVMLongConstants", &world.tables[3]);
	add_number("gHotSpotVMLongConstantEntryArrayStride", sizeof(struct long_row));
	add_number("gHotSpotVMLongConstantEntryNameOffset", offsetof(struct long_row, name));
	add_number("gHotSpotVMLongConstantEntryValueOffset", offsetof(struct long_row, value));
	world.types[0] = (struct type_row){.name = "JVMFlag", .size = sizeof(struct flag_row)};
	world.types[1] = (struct type_row){.name = "CollectedHeap", .size = 96};
	world.longs[0] = (struct long_row){.name = "Long::constant", .value = INT64_MAX};
}

static void build_flags(void)
{
	world.flag_rows[0] = (struct flag_row){.name = "UseSerialGC", .address = &world.serial};
	world.flag_rows[1] = (struct flag_row){.name = "UseParallelGC", .address = &world.parallel};
	world.flag_rows[2] = (struct flag_row){.name = "UseG1GC", .address = &world.g1};
	world.flag_rows[3] =
	    (struct flag_row){.name = "MaxHeapSize", .address = &world.max_heap, .type = 6};
	world.flag_rows[4] =
	    (struct flag_row){.name = "Negative", .address = &world.major, .type = 1};
	world.flag_rows[5] = (struct flag_row){.name = "UseZGC", .address = &world.zgc};
	world.flag_rows[6] =
	    (struct flag_row){.name = "UseShenandoahGC", .address = &world.use_shenandoah};
	world.flag_rows[7] = (struct flag_row){.name = "UseEpsilonGC", .address = &world.epsilon};
	world.flag_rows[8] = (struct flag_row){
	    .name = "ShenandoahGCMode", .address = &world.shenandoah_mode, .type = 8};
	world.flag_rows[9] = (struct flag_row){
	    .name = "ExplicitGCInvokesConcurrent", .address = &world.explicit_concurrent};
	world.flags = world.flag_rows;
	world.flag_count = 11; /* the last has no name */
	world.max_heap = REGIONS * GRAIN;
	world_add_static("JVMFlag", "flags", &world.flags);
	world_add_static("JVMFlag", "numFlags", &world.flag_count);
	world_add_field("JVMFlag", "_name", offsetof(struct flag_row, name));
	world_add_field("JVMFlag", "_addr", offsetof(struct flag_row, address));
	world_add_field("JVMFlag", "_type", offsetof(struct flag_row, type));
}

/* An entry of PerfData: header of 20 bytes, name, data. Returns where the next one begins. */
static size_t add_perf(size_t at, const char *name, char type, const void *data, uint32_t bytes)
{
	const uint32_t data_at = 64;
	const uint32_t head[5] = {
	    data_at + 32, 20, type == 'B' ? bytes : 0, (uint32_t)(unsigned char)type, data_at};
	memcpy(world.perf + at, head, sizeof head);
	strcpy((char *)world.perf + at + 20, name);
	memcpy(world.perf + at + data_at, data, bytes);
	return at + head[0];
}

void world_set_causes(const char *cause, const char *last_cause)
{
	char text[32] = "";
	const int64_t count = 7;
	memcpy(world.perf, "\xca\xfe\xc0\xc0", 4);
	world.perf[24] = 32;
	world.perf[28] = 4;
	size_t at = 32;
	at = add_perf(at, "sun.gc.collector.1.invocations", 'J', &count, sizeof count);
	strcpy(text, cause);
	at = add_perf(at, "sun.gc.cause", 'B', text, sizeof text);
	memset(text, 0, sizeof text);
	strcpy(text, last_cause);
	at = add_perf(at, "sun.gc.lastCause", 'B', text, sizeof text);
	const uint64_t none = 0;
	world.unloaded = (uint64_t *)(void *)(world.perf + at + 64);
	add_perf(at, "sun.cls.unloadedClasses", 'J', &none, sizeof none);
	world.perf_start = world.perf;
	world.perf_capacity = sizeof world.perf;
}

static void add_perf_fields(void)
{
	world_add_static("PerfMemory", "_start", &world.perf_start);
	world_add_static("PerfMemory", "_capacity", &world.perf_capacity);
	world_add_field("PerfDataPrologue", "magic", 0);
	world_add_field("PerfDataPrologue", "entry_offset", 24);
	world_add_field("PerfDataPrologue", "num_entries", 28);
	world_add_field("PerfDataEntry", "entry_length", 0);
	world_add_field("PerfDataEntry", "name_offset", 4);
	world_add_field("PerfDataEntry", "vector_length", 8);
	world_add_field("PerfDataEntry", "data_type", 12);
	world_add_field("PerfDataEntry", "data_offset", 16);
}

/* The parts that every collector has. The heap object: total and full count in word 2. */
void world_build_common(void)
{
	memset(&world, 0, sizeof world);
	build_tables();
	build_flags();
	world.release = "17.0.99+1";
	world.major = 17;
	world_add_static("Abstract_VM_Version", "_s_vm_release", &world.release);
	world_add_static("Abstract_VM_Version", "_vm_major_version", &world.major);
	world.heap_pointer = world.heap;
	world.heap[0] = HEAP;
	world.heap[1] = REGIONS * GRAIN / 8;
	world.heap[2] = 5 | UINT64_C(2) << 32;
	world.heap[3] = 10 | UINT64_C(1) << 32; /* causes: none now */
	world_add_static("Universe", "_collectedHeap", &world.heap_pointer);
	world_add_field("CollectedHeap", "_reserved", 0);
	world_add_field("MemRegion", "_start", 0);
	world_add_field("MemRegion", "_word_size", 8);
	world_add_field("CollectedHeap", "_total_collections", 16);
	world_set_causes("Allocation Failure", "System.gc()");
	add_perf_fields();
}

void world_build_threads(void)
{
	for (size_t i = 0; i < 2; i++)
		world.threads[i] = world.thread[i];
	world.thread_list[0] = 2;
	world.thread_list[1] = (uintptr_t)world.threads;
	world.thread_list_pointer = world.thread_list;
	const uint64_t buffer[8] = {HEAP, HEAP + 0x100, 0, HEAP + 0x200, HEAP + 0x400, 0x80,
	    3 | UINT64_C(4) << 32, 5 | UINT64_C(6) << 32};
	memcpy(&world.thread[1][2], buffer, sizeof buffer);
	world.thread[1][12] = 123456;
	world_add_static("ThreadsSMRSupport", "_java_thread_list", &world.thread_list_pointer);
	world_add_field("ThreadsList", "_length", 0);
	world_add_field("ThreadsList", "_threads", 8);
	world_add_field("Thread", "_tlab", 16);
	world_add_field("Thread", "_allocated_bytes", 96);
	world_add_field("ThreadLocalAllocBuffer", "_start", 0);
	world_add_field("ThreadLocalAllocBuffer", "_top", 8);
	world_add_field("ThreadLocalAllocBuffer", "_end", 24);
	world_add_field("ThreadLocalAllocBuffer", "_desired_size", 40);
	world_add_field("ThreadLocalAllocBuffer", "_number_of_refills", 48);
	world_add_field("ThreadLocalAllocBuffer", "_refill_waste", 52);
	world_add_field("ThreadLocalAllocBuffer", "_gc_waste", 56);
	world_add_field("ThreadLocalAllocBuffer", "_slow_allocations", 60);
}

const struct world_region WORLD_REGION[REGIONS] = {
    {0, 0, VM_G1_FREE},
    {2, 4096, VM_G1_EDEN},
    {3, 8, VM_G1_SURVIVOR},
    {16, GRAIN, VM_G1_OLD},
    {12, GRAIN, VM_G1_HUMONGOUS_START},
    {13, 16, VM_G1_HUMONGOUS_CONT},
    {41, 24, VM_G1_ARCHIVE},
    {0, 0, VM_G1_UNCOMMITTED},
};

/* The heap object: the region manager in words 10 to 15, the monitoring in word 20. */
void world_build_g1(void)
{
	world_build_common();
	world_build_threads();
	world.g1 = 1;
	world.grain = GRAIN;
	for (uint64_t i = 0; i < REGIONS; i++) {
		const uint64_t bottom = HEAP + i * GRAIN;
		world.region[i][0] = bottom;
		world.region[i][1] = bottom + GRAIN;
		world.region[i][2] = bottom + WORLD_REGION[i].used;
		world.region[i][3] = (uint64_t)WORLD_REGION[i].tag << 32;
		world.region_table[i] = world.region[i];
	}
	world.region_table[REGIONS - 1] = NULL;
	world.heap[13] = (uintptr_t)world.region_table;
	world.heap[14] = REGIONS;
	world.heap[20] = (uintptr_t)world.monitoring;
	world.monitoring[0] = GRAIN;
	world.monitoring[1] = 2 * GRAIN;
	world.monitoring[2] = 4 * GRAIN;
	world_add_static("HeapRegion", "GrainBytes", &world.grain);
	world_add_field("HeapRegion", "_bottom", 0);
	world_add_field("HeapRegion", "_end", 8);
	world_add_field("HeapRegion", "_top", 16);
	world_add_field("HeapRegion", "_type", 24);
	world_add_field("HeapRegionType", "_tag", 4);
	world_add_field("G1CollectedHeap", "_hrm", 80);
	world_add_field("HeapRegionManager", "_regions", 8);
	world_add_field("G1HeapRegionTable", "_base", 16);
	world_add_field("G1HeapRegionTable", "_length", 24);
	world_add_field("G1CollectedHeap", "_g1mm", 160);
	world_add_field("G1MonitoringSupport", "_eden_space_committed", 0);
	world_add_field("G1MonitoringSupport", "_survivor_space_committed", 8);
	world_add_field("G1MonitoringSupport", "_old_gen_committed", 16);
	world_add_int("HeapRegionType::FreeTag", 0);
	world_add_int("HeapRegionType::EdenTag", 2);
	world_add_int("HeapRegionType::SurvTag", 3);
	world_add_int("HeapRegionType::PinnedMask", 8);
	world_add_int("HeapRegionType::StartsHumongousTag", 12);
	world_add_int("HeapRegionType::ContinuesHumongousTag", 13);
	world_add_int("HeapRegionType::OldMask", 16);
	world_add_int("HeapRegionType::ArchiveMask", 32);
}

/* Two generations of words: virtual space in 0 to 3, then the pointers to the spaces. */
void world_build_serial(void)
{
	world_build_common();
	world.serial = 1;
	const uint64_t young[8] = {HEAP, HEAP + 0x4000, HEAP, HEAP + 0x4000,
	    (uintptr_t)world.space[0], (uintptr_t)world.space[1], (uintptr_t)world.space[2]};
	const uint64_t old[8] = {
	    HEAP + 0x4000, HEAP + 0x8000, HEAP + 0x4000, HEAP + 0x6000, (uintptr_t)world.space[3]};
	const uint64_t space[4][3] = {
	    {HEAP, HEAP + 0x2000, HEAP + 0x1000},
	    {HEAP + 0x2000, HEAP + 0x3000, HEAP + 0x2008},
	    {HEAP + 0x3000, HEAP + 0x4000, HEAP + 0x3000},
	    {HEAP + 0x4000, HEAP + 0x6000, HEAP + 0x5000},
	};
	memcpy(world.young, young, sizeof young);
	memcpy(world.old, old, sizeof old);
	memcpy(world.space, space, sizeof space);
	world.heap[4] = (uintptr_t)world.young;
	world.heap[5] = (uintptr_t)world.old;
	world_add_field("GenCollectedHeap", "_young_gen", 32);
	world_add_field("GenCollectedHeap", "_old_gen", 40);
	world_add_field("DefNewGeneration", "_eden_space", 32);
	world_add_field("DefNewGeneration", "_from_space", 40);
	world_add_field("DefNewGeneration", "_to_space", 48);
	world_add_field("TenuredGeneration", "_the_space", 32);
	world_add_field("Space", "_bottom", 0);
	world_add_field("Space", "_end", 8);
	world_add_field("ContiguousSpace", "_top", 16);
	world_add_field("Generation", "_virtual_space", 0);
	world_add_field("VirtualSpace", "_low_boundary", 0);
	world_add_field("VirtualSpace", "_high_boundary", 8);
	world_add_field("VirtualSpace", "_low", 16);
	world_add_field("VirtualSpace", "_high", 24);
}

struct vm *world_open(void)
{
	struct gcs_error err = {0};
	struct vm *vm = vm_open_tables(world_find, &world, NULL, &err);
	cr_assert_not_null(vm, "%s", err.text);
	return vm;
}
