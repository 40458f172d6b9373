/* The walk of the own stack to its physical frames (S7). */
#include <criterion/criterion.h>
#include <string.h>

#include "code_world.h"
#include "kit.h"

enum { DEPTH = 16 };

struct walked {
	const struct vm *vm;
	uint32_t depth, count;
	enum vm_walk_end end;
	struct vm_frame frames[DEPTH];
};

static void walk_here(void *argument)
{
	struct walked *w = argument;
	w->end = vm_walk(w->vm, code_world_env(), w->frames, w->depth, &w->count);
}

static struct walked walk(const struct vm *vm, uint32_t depth)
{
	struct walked w = {.vm = vm, .depth = depth};
	code_world_run(walk_here, &w);
	return w;
}

static void assert_frame(const struct vm_frame *frame, uint64_t where, uint64_t what)
{
	cr_assert_eq(frame->where, where);
	cr_assert_eq(frame->what, what);
}

Test(vm_walk, goes_through_every_kind_of_frame)
{
	for (int major = 17; major <= 25; major += 8) {
		code_example_build(major);
		code_example_stack();
		struct vm *vm = code_world_open();
		const struct walked w = walk(vm, DEPTH);
		cr_assert_eq(w.end, VM_WALK_WHOLE, "%s", vm_walk_end_text(w.end));
		cr_assert_eq(w.count, 5);
		assert_frame(&w.frames[0], code_world_pc(code_example.inner, EXAMPLE_INNER),
		    VM_FRAME_COMPILED | 100);
		assert_frame(&w.frames[1], code_world_java_method(1), code_world_bytecode(1, 17));
		assert_frame(&w.frames[2], code_world_pc(code_example.outer, EXAMPLE_OUTER),
		    VM_FRAME_COMPILED | 101);
		assert_frame(
		    &w.frames[3], code_world_pc(code_example.wrapper, 50), VM_FRAME_COMPILED | 102);
		assert_frame(&w.frames[4], code_world_java_method(3), 0);
		vm_close(vm);
	}
}

Test(vm_walk, stops_at_the_depth)
{
	code_example_build(25);
	code_example_stack();
	struct vm *vm = code_world_open();
	struct walked w = walk(vm, 2);
	cr_assert_eq(w.end, VM_WALK_MORE);
	cr_assert_eq(w.count, 2);
	w = walk(vm, 5);
	cr_assert_eq(w.end, VM_WALK_WHOLE, "the last frame is the fifth");
	cr_assert_eq(w.count, 5);
	vm_close(vm);
}

Test(vm_walk, a_deoptimized_frame_keeps_its_place)
{
	for (int major = 17; major <= 25; major += 8) {
		code_example_build(major);
		code_example_stack();
		code_world.java[103] = code_world_deoptimized(code_example.inner);
		code_world.java[104 + 1] = code_world_pc(code_example.inner, EXAMPLE_INNER);
		struct vm *vm = code_world_open();
		struct walked w = walk(vm, DEPTH);
		cr_assert_eq(w.end, VM_WALK_WHOLE);
		assert_frame(&w.frames[0], code_world_pc(code_example.inner, EXAMPLE_INNER),
		    VM_FRAME_COMPILED | VM_FRAME_DEOPTIMIZED | 100);
		code_world.java[104 + 1] = code_world_pc(code_example.outer, EXAMPLE_OUTER);
		w = walk(vm, DEPTH);
		cr_assert_eq(w.end, VM_WALK_CODE, "a place in other code");
		vm_close(vm);
	}
}

Test(vm_walk, a_stub_is_walked_only_below_the_jvm)
{
	code_example_build(25);
	code_example_stack();
	code_world.java[125] = code_world_pc(code_example.stub, EXAMPLE_STUB);
	struct vm *vm = code_world_open();
	struct walked w = walk(vm, DEPTH);
	cr_assert_eq(w.end, VM_WALK_CODE);
	code_world.thread[THREAD_CONTINUATION] = 1;
	w = walk(vm, DEPTH);
	cr_assert_eq(w.end, VM_WALK_FROZEN, "the return barrier of a virtual thread");
	vm_close(vm);
}

Test(vm_walk, a_virtual_thread_ends_at_its_entry)
{
	code_example_build(25);
	code_example_stack();
	code_world.java[125] = code_world_pc(code_example.enter, 60); /* its other return address */
	struct vm *vm = code_world_open();
	struct walked w = walk(vm, DEPTH);
	cr_assert_eq(w.count, 3, "no continuation is mounted: it is code like any other");
	code_world.thread[THREAD_CONTINUATION] = 1;
	w = walk(vm, DEPTH);
	cr_assert_eq(w.end, VM_WALK_CONTINUATION);
	cr_assert_eq(w.count, 2);
	vm_close(vm);
}

