/* The table of classes behind vm_objects.h: from a Klass's address to what the walk needs. Only for
 * the files of this folder and their tests. */
#ifndef GCSPY_AGENT_VM_CLASSES_H
#define GCSPY_AGENT_VM_CLASSES_H

#include "vm_internal.h"
#include "vm_objects.h"

/* The needed fields of a Klass are within this many bytes. */
enum { VM_KLASS_BYTES = 128 };

enum vm_class_form {
	VM_FORM_INSTANCE,
	VM_FORM_ARRAY,
	VM_FORM_MIRROR, /* java.lang.Class: the object tells its size */
	VM_FORM_CHUNK,  /* jdk.internal.vm.StackChunk: likewise */
};

struct vm_class {
	uint64_t klass; /* 0: no class */
	uint64_t symbol;
	int32_t layout;
	uint32_t id;
	uint32_t epoch; /* of the table, at the last check */
	uint8_t form;   /* enum vm_class_form */
	bool filler;
};

struct vm_classes {
	const struct vm *vm;
	uint32_t most, count; /* ids */
	uint32_t mask;        /* of the slots, a power of two minus one */
	uint32_t epoch;
	uint64_t unloaded;
	struct vm_class *slots; /* open addressing, at most half of them taken */
	char (*names)[VM_CLASS_NAME];
	uint32_t fresh;        /* classes read since vm_classes_begin: for the walk's budget */
	struct vm_class other; /* for a class without room */
};

/* The Klass of an object, by plain loads from its header. */
uint64_t vm_klass_in_header(const struct vm_object_fields *fields, uint64_t object);

/* The class of that Klass, or NULL when it does not look like one. Valid until the next call. Reads
 * the JVM's memory, safely, only if the class is new in this epoch. */
const struct vm_class *vm_classes_find(struct vm_classes *classes, uint64_t klass);

#endif
