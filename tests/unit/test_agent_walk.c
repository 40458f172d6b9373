/* The walker's policy: what it finds, composes and asks, and when it gives itself up (S7). */
#include <criterion/criterion.h>
#include <string.h>

#include "code_world.h"
#include "walk.h"

enum { DEPTH = 16, FRAMES = 6 };

/* What JVMTI says: the stack of the example, each test changes it as it likes. */
static struct {
	jvmtiFrameInfo frames[FRAMES];
	jint count;
	unsigned asked;
} truth;

static jvmtiError JNICALL tell_stack(
    jvmtiEnv *env, jthread thread, jint start, jint max, jvmtiFrameInfo *frames, jint *count)
{
	(void)env;
	(void)thread;
	truth.asked++;
	if (start > truth.count)
		return JVMTI_ERROR_ILLEGAL_ARGUMENT;
	*count = truth.count - start < max ? truth.count - start : max;
	memcpy(frames, truth.frames + start, (size_t)*count * sizeof *frames);
	return JVMTI_ERROR_NONE;
}

static struct jvmtiInterface_1_ functions = {.GetStackTrace = tell_stack};
static jvmtiEnv jvmti = &functions;
static struct vm *vm;
static struct walker *walker;

static void tell_example(void)
{
	code_example_stack();
	truth.asked = 0;
	truth.count = FRAMES;
	truth.frames[0] = (jvmtiFrameInfo){code_world_id(0), 3};
	truth.frames[1] = (jvmtiFrameInfo){code_world_id(2), 4};
	truth.frames[2] = (jvmtiFrameInfo){code_world_id(1), 17};
	truth.frames[3] = (jvmtiFrameInfo){code_world_id(2), 5};
	truth.frames[4] = (jvmtiFrameInfo){code_world_id(0), -1};
	truth.frames[5] = (jvmtiFrameInfo){code_world_id(3), -1};
}

static void open_walker(uint32_t depth, enum walk_choice choice)
{
	code_example_build(17);
	vm = code_world_open();
	tell_example();
	walker = walker_create(vm, &jvmti, depth, choice);
	cr_assert_not_null(walker);
}

static void close_walker(void)
{
	walker_destroy(walker);
	vm_close(vm);
}

/* One call of the walker, on the thread that has the Java frames. */
struct found {
	bool found;
	uint32_t stack;
	struct walk walk;
	jvmtiFrameInfo frames[DEPTH];
	struct vm_frame physical[DEPTH];
};
static struct found last;

static void find_here(void *argument)
{
	const uint32_t *remember = argument;
	uint32_t stacks[DEPTH];
	for (uint32_t i = 0; i < DEPTH; i++)
		stacks[i] = *remember + i;
	last.walk.frames = last.frames;
	last.walk.physical = last.physical;
	last.found = walker_find(walker, code_world_env(), NULL, &last.walk, &last.stack);
	if (!last.found && *remember != 0)
		walker_remember(walker, &last.walk, stacks, 0);
}

/* Finds; a stack that is not known gets the number, unless that is 0. */
static bool find(uint32_t remember)
{
	code_world_run(find_here, &remember);
	cr_assert(last.walk.key[0] != 0 || last.walk.key[1] != 0);
	return last.found;
}

static bool frames_are_true(jint count)
{
	if (last.walk.count != count)
		return false;
	for (jint i = 0; i < count; i++) {
		if (last.frames[i].method != truth.frames[i].method ||
		    last.frames[i].location != truth.frames[i].location)
			return false;
	}
	return true;
}

static struct walker_report report(void)
{
	struct walker_report now;
	walker_report(walker, &now);
	return now;
}

/* Another place in the interpreted method: a stack that was not seen, of known parts. */
static void move_on(int index)
{
	code_world.java[124 - 8] = code_world_bytecode(1, index);
	truth.frames[2].location = index;
}

