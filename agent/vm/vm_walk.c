/*
 * Walks a stack on x86-64 or aarch64, where HotSpot's frames look like this (frame_x86.hpp,
 * frame_aarch64.hpp): a compiled frame has a fixed size and below its end the return address and the
 * caller's frame pointer; an interpreted one is addressed from its frame pointer, with the saved one
 * and the return address above and its method, bytecode pointer and the caller's stack pointer below;
 * the entry from C++ leads by its JavaCallWrapper to the anchor of the earlier Java frames. The
 * distances that differ are in vm_machine.h.
 */
#include "vm_walk.h"

#include "vm_code.h"
#include "vm_internal.h"

/* Words from the fp of an interpreted frame. */
enum { FRAME_LINK = 0, FRAME_RETURN = 1 };

enum { MAX_STUB_BYTES = 16 << 20, MAX_STACK_BYTES = 1 << 30 };

/* Maximum steps per frame: a Java frame, a stub, and an entry. */
enum { STEPS_FOR_FRAME = 4, STEPS_BEFORE = 64 };

static const char *const END_TEXTS[VM_WALK_END_COUNT] = {
#define X(id, text) text,
    VM_WALK_ENDS(X)
#undef X
};

const char *vm_walk_end_text(enum vm_walk_end end)
{
	return END_TEXTS[end];
}

/* Not exported by JDK 21, where the code that enters a virtual thread is known by its name. */
static void find_continuation(struct vm *vm)
{
	struct vm_stack_fields *f = &vm->stack;
	struct vm_lookup lookup = {.structs = &vm->structs};
	const size_t entry = vm_lookup_offset(&lookup, "JavaThread::_cont_entry");
	const uintptr_t pc = vm_lookup_static(&lookup, "ContinuationEntry::_return_pc");
	if (lookup.missing != NULL)
		return;
	f->continuation = entry;
	f->continuation_return_at = pc;
}

/* A distance in frames that the JVM exports, or `known` where it need not. */
static ptrdiff_t find_distance(struct vm_lookup *lookup, const char *name, ptrdiff_t known)
{
	int64_t exported = 0;
	if (known == 0)
		return (ptrdiff_t)vm_lookup_constant(lookup, name);
	return vm_structs_constant(lookup->structs, name, &exported) ? (ptrdiff_t)exported : known;
}

static void find_fields(struct vm *vm, struct vm_lookup *lookup)
{
	struct vm_stack_fields *f = &vm->stack;
	f->anchor = vm_lookup_offset(lookup, "JavaThread::_anchor");
	f->base = vm_lookup_offset(lookup, "JavaThread::_stack_base Thread::_stack_base");
	f->size = vm_lookup_offset(lookup, "JavaThread::_stack_size Thread::_stack_size");
	f->last_sp = vm_lookup_offset(lookup, "JavaFrameAnchor::_last_Java_sp");
	f->last_pc = vm_lookup_offset(lookup, "JavaFrameAnchor::_last_Java_pc");
	f->last_fp = vm_lookup_offset(lookup, "JavaFrameAnchor::_last_Java_fp");
	f->wrapper_anchor = vm_lookup_offset(lookup, "JavaCallWrapper::_anchor");
	f->wrapper =
	    find_distance(lookup, "frame::entry_frame_call_wrapper_offset", vm->machine->wrapper);
	f->sender_sp = find_distance(
	    lookup, "frame::interpreter_frame_sender_sp_offset", vm->machine->sender_sp);
	f->const_method = vm_lookup_offset(lookup, "Method::_constMethod");
	f->code_size = vm_lookup_offset(lookup, "ConstMethod::_code_size");
	f->code_bytes = vm_structs_size(&vm->structs, "ConstMethod");
	find_continuation(vm);
}

