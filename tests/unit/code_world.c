#include "code_world.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <string.h>

struct code_world code_world;
const struct vm_machine *code_world_machine;

/* The lower part is the stack of a thread of C, the upper the frames of Java. */
enum { C_BYTES = 2 << 20, STACK_BYTES = C_BYTES + JAVA_WORDS * 8 };
static _Alignas(4096) unsigned char stack[STACK_BYTES];

/* Offsets in a blob. */
enum {
	BLOB_SIZE = 0,
	BLOB_FRAME = 4,
	BLOB_NAME = 8,
	BLOB_KIND = 16,
	BLOB_ID = 20,
	BLOB_ORIGINAL = 24,
	BLOB_PCS = 28,
	BLOB_PCS_END = 32,
	BLOB_CODE_OFFSET = 36,
	BLOB_CODE = 40,
	BLOB_DEOPT = 48,
	BLOB_DEOPT_CALL = 56,
	BLOB_SCOPES = 64,
	BLOB_IMMUTABLE = 72,
	BLOB_IMMUTABLE_SIZE = 80,
};

enum { KIND_METHOD = 3, KIND_STUB = 9, DEOPT_AT = 100, ORIGINAL_AT = 8, NATIVE = 3 };

/* Blobs with addresses. */
static bool is_early(void)
{
	return world.major <= 21;
}

static void add_field(const char *type, const char *name, uint64_t offset)
{
	cr_assert_lt(world.field_count + 1, MAX_ROWS);
	world.fields[world.field_count++] =
	    (struct field_row){.type = type, .name = name, .offset = offset, .type_string = "T"};
}

static void add_static(const char *type, const char *name, void *address)
{
	cr_assert_lt(world.field_count + 1, MAX_ROWS);
	world.fields[world.field_count++] =
	    (struct field_row){.type = type, .name = name, .is_static = 1, .address = address};
}

static void add_type(const char *name, uint64_t size)
{
	size_t i = 0;
	while (world.types[i].name != NULL)
		i++;
	cr_assert_lt(i + 1, sizeof world.types / sizeof world.types[0]);
	world.types[i] = (struct type_row){.name = name, .size = size};
}

static void add_int(const char *name, int32_t value)
{
	world.ints[world.int_count++] = (struct int_row){.name = name, .value = value};
}

static void put_u32(uintptr_t at, uint32_t value)
{
	memcpy((void *)at, &value, sizeof value);
}

static void put_u64(uintptr_t at, uint64_t value)
{
	memcpy((void *)at, &value, sizeof value);
}

static void add_cache_fields(void)
{
	add_static("CodeCache", "_heaps", &code_world.heaps_pointer);
	add_field("GrowableArrayBase", "_len", 0);
	add_field("GrowableArray<int>", "_data", 8);
	add_field("CodeHeap", "_memory", 0);
	add_field("CodeHeap", "_segmap", 16);
	add_field("CodeHeap", "_log2_segment_size", 48);
	add_field("HeapBlock", "_header", 0);
	add_field("HeapBlock::Header", "_length", 0);
	if (is_early())
		world.fields[world.field_count - 1].type_string = "size_t";
	add_field("HeapBlock::Header", "_used", is_early() ? 8 : 4);
	add_type("HeapBlock", is_early() ? 16 : 8);
	add_type("PcDesc", 16);
	add_field("PcDesc", "_pc_offset", 4);
	add_field("PcDesc", "_scope_decode_offset", 8);
}

