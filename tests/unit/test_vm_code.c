/* The code cache: searching by program counter, decoding of inlined scopes (S7). */
#include <criterion/criterion.h>
#include <string.h>

#include "code_world.h"
#include "kit.h"

static const int MAJORS[] = {17, 21, 25, 26};
enum { MAJOR_COUNT = 4 };

Test(vm_code, finds_the_blob_of_every_address_and_no_other)
{
	for (int m = 0; m < MAJOR_COUNT; m++) {
		struct vm_code code;
		code_world_build(MAJORS[m]);
		const struct code_place place = {.pc = 16, .count = 1, .indices = {7}};
		const uintptr_t large = code_world_stub("large", 4, 300 * CODE_SEGMENT);
		const uintptr_t method = code_world_method(41, 6, &place, 1);
		struct vm *vm = code_world_open();
		for (uint32_t i = 0; i < 300 * CODE_SEGMENT; i += 13) {
			cr_assert(vm_code_find(vm, code_world_pc(large, i), &code), "%u", i);
			cr_assert_eq(code.start, large);
			cr_assert_not(code.is_method);
			cr_assert_eq(code.frame_bytes, 32);
		}
		cr_assert(vm_code_find(vm, method, &code));
		cr_assert(vm_code_find(vm, method + code.bytes - 1, &code));
		cr_assert(code.is_method);
		cr_assert_eq(code.compile_id, 41);
		cr_assert_eq(code.frame_bytes, 48);
		cr_assert_eq(code.deoptimized, code_world_deoptimized(method));
		cr_assert_not(vm_code_find(vm, method + code.bytes, &code), "after its last byte");
		cr_assert_not(vm_code_find(vm, method - 1, &code), "in the header of the block");
		const uintptr_t end = (uintptr_t)code_world.memory + sizeof code_world.memory;
		cr_assert_not(vm_code_find(vm, end - 1, &code), "free");
		cr_assert_not(vm_code_find(vm, end, &code), "outside");
		cr_assert_not(vm_code_find(vm, 0, &code));
		code_world.heap[5] = (uintptr_t)code_world.map + 3;
		cr_assert_not(vm_code_find(vm, method, &code), "memory that has no map yet");
		vm_close(vm);
	}
}

Test(vm_code, refuses_what_is_freed_or_damaged)
{
	for (int m = 0; m < MAJOR_COUNT; m++) {
		struct vm_code code;
		code_world_build(MAJORS[m]);
		const uintptr_t stub = code_world_stub("stub", 4, 256);
		struct vm *vm = code_world_open();
		const size_t block = stub - (uintptr_t)code_world.memory - (m < 2 ? 16 : 8);
		const size_t segment = block / CODE_SEGMENT;
		unsigned char *used = code_world.memory + block + (m < 2 ? 8 : 4);
		cr_assert(vm_code_find(vm, code_world_pc(stub, 99), &code));
		*used = 0;
		cr_assert_not(vm_code_find(vm, code_world_pc(stub, 99), &code), "not used");
		*used = 1;
		code_world.map[segment + 1] = 200;
		cr_assert_not(vm_code_find(vm, stub + CODE_SEGMENT, &code), "before the heap");
		code_world.map[segment + 1] = 0xff;
		cr_assert_not(vm_code_find(vm, stub + CODE_SEGMENT, &code), "free");
		code_world.map[segment + 1] = 1;
		cr_assert(vm_code_find(vm, stub + CODE_SEGMENT, &code));
		memset((void *)stub, 0xff, 8); /* size and frame size */
		cr_assert_not(
		    vm_code_find(vm, stub + CODE_SEGMENT, &code), "larger than its block");
		vm_close(vm);
	}
}

