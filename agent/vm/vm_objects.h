/*
 * A linear walk over the objects in a range of the heap: where each begins, its size, and its
 * class.
 *
 * If the collector has marked live objects, the walk can follow the marks instead: then it does not
 * touch dead objects, whose classes may be gone.
 *
 * Only for memory in which nothing moves or is allocated meanwhile: at a safepoint, in the VM
 * thread. The heap's words are plain loads inside the given range, which must be committed.
 * Everything else that is followed - the Klass of an object, the Symbol of its name - is copied
 * safely (vm_read.h) and verified, once per class; the walk stops at the first word that fails. It
 * may misinterpret memory that is no heap, but it always ends and never faults. Sizes follow
 * HotSpot's Klass::layout_helper, with the two exceptions that have sizes of their own: class
 * mirrors and, since JDK 19, the frames of virtual threads.
 *
 * Its cost is memory latency: 25 to 350 ns per object. No lock, no allocation; a class that is met
 * for the first time costs three system calls.
 */
#ifndef GCSPY_AGENT_VM_OBJECTS_H
#define GCSPY_AGENT_VM_OBJECTS_H

#include "vm.h"

/* The classes met so far, by number. */
struct vm_classes;

/* Number 0 represents all classes without room. */
enum { VM_CLASS_OTHERS, VM_CLASS_NAME = 192 };

/*
 * Room for `most` classes; untouched pages take no memory. Needs VM_OBJECTS. NULL without memory.
 */
struct vm_classes *vm_classes_create(const struct vm *vm, uint32_t most);
void vm_classes_destroy(struct vm_classes *classes);

/* Before the walks of a pause. If classes were unloaded since the last one, each class is verified
 * again when it is met: another one may have taken its address. */
void vm_classes_begin(struct vm_classes *classes);

/* Numbers assigned so far are below this. */
uint32_t vm_classes_count(const struct vm_classes *classes);

/*
 * The JVM's name of a class: "java/lang/String", "[I", "[Ljava/lang/String;"; cut at VM_CLASS_NAME;
 * "" for VM_CLASS_OTHERS. Constant until vm_classes_clear. Any thread that got the number from the
 * one that walks.
 */
const char *vm_classes_name(const struct vm_classes *classes, uint32_t id);

/* Removes all classes and their numbers. */
void vm_classes_clear(struct vm_classes *classes);

enum vm_object_kind {
	VM_OBJECT_SCALAR,
	VM_OBJECT_ARRAY,
	VM_OBJECT_FILLER, /* no object: the JVM closes a gap with it. JDK 25; before, it looks like
			     an Object or an int array */
};

struct vm_object {
	uint64_t at;
	uint64_t bytes; /* from one object to the next */
	uint32_t class_id;
	enum vm_object_kind kind;
};

typedef void vm_object_fn(void *context, const struct vm_object *object);

/* A gap without objects: the free part of a thread's allocation buffer. */
struct vm_gap {
	uint64_t low;
	uint64_t high;
};

/* The range to walk. The walk moves `at`, so that it can be continued. */
struct vm_address_range {
	uint64_t at; /* where an object begins, or `end` */
	uint64_t end;
	/* An object that begins before the end may reach up to here; 0: to the end. `at` is then
	 * where the next one begins. */
	uint64_t reach;
	const struct vm_gap *gaps; /* in address order; some may be outside the range */
	size_t gap_count;
	/* Below this address only objects that the collector has marked are walked, wherever they
	 * begin; gaps are ignored there. For JVMs with VM_SHENANDOAH_MARKS; else 0. */
	uint64_t marked;
};

enum vm_objects_end {
	VM_OBJECTS_DONE,    /* at == end, or beyond it */
	VM_OBJECTS_PAUSED,  /* the limit of objects was reached */
	VM_OBJECTS_STRANGE, /* there is no object at `at` */
};

/* Walks about `most` objects (a new class counts as fifty) and calls `fn` for each. */
enum vm_objects_end vm_objects_walk(struct vm_classes *classes, struct vm_address_range *range,
    uint32_t most, vm_object_fn *fn, void *context);

/*
 * True if fillers can be distinguished from objects: since JDK 19 they have classes of their own.
 */
bool vm_objects_have_fillers(const struct vm *vm);

/*
 * Number of classes the JVM has unloaded; without VM_UNLOADED_CLASSES a different number each time.
 */
uint64_t vm_objects_unloaded(const struct vm *vm);

#endif