static void add_blob_fields(void)
{
	add_field("CodeBlob", "_size", BLOB_SIZE);
	add_field("CodeBlob", "_frame_size", BLOB_FRAME);
	add_field("CodeBlob", "_name", BLOB_NAME);
	add_field("nmethod", "_compile_id", BLOB_ID);
	add_field("nmethod", "_orig_pc_offset", BLOB_ORIGINAL);
	add_field("nmethod", "_scopes_pcs_offset", BLOB_PCS);
	if (is_early()) {
		add_field("CodeBlob", "_code_begin", BLOB_CODE);
		add_field("CompiledMethod", "_deopt_handler_begin", BLOB_DEOPT);
		add_field("CompiledMethod", "_deopt_mh_handler_begin", BLOB_DEOPT_CALL);
		add_field("CompiledMethod", "_scopes_data_begin", BLOB_SCOPES);
		add_field("nmethod", "_dependencies_offset", BLOB_PCS_END);
		return;
	}
	add_field("CodeBlob", "_kind", BLOB_KIND);
	add_int("CodeBlobKind::Nmethod", KIND_METHOD);
	add_field("CodeBlob", "_code_offset", BLOB_CODE_OFFSET);
	if (world.major == 26) {
		add_field("nmethod", "_deopt_handler_entry_offset", BLOB_DEOPT);
	} else {
		add_field("nmethod", "_deopt_handler_offset", BLOB_DEOPT);
		add_field("nmethod", "_deopt_mh_handler_offset", BLOB_DEOPT_CALL);
	}
	add_field("nmethod", "_immutable_data", BLOB_IMMUTABLE);
	add_field("nmethod", "_immutable_data_size", BLOB_IMMUTABLE_SIZE);
	add_field("nmethod", "_scopes_data_offset", BLOB_PCS_END);
}

static const struct vm_machine *machine_here(void)
{
	return code_world_machine != NULL ? code_world_machine : vm_machine_here();
}

/* Words from the fp of an entry frame to its wrapper. */
static ptrdiff_t wrapper_at(void)
{
	return machine_here()->wrapper != 0 ? machine_here()->wrapper : -6;
}

static void add_stack_fields(void)
{
	add_field("JavaThread", "_anchor", 8);
	add_field("JavaThread", "_stack_base", 48);
	add_field("JavaThread", "_stack_size", 56);
	add_field("JavaFrameAnchor", "_last_Java_sp", 8);
	add_field("JavaFrameAnchor", "_last_Java_pc", 16);
	add_field("JavaFrameAnchor", "_last_Java_fp", 24);
	add_field("JavaCallWrapper", "_anchor", 16);
	if (machine_here()->wrapper == 0) {
		add_int("frame::entry_frame_call_wrapper_offset", (int32_t)wrapper_at());
		add_int("frame::interpreter_frame_sender_sp_offset", -1);
	}
	add_field("Method", "_constMethod", 8);
	add_field("ConstMethod", "_code_size", 6);
	add_type("ConstMethod", 16);
	add_static("AbstractInterpreter", "_code", &code_world.queue_pointer);
	add_field("StubQueue", "_stub_buffer", 0);
	add_field("StubQueue", "_buffer_limit", 8);
	add_static("StubRoutines", "_call_stub_return_address", &code_world.call_stub);
	if (!is_early()) {
		add_field("JavaThread", "_cont_entry", THREAD_CONTINUATION * 8);
		add_static("ContinuationEntry", "_return_pc", &code_world.continuation_pc);
	}
}

/* One more PerfData entry after those of vm_world.c: 96 bytes each. */
static void count_unloaded_classes(void)
{
	const size_t at = 32 + 3 * 96;
	const uint32_t head[5] = {96, 20, 0, 'J', 64};
	const int64_t count = 5;
	world.perf[28] = 4;
	memcpy(world.perf + at, head, sizeof head);
	memcpy(world.perf + at + 20, "sun.cls.unloadedClasses", 24);
	memcpy(world.perf + at + 64, &count, sizeof count);
}

static void build_methods(void)
{
	for (int i = 0; i < 4; i++) {
		code_world.methods[i][1] = (uintptr_t)code_world.const_methods[i];
		code_world.const_methods[i][0] = (uint64_t)(i == NATIVE ? 0 : 200) << 48;
		code_world.ids[i] = code_world_java_method(i);
	}
}

