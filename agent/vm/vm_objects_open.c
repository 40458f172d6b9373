/* Finds the layout of objects for vm_objects.h, and checks it: the class of java.lang.Class itself
 * must be found through its mirror. */
#include "vm_classes.h"

#include <string.h>

enum { TRIES = 3, MAX_OFFSET_IN_OBJECT = 4096 };

/* The header's form, from the JVM's flags. False with missing candidates in `lookup`. */
static bool find_header(struct vm *vm, struct vm_lookup *lookup)
{
	struct vm_object_fields *f = &vm->objects;
	bool narrow = true;
	bool compact = false;
	int64_t align = VM_WORD;
	(void)vm_flag_bool(vm, "UseCompressedClassPointers", &narrow);
	(void)vm_flag_bool(vm, "UseCompactObjectHeaders", &compact);
	(void)vm_flag_bool(vm, "UseCompressedOops", &f->narrow_references);
	if (vm_flag_number(vm, "ObjectAlignmentInBytes", &align) &&
	    (align < VM_WORD || align > 256 || (align & (align - 1)) != 0))
		return false;
	f->align = (uint64_t)align;
	f->header = compact ? VM_KLASS_IN_MARK : narrow ? VM_KLASS_NARROW : VM_KLASS_WHOLE;
	f->smallest = compact ? VM_WORD : 2 * VM_WORD;
	f->klass_at =
	    vm_lookup_offset(lookup, "oopDesc::_metadata._klass oopDesc::_compressed_klass");
	f->length_at = f->klass_at + (f->header == VM_KLASS_WHOLE ? VM_WORD : 4);
	if (compact) {
		f->length_at = VM_WORD;
		f->mark_shift = (unsigned)vm_lookup_constant(lookup, "markWord::klass_shift") & 63;
	}
	if (f->header == VM_KLASS_WHOLE)
		return true;
	const uintptr_t base = vm_lookup_static(lookup,
	    "CompressedKlassPointers::_base CompressedKlassPointers::_narrow_klass._base "
	    "Universe::_narrow_klass._base");
	const uintptr_t shift = vm_lookup_static(lookup,
	    "CompressedKlassPointers::_shift CompressedKlassPointers::_narrow_klass._shift "
	    "Universe::_narrow_klass._shift");
	if (lookup->missing != NULL)
		return false;
	f->base = vm_load_u64(base);
	f->shift = vm_load_u32(shift);
	return f->shift < 32;
}

static void find_klass(struct vm *vm, struct vm_lookup *lookup)
{
	struct vm_object_fields *f = &vm->objects;
	f->layout = vm_lookup_offset(lookup, "Klass::_layout_helper");
	f->name = vm_lookup_offset(lookup, "Klass::_name");
	f->symbol_length = vm_lookup_offset(lookup, "Symbol::_length");
	f->symbol_body = vm_lookup_offset(lookup, "Symbol::_body[0]");
	f->klass_bytes = (f->layout > f->name ? f->layout : f->name) + VM_WORD;
	const uintptr_t words = vm_lookup_static(lookup, "java_lang_Class::_oop_size_offset");
	f->mirror_words = lookup->missing == NULL ? vm_load_u32(words) : 0;
}

static void find_unloaded(struct vm *vm)
{
	struct vm_perf_text counter = {0};
	char type = 0;
	if (vm_has(vm, VM_PERF_DATA) &&
	    (vm_perf_find(&vm->perf, "sun.cls.unloadedClasses", &counter, &type) ||
		vm_perf_find(&vm->perf, "java.cls.unloadedClasses", &counter, &type)) &&
	    type == 'J') {
		vm->objects.unloaded = counter.address;
		vm_set_exported(vm, VM_UNLOADED_CLASSES);
		return;
	}
	vm_set(vm, VM_UNLOADED_CLASSES, VM_MISSING, "%s",
	    vm_has(vm, VM_PERF_DATA) ? "The JVM does not count unloaded classes."
				     : vm->why[VM_PERF_DATA]);
}

/* The current address of a local reference's object; 0 if it cannot be read. */
static uint64_t object_of(const struct vm *vm, jobject reference)
{
	uintptr_t object = 0;
	return reference != NULL && vm_reader_pointer(&vm->reader, &object, (uintptr_t)reference)
		   ? object
		   : 0;
}

/* The Klass in a header, by safe reads: no safepoint keeps the object in place. */
static uint64_t klass_in(const struct vm *vm, uint64_t object)
{
	const struct vm_object_fields *f = &vm->objects;
	unsigned char bytes[2 * VM_WORD];
	if (object == 0 || !vm_reader_copy(&vm->reader, bytes, object, sizeof bytes))
		return 0;
	return vm_klass_in_header(f, (uintptr_t)bytes);
}

/*
 * Does the mirror of java.lang.Class lead to a class of that name? The object may move meanwhile.
 */