Test(vm_code, decodes_inlined_scopes)
{
	static const struct code_place PLACES[] = {
	    {.pc = 5, .count = 1, .indices = {0}},
	    {.pc = 9, .count = 8, .indices = {1, 189, 190, 191, 192, 255, 12479, 65533}},
	    {.pc = 80, .count = 3, .indices = {-1, 64, 65}},
	};
	for (int m = 0; m < MAJOR_COUNT; m++) {
		int32_t indices[8];
		code_world_build(MAJORS[m]);
		const uintptr_t method = code_world_method(7, 6, PLACES, 3);
		const uintptr_t wrapper = code_world_method(8, 6, NULL, 0);
		struct vm *vm = code_world_open();
		cr_assert_eq(vm_code_scopes(vm, code_world_pc(method, 5), 7, indices, 8), 1);
		cr_assert_eq(indices[0], 0);
		cr_assert_eq(vm_code_scopes(vm, code_world_pc(method, 9), 7, indices, 8), 8);
		cr_assert_eq(memcmp(indices, PLACES[1].indices, sizeof indices), 0);
		cr_assert_eq(vm_code_scopes(vm, code_world_pc(method, 80), 7, indices, 2), 3,
		    "more than asked for are counted");
		cr_assert_eq(indices[0], 0, "the entry of a method is its first bytecode");
		cr_assert_eq(indices[1], 64);
		cr_assert_eq(indices[2], PLACES[1].indices[2], "not written");
		cr_assert_eq(vm_code_scopes(vm, code_world_pc(method, 6), 7, indices, 8), 0);
		cr_assert_eq(vm_code_scopes(vm, code_world_pc(method, 5), 8, indices, 8), 0,
		    "another compilation");
		cr_assert_eq(vm_code_scopes(vm, code_world_pc(wrapper, 77), 8, indices, 8), 1);
		cr_assert_eq(indices[0], -1);
		cr_assert_eq(
		    vm_code_scopes(vm, code_world.call_stub, 0, indices, 8), 0, "a stub has none");
		vm_close(vm);
	}
}

/* Numbers of every length come back, in the code of each JDK. */
Test(vm_code, numbers_of_every_length)
{
	uint64_t state = kit_seed();
	for (int round = 0; round < 400; round++) {
		struct code_place place = {.pc = 12, .count = 8};
		int32_t indices[8];
		for (int i = 0; i < 8; i++)
			place.indices[i] = (int32_t)kit_below(&state, 2u << kit_below(&state, 16));
		code_world_build(MAJORS[round % MAJOR_COUNT]);
		const uintptr_t method = code_world_method(1, 6, &place, 1);
		struct vm *vm = code_world_open();
		cr_assert_eq(vm_code_scopes(vm, code_world_pc(method, 12), 1, indices, 8), 8);
		cr_assert_eq(memcmp(indices, place.indices, sizeof indices), 0);
		vm_close(vm);
	}
}

/* Whatever becomes of the descriptions, decoding ends, inside the code cache. */
Test(vm_code, damaged_descriptions_end)
{
	const struct code_place place = {.pc = 12, .count = 8, .indices = {1, 2, 300, 4, 5000, 6}};
	uint64_t state = kit_seed();
	size_t refused = 0;
	for (int m = 0; m < MAJOR_COUNT; m++) {
		code_world_build(MAJORS[m]);
		const uintptr_t method = code_world_method(1, 6, &place, 1);
		struct vm *vm = code_world_open();
		unsigned char *data =
		    m < 2 ? (unsigned char *)method + CODE_START + 512 : code_world.described;
		const uint32_t bytes = 256;
		for (int round = 0; round < 20000; round++) {
			int32_t indices[8];
			unsigned char saved[4];
			uint32_t at[4];
			for (int i = 0; i < 4; i++) {
				at[i] = kit_below(&state, bytes);
				saved[i] = data[at[i]];
				data[at[i]] = (unsigned char)kit_random(&state);
			}
			const size_t count =
			    vm_code_scopes(vm, code_world_pc(method, 12), 1, indices, 8);
			cr_assert_leq(count, 1024);
			refused += count == 0;
			for (int i = 4; i-- > 0;)
				data[at[i]] = saved[i];
		}
		vm_close(vm);
	}
	cr_assert_gt(refused, 0);
}

Test(vm_code, says_why_it_is_missing)
{
	code_world_build(25);
	world_hide_field("nmethod", "_immutable_data");
	struct vm *vm = world_open();
	cr_assert_str_eq(vm_why(vm, VM_CODE_CACHE),
	    "HotSpot 25.0.99+1 does not export nmethod::_immutable_data.");
	vm_close(vm);

	code_world_build(25);
	code_world.heap[4] = 8; /* the map is not mapped, and too small */
	code_world.heap[5] = 16;
	vm = world_open();
	cr_assert_not(vm_has(vm, VM_CODE_CACHE));
	vm_close(vm);

	code_world_build(17);
	memset(code_world.map, 0xff, 4); /* the call stub is not where the map says */
	vm = world_open();
	cr_assert_not(vm_has(vm, VM_CODE_CACHE));
	vm_close(vm);
}
