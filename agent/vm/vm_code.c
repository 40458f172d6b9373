/*
 * HotSpot's code cache (code/codeCache.hpp, memory/heap.hpp): a few heaps, each a sequence of
 * blocks. A map with a byte for each segment of a heap leads from any address to the beginning of
 * its block: 0 is a beginning, 255 is free, anything else is the number of segments to go back.
 */
#include "vm_code.h"

#include <string.h>

#include "vm_internal.h"
#include "vm_unsigned5.h"

enum { SEGMENT_FREE = 0xff };
enum { MIN_SHIFT = 3, MAX_SHIFT = 16, MAX_FRAME_BYTES = 1 << 20, MAX_BLOB_BYTES = 1 << 28 };

/* The wrapper of a native method has no descriptions but the two that enclose all others. */
enum { ENCLOSING_PCS = 2, MAX_SCOPES = 1024 };

static const char METHOD_NAME[] = "nmethod";
static const char WRAPPER_NAME[] = "native nmethod";

/* The first JDK whose descriptions are compressed without the byte 0. */
enum { EXCLUDES_SINCE = 20 };

/* The fields that all JDKs have under one name. */
static void find_common(struct vm *vm, struct vm_lookup *lookup)
{
	struct vm_code_fields *f = &vm->code;
	struct vm_field length = {0};
	const size_t header = vm_lookup_offset(lookup, "HeapBlock::_header");
	f->block_length = header + vm_lookup_offset(lookup, "HeapBlock::Header::_length");
	f->block_used = header + vm_lookup_offset(lookup, "HeapBlock::Header::_used");
	f->block_header = vm_structs_size(&vm->structs, "HeapBlock");
	f->block_length_is_long =
	    vm_structs_field(&vm->structs, "HeapBlock::Header::_length", &length) &&
	    strcmp(length.type_string, "size_t") == 0;
	f->size = vm_lookup_offset(lookup, "CodeBlob::_size");
	f->frame_size = vm_lookup_offset(lookup, "CodeBlob::_frame_size");
	f->name = vm_lookup_offset(lookup, "CodeBlob::_name");
	f->compile_id = vm_lookup_offset(lookup, "nmethod::_compile_id");
	f->original_pc = vm_lookup_offset(lookup, "nmethod::_orig_pc_offset");
	f->pcs = vm_lookup_offset(lookup, "nmethod::_scopes_pcs_offset");
	f->pc_size = vm_structs_size(&vm->structs, "PcDesc");
	f->pc_offset = vm_lookup_offset(lookup, "PcDesc::_pc_offset");
	f->pc_scope = vm_lookup_offset(lookup, "PcDesc::_scope_decode_offset");
}

/* Up to some JDK before 25 a blob has addresses. */
static void find_addresses(struct vm *vm, struct vm_lookup *lookup)
{
	struct vm_code_fields *f = &vm->code;
	f->code = vm_lookup_offset(lookup, "CodeBlob::_code_begin");
	f->deoptimized = vm_lookup_offset(lookup, "CompiledMethod::_deopt_handler_begin");
	f->deoptimized_call = vm_lookup_offset(lookup, "CompiledMethod::_deopt_mh_handler_begin");
	f->pcs_end = vm_lookup_offset(lookup, "nmethod::_dependencies_offset");
	f->scopes = vm_lookup_offset(lookup, "CompiledMethod::_scopes_data_begin");
}

/* Where the Methods are that scopes name. JDK 23 and 24 do not export it in a form that is known. */
static void find_metadata(struct vm *vm)
{
	struct vm_code_fields *f = &vm->code;
	struct vm_lookup lookup = {.structs = &vm->structs};
	struct vm_field in_blob = {0};
	f->method = vm_lookup_offset(&lookup, "CompiledMethod::_method nmethod::_method");
	if (vm_structs_field(&vm->structs, "nmethod::_metadata_offset", &in_blob)) {
		f->metadata = in_blob.offset;
		f->metadata_end = f->has_kind ? 0 : f->pcs;
		f->methods_known = lookup.missing == NULL && !f->has_kind;
		return;
	}
	f->mutable_data = vm_lookup_offset(&lookup, "CodeBlob::_mutable_data");
	f->mutable_size = vm_lookup_offset(&lookup, "CodeBlob::_mutable_data_size");
	f->relocation_size = vm_lookup_offset(&lookup, "CodeBlob::_relocation_size");
	f->methods_known = lookup.missing == NULL;
}