static bool mirror_sane(const struct vm *vm, JNIEnv *env)
{
	bool good = false;
	jclass mirror = (*env)->FindClass(env, "java/lang/Class");
	struct vm_classes *classes = vm_classes_create(vm, 1);
	for (int i = 0; classes != NULL && mirror != NULL && !good && i < TRIES; i++) {
		const struct vm_class *class =
		    vm_classes_find(classes, klass_in(vm, object_of(vm, mirror)));
		good = class != NULL && class->form == VM_FORM_MIRROR;
		vm_classes_clear(classes);
	}
	vm_classes_destroy(classes);
	(*env)->ExceptionClear(env);
	(*env)->DeleteLocalRef(env, mirror);
	return good;
}

/* A field's offset from its JNI id: in HotSpot (jfieldIDWorkaround) the bits above the lowest two.
 * If the lowest is set, a hash of the class is above seven bits of offset. */
static size_t offset_in_id(jfieldID id)
{
	const uintptr_t bits = (uintptr_t)id;
	return (bits & 1) != 0 ? bits >> 2 & 0x7f : bits >> 2;
}

/* Is an id decoded correctly? The eetop of the current thread, whose value is known, must be where
 * its id says. */
static bool ids_sane(const struct vm *vm, JNIEnv *env)
{
	bool good = false;
	const uint64_t own = vm_thread_of(vm, env);
	jclass class = (*env)->FindClass(env, "java/lang/Thread");
	const jmethodID current = class == NULL ? NULL
						: (*env)->GetStaticMethodID(env, class,
						      "currentThread", "()Ljava/lang/Thread;");
	jobject thread =
	    current == NULL ? NULL : (*env)->CallStaticObjectMethod(env, class, current);
	for (int i = 0; own != 0 && vm->eetop != NULL && !good && i < TRIES; i++) {
		uintptr_t eetop = 0;
		const uint64_t object = object_of(vm, thread);
		good = object != 0 &&
		       vm_reader_pointer(&vm->reader, &eetop, object + offset_in_id(vm->eetop)) &&
		       eetop == own;
	}
	(*env)->ExceptionClear(env);
	(*env)->DeleteLocalRef(env, thread);
	(*env)->DeleteLocalRef(env, class);
	return good;
}

/* jdk.internal.vm.StackChunk.size: JDK 19 and later, where the type of its Klass is exported. */
static void find_chunks(struct vm *vm, JNIEnv *env)
{
	if (vm_structs_size(&vm->structs, "InstanceStackChunkKlass") == 0) {
		vm_set(vm, VM_STACK_CHUNKS, VM_MISSING, "HotSpot %s has no virtual threads.",
		    vm->release);
		return;
	}
	vm_set(vm, VM_STACK_CHUNKS, VM_MISSING,
	    "HotSpot %s does not expose where a StackChunk has its size.", vm->release);
	if (env == NULL || !ids_sane(vm, env))
		return;
	jclass class = (*env)->FindClass(env, "jdk/internal/vm/StackChunk");
	const jfieldID size = class == NULL ? NULL : (*env)->GetFieldID(env, class, "size", "I");
	if (size != NULL) {
		vm->objects.chunk_size = offset_in_id(size);
		vm_set(vm, VM_STACK_CHUNKS, VM_DERIVED,
		    "The offset in the JNI id of StackChunk.size.");
	}
	(*env)->ExceptionClear(env);
	(*env)->DeleteLocalRef(env, class);
}

void vm_open_objects(struct vm *vm, JNIEnv *env)
{
	struct vm_lookup lookup = {.structs = &vm->structs};
	const bool z = vm->collector == VM_COLLECTOR_ZGC;
	find_unloaded(vm);
	vm_set(vm, VM_STACK_CHUNKS, VM_MISSING, "Objects cannot be walked over.");
	if (z) {
		vm_set(vm, VM_OBJECTS, VM_MISSING,
		    "ZGC does not keep its pages in a state in which objects can be walked over.");
		return;
	}
	if (!vm_has(vm, VM_FLAGS)) {
		vm_set_like(vm, VM_OBJECTS, VM_FLAGS);
		return;
	}
	const bool header = find_header(vm, &lookup);
	find_klass(vm, &lookup);
	if (lookup.missing != NULL)
		vm_set_unexported(vm, VM_OBJECTS, lookup.missing);
	else if (!header || vm->objects.mirror_words > MAX_OFFSET_IN_OBJECT ||
		 vm->objects.klass_bytes > VM_KLASS_BYTES || vm->reader.method == VM_READ_NONE ||
		 (env != NULL && !mirror_sane(vm, env)))
		vm_set(vm, VM_OBJECTS, VM_MISSING,
		    "The objects of HotSpot %s are not laid out as its tables say.", vm->release);
	else {
		vm_set_exported(vm, VM_OBJECTS);
		find_chunks(vm, env);
	}
}