Test(agent_walk, asks_then_composes_then_finds)
{
	char text[200];
	open_walker(DEPTH, WALK_AUTO);
	cr_assert_not(find(7));
	cr_assert(frames_are_true(FRAMES));
	cr_assert_not(last.walk.truncated);
	cr_assert_not(last.walk.native_top);
	cr_assert(find(0));
	cr_assert_eq(last.stack, 7);
	cr_assert_eq(truth.asked, 2, "once to learn, once to verify the first that was found");
	move_on(18);
	cr_assert_not(find(8));
	cr_assert(frames_are_true(FRAMES));
	cr_assert(find(0));
	cr_assert_eq(last.stack, 8);
	move_on(17);
	cr_assert(find(0));
	cr_assert_eq(last.stack, 7);
	const struct walker_report now = report();
	cr_assert(now.fast);
	cr_assert_null(now.why);
	cr_assert_eq(now.walks, 5);
	cr_assert_eq(now.found, 3);
	cr_assert_eq(now.composed, 1);
	cr_assert_eq(now.asked, 1);
	cr_assert_eq(now.verified, 4);
	cr_assert_eq(now.mismatches, 0);
	walker_describe(walker, text, sizeof text);
	cr_assert_str_eq(
	    text, "fast; 5 stacks, 60.0 % found, 20.0 % asked, 4 verified, 0 mismatches");
	close_walker();
}

/* Whatever the depth cuts: the young end of the answer, and whether there is more. */
Test(agent_walk, every_depth)
{
	for (uint32_t depth = 1; depth <= FRAMES + 1; depth++) {
		const jint count = depth < FRAMES ? (jint)depth : FRAMES;
		open_walker(depth, WALK_AUTO);
		cr_assert_not(find(0));
		cr_assert(frames_are_true(count), "depth %u", depth);
		cr_assert_eq(last.walk.truncated, depth < FRAMES, "asked, depth %u", depth);
		cr_assert_not(find(3));
		cr_assert_eq(report().composed, 1, "depth %u", depth);
		cr_assert(frames_are_true(count), "depth %u", depth);
		cr_assert_eq(last.walk.truncated, depth < FRAMES, "composed, depth %u", depth);
		cr_assert(find(0));
		cr_assert_eq(last.walk.truncated, depth < FRAMES, "found, depth %u", depth);
		cr_assert(report().fast);
		close_walker();
	}
}

/* The first thousand stacks that are resolved are compared, which gives all their frames. */
static void pass_the_first(void)
{
	cr_assert_not(find(0));
	move_on(18);
	for (int i = 0; i < 1000; i++)
		cr_assert_not(find(0));
	cr_assert_not(find(20));
	cr_assert_eq(report().composed, 1001);
}

/* The stack that ends at the caller of the interpreted method was numbered with the whole one. */
Test(agent_walk, known_older_frames_are_not_resolved_again)
{
	open_walker(DEPTH, WALK_AUTO);
	pass_the_first();
	cr_assert_eq(last.walk.base, WALK_NO_BASE);
	cr_assert(frames_are_true(FRAMES));
	move_on(16);
	truth.asked = 0;
	cr_assert_not(find(40));
	cr_assert_eq(last.walk.base, 23);
	cr_assert(frames_are_true(3));
	cr_assert_not(last.walk.truncated);
	cr_assert(find(0));
	cr_assert_eq(last.stack, 40);
	cr_assert_eq(
	    truth.asked, 1, "the hash of all frames is right: the first found is compared");
	cr_assert_eq(report().mismatches, 0);
	walker_forget(walker);
	cr_assert_not(find(0));
	cr_assert_eq(last.walk.base, WALK_NO_BASE);
	close_walker();
}

/* Which of the oldest frames a long stack omits depends on the younger ones. */
Test(agent_walk, a_stack_beyond_the_depth_has_no_base)
{
	for (uint32_t depth = 1; depth < FRAMES; depth++) {
		open_walker(depth, WALK_AUTO);
		pass_the_first();
		move_on(16);
		find(40);
		cr_assert_eq(last.walk.base, WALK_NO_BASE, "depth %u", depth);
		cr_assert(last.found || frames_are_true((jint)depth), "depth %u", depth);
		cr_assert(last.walk.truncated);
		cr_assert_eq(report().mismatches, 0);
		close_walker();
	}
}