void code_world_build(int major)
{
	world_build_serial();
	memset(&code_world, 0, sizeof code_world);
	memset(stack, 0, sizeof stack);
	memset(code_world.map, 0xff, sizeof code_world.map);
	world.major = major;
	world.release = major == 17 ? "17.0.99+1" : "25.0.99+1";
	/* A VirtualSpace has its low and high end 16 bytes into it, as in vm_world.c. */
	code_world.heap[2] = (uintptr_t)code_world.memory;
	code_world.heap[3] = (uintptr_t)code_world.memory + sizeof code_world.memory;
	code_world.heap[4] = (uintptr_t)code_world.map;
	code_world.heap[5] = (uintptr_t)code_world.map + sizeof code_world.map;
	code_world.heap[6] = 6;
	code_world.heap_list[0] = code_world.heap;
	code_world.heaps[0] = 1;
	code_world.heaps[1] = (uintptr_t)code_world.heap_list;
	code_world.heaps_pointer = code_world.heaps;
	code_world.java = (uint64_t *)(void *)(stack + C_BYTES);
	code_world.described_bytes = 16;
	add_cache_fields();
	add_blob_fields();
	add_stack_fields();
	count_unloaded_classes();
	build_methods();
	code_world.call_stub = code_world_pc(code_world_stub("StubRoutines", 0, 64), 8);
	code_world.interpreter = code_world_pc(code_world_stub("Interpreter", 0, 256), 0);
	code_world.queue[0] = code_world.interpreter;
	code_world.queue[1] = 256;
	code_world.queue_pointer = code_world.queue;
	code_world.thread[6] = (uintptr_t)stack + STACK_BYTES;
	code_world.thread[7] = STACK_BYTES;
}

struct vm *code_world_open(void)
{
	struct vm *vm = world_open();
	vm->machine = machine_here();
	vm->env_offset = THREAD_ENV * 8;
	vm->support[VM_THREAD_POINTER] = VM_DERIVED;
	vm_open_walk(vm);
	cr_assert(vm_has(vm, VM_CODE_CACHE), "%s", vm_why(vm, VM_CODE_CACHE));
	cr_assert(vm_has(vm, VM_STACK_WALK), "%s", vm_why(vm, VM_STACK_WALK));
	return vm;
}

/* Takes a block of that many bytes, including its header; returns the blob. */
static uintptr_t take_block(uint32_t bytes)
{
	const uint32_t header = is_early() ? 16 : 8;
	const uint32_t count = (header + bytes + CODE_SEGMENT - 1) / CODE_SEGMENT;
	const uint32_t first = code_world.next;
	cr_assert_leq(first + count, CODE_SEGMENTS);
	for (uint32_t i = 0; i < count; i++)
		code_world.map[first + i] = (unsigned char)(i < 0xfe ? i : 0xfe);
	code_world.next += count;
	const uintptr_t block = (uintptr_t)code_world.memory + first * CODE_SEGMENT;
	put_u32(block, count);
	code_world.memory[first * CODE_SEGMENT + (is_early() ? 8 : 4)] = 1;
	return block + header;
}

static uintptr_t add_blob(const char *name, uint32_t kind, uint32_t frame_words, uint32_t bytes)
{
	const uintptr_t blob = take_block(bytes);
	put_u32(blob + BLOB_SIZE, bytes);
	put_u32(blob + BLOB_FRAME, frame_words);
	put_u64(blob + BLOB_NAME, (uintptr_t)name);
	put_u32(blob + BLOB_KIND, kind);
	put_u32(blob + BLOB_CODE_OFFSET, CODE_START);
	if (is_early())
		put_u64(blob + BLOB_CODE, blob + CODE_START);
	return blob;
}

uintptr_t code_world_stub(const char *name, uint32_t frame_words, uint32_t code_bytes)
{
	return add_blob(name, KIND_STUB, frame_words, CODE_START + code_bytes);
}

/* The encoder's side of UNSIGNED5, from its description. */
static size_t put_number(unsigned char *to, uint32_t number)
{
	const uint32_t excluded = world.major < 20 ? 0 : 1;
	const uint32_t low = 192 - excluded;
	size_t i = 0;
	while (number >= low && i < 4) {
		number -= low;
		to[i++] = (unsigned char)(low + excluded + number % 64);
		number /= 64;
	}
	to[i++] = (unsigned char)(number + excluded);
	return i;
}

