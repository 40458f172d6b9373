#include "vm_mirror.h"

#include <string.h>

#include "vm_internal.h"

/* runtime/jfieldIDWorkaround.hpp: the id of an instance's field is its offset above two bits, of which the
 * upper one is set. */
enum { ID_SHIFT = 2, ID_TAG = 2, MAX_OFFSET = 4096, MAX_NAME = 64 };

static bool is_of_that_form(jfieldID id)
{
	const uintptr_t bits = (uintptr_t)id;
	return bits % (1 << ID_SHIFT) == ID_TAG && bits >> ID_SHIFT < MAX_OFFSET;
}

/* Is the name of the Klass at the address this one? By safe reads: it may be no Klass. */
static bool has_name(const struct vm *vm, uintptr_t klass, const char *name)
{
	const struct vm_method_fields *f = &vm->method;
	struct vm_probe probe = {.reader = &vm->reader};
	char found[MAX_NAME];
	const size_t length = strlen(name);
	const uintptr_t symbol = vm_probe_word(&probe, klass + f->class_name);
	const uint32_t told = vm_probe_u32(&probe, symbol + f->symbol_length) & 0xffff;
	return !probe.failed && told == length &&
	       vm_reader_copy(&vm->reader, found, symbol + f->symbol_body, length) &&
	       memcmp(found, name, length) == 0;
}

static bool reads(const struct vm *vm, JNIEnv *env, jfieldID id, const char *name)
{
	jclass class_ = (*env)->FindClass(env, name);
	uint64_t klass = 0;
	if (class_ != NULL)
		klass = (uint64_t)(*env)->GetLongField(env, class_, id);
	(*env)->ExceptionClear(env);
	(*env)->DeleteLocalRef(env, class_);
	return klass != 0 && has_name(vm, (uintptr_t)klass, name);
}

/* With -Xcheck:jni the JVM ends at an id that it has not given. */
void vm_open_mirror(struct vm *vm, JNIEnv *env)
{
	static const char *const known[] = {
	    "java/lang/Object", "java/lang/Class", "java/lang/Thread", "[Ljava/lang/Object;"};
	struct vm_lookup lookup = {.structs = &vm->structs};
	const uintptr_t at = vm_lookup_static(&lookup, "java_lang_Class::_klass_offset");
	bool checks = true;
	if (env == NULL || lookup.missing != NULL || !vm->method.names_known ||
	    !vm_has(vm, VM_STACK_WALK) || !is_of_that_form(vm->eetop) ||
	    !vm_flag_bool(vm, "CheckJNICalls", &checks) || checks)
		return;
	const uint32_t offset = vm_load_u32(at);
	if (offset == 0 || offset >= MAX_OFFSET || offset % VM_WORD != 0)
		return;
	union {
		uintptr_t bits;
		jfieldID id;
	} made = {.bits = (uintptr_t)offset << ID_SHIFT | ID_TAG};
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (!reads(vm, env, made.id, known[i]))
			return;
	vm->klass_of_mirror = made.id;
}

uint64_t vm_klass_of(const struct vm *vm, JNIEnv *env, jclass class_)
{
	if (vm->klass_of_mirror == NULL || class_ == NULL)
		return 0;
	return (uint64_t)(*env)->GetLongField(env, class_, vm->klass_of_mirror);
}