Test(agent_walk, one_difference_ends_the_fast_walk)
{
	char text[200];
	for (int composed = 0; composed < 2; composed++) {
		open_walker(DEPTH, WALK_AUTO);
		cr_assert_not(find(7));
		cr_assert(find(0));
		if (composed != 0)
			move_on(18);
		truth.frames[1].location = 99;
		cr_assert_not(find(9), "what JVMTI says is another stack");
		cr_assert(frames_are_true(FRAMES), "and is believed");
		cr_assert_eq(report().mismatches, 1);
		cr_assert_not(report().fast);
		cr_assert_eq(report().why[strlen(report().why) - 1], '.');
		walker_describe(walker, text, sizeof text);
		cr_assert_str_eq(
		    text, "GetStackTrace, because: A stack differed from that of GetStackTrace.");
		truth.asked = 0;
		cr_assert(find(0));
		cr_assert_eq(last.stack, 9);
		truth.frames[1].location = 4;
		cr_assert_not(find(0), "what was remembered for the walk is not used again");
		cr_assert_eq(truth.asked, 2);
		close_walker();
	}
}

Test(agent_walk, verifies_the_first_and_then_some)
{
	open_walker(DEPTH, WALK_AUTO);
	cr_assert_not(find(7));
	truth.asked = 0;
	for (int i = 0; i < 1000; i++)
		cr_assert(find(0));
	cr_assert_eq(truth.asked, 203, "200, and the 257th, 513th and 769th: %u", truth.asked);
	close_walker();
}

Test(agent_walk, a_redefined_method_is_asked_for)
{
	open_walker(DEPTH, WALK_AUTO);
	cr_assert_not(find(7));
	cr_assert(find(0));
	code_world.ids[1] = code_world_java_method(2); /* the id leads to a new version */
	cr_assert_not(find(8), "the stack is known by its old version only");
	cr_assert(frames_are_true(FRAMES));
	cr_assert_eq(report().gave_up[WALK_REDEFINED], 1);
	cr_assert(find(0), "the answer itself is known");
	cr_assert_eq(last.stack, 8);
	cr_assert_eq(report().asked, 3);
	code_world.java[124 - 3] = code_world_java_method(2); /* and now runs */
	move_on(17);
	code_world.java[124 - 8] = code_world_bytecode(2, 17);
	cr_assert_not(find(9));
	cr_assert_eq(report().gave_up[WALK_REDEFINED], 2);
	cr_assert(report().fast);
	cr_assert_eq(report().mismatches, 0);
	close_walker();
}

Test(agent_walk, unloaded_classes_change_the_key)
{
	open_walker(DEPTH, WALK_AUTO);
	cr_assert_not(find(7));
	cr_assert(find(0));
	++*(uint64_t *)vm->stack.unloaded;
	cr_assert_not(find(8), "an address of a method may stand for another");
	cr_assert_eq(report().composed, 1);
	cr_assert(find(0));
	cr_assert_eq(last.stack, 8);
	close_walker();
}

Test(agent_walk, pauses_change_the_key_where_unloaded_classes_are_not_counted)
{
	open_walker(DEPTH, WALK_AUTO);
	cr_assert_not(find(7));
	walker_collected(walker);
	cr_assert(find(0), "the JVM counts");
	close_walker();

	open_walker(DEPTH, WALK_AUTO);
	vm->stack.unloaded = 0;
	cr_assert_not(find(7));
	cr_assert(find(0));
	walker_collected(walker);
	cr_assert_not(find(8));
	cr_assert(find(0));
	cr_assert_eq(last.stack, 8);
	close_walker();
}

Test(agent_walk, another_compilation_is_another_stack)
{
	open_walker(DEPTH, WALK_AUTO);
	cr_assert_not(find(7));
	*(uint32_t *)(code_example.outer + 20) = 999; /* the compile id: freed and used again */
	truth.frames[3].method = code_world_id(1);
	cr_assert_not(find(8));
	cr_assert(frames_are_true(FRAMES), "nothing of the old one was used");
	cr_assert_eq(report().asked, 2);
	close_walker();
}

Test(agent_walk, forgets)
{
	open_walker(DEPTH, WALK_AUTO);
	cr_assert_not(find(7));
	cr_assert(find(0));
	walker_forget(walker);
	cr_assert_not(find(0));
	walker_forget(walker);
	const uint32_t eight[DEPTH] = {8};
	walker_remember(walker, &last.walk, eight, 0);
	cr_assert_not(find(9), "a number from before does not come back");
	cr_assert(find(0));
	cr_assert_eq(last.stack, 9);
	close_walker();
}