/* Writes the scopes of a place, the oldest first; returns the offset of the youngest. */
static uint32_t put_scopes(unsigned char *to, size_t *at, const struct code_place *place)
{
	uint32_t sender = 0;
	for (uint32_t i = place->count; i-- > 0;) {
		const uint32_t here = (uint32_t)*at;
		*at += put_number(to + *at, sender);
		*at += put_number(to + *at, 1000 + i);
		*at += put_number(to + *at, (uint32_t)(place->indices[i] + 1));
		sender = here;
	}
	return sender;
}

/* A PcDesc of 16 bytes. */
static void put_pc(uintptr_t at, int32_t pc, uint32_t scope)
{
	put_u32(at + 4, (uint32_t)pc);
	put_u32(at + 8, scope);
}

/* All PcDescs: those of the places, between the two that enclose them. */
static size_t put_pcs(
    uintptr_t at, const struct code_place *places, const uint32_t *scopes, uint32_t count)
{
	put_pc(at, -1, 0);
	for (uint32_t i = 0; i < count; i++)
		put_pc(at + 16 * (i + 1), (int32_t)places[i].pc, scopes[i]);
	put_pc(at + 16 * (count + 1), INT32_MAX, 0);
	return 16 * (size_t)(count + 2);
}

static void describe_17(uintptr_t blob, const unsigned char *data, size_t bytes,
    const struct code_place *places, const uint32_t *scopes, uint32_t count)
{
	const uint32_t at = CODE_START + 512;
	put_u64(blob + BLOB_SCOPES, blob + at);
	memcpy((void *)(blob + at), data, bytes);
	const uint32_t pcs = at + (uint32_t)(bytes + 15) / 16 * 16;
	put_u64(blob + BLOB_DEOPT, blob + CODE_START + DEOPT_AT);
	put_u64(blob + BLOB_DEOPT_CALL, blob + CODE_START + DEOPT_AT + 1);
	put_u32(blob + BLOB_PCS, pcs);
	put_u32(blob + BLOB_PCS_END, pcs + (uint32_t)put_pcs(blob + pcs, places, scopes, count));
}

static void describe_25(uintptr_t blob, const unsigned char *data, size_t bytes,
    const struct code_place *places, const uint32_t *scopes, uint32_t count)
{
	unsigned char *base = code_world.described + code_world.described_bytes;
	const uint32_t pcs = 32;
	const uint32_t end = pcs + (uint32_t)put_pcs((uintptr_t)base + pcs, places, scopes, count);
	memcpy(base + end, data, bytes);
	put_u64(blob + BLOB_IMMUTABLE, (uintptr_t)base);
	put_u32(blob + BLOB_IMMUTABLE_SIZE, end + (uint32_t)bytes);
	put_u32(blob + BLOB_PCS, pcs);
	put_u32(blob + BLOB_PCS_END, end);
	put_u32(blob + BLOB_DEOPT, CODE_START + DEOPT_AT);
	put_u32(blob + BLOB_DEOPT_CALL, CODE_START + DEOPT_AT + 1);
	code_world.described_bytes += (end + (uint32_t)bytes + 15) / 16 * 16;
	cr_assert_leq(code_world.described_bytes, sizeof code_world.described);
}

uintptr_t code_world_method(
    uint32_t compile_id, uint32_t frame_words, const struct code_place *places, uint32_t count)
{
	unsigned char data[1024] = {0};
	uint32_t scopes[16];
	size_t bytes = 1; /* offset 0 is no scope */
	cr_assert_leq(count, 16);
	for (uint32_t i = 0; i < count; i++)
		scopes[i] = put_scopes(data, &bytes, &places[i]);
	const char *name = count == 0 && is_early() ? "native nmethod" : "nmethod";
	const uintptr_t blob = add_blob(name, KIND_METHOD, frame_words, CODE_START + 2048);
	put_u32(blob + BLOB_ID, compile_id);
	put_u32(blob + BLOB_ORIGINAL, ORIGINAL_AT);
	if (is_early())
		describe_17(blob, data, bytes, places, scopes, count);
	else
		describe_25(blob, data, bytes, places, scopes, count);
	return blob;
}

