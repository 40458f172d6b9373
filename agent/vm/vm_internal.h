/*
 * The insides of `struct vm`, shared by the files of this folder and by their tests only. Each
 * topic has its part, filled by its vm_open_* function in the order of vm.c and constant
 * afterwards. An address here is one of an object that the JVM never frees.
 */
#ifndef GCSPY_AGENT_VM_INTERNAL_H
#define GCSPY_AGENT_VM_INTERNAL_H

#include "vm.h"
#include "vm_load.h"
#include "vm_read.h"
#include "vm_structs.h"

_Static_assert(sizeof(void *) == 8, "HotSpot's layout is known for 64-bit VMs only");

/* HeapWordSize of a 64-bit VM: the unit of sizes that HotSpot counts in words. */
enum { VM_WORD = 8 };

/* Room for the sentence about a capability. */
enum { VM_REASON = 192 };

struct vm_flag_table {
	uintptr_t first;
	size_t count;
	size_t stride;
	size_t name, address, type;
	bool type_is_text; /* JDK 11: a string; later: a code */
	bool types_known;
};

/* PerfData: the block of memory and the offsets of its header and entries. */
struct vm_perf {
	uintptr_t start;
	size_t capacity;
	size_t entry_offset, num_entries; /* in the prologue */
	size_t entry_length, name_offset, vector_length, data_type, data_offset; /* in an entry */
};

/* A string in PerfData, at most `bytes` long. */
struct vm_perf_text {
	uintptr_t address;
	size_t bytes;
};

struct vm_gc {
	uintptr_t total, full;
	bool full_is_long; /* `full` is a PerfData counter of 64 bits */
	struct vm_perf_text cause, last_cause;
	uintptr_t
	    cause_number;  /* the present cause as a number whose meaning changes between JDKs */
	uint32_t no_cause; /* its value when no collection runs */
};

enum vm_space_index { VM_SPACE_EDEN, VM_SPACE_FROM, VM_SPACE_TO, VM_SPACE_OLD, VM_SPACE_COUNT };
enum { VM_YOUNG, VM_OLD, VM_GENERATION_COUNT };

struct vm_spaces {
	uintptr_t space[VM_SPACE_COUNT]; /* addresses of the pointers, which the collector swaps */
	size_t bottom, top, end;
	uintptr_t range[VM_GENERATION_COUNT]; /* the virtual space of each generation */
	size_t reserved_low, reserved_high, committed_low, committed_high;
};

enum { VM_G1_TAGS = 64, VM_G1_COMMITTED_PARTS = 3 };

struct vm_g1 {
	uintptr_t table; /* of region pointers */
	size_t count;
	uintptr_t heap;
	uint64_t grain;
	size_t bottom, end, top, tag;
	uint8_t type_of_tag[VM_G1_TAGS]; /* enum vm_g1_type */
	uintptr_t committed[VM_G1_COMMITTED_PARTS];
	uintptr_t committed_regions; /* JDK 11: the exact number of regions, else 0 */
};

struct vm_tlab_fields {
	uintptr_t list; /* address of the pointer to the ThreadsList */
	size_t list_length, list_threads;
	size_t start, top, end, hard_end, desired; /* all from the JavaThread */
	size_t refills, refill_waste, gc_waste, slow_allocations, allocated;
	size_t reserve;   /* bytes between the last allocatable byte and the hard end */
	size_t low, high; /* the bytes of the thread that hold all of them */
};

struct vm {
	struct vm_structs structs;
	struct vm_reader reader;
	char release[96];
	int major;
	enum vm_collector collector;
	uintptr_t heap; /* the CollectedHeap */
	struct vm_range range;
	uint64_t max_heap;
	struct vm_flag_table flags;
	struct vm_perf perf;
	struct vm_gc gc;
	struct vm_spaces spaces;
	struct vm_g1 g1;
	struct vm_tlab_fields tlab;
	ptrdiff_t env_offset; /* JNIEnv* minus JavaThread* */
	jfieldID eetop;
	enum vm_support support[VM_CAPABILITY_COUNT];
	char why[VM_CAPABILITY_COUNT][VM_REASON];
};

/* Sets one capability and its sentence. */
void vm_set(struct vm *vm, enum vm_capability capability, enum vm_support support,
    const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Sets it missing because the JVM does not export the first of the candidates `names`. */
void vm_set_unexported(struct vm *vm, enum vm_capability capability, const char *names);

/* Each fills its part and sets its capabilities. */
void vm_open_flags(struct vm *vm);
void vm_open_perf(struct vm *vm);
void vm_open_gc(struct vm *vm);
void vm_open_spaces(struct vm *vm);
void vm_open_g1(struct vm *vm);
void vm_open_thread(struct vm *vm, JNIEnv *env);
void vm_open_tlab(struct vm *vm, uint64_t some_thread);

/* Finds a PerfData entry by name: address and bytes of its data, and its type ('J', 'B' …). Total:
 * damaged data are not found. */
bool vm_perf_find(
    const struct vm_perf *perf, const char *name, struct vm_perf_text *data, char *type);

#endif