/* Later it has offsets. From JDK 26 on one handler serves both kinds of deoptimized calls. */
static void find_offsets(struct vm *vm, struct vm_lookup *lookup)
{
	struct vm_code_fields *f = &vm->code;
	struct vm_lookup call = {.structs = &vm->structs};
	f->has_kind = true;
	f->kind = vm_lookup_offset(lookup, "CodeBlob::_kind");
	f->method_kind = (uint8_t)vm_lookup_constant(lookup, "CodeBlobKind::Nmethod");
	f->code = vm_lookup_offset(lookup, "CodeBlob::_code_offset");
	f->deoptimized = vm_lookup_offset(
	    lookup, "nmethod::_deopt_handler_entry_offset nmethod::_deopt_handler_offset");
	f->deoptimized_call = vm_lookup_offset(&call, "nmethod::_deopt_mh_handler_offset");
	if (call.missing != NULL)
		f->deoptimized_call = f->deoptimized;
	f->immutable = vm_lookup_offset(lookup, "nmethod::_immutable_data");
	f->immutable_size = vm_lookup_offset(lookup, "nmethod::_immutable_data_size");
	f->pcs_end = vm_lookup_offset(lookup, "nmethod::_scopes_data_offset");
	f->scopes = f->pcs_end;
}

/* Offsets to find the heaps, whose order and number are fixed when the JVM starts. */
struct heap_layout {
	uintptr_t list;
	size_t length, data, memory, map, shift, low, high;
};

static void find_heaps(struct heap_layout *at, struct vm_lookup *lookup)
{
	at->list = vm_lookup_static(lookup, "CodeCache::_heaps");
	at->length = vm_lookup_offset(lookup, "GrowableArrayBase::_len GenericGrowableArray::_len");
	at->data = vm_lookup_offset(lookup, "GrowableArray<int>::_data");
	at->memory = vm_lookup_offset(lookup, "CodeHeap::_memory");
	at->map = vm_lookup_offset(lookup, "CodeHeap::_segmap");
	at->shift = vm_lookup_offset(lookup, "CodeHeap::_log2_segment_size");
	at->low = vm_lookup_offset(lookup, "VirtualSpace::_low");
	at->high = vm_lookup_offset(lookup, "VirtualSpace::_high");
}

/* Reads one heap safely and checks that its map has a byte for each committed segment. */
static bool read_heap(
    const struct vm *vm, const struct heap_layout *at, uintptr_t heap, struct vm_code_heap *into)
{
	struct vm_probe probe = {.reader = &vm->reader};
	into->high_at = heap + at->memory + at->high;
	into->map_high_at = heap + at->map + at->high;
	into->low = vm_probe_word(&probe, heap + at->memory + at->low);
	into->map = vm_probe_word(&probe, heap + at->map + at->low);
	into->shift = vm_probe_u32(&probe, heap + at->shift);
	const uintptr_t high = vm_probe_word(&probe, into->high_at);
	const uintptr_t map_high = vm_probe_word(&probe, into->map_high_at);
	return !probe.failed && into->low != 0 && into->low <= high && into->map != 0 &&
	       into->map <= map_high && into->shift >= MIN_SHIFT && into->shift <= MAX_SHIFT &&
	       (high - into->low) >> into->shift <= map_high - into->map;
}

static bool read_heaps(struct vm *vm, const struct heap_layout *at)
{
	struct vm_probe probe = {.reader = &vm->reader};
	const uintptr_t list = vm_probe_word(&probe, at->list);
	const uint32_t count = vm_probe_u32(&probe, list + at->length);
	const uintptr_t data = vm_probe_word(&probe, list + at->data);
	if (probe.failed || count == 0 || count > VM_CODE_HEAPS)
		return false;
	for (size_t i = 0; i < count; i++) {
		const uintptr_t heap = vm_probe_word(&probe, data + i * VM_WORD);
		if (probe.failed || !read_heap(vm, at, heap, &vm->code.heaps[i]))
			return false;
	}
	vm->code.heap_count = count;
	return true;
}