/* The templates of the interpreter: one stub queue, which never moves. */
static bool find_interpreter(struct vm *vm, struct vm_lookup *lookup)
{
	const uintptr_t code = vm_lookup_static(lookup, "AbstractInterpreter::_code");
	const size_t buffer = vm_lookup_offset(lookup, "StubQueue::_stub_buffer");
	const size_t limit = vm_lookup_offset(lookup, "StubQueue::_buffer_limit");
	const uintptr_t call = vm_lookup_static(lookup, "StubRoutines::_call_stub_return_address");
	struct vm_probe probe = {.reader = &vm->reader, .failed = lookup->missing != NULL};
	const uintptr_t queue = vm_probe_word(&probe, code);
	const uintptr_t low = vm_probe_word(&probe, queue + buffer);
	const uint32_t bytes = vm_probe_u32(&probe, queue + limit);
	if (probe.failed)
		return false;
	vm->stack.interpreter = (struct vm_range){.low = low, .high = low + bytes};
	vm->stack.call_stub_return = vm_load_pointer(call);
	return low != 0 && bytes > 0 && bytes <= MAX_STUB_BYTES && vm->stack.call_stub_return != 0;
}

static void find_unloaded(struct vm *vm)
{
	struct vm_perf_text counter = {0};
	char type = 0;
	if ((vm_perf_find(&vm->perf, "sun.cls.unloadedClasses", &counter, &type) && type == 'J') ||
	    (vm_perf_find(&vm->perf, "java.cls.unloadedClasses", &counter, &type) && type == 'J'))
		vm->stack.unloaded = counter.address;
}

/* The numbers that the walk does not check again. */
static bool fields_sane(const struct vm_stack_fields *f)
{
	return f->wrapper < 0 && f->wrapper > -64 && f->sender_sp < 0 && f->sender_sp > -64 &&
	       f->code_bytes > 0;
}

static bool compiler_known(const struct vm *vm)
{
	bool other = false;
	return !vm_flag_bool(vm, "UseJVMCICompiler", &other) || !other;
}

void vm_open_walk(struct vm *vm)
{
	struct vm_lookup lookup = {.structs = &vm->structs};
	find_fields(vm, &lookup); /* a stack's ends are of use on all machines (vm_memory.h) */
	if (vm->machine->method == 0) {
		vm_set(vm, VM_STACK_WALK, VM_MISSING, "%s",
		    "Frames are known on x86-64 and aarch64 only.");
		return;
	}
	if (!vm_has(vm, VM_CODE_CACHE) || !vm_has(vm, VM_THREAD_POINTER)) {
		vm_set(vm, VM_STACK_WALK, VM_MISSING, "%s",
		    vm->why[vm_has(vm, VM_CODE_CACHE) ? VM_THREAD_POINTER : VM_CODE_CACHE]);
		return;
	}
	if (!compiler_known(vm)) {
		vm_set(vm, VM_STACK_WALK, VM_MISSING, "%s",
		    "Frames of the JVMCI compiler are not known.");
		return;
	}
	const bool found = find_interpreter(vm, &lookup);
	if (lookup.missing != NULL) {
		vm_set_unexported(vm, VM_STACK_WALK, lookup.missing);
	} else if (!found || !fields_sane(&vm->stack)) {
		vm_set(vm, VM_STACK_WALK, VM_MISSING,
		    "The interpreter of HotSpot %s is not where its tables say.", vm->release);
	} else if (vm->method.ids_are_numbers && !vm->method.known) {
		vm_set(vm, VM_STACK_WALK, VM_MISSING,
		    "HotSpot %s does not export the method ids of a class.", vm->release);
	} else {
		find_unloaded(vm);
		vm_set(vm, VM_STACK_WALK, VM_DERIVED,
		    "The layout of frames is that of HotSpot on %s, and compared with JVMTI.",
		    vm->machine->name);
	}
}

/* The position of a walk: a frame by its registers, and the frames found. `sp` only grows, and
 * everything between it and `base` is the thread's own stack. */
struct position {
	const struct vm *vm;
	uintptr_t base;
	uintptr_t sp, pc, fp;
	uintptr_t continuation;
	bool at_anchor; /* the frame was the last before the JVM was called */
	struct vm_frame *frames;
	uint32_t depth, count;
};

/* The result of a step: continue, or how the walk ended. */
enum { STEP_ON = VM_WALK_END_COUNT };

/* Is the word at `address` on the part of the stack not walked yet? */
static bool readable(const struct position *p, uintptr_t address)
{
	return address % VM_WORD == 0 && address >= p->sp && address < p->base &&
	       p->base - address >= VM_WORD;
}

