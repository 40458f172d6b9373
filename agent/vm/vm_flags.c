#include <string.h>

#include "vm_internal.h"

/* The kinds of flags in the order of HotSpot's codes since JDK 16 (runtime/flags/jvmFlag.hpp), with
 * their size in bytes. JDK 11 has their names instead. Doubles are not used. */
static const struct kind {
	const char *name;
	uint8_t bytes;
	bool is_signed;
} KINDS[] = {
    {"bool", 1, false},
    {"int", 4, true},
    {"uint", 4, false},
    {"intx", 8, true},
    {"uintx", 8, false},
    {"uint64_t", 8, false},
    {"size_t", 8, false},
};
/* The code of strings, after doubles, and their name in JDK 11. */
enum { CODE_TEXT = 8 };
static const char NAME_TEXT[] = "ccstr";
enum { KIND_BOOL = 0, KIND_SIZE = 6, KIND_COUNT = sizeof KINDS / sizeof KINDS[0] };
enum { MAX_FLAGS = 10000 };

/* The address of the flag's row, or 0. The last row may have no name. */
static uintptr_t find_row(const struct vm_flag_table *flags, const char *name)
{
	for (size_t i = 0; i < flags->count; i++) {
		const uintptr_t row = flags->first + i * flags->stride;
		const char *row_name = (const char *)vm_load_pointer(row + flags->name);
		if (row_name != NULL && strcmp(row_name, name) == 0)
			return row;
	}
	return 0;
}

/* The index in KINDS of the flag's kind, or KIND_COUNT. */
static size_t kind_of(const struct vm_flag_table *flags, uintptr_t row)
{
	if (!flags->type_is_text) {
		const uint32_t code = vm_load_u32(row + flags->type);
		return code < KIND_COUNT ? code : KIND_COUNT;
	}
	const char *name = (const char *)vm_load_pointer(row + flags->type);
	for (size_t i = 0; name != NULL && i < KIND_COUNT; i++) {
		if (strcmp(KINDS[i].name, name) == 0)
			return i;
	}
	return KIND_COUNT;
}

static bool kind_is(const struct vm_flag_table *flags, const char *name, size_t kind)
{
	const uintptr_t row = find_row(flags, name);
	return row != 0 && kind_of(flags, row) == kind;
}

/* A later JDK may renumber the codes: two flags whose kinds never changed prove them. */
static bool kinds_proven(const struct vm_flag_table *flags)
{
	return kind_is(flags, "UseSerialGC", KIND_BOOL) && kind_is(flags, "MaxHeapSize", KIND_SIZE);
}

void vm_open_flags(struct vm *vm)
{
	struct vm_flag_table *flags = &vm->flags;
	struct vm_lookup lookup = {.structs = &vm->structs};
	struct vm_field type = {0};
	const uintptr_t first = vm_lookup_static(&lookup, "JVMFlag::flags");
	const uintptr_t count = vm_lookup_static(&lookup, "JVMFlag::numFlags");
	flags->name = vm_lookup_offset(&lookup, "JVMFlag::_name");
	flags->address = vm_lookup_offset(&lookup, "JVMFlag::_addr");
	flags->type = vm_lookup_offset(&lookup, "JVMFlag::_type");
	flags->stride = vm_structs_size(&vm->structs, "JVMFlag");
	if (lookup.missing != NULL) {
		vm_set_unexported(vm, VM_FLAGS, lookup.missing);
		return;
	}
	flags->first = vm_load_pointer(first);
	flags->count = (size_t)vm_load_u64(count);
	uintptr_t last = 0;
	if (flags->stride < 2 * sizeof(void *) || flags->count > MAX_FLAGS || flags->count == 0 ||
	    !vm_reader_pointer(&vm->reader, &last,
		flags->first + (flags->count - 1) * flags->stride + flags->name)) {
		flags->count = 0;
		vm_set(vm, VM_FLAGS, VM_MISSING,
		    "The table of JVM flags of HotSpot %s cannot be read.", vm->release);
		return;
	}
	vm_structs_field(&vm->structs, "JVMFlag::_type", &type);
	flags->type_is_text = strchr(type.type_string, '*') != NULL;
	flags->types_known = kinds_proven(flags);
	if (flags->types_known)
		vm_set_exported(vm, VM_FLAGS);
	else
		vm_set(vm, VM_FLAGS, VM_DERIVED,
		    "HotSpot %s numbers the kinds of flags in another way: only switches are read.",
		    vm->release);
}

bool vm_flag_bool(const struct vm *vm, const char *name, bool *value)
{
	const uintptr_t row = find_row(&vm->flags, name);
	if (row == 0 || (vm->flags.types_known && kind_of(&vm->flags, row) != KIND_BOOL))
		return false;
	*value = vm_load_u8(vm_load_pointer(row + vm->flags.address)) != 0;
	return true;
}

bool vm_flag_number(const struct vm *vm, const char *name, int64_t *value)
{
	const uintptr_t row = find_row(&vm->flags, name);
	if (row == 0 || !vm->flags.types_known)
		return false;
	const size_t kind = kind_of(&vm->flags, row);
	if (kind == KIND_BOOL || kind == KIND_COUNT)
		return false;
	const uintptr_t address = vm_load_pointer(row + vm->flags.address);
	if (KINDS[kind].bytes == 8)
		*value = (int64_t)vm_load_u64(address);
	else if (KINDS[kind].is_signed)
		*value = (int32_t)vm_load_u32(address);
	else
		*value = vm_load_u32(address);
	return true;
}

static bool is_text(const struct vm_flag_table *flags, uintptr_t row)
{
	if (!flags->type_is_text)
		return vm_load_u32(row + flags->type) == CODE_TEXT;
	const char *name = (const char *)vm_load_pointer(row + flags->type);
	return name != NULL && strcmp(name, NAME_TEXT) == 0;
}

bool vm_flag_is(const struct vm *vm, const char *name, const char *value)
{
	const uintptr_t row = find_row(&vm->flags, name);
	if (row == 0 || !vm->flags.types_known || !is_text(&vm->flags, row))
		return false;
	const uintptr_t text = vm_load_pointer(vm_load_pointer(row + vm->flags.address));
	return text != 0 && strcmp((const char *)text, value) == 0;
}