uintptr_t code_world_pc(uintptr_t blob, uint32_t pc)
{
	return blob + CODE_START + pc;
}

uintptr_t code_world_deoptimized(uintptr_t blob)
{
	return code_world_pc(blob, DEOPT_AT);
}

uint64_t code_world_java_method(int i)
{
	return (uintptr_t)code_world.methods[i];
}

uint64_t code_world_bytecode(int i, int index)
{
	return (uintptr_t)code_world.const_methods[i] + 16 + (uint64_t)index;
}

jmethodID code_world_id(int i)
{
	return (jmethodID)(void *)&code_world.ids[i];
}

uintptr_t code_world_at(uint32_t word)
{
	return (uintptr_t)&code_world.java[word];
}

void code_world_anchor(uint32_t sp, uintptr_t pc, uint32_t fp)
{
	code_world.thread[THREAD_SP] = sp == 0 ? 0 : code_world_at(sp);
	code_world.thread[THREAD_PC] = pc;
	code_world.thread[THREAD_FP] = code_world_at(fp);
}

JNIEnv *code_world_env(void)
{
	return (JNIEnv *)(void *)&code_world.thread[THREAD_ENV];
}

struct code_example code_example;

void code_example_build(int major)
{
	const struct code_place two = {.pc = EXAMPLE_INNER, .count = 2, .indices = {3, 4}};
	const struct code_place one = {.pc = EXAMPLE_OUTER, .count = 1, .indices = {5}};
	code_world_build(major);
	code_example.stub = code_world_stub("slow allocation", 4, 64);
	code_example.inner = code_world_method(100, 8, &two, 1);
	code_example.outer = code_world_method(101, 6, &one, 1);
	code_example.wrapper = code_world_method(102, 6, NULL, 0);
	code_example.enter = code_world_method(103, 4, &two, 1);
	code_world.continuation_pc = code_world_pc(code_example.enter, 30);
}

void code_example_stack(void)
{
	uint64_t *java = code_world.java;
	code_world_anchor(100, code_world_pc(code_example.stub, EXAMPLE_STUB), 0);
	java[103] = code_world_pc(code_example.inner, EXAMPLE_INNER);
	java[110] = code_world_at(124);
	java[111] = code_world.interpreter + 30;
	java[124 + machine_here()->bytecode] = code_world_bytecode(1, 17);
	java[124 - 3] = code_world_java_method(1);
	java[124 - 1] = code_world_at(130);
	java[124] = code_world_at(146);
	java[125] = code_world_pc(code_example.outer, EXAMPLE_OUTER);
	java[134] = code_world_at(146);
	java[135] = code_world.call_stub;
	java[146 + wrapper_at()] = code_world_at(160);
	java[160 + 3] = code_world_at(170); /* the anchor is 16 bytes into it, its sp 8 more */
	java[160 + 4] = 0;                  /* the pc stands below sp */
	java[169] = code_world_pc(code_example.wrapper, 50);
	java[174] = code_world_at(190);
	java[175] = code_world.interpreter + 99;
	java[190 + machine_here()->bytecode] = 0;
	java[190 - 3] = code_world_java_method(3);
	java[190 - 1] = code_world_at(194);
	java[190] = code_world_at(206);
	java[191] = code_world.call_stub;
	java[206 + wrapper_at()] = code_world_at(220);
	java[220 + 3] = 0;
}

struct call {
	void (*function)(void *argument);
	void *argument;
};

static void *call(void *argument)
{
	const struct call *this = argument;
	this->function(this->argument);
	return NULL;
}

void code_world_run(void (*function)(void *argument), void *argument)
{
	pthread_t thread;
	pthread_attr_t attributes;
	struct call this = {function, argument};
	cr_assert_eq(pthread_attr_init(&attributes), 0);
	cr_assert_eq(pthread_attr_setstack(&attributes, stack, C_BYTES), 0);
	cr_assert_eq(pthread_create(&thread, &attributes, call, &this), 0);
	pthread_join(thread, NULL);
	pthread_attr_destroy(&attributes);
}