/* Answers that are not the stack that was walked teach nothing. */
Test(agent_walk, disagreement_teaches_nothing)
{
	static const int CHANGED[] = {0, 2, 3, 4, 5};
	for (size_t i = 0; i < sizeof CHANGED / sizeof CHANGED[0]; i++) {
		open_walker(DEPTH, WALK_AUTO);
		truth.frames[CHANGED[i]].location += 2;
		cr_assert_not(find(7));
		cr_assert(frames_are_true(FRAMES));
		cr_assert_eq(report().gave_up[WALK_DISAGREED], 1, "frame %d", CHANGED[i]);
		cr_assert(find(0), "by the answer");
		cr_assert_eq(report().asked, 2);
		close_walker();
	}
	for (jint count = 0; count < FRAMES; count++) {
		open_walker(DEPTH, WALK_AUTO);
		truth.count = count;
		cr_assert_not(find(7));
		cr_assert(frames_are_true(count));
		cr_assert_eq(report().gave_up[WALK_DISAGREED], 1, "%d frames", count);
		close_walker();
	}
}

Test(agent_walk, too_many_give_ups_end_the_fast_walk)
{
	open_walker(DEPTH, WALK_AUTO);
	code_world.java[125] = 0x1234; /* no code is there */
	for (int i = 0; i < 4999; i++)
		find(0);
	cr_assert(report().fast);
	cr_assert_eq(report().gave_up[VM_WALK_CODE], 4999);
	find(0);
	cr_assert_not(report().fast);
	cr_assert_str_eq(report().why, "More than half of the stacks could not be walked.");
	close_walker();
}

/* Threads without Java, and virtual ones with frames in the heap, are no sign of an error. */
Test(agent_walk, what_cannot_be_walked_may_be_frequent)
{
	open_walker(DEPTH, WALK_AUTO);
	code_world_anchor(0, 0, 0);
	truth.count = 0;
	for (int i = 0; i < 6000; i++)
		cr_assert_eq(find(5), i > 0);
	cr_assert(report().fast);
	cr_assert_eq(report().gave_up[VM_WALK_NO_JAVA], 0);
	truth.count = 1;
	find(0);
	cr_assert_eq(report().gave_up[VM_WALK_NO_JAVA], 1, "there is one, and we saw none");
	close_walker();
}

Test(agent_walk, jvmti_alone)
{
	char text[100];
	open_walker(4, WALK_JVMTI);
	cr_assert_not(find(7));
	cr_assert(frames_are_true(4));
	cr_assert(last.walk.truncated);
	cr_assert(find(0));
	cr_assert_eq(last.stack, 7);
	cr_assert(last.walk.truncated);
	truth.count = 4;
	truth.frames[0].location = -1;
	cr_assert_not(find(8));
	cr_assert_not(last.walk.truncated);
	cr_assert(last.walk.native_top);
	truth.count = 0;
	cr_assert_not(find(9));
	cr_assert_eq(last.walk.count, 0);
	cr_assert(find(0));
	cr_assert_eq(last.stack, 9);
	cr_assert_eq(report().asked, 5);
	cr_assert_eq(report().verified, 0);
	walker_describe(walker, text, sizeof text);
	cr_assert_str_eq(text, "GetStackTrace, because: Disabled by an option.");
	close_walker();
}

Test(agent_walk, without_the_capability)
{
	code_world_build(17);
	vm = world_open();
	walker = walker_create(vm, &jvmti, DEPTH, WALK_AUTO);
	cr_assert_not(report().fast);
	cr_assert_str_eq(report().why, vm_why(vm, VM_STACK_WALK));
	close_walker();
	walker_destroy(NULL);
}

Test(agent_walk, fits_on_the_stack_of_a_thread)
{
	cr_assert_lt(sizeof(struct walk), 9 << 10);
	for (int i = 0; i < WALK_GIVE_UPS; i++)
		cr_assert_gt(strlen(walk_give_up_text(i)), 0);
}