Test(vm_walk, tells_threads_without_java_or_with_another_stack)
{
	code_example_build(17);
	struct vm *vm = code_world_open();
	struct walked w = walk(vm, DEPTH);
	cr_assert_eq(w.end, VM_WALK_NO_JAVA);
	code_example_stack();
	code_world.thread[7] = 64; /* a stack that ends above us */
	w = walk(vm, DEPTH);
	cr_assert_eq(w.end, VM_WALK_THREAD);
	code_world.thread[6] = 4096;
	w = walk(vm, DEPTH);
	cr_assert_eq(w.end, VM_WALK_THREAD);
	vm_close(vm);
}

/* Any pointer that leaves the stack, or goes down, ends the walk. */
Test(vm_walk, pointers_never_leave_the_stack)
{
	const uint32_t wrapper = vm_machine_here()->wrapper != 0 ? 146 - 8 : 146 - 6;
	const uint32_t POINTERS[] = {110, 124 - 1, 134, wrapper, 160 + 3, 174, 190 - 1, 190};
	code_example_build(17);
	struct vm *vm = code_world_open();
	for (size_t i = 0; i < sizeof POINTERS / sizeof POINTERS[0]; i++) {
		const uint64_t bad[] = {8, code_world_at(99), code_world_at(JAVA_WORDS),
		    code_world_at(JAVA_WORDS + 100), code_world_at(150) + 4, UINT64_MAX - 7};
		for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
			code_example_stack();
			code_world.java[POINTERS[i]] = bad[k];
			const struct walked w = walk(vm, DEPTH);
			cr_assert(w.end == VM_WALK_POINTER || w.end == VM_WALK_CODE,
			    "word %u, value %zu: %s", POINTERS[i], k, vm_walk_end_text(w.end));
		}
	}
	vm_close(vm);
}

/* Each processor's frames; on aarch64 with signed return addresses. */
Test(vm_walk, frames_of_other_processors)
{
	static const uint32_t RETURNS[] = {103, 111, 125, 135, 169, 175, 191};
	static const char *const NAMES[] = {"x86-64", "aarch64"};
	for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
		code_world_machine = vm_machine_named(NAMES[i]);
		code_example_build(25);
		code_example_stack();
		for (size_t k = 0; i == 1 && k < sizeof RETURNS / sizeof RETURNS[0]; k++)
			code_world.java[RETURNS[k]] |= UINT64_C(0x5a) << 48;
		struct vm *vm = code_world_open();
		struct walked w = walk(vm, DEPTH);
		cr_assert_eq(w.end, VM_WALK_WHOLE, "%s", vm_walk_end_text(w.end));
		cr_assert_eq(w.count, 5);
		assert_frame(&w.frames[1], code_world_java_method(1), code_world_bytecode(1, 17));
		assert_frame(
		    &w.frames[3], code_world_pc(code_example.wrapper, 50), VM_FRAME_COMPILED | 102);
		assert_frame(&w.frames[4], code_world_java_method(3), 0);
		vm->machine = vm_machine_named("another");
		vm_open_walk(vm);
		cr_assert_str_eq(
		    vm_why(vm, VM_STACK_WALK), "Frames are known on x86-64 and aarch64 only.");
		vm_close(vm);
	}
}

/* Random words in a stack: a walk always ends, and has read nothing else. */
Test(vm_walk, random_stacks_end)
{
	uint64_t state = kit_seed();
	size_t whole = 0;
	code_example_build(25);
	code_example_stack();
	struct vm *vm = code_world_open();
	for (int round = 0; round < 3000; round++) {
		code_example_stack();
		code_world.thread[THREAD_CONTINUATION] = kit_below(&state, 2);
		for (uint32_t i = kit_below(&state, 4) + 1; i > 0; i--) {
			const uint32_t at = 100 + kit_below(&state, 124);
			const uint32_t kind = kit_below(&state, 3);
			code_world.java[at] =
			    kind == 0   ? code_world_at(kit_below(&state, JAVA_WORDS + 8))
			    : kind == 1 ? (uintptr_t)code_world.memory + kit_below(&state, 16384)
					: kit_random(&state);
		}
		const struct walked w = walk(vm, DEPTH);
		cr_assert_leq(w.count, DEPTH);
		cr_assert_lt(w.end, VM_WALK_END_COUNT);
		whole += w.end == VM_WALK_WHOLE;
	}
	cr_assert_gt(whole, 0);
	cr_assert_lt(whole, 3000);
	vm_close(vm);
}