/* The word at this distance from the frame pointer. */
static bool read_word(const struct position *p, ptrdiff_t words, uintptr_t *value)
{
	const uintptr_t address = p->fp + (uintptr_t)(words * VM_WORD);
	if (!readable(p, address))
		return false;
	*value = vm_load_pointer(address);
	return true;
}

/* The code that a return address on the stack, which may be signed, leads to. */
static uintptr_t load_return(const struct position *p, uintptr_t address)
{
	return vm_load_pointer(address) & p->vm->machine->code_bits;
}

/* Moves up the stack; false when it would not, or would leave the stack. */
static bool move_to(struct position *p, uintptr_t sp)
{
	if (sp % VM_WORD != 0 || sp <= p->sp || sp > p->base)
		return false;
	p->sp = sp;
	return true;
}

static bool add_frame(struct position *p, uint64_t where, uint64_t what)
{
	if (p->count == p->depth)
		return false;
	p->frames[p->count++] = (struct vm_frame){.where = where, .what = what};
	return true;
}

/* Loads the registers from an anchor. */
static int take_anchor(struct position *p, uintptr_t anchor)
{
	const struct vm_stack_fields *f = &p->vm->stack;
	const uintptr_t sp = vm_load_pointer(anchor + f->last_sp);
	if (sp == 0)
		return VM_WALK_WHOLE;
	if (!move_to(p, sp))
		return VM_WALK_POINTER;
	p->pc = load_return(p, anchor + f->last_pc);
	p->fp = vm_load_pointer(anchor + f->last_fp);
	/* A call that has not saved the program counter has pushed it: below the frame, above
	 * everything walked so far. */
	if (p->pc == 0)
		p->pc = load_return(p, sp - VM_WORD);
	p->at_anchor = true;
	return STEP_ON;
}

static int step_interpreted(struct position *p)
{
	const struct vm_machine *machine = p->vm->machine;
	uintptr_t method = 0;
	uintptr_t bytecode = 0;
	uintptr_t sender = 0;
	uintptr_t link = 0;
	uintptr_t pc = 0;
	if (!read_word(p, machine->bytecode, &bytecode) ||
	    !read_word(p, machine->method, &method) ||
	    !read_word(p, p->vm->stack.sender_sp, &sender) || !read_word(p, FRAME_LINK, &link) ||
	    !read_word(p, FRAME_RETURN, &pc))
		return VM_WALK_POINTER;
	if ((bytecode & (VM_FRAME_COMPILED | VM_FRAME_DEOPTIMIZED)) != 0)
		return VM_WALK_POINTER;
	if (!add_frame(p, method, bytecode))
		return VM_WALK_MORE;
	if (!move_to(p, sender))
		return VM_WALK_POINTER;
	p->fp = link;
	p->pc = pc & machine->code_bits;
	p->at_anchor = false;
	return STEP_ON;
}

/* The JavaCallWrapper is a C++ object farther up this stack. */
static int step_entry(struct position *p)
{
	const struct vm_stack_fields *f = &p->vm->stack;
	uintptr_t wrapper = 0;
	if (!read_word(p, f->wrapper, &wrapper))
		return VM_WALK_POINTER;
	const uintptr_t anchor = wrapper + f->wrapper_anchor;
	if (!readable(p, anchor + f->last_sp) || !readable(p, anchor + f->last_pc) ||
	    !readable(p, anchor + f->last_fp))
		return VM_WALK_POINTER;
	return take_anchor(p, anchor);
}

/* Records a compiled frame; a deoptimized one stores its program counter in itself. */
static int add_compiled(struct position *p, const struct vm_code *code)
{
	uint64_t where = p->pc;
	uint64_t what = VM_FRAME_COMPILED | code->compile_id;
	if (p->pc == code->deoptimized || p->pc == code->deoptimized_call) {
		const uintptr_t saved = p->sp + code->original_pc;
		if (code->original_pc >= code->frame_bytes || !readable(p, saved))
			return VM_WALK_POINTER;
		where = load_return(p, saved);
		what |= VM_FRAME_DEOPTIMIZED;
		if (where < code->start || where - code->start >= code->bytes)
			return VM_WALK_CODE;
	}
	return add_frame(p, where, what) ? STEP_ON : VM_WALK_MORE;
}

/* The stack of a virtual thread ends at the code that entered it, which has two return addresses,
 * one of them exported. */