/* The map must find the one piece of code whose address every JVM exports. */
static bool finds_call_stub(const struct vm *vm)
{
	struct vm_field field = {0};
	struct vm_code code;
	if (!vm_structs_field(&vm->structs, "StubRoutines::_call_stub_return_address", &field) ||
	    !field.is_static)
		return false;
	const uintptr_t pc = vm_load_pointer(field.address);
	return vm_code_find(vm, pc, &code) && !code.is_method;
}

void vm_open_code(struct vm *vm)
{
	struct vm_lookup lookup = {.structs = &vm->structs};
	struct heap_layout heaps = {0};
	struct vm_field begin;
	find_heaps(&heaps, &lookup);
	find_common(vm, &lookup);
	if (vm_structs_field(&vm->structs, "CodeBlob::_code_begin", &begin))
		find_addresses(vm, &lookup);
	else
		find_offsets(vm, &lookup);
	find_metadata(vm);
	vm->code.excluded = vm->major >= EXCLUDES_SINCE ? 1 : 0;
	if (lookup.missing != NULL) {
		vm_set_unexported(vm, VM_CODE_CACHE, lookup.missing);
		return;
	}
	if (vm->code.block_header == 0 || vm->code.pc_size == 0 || !read_heaps(vm, &heaps) ||
	    !finds_call_stub(vm)) {
		vm_set(vm, VM_CODE_CACHE, VM_MISSING,
		    "The code cache of HotSpot %s is not where its tables say.", vm->release);
		return;
	}
	vm_set_exported(vm, VM_CODE_CACHE);
}

/* The block that contains `pc`, 0 when that is free. A growing heap commits its memory before its
 * map: memory without a map has no code. */
static uintptr_t find_block(const struct vm_code_heap *heap, uintptr_t pc)
{
	size_t segment = (pc - heap->low) >> heap->shift;
	if (segment >= vm_load_pointer(heap->map_high_at) - heap->map)
		return 0;
	uint8_t back = vm_load_u8(heap->map + segment);
	while (back != 0) {
		if (back == SEGMENT_FREE || back > segment)
			return 0;
		segment -= back;
		back = vm_load_u8(heap->map + segment);
	}
	return heap->low + (segment << heap->shift);
}

/* The blob in the used block that contains `pc`, or 0; its bytes in `*limit`. */
static uintptr_t find_blob(const struct vm_code_fields *f, uintptr_t pc, size_t *limit)
{
	for (size_t i = 0; i < f->heap_count; i++) {
		const struct vm_code_heap *heap = &f->heaps[i];
		if (pc < heap->low || pc >= vm_load_pointer(heap->high_at))
			continue;
		const uintptr_t block = find_block(heap, pc);
		if (block == 0 || vm_load_u8(block + f->block_used) != 1)
			return 0;
		const uint64_t segments = f->block_length_is_long
					      ? vm_load_u64(block + f->block_length)
					      : vm_load_u32(block + f->block_length);
		if (segments > (uint64_t)MAX_BLOB_BYTES >> heap->shift)
			return 0;
		*limit = (size_t)(segments << heap->shift);
		if (*limit <= f->block_header)
			return 0;
		*limit -= f->block_header;
		return block + f->block_header;
	}
	return 0;
}

/* Without kinds, methods are identified by the text of their name, which is read no further than it
 * matches. */
static bool is_method(const struct vm_code_fields *f, uintptr_t blob, bool *wrapper)
{
	if (f->has_kind)
		return vm_load_u8(blob + f->kind) == f->method_kind;
	const char *name = (const char *)vm_load_pointer(blob + f->name);
	if (name == NULL || name[0] != METHOD_NAME[0])
		return false;
	*wrapper = strcmp(name + 1, &WRAPPER_NAME[1]) == 0;
	return *wrapper || strcmp(name + 1, &METHOD_NAME[1]) == 0;
}