Test(vm_walk, indices_of_interpreted_frames)
{
	int32_t index = 0;
	code_example_build(17);
	struct vm *vm = code_world_open();
	struct vm_frame frame = {code_world_java_method(1), code_world_bytecode(1, 199)};
	cr_assert(vm_frame_index(vm, &frame, &index));
	cr_assert_eq(index, 199);
	frame.what++;
	cr_assert_not(vm_frame_index(vm, &frame, &index), "after the code");
	frame.what = code_world_bytecode(1, -1);
	cr_assert_not(vm_frame_index(vm, &frame, &index), "before the code");
	frame.what = 0;
	cr_assert(vm_frame_index(vm, &frame, &index));
	cr_assert_eq(index, -1);
	frame = (struct vm_frame){code_world_java_method(3), code_world_bytecode(3, 0)};
	cr_assert(vm_frame_index(vm, &frame, &index), "a native method that called the JVM");
	cr_assert_eq(index, -1);
	cr_assert(vm_method_has_id(vm, code_world_java_method(2), code_world_id(2), true));
	cr_assert_not(vm_method_has_id(vm, code_world_java_method(1), code_world_id(2), true));
	cr_assert_not(vm_method_has_id(vm, code_world_java_method(2), NULL, true));
	cr_assert_eq(vm_unloaded_classes(vm), 5);
	vm_close(vm);
}

/* From JDK 26 on, an id is the number that the Method's class has in its table. */
Test(vm_walk, method_ids_that_are_numbers)
{
	enum { NUMBER = 1, COUNT = 3 };
	uint64_t ids[1 + COUNT] = {COUNT, 76, 77, 78};
	uintptr_t class[2] = {0, (uintptr_t)ids};
	uintptr_t constants[2] = {0, (uintptr_t) class};
	uint64_t described[2] = {NUMBER, (uintptr_t)constants};
	uintptr_t method[2] = {0, (uintptr_t)described};
	code_example_build(25);
	struct vm *vm = code_world_open();
	vm->method = (struct vm_method_fields){.ids_are_numbers = true,
	    .known = true,
	    .const_method = 8,
	    .constants = 8,
	    .idnum = 0,
	    .holder = 8,
	    .ids = 8};
	for (int safely = 0; safely < 2; safely++) {
		described[0] = NUMBER;
		cr_assert(
		    vm_method_has_id(vm, (uintptr_t)method, (jmethodID)(uintptr_t)77, safely != 0));
		cr_assert_not(
		    vm_method_has_id(vm, (uintptr_t)method, (jmethodID)(uintptr_t)78, safely != 0));
		described[0] = COUNT; /* after the table */
		cr_assert_not(
		    vm_method_has_id(vm, (uintptr_t)method, (jmethodID)(uintptr_t)77, safely != 0));
	}
	cr_assert_not(vm_method_has_id(vm, 8, (jmethodID)(uintptr_t)77, true), "no Method");
	vm_close(vm);
}

Test(vm_walk, says_why_it_is_missing)
{
	code_world_build(25);
	struct vm *vm = world_open();
	cr_assert_str_eq(vm_why(vm, VM_STACK_WALK), "There is no JNI environment.");
	vm_close(vm);

	code_world_build(25);
	world_hide_field("JavaThread", "_stack_base");
	vm = world_open();
	vm->support[VM_THREAD_POINTER] = VM_DERIVED;
	vm_open_walk(vm);
	cr_assert_str_eq(vm_why(vm, VM_STACK_WALK),
	    "HotSpot 25.0.99+1 does not export JavaThread::_stack_base.");
	vm_close(vm);

	/* Numbers that nothing leads to. */
	code_world_build(25);
	vm = world_open();
	vm->support[VM_THREAD_POINTER] = VM_DERIVED;
	vm->method.ids_are_numbers = true;
	vm_open_walk(vm);
	cr_assert_str_eq(vm_why(vm, VM_STACK_WALK),
	    "HotSpot 25.0.99+1 does not export the method ids of a class.");
	vm_close(vm);

	/* JDK 21 does not export it. */
	code_world_build(21);
	world_hide_field("JavaThread", "_cont_entry");
	vm = world_open();
	vm->support[VM_THREAD_POINTER] = VM_DERIVED;
	vm_open_walk(vm);
	cr_assert(vm_has(vm, VM_STACK_WALK), "%s", vm_why(vm, VM_STACK_WALK));
	vm_close(vm);

	code_world_build(17);
	world.perf_start = NULL;
	vm = world_open();
	vm->support[VM_THREAD_POINTER] = VM_DERIVED;
	vm_open_walk(vm);
	cr_assert(vm_has(vm, VM_STACK_WALK), "without PerfData");
	cr_assert_not(vm_counts_unloading(vm));
	cr_assert_eq(vm_unloaded_classes(vm), 0);
	vm_close(vm);

	/* Graal as the JVM's compiler. */
	code_world_build(17);
	bool other_compiler = true;
	world.flag_rows[7] =
	    (struct flag_row){.name = "UseJVMCICompiler", .address = &other_compiler};
	vm = world_open();
	vm->support[VM_THREAD_POINTER] = VM_DERIVED;
	vm_open_walk(vm);
	cr_assert_str_eq(vm_why(vm, VM_STACK_WALK), "Frames of the JVMCI compiler are not known.");
	vm_close(vm);

	code_world_build(17);
	code_world.queue[1] = 0;
	vm = world_open();
	vm->support[VM_THREAD_POINTER] = VM_DERIVED;
	vm_open_walk(vm);
	cr_assert_not(vm_has(vm, VM_STACK_WALK));
	vm_close(vm);
}
