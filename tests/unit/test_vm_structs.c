/* Tables, flags, performance data and safe reads of the VM module, on a synthetic VM. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "vm_gc.h"
#include "vm_heap.h"
#include "vm_tlab.h"
#include "vm_world.h"

Test(vm_structs, finds_fields_by_the_exported_columns)
{
	struct vm_structs structs;
	struct vm_field field;
	const char *missing = NULL;
	world_build_g1();
	cr_assert(vm_structs_load(&structs, world_find, &world, &missing));
	cr_assert(vm_structs_field(&structs, "HeapRegion::_top", &field));
	cr_assert_eq(field.offset, 16);
	cr_assert_not(field.is_static);
	cr_assert(vm_structs_field(&structs, "HeapRegion::GrainBytes", &field));
	cr_assert(field.is_static);
	cr_assert_eq(field.address, (uintptr_t)&world.grain);
	cr_assert_str_eq(field.type_string, "", "a row may have no type string");
	cr_assert_eq(vm_structs_size(&structs, "NoType JVMFlag"), sizeof(struct flag_row));
	cr_assert_eq(vm_structs_size(&structs, "NoType"), 0);
}

Test(vm_structs, takes_the_first_exported_candidate)
{
	struct vm_structs structs;
	struct vm_field field;
	const char *missing = NULL;
	int64_t value = 0;
	world_build_g1();
	cr_assert(vm_structs_load(&structs, world_find, &world, &missing));
	cr_assert(vm_structs_field(&structs, "G1HeapRegion::_end HeapRegion::_end X::y", &field));
	cr_assert_eq(field.offset, 8);
	cr_assert_not(vm_structs_field(&structs, "MemRegion::_end", &field),
	    "a field belongs to the type that declares it");
	cr_assert_not(vm_structs_field(&structs, "", &field));
	cr_assert(vm_structs_constant(&structs, "A::B HeapRegionType::OldMask", &value));
	cr_assert_eq(value, 16);
	cr_assert(vm_structs_constant(&structs, "Long::constant", &value));
	cr_assert_eq(value, INT64_MAX);
}

Test(vm_structs, a_series_keeps_the_first_miss)
{
	struct vm_structs structs;
	const char *missing = NULL;
	world_build_g1();
	cr_assert(vm_structs_load(&structs, world_find, &world, &missing));
	struct vm_lookup lookup = {.structs = &structs};
	cr_assert_eq(vm_lookup_offset(&lookup, "HeapRegion::_top"), 16);
	cr_assert_null(lookup.missing);
	cr_assert_eq(
	    vm_lookup_offset(&lookup, "HeapRegion::GrainBytes"), 0, "a static field has no offset");
	cr_assert_str_eq(lookup.missing, "HeapRegion::GrainBytes");
	cr_assert_eq(vm_lookup_static(&lookup, "HeapRegion::_top"), 0);
	cr_assert_str_eq(lookup.missing, "HeapRegion::GrainBytes");
}

Test(vm_structs, a_jvm_without_tables_lacks_everything)
{
	world_build_g1();
	world_hide_symbol("gHotSpotVMTypeEntrySizeOffset");
	struct vm *vm = world_open();
	for (int i = 0; i < VM_CAPABILITY_COUNT; i++) {
		if (i == VM_SAFE_READ)
			continue;
		cr_assert_not(vm_has(vm, (enum vm_capability)i));
		cr_assert_not_null(
		    strstr(vm_why(vm, (enum vm_capability)i), "gHotSpotVMTypeEntrySizeOffset"));
	}
	struct vm_generations generations;
	struct vm_g1_region region;
	struct vm_gc_counts counts;
	struct vm_tlab tlab;
	size_t total = 1;
	char cause[8];
	bool flag = false;
	vm_generations(vm, &generations);
	vm_gc_counts(vm, &counts);
	cr_assert_eq(vm_g1_regions(vm, &region, 1), 0);
	cr_assert_eq(vm_tlabs(vm, &tlab, 1, &total), 0);
	cr_assert_eq(total, 0);
	cr_assert_eq(vm_gc_cause(vm, VM_GC_FINISH, cause, sizeof cause), 0);
	cr_assert_not(vm_flag_bool(vm, "UseG1GC", &flag));
	vm_close(vm);
}

Test(vm_structs, refuses_impossible_strides)
{
	struct vm_structs structs;
	const char *missing = NULL;
	world_build_g1();
	for (size_t i = 0; i < world.symbol_count; i++) {
		if (strcmp(world.symbols[i].name, "gHotSpotVMStructEntryArrayStride") == 0)
			world.symbols[i].number = 0;
	}
	cr_assert_not(vm_structs_load(&structs, world_find, &world, &missing));
	cr_assert_str_eq(missing, "gHotSpotVMStructEntryArrayStride");
}

Test(vm_flags, reads_each_kind)
{
	world_build_g1();
	world.major = -3;
	struct vm *vm = world_open();
	bool on = false;
	int64_t number = 0;
	cr_assert(vm_flag_bool(vm, "UseG1GC", &on) && on);
	cr_assert(vm_flag_bool(vm, "UseSerialGC", &on) && !on);
	cr_assert(vm_flag_number(vm, "MaxHeapSize", &number));
	cr_assert_eq(number, REGIONS * GRAIN);
	cr_assert(vm_flag_number(vm, "Negative", &number));
	cr_assert_eq(number, -3);
	cr_assert_not(vm_flag_bool(vm, "MaxHeapSize", &on), "wrong kind");
	cr_assert_not(vm_flag_number(vm, "UseG1GC", &number), "wrong kind");
	cr_assert_not(vm_flag_number(vm, "NoSuchFlag", &number));
	cr_assert_eq(vm_collector(vm), VM_COLLECTOR_G1);
	cr_assert_str_eq(vm_release(vm), "17.0.99+1");
	cr_assert_eq(vm_max_heap(vm), REGIONS * GRAIN);
	vm_close(vm);
}

Test(vm_flags, renumbered_kinds_leave_only_switches)
{
	world_build_g1();
	world.flag_rows[3].type = 9;
	struct vm *vm = world_open();
	bool on = false;
	int64_t number = 0;
	cr_assert_eq(vm_support(vm, VM_FLAGS), VM_DERIVED);
	cr_assert(vm_flag_bool(vm, "UseG1GC", &on) && on);
	cr_assert_not(vm_flag_number(vm, "MaxHeapSize", &number));
	cr_assert_eq(vm_collector(vm), VM_COLLECTOR_G1);
	vm_close(vm);
}

Test(vm_perf, can_be_off)
{
	world_build_g1();
	world.perf_start = NULL;
	struct vm *vm = world_open();
	cr_assert_not(vm_has(vm, VM_GC_CAUSE));
	cr_assert_str_eq(vm_why(vm, VM_GC_CAUSE), "The JVM runs with -XX:-UsePerfData.");
	cr_assert(vm_has(vm, VM_G1_REGIONS));
	vm_close(vm);
}

/* Whatever one byte of the block is changed to, a find stays inside the block. */
Test(vm_perf, damaged_data_stay_inside)
{
	world_build_g1();
	struct vm *vm = world_open();
	struct vm_perf_text data;
	char type = 0;
	cr_assert(vm_perf_find(&vm->perf, "sun.gc.lastCause", &data, &type));
	cr_assert_eq(type, 'B');
	cr_assert_eq(data.bytes, 32);
	cr_assert_str_eq((const char *)data.address, "System.gc()");
	cr_assert_not(vm_perf_find(&vm->perf, "sun.gc.last", &data, &type));
	size_t found = 0;
	for (size_t i = 0; i < sizeof world.perf; i++) {
		static const unsigned char VALUES[] = {0, 1, 0x7f, 0x80, 0xff};
		const unsigned char saved = world.perf[i];
		for (size_t k = 0; k < sizeof VALUES; k++) {
			world.perf[i] = VALUES[k];
			if (!vm_perf_find(&vm->perf, "sun.gc.lastCause", &data, &type))
				continue;
			found++;
			cr_assert_geq(data.address, (uintptr_t)world.perf);
			cr_assert_leq(
			    data.address + data.bytes, (uintptr_t)world.perf + sizeof world.perf);
		}
		world.perf[i] = saved;
	}
	cr_assert_gt(found, 0);
	cr_assert_lt(found, sizeof world.perf * 5);
	vm_close(vm);
}