static void read_method(const struct vm_code_fields *f, struct vm_code *code)
{
	const uintptr_t blob = code->start;
	code->compile_id = vm_load_u32(blob + f->compile_id);
	code->original_pc = vm_load_u32(blob + f->original_pc);
	if (f->has_kind) {
		code->deoptimized = blob + vm_load_u32(blob + f->deoptimized);
		code->deoptimized_call = blob + vm_load_u32(blob + f->deoptimized_call);
	} else {
		code->deoptimized = vm_load_pointer(blob + f->deoptimized);
		code->deoptimized_call = vm_load_pointer(blob + f->deoptimized_call);
	}
}

bool vm_code_find(const struct vm *vm, uintptr_t pc, struct vm_code *code)
{
	const struct vm_code_fields *f = &vm->code;
	size_t limit = 0;
	const uintptr_t blob = find_blob(f, pc, &limit);
	if (blob == 0)
		return false;
	const size_t bytes = vm_load_u32(blob + f->size);
	const size_t words = vm_load_u32(blob + f->frame_size);
	if (bytes > limit || pc < blob || pc - blob >= bytes || words > MAX_FRAME_BYTES / VM_WORD)
		return false;
	*code = (struct vm_code){.start = blob, .bytes = bytes, .frame_bytes = words * VM_WORD};
	code->is_method = is_method(f, blob, &code->is_wrapper);
	if (code->is_method)
		read_method(f, code);
	return true;
}

/* The descriptions of one compiled method: program counters, and the scopes they lead to. */
struct tables {
	uintptr_t pcs;
	size_t count;
	uintptr_t scopes;
	size_t scope_bytes;
	uintptr_t code;
};

/* With addresses there are scopes before pcs, both in the blob; with offsets pcs before scopes, both
 * outside. */
static bool find_tables(
    const struct vm_code_fields *f, const struct vm_code *code, struct tables *tables)
{
	const uintptr_t blob = code->start;
	const uint32_t pcs = vm_load_u32(blob + f->pcs);
	const uint32_t end = vm_load_u32(blob + f->pcs_end);
	size_t limit = code->bytes;
	if (f->immutable_size != 0) {
		const uintptr_t base = vm_load_pointer(blob + f->immutable);
		limit = vm_load_u32(blob + f->immutable_size);
		tables->code = blob + vm_load_u32(blob + f->code);
		tables->pcs = base + pcs;
		tables->scopes = base + end;
		tables->scope_bytes = limit - end;
	} else {
		tables->code = vm_load_pointer(blob + f->code);
		tables->pcs = blob + pcs;
		tables->scopes = vm_load_pointer(blob + f->scopes);
		tables->scope_bytes = tables->pcs - tables->scopes;
	}
	if (pcs > end || end > limit || limit > MAX_BLOB_BYTES ||
	    tables->scope_bytes > MAX_BLOB_BYTES)
		return false;
	tables->count = (end - pcs) / f->pc_size;
	return true;
}