static bool enters_continuation(const struct position *p, const struct vm_code *code)
{
	if (p->vm->stack.continuation == 0)
		return code->is_wrapper && vm_method_enters_continuation(p->vm, code->start);
	if (p->continuation == 0)
		return false;
	const uintptr_t pc = vm_load_pointer(p->vm->stack.continuation_return_at);
	return pc >= code->start && pc - code->start < code->bytes;
}

/*
 * Compiled methods, their native wrappers, and the stub that called the JVM. Any other stub is the
 * return barrier of a virtual thread that was unmounted: its older frames are still in the heap,
 * where they may move.
 */
static int step_compiled(struct position *p)
{
	struct vm_code code;
	if (!vm_code_find(p->vm, p->pc, &code))
		return VM_WALK_CODE;
	if (enters_continuation(p, &code))
		return VM_WALK_CONTINUATION;
	if (!code.is_method && !p->at_anchor)
		return p->continuation != 0 ? VM_WALK_FROZEN : VM_WALK_CODE;
	if (code.frame_bytes < 2 * VM_WORD)
		return VM_WALK_CODE;
	if (code.is_method) {
		const int added = add_compiled(p, &code);
		if (added != STEP_ON)
			return added;
	}
	if (!move_to(p, p->sp + code.frame_bytes))
		return VM_WALK_POINTER;
	p->pc = load_return(p, p->sp - VM_WORD);
	p->fp = vm_load_pointer(p->sp - 2 * VM_WORD);
	p->at_anchor = false;
	return STEP_ON;
}

static int step(struct position *p)
{
	const struct vm_stack_fields *f = &p->vm->stack;
	if (p->pc >= f->interpreter.low && p->pc < f->interpreter.high)
		return step_interpreted(p);
	if (p->pc == f->call_stub_return)
		return step_entry(p);
	return step_compiled(p);
}

enum vm_walk_end vm_walk(const struct vm *vm, const JNIEnv *env, struct vm_frame *frames,
    uint32_t depth, uint32_t *count)
{
	const struct vm_stack_fields *f = &vm->stack;
	const uintptr_t thread = (uintptr_t)vm_thread_of(vm, env);
	/* Not the address of a variable: sanitizers keep those elsewhere. */
	const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	struct position p = {.vm = vm, .frames = frames, .depth = depth};
	*count = 0;
	p.base = vm_load_pointer(thread + f->base);
	const size_t bytes = (size_t)vm_load_u64(thread + f->size);
	if (p.base <= here || bytes > MAX_STACK_BYTES || p.base - here > bytes ||
	    p.base % VM_WORD != 0)
		return VM_WALK_THREAD;
	p.sp = here & ~(uintptr_t)(VM_WORD - 1);
	if (f->continuation != 0)
		p.continuation = vm_load_pointer(thread + f->continuation);
	int end = take_anchor(&p, thread + f->anchor);
	if (end == VM_WALK_WHOLE)
		return VM_WALK_NO_JAVA;
	for (uint32_t steps = depth * STEPS_FOR_FRAME + STEPS_BEFORE; end == STEP_ON && steps > 0;
	     steps--)
		end = step(&p);
	*count = p.count;
	return end == STEP_ON ? VM_WALK_CODE : (enum vm_walk_end)end;
}

/* The interpreter has no bytecode pointer for a native method, but when it calls the JVM while
 * entering that method, for the first time or to lock, it stores where the code would begin. */
bool vm_frame_index(const struct vm *vm, const struct vm_frame *frame, int32_t *index)
{
	const struct vm_stack_fields *f = &vm->stack;
	*index = -1;
	if (frame->what == 0)
		return true;
	const uintptr_t described = vm_load_pointer((uintptr_t)frame->where + f->const_method);
	const uintptr_t code = described + f->code_bytes;
	const uint16_t size = *(const volatile uint16_t *)(described + f->code_size);
	if (size == 0)
		return frame->what == code;
	if (frame->what < code || frame->what - code >= size)
		return false;
	*index = (int32_t)(frame->what - code);
	return true;
}

uint64_t vm_unloaded_classes(const struct vm *vm)
{
	return vm->stack.unloaded != 0 ? vm_load_u64(vm->stack.unloaded) : 0;
}

bool vm_counts_unloading(const struct vm *vm)
{
	return vm->stack.unloaded != 0;
}