/* Both methods copy across pages and refuse a range whose end is protected. */
Test(vm_read, both_methods_are_safe)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	static const enum vm_read_method METHODS[] = {VM_READ_PROCESS, VM_READ_PIPE};
	static unsigned char copy[65536];
	const int zero = open("/dev/zero", O_RDONLY);
	cr_assert_geq(zero, 0);
	unsigned char *memory = mmap(NULL, 5 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE, zero, 0);
	close(zero);
	cr_assert_neq(memory, MAP_FAILED);
	for (size_t i = 0; i < 4 * page; i++)
		memory[i] = (unsigned char)(i * 31 >> 3);
	cr_assert_eq(mprotect(memory + 4 * page, page, PROT_NONE), 0);
	cr_assert_leq(4 * page, sizeof copy);
	struct vm_reader here; /* an emulator may not have the first */
	vm_reader_init(&here);
	for (size_t i = here.method == VM_READ_PIPE ? 1 : 0; i < 2; i++) {
		const struct vm_reader reader = {.method = METHODS[i]};
		const uintptr_t at = (uintptr_t)memory;
		memset(copy, 0, sizeof copy);
		cr_assert(vm_reader_copy(&reader, copy, at + 3, 4 * page - 3));
		cr_assert_eq(memcmp(copy, memory + 3, 4 * page - 3), 0);
		cr_assert_not(vm_reader_copy(&reader, copy, at + 4 * page - 8, 16));
		cr_assert_not(vm_reader_copy(&reader, copy, at + 4 * page, 1));
		cr_assert_not(vm_reader_copy(&reader, copy, UINTPTR_MAX - 4, 8));
	}
	const struct vm_reader none = {.method = VM_READ_NONE};
	cr_assert_not(vm_reader_copy(&none, copy, (uintptr_t)memory, 1));
	munmap(memory, 5 * page);
}