/* The offset of the scope described for exactly this program counter. */
static bool find_scope(
    const struct vm_code_fields *f, const struct tables *tables, uintptr_t pc, uint32_t *scope)
{
	const int64_t wanted = (int64_t)(pc - tables->code);
	size_t low = 0;
	size_t high = tables->count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const uintptr_t at = tables->pcs + middle * f->pc_size;
		const int32_t offset = (int32_t)vm_load_u32(at + f->pc_offset);
		if (offset == wanted) {
			*scope = vm_load_u32(at + f->pc_scope);
			return true;
		}
		if (offset < wanted)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

/* The table of what scopes refer to: Methods among it. Numbers begin at 1. */
static uintptr_t load_metadata(
    const struct vm_code_fields *f, const struct vm_code *code, uint32_t number)
{
	const uintptr_t blob = code->start;
	uintptr_t table;
	size_t bytes;
	if (f->mutable_size != 0) {
		const size_t before = vm_load_u32(blob + f->relocation_size);
		const size_t size = vm_load_u32(blob + f->mutable_size);
		table = vm_load_pointer(blob + f->mutable_data) + before;
		bytes = size <= MAX_BLOB_BYTES && before <= size ? size - before : 0;
	} else {
		const uint32_t start = vm_load_u32(blob + f->metadata);
		const uint32_t end = vm_load_u32(blob + f->metadata_end);
		table = blob + start;
		bytes = start <= end && end <= code->bytes ? end - start : 0;
	}
	if (number == 0 || number > bytes / VM_WORD || table % VM_WORD != 0)
		return 0;
	return vm_load_pointer(table + (number - 1) * (size_t)VM_WORD);
}

/* Follows the scopes from the youngest to its senders, up to an offset of 0. `numbers`: NULL, or those of the
 * methods in the table. */
static size_t follow_scopes(const struct vm_code_fields *f, const struct tables *tables,
    uint32_t scope, int32_t *indices, uint32_t *numbers, size_t capacity)
{
	size_t count = 0;
	while (scope != 0) {
		struct vm_numbers reader = {.at = tables->scopes + scope,
		    .end = tables->scopes + tables->scope_bytes,
		    .excluded = f->excluded};
		const uint32_t sender = vm_read_number(&reader);
		const uint32_t method = vm_read_number(&reader);
		const int32_t index = (int32_t)vm_read_number(&reader) - 1;
		if (reader.failed || count == MAX_SCOPES)
			return 0;
		/* The entry of a synchronized method represents its first bytecode. */
		if (count < capacity) {
			indices[count] = index < 0 ? 0 : index;
			if (numbers != NULL)
				numbers[count] = method;
		}
		count++;
		scope = sender;
	}
	return count;
}

static size_t find_scopes(const struct vm *vm, uintptr_t pc, const struct vm_code *code,
    int32_t *indices, uint32_t *numbers, size_t capacity)
{
	const struct vm_code_fields *f = &vm->code;
	struct tables tables;
	uint32_t scope = 0;
	if (!find_tables(f, code, &tables))
		return 0;
	if (tables.count <= ENCLOSING_PCS) {
		if (capacity > 0)
			indices[0] = -1;
		return 1;
	}
	if (!find_scope(f, &tables, pc, &scope))
		return 0;
	return follow_scopes(f, &tables, scope, indices, numbers, capacity);
}

size_t vm_code_scopes(
    const struct vm *vm, uintptr_t pc, uint32_t compile_id, int32_t *indices, size_t capacity)
{
	struct vm_code code;
	if (!vm_code_find(vm, pc, &code) || !code.is_method || code.compile_id != compile_id)
		return 0;
	return find_scopes(vm, pc, &code, indices, NULL, capacity);
}

size_t vm_code_methods(
    const struct vm *vm, uintptr_t pc, uint32_t compile_id, struct vm_code_methods *to)
{
	const struct vm_code_fields *f = &vm->code;
	uint32_t numbers[VM_CODE_INLINED];
	struct vm_code code;
	if (!f->methods_known || !vm_code_find(vm, pc, &code) || !code.is_method ||
	    code.compile_id != compile_id)
		return 0;
	const uintptr_t method = vm_load_pointer(code.start + f->method);
	const size_t count = find_scopes(vm, pc, &code, to->indices, numbers, VM_CODE_INLINED);
	if (count == 0 || count > VM_CODE_INLINED || method == 0)
		return 0;
	for (size_t i = 0; i + 1 < count; i++)
		to->methods[i] = load_metadata(f, &code, numbers[i]);
	/* The oldest is the method that was compiled, which shows that the table is the right one. */
	to->methods[count - 1] = method;
	if (count > 1 && load_metadata(f, &code, numbers[count - 1]) != method)
		return 0;
	return count;
}

bool vm_code_contains(const struct vm *vm, uintptr_t pc)
{
	for (size_t i = 0; i < vm->code.heap_count; i++)
		if (pc >= vm->code.heaps[i].low && pc < vm_load_pointer(vm->code.heaps[i].high_at))
			return true;
	return false;
}
