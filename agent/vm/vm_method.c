/*
 * From a Method to its method id and its name.
 *
 * Up to JDK 25 a method id is the address of a word with the address of the Method. Later ids are
 * numbers, which the class keeps in a table: its length, and then the id of each of its methods by
 * the number of the method. (Earlier JDKs have this table as well, of addresses.)
 */
#include <string.h>

#include "vm_internal.h"
#include "vm_load.h"
#include "vm_walk.h"

static const char ENTRY_CLASS[] = "jdk/internal/vm/Continuation";
static const char ENTRY_METHOD[] = "enterSpecial";

static void find_ids(struct vm *vm)
{
	struct vm_method_fields *f = &vm->method;
	struct vm_lookup lookup = {.structs = &vm->structs};
	f->const_method = vm_lookup_offset(&lookup, "Method::_constMethod");
	f->constants = vm_lookup_offset(&lookup, "ConstMethod::_constants");
	f->idnum = vm_lookup_offset(&lookup, "ConstMethod::_method_idnum");
	f->holder = vm_lookup_offset(&lookup, "ConstantPool::_pool_holder");
	f->ids = vm_lookup_offset(&lookup, "InstanceKlass::_methods_jmethod_ids");
	f->known = lookup.missing == NULL;
}

static void find_names(struct vm *vm)
{
	struct vm_method_fields *f = &vm->method;
	struct vm_lookup lookup = {.structs = &vm->structs};
	f->name_index = vm_lookup_offset(&lookup, "ConstMethod::_name_index");
	f->class_name = vm_lookup_offset(&lookup, "Klass::_name");
	f->symbol_length = vm_lookup_offset(&lookup, "Symbol::_length");
	f->symbol_body = vm_lookup_offset(&lookup, "Symbol::_body[0]");
	f->method_of_code = vm_lookup_offset(&lookup, "CompiledMethod::_method nmethod::_method");
	f->constants_bytes = vm_structs_size(&vm->structs, "ConstantPool");
	f->names_known = f->known && lookup.missing == NULL && f->constants_bytes != 0;
}

/* Source files and lines (vm_names.h). The source file of JDK 11 is in the class. */
static void find_lines(struct vm *vm)
{
	struct vm_method_fields *f = &vm->method;
	struct vm_lookup lookup = {.structs = &vm->structs};
	struct vm_field source = {0};
	f->source_in_class =
	    vm_structs_field(&vm->structs, "InstanceKlass::_source_file_name_index", &source);
	f->source_file = vm_lookup_offset(&lookup,
	    "InstanceKlass::_source_file_name_index ConstantPool::_source_file_name_index");
	f->flags = vm_lookup_offset(&lookup, "ConstMethod::_flags._flags ConstMethod::_flags");
	f->words = vm_lookup_offset(&lookup, "ConstMethod::_constMethod_size");
	f->lines_flag = (uint32_t)vm_lookup_constant(&lookup,
	    "ConstMethodFlags::_misc_has_linenumber_table ConstMethod::_has_linenumber_table");
	f->lines_known = f->names_known && lookup.missing == NULL && f->lines_flag <= UINT16_MAX;
}

/* An id that cannot be read from is a number. */
void vm_open_method(struct vm *vm, JNIEnv *env)
{
	uintptr_t word = 0;
	find_ids(vm);
	find_names(vm);
	find_lines(vm);
	if (env == NULL)
		return;
	jclass class = (*env)->FindClass(env, "java/lang/Thread");
	const jmethodID id = class == NULL ? NULL
					   : (*env)->GetStaticMethodID(env, class, "currentThread",
						 "()Ljava/lang/Thread;");
	vm->method.ids_are_numbers =
	    id != NULL && !vm_reader_pointer(&vm->reader, &word, (uintptr_t)id);
	(*env)->ExceptionClear(env);
	(*env)->DeleteLocalRef(env, class);
}

/* The Method's place in its class's table, by safe reads; 0 without one. */
static uintptr_t find_slot_safely(const struct vm *vm, uintptr_t method)
{
	const struct vm_method_fields *f = &vm->method;
	struct vm_probe probe = {.reader = &vm->reader};
	const uintptr_t described = vm_probe_word(&probe, method + f->const_method);
	const uintptr_t constants = vm_probe_word(&probe, described + f->constants);
	const uintptr_t number = vm_probe_u32(&probe, described + f->idnum) & 0xffff;
	const uintptr_t class = vm_probe_word(&probe, constants + f->holder);
	const uintptr_t ids = vm_probe_word(&probe, class + f->ids);
	const uintptr_t slot = ids + (number + 1) * VM_WORD;
	if (ids == 0 || vm_probe_word(&probe, ids) <= number || probe.failed)
		return 0;
	(void)vm_probe_word(&probe, slot);
	return probe.failed ? 0 : slot;
}

static uint16_t load_u16(uintptr_t at)
{
	return *(const volatile uint16_t *)at;
}

static uintptr_t find_slot(const struct vm *vm, uintptr_t method)
{
	const struct vm_method_fields *f = &vm->method;
	const uintptr_t described = vm_load_pointer(method + f->const_method);
	const uintptr_t constants = vm_load_pointer(described + f->constants);
	const uintptr_t number = load_u16(described + f->idnum);
	const uintptr_t ids = vm_load_pointer(vm_load_pointer(constants + f->holder) + f->ids);
	return ids == 0 || vm_load_u64(ids) <= number ? 0 : ids + (number + 1) * VM_WORD;
}

bool vm_method_has_id(const struct vm *vm, uint64_t method, jmethodID id, bool safely)
{
	if (id == NULL)
		return false;
	if (!vm->method.ids_are_numbers)
		return vm_load_pointer((uintptr_t)id) == method;
	const uintptr_t slot =
	    safely ? find_slot_safely(vm, (uintptr_t)method) : find_slot(vm, (uintptr_t)method);
	return slot != 0 && vm_load_pointer(slot) == (uintptr_t)id;
}

static bool has_text(const struct vm_method_fields *f, uintptr_t symbol, const char *text)
{
	const size_t length = strlen(text);
	return symbol != 0 && load_u16(symbol + f->symbol_length) == length &&
	       memcmp((const void *)(symbol + f->symbol_body), text, length) == 0;
}

bool vm_method_enters_continuation(const struct vm *vm, uintptr_t code)
{
	const struct vm_method_fields *f = &vm->method;
	if (!f->names_known)
		return false;
	const uintptr_t method = vm_load_pointer(code + f->method_of_code);
	if (method == 0)
		return false;
	const uintptr_t described = vm_load_pointer(method + f->const_method);
	const uintptr_t constants = vm_load_pointer(described + f->constants);
	const uintptr_t name = vm_load_pointer(
	    constants + f->constants_bytes + load_u16(described + f->name_index) * VM_WORD);
	return has_text(f, name, ENTRY_METHOD) &&
	       has_text(f, vm_load_pointer(vm_load_pointer(constants + f->holder) + f->class_name),
		   ENTRY_CLASS);
}
