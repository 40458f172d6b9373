/* From a java.lang.Class to its Klass, on a synthetic VM with a JNI environment of its own. */
#include <criterion/criterion.h>
#include <string.h>

#include "code_world.h"
#include "vm_internal.h"
#include "vm_mirror.h"
#include "vm_world.h"

enum { OFFSET = 112, EETOP = 40, CLASSES = 4, NAME_AT = 2, BODY_AT = 8 };

static const char *const NAMES[CLASSES] = {
    "java/lang/Object", "java/lang/Class", "java/lang/Thread", "[Ljava/lang/Object;"};

/* A Klass whose third word is its name, and a Symbol: its length, and its text from the 8th byte on. */
static uint64_t klasses[CLASSES][4];
static _Alignas(8) unsigned char symbols[CLASSES][64];
static int32_t offset;
static bool checks;
static int field_reads;

static jclass JNICALL find_class(JNIEnv *env, const char *name)
{
	(void)env;
	for (int i = 0; i < CLASSES; i++)
		if (strcmp(NAMES[i], name) == 0)
			return (jclass)(void *)klasses[i];
	return NULL;
}

/* The Klass, at the offset in the mirror; anywhere else something else. */
static jlong JNICALL get_long(JNIEnv *env, jobject object, jfieldID field)
{
	(void)env;
	field_reads++;
	return (uintptr_t)field == (OFFSET << 2 | 2) ? (jlong)(uintptr_t)object : 8;
}

static void JNICALL clear(JNIEnv *env)
{
	(void)env;
}

static void JNICALL delete_local(JNIEnv *env, jobject object)
{
	(void)env, (void)object;
}

static const struct JNINativeInterface_ functions = {
    .FindClass = find_class,
    .GetLongField = get_long,
    .ExceptionClear = clear,
    .DeleteLocalRef = delete_local,
};
static JNIEnv environment = &functions;

static void set_name(int i, const char *name)
{
	const uint16_t length = (uint16_t)strlen(name);
	memcpy(symbols[i], &length, sizeof length);
	memcpy(symbols[i] + BODY_AT, name, length);
	klasses[i][NAME_AT] = (uintptr_t)symbols[i];
}

static struct vm *open_it(void)
{
	code_example_build(17);
	offset = OFFSET;
	checks = false;
	field_reads = 0;
	for (int i = 0; i < CLASSES; i++)
		set_name(i, NAMES[i]);
	world_add_static("java_lang_Class", "_klass_offset", &offset);
	world.flag_rows[world.flag_count++] =
	    (struct flag_row){.name = "CheckJNICalls", .address = &checks};
	struct vm *vm = code_world_open();
	cr_assert(vm_has(vm, VM_STACK_WALK));
	vm->eetop = (jfieldID)(uintptr_t)(EETOP << 2 | 2);
	vm->method.names_known = true;
	vm->method.class_name = NAME_AT * sizeof(uint64_t);
	vm->method.symbol_length = 0;
	vm->method.symbol_body = BODY_AT;
	return vm;
}

static bool opens(struct vm *vm)
{
	vm_open_mirror(vm, &environment);
	return vm_klass_of(vm, &environment, (jclass)(void *)klasses[2]) == (uintptr_t)klasses[2];
}

Test(vm_mirror, leads_to_the_klass)
{
	struct vm *vm = open_it();
	cr_assert_eq(vm_klass_of(vm, &environment, (jclass)(void *)klasses[2]), 0);
	cr_assert(opens(vm));
	cr_assert_eq(vm_klass_of(vm, &environment, NULL), 0);
	vm_close(vm);
}

/* A JVM that checks ids ends at one that it has not given: it is not asked at all. */
Test(vm_mirror, is_not_used_where_ids_are_checked_or_different)
{
	struct vm *vm = open_it();
	checks = true;
	cr_assert_not(opens(vm));
	checks = false;
	vm->eetop = (jfieldID)(uintptr_t)(EETOP << 2 | 1);
	cr_assert_not(opens(vm));
	vm->eetop = (jfieldID)(uintptr_t)(EETOP << 2 | 2);
	offset = 0;
	cr_assert_not(opens(vm));
	cr_assert_eq(field_reads, 0);
	vm_close(vm);
}

Test(vm_mirror, is_not_used_where_it_leads_elsewhere)
{
	struct vm *vm = open_it();
	offset = OFFSET + 8;
	cr_assert_not(opens(vm), "an address that cannot be read");
	offset = OFFSET;
	set_name(3, "[Ljava/lang/Objecx;");
	cr_assert_not(opens(vm), "another class");
	klasses[3][NAME_AT] = 0;
	cr_assert_not(opens(vm), "no name");
	set_name(3, NAMES[3]);
	cr_assert(opens(vm));
	vm_close(vm);
}
