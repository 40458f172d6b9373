/*
 * The insides of `struct vm`, shared by the files of this folder and their tests only. Each topic
 * has its part, filled by its vm_open_* function in the order of vm.c and constant afterwards.
 * Addresses are those of objects that the JVM never frees.
 */
#ifndef GCSPY_AGENT_VM_INTERNAL_H
#define GCSPY_AGENT_VM_INTERNAL_H

#include "vm.h"
#include "vm_load.h"
#include "vm_machine.h"
#include "vm_read.h"
#include "vm_structs.h"

_Static_assert(sizeof(void *) == 8, "HotSpot's layout is known for 64-bit VMs only");

/* HeapWordSize of a 64-bit VM: the unit of sizes that HotSpot counts in words. */
enum { VM_WORD = 8 };

/* Maximum length of the sentence about a capability. */
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
	uintptr_t total, full, concurrent;
	bool full_is_long; /* `full` is a PerfData counter of 64 bits */
	struct vm_perf_text cause, last_cause;
	uintptr_t
	    full_follows; /* not 0 there: a full collection follows the young one; 0: not known */
	uintptr_t
	    cause_number;  /* the current cause as a number whose meaning changes between JDKs */
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
	size_t parsable;                 /* 0: not known */
	uintptr_t used;                  /* bytes of the whole heap; 0: not known */
	uint8_t type_of_tag[VM_G1_TAGS]; /* enum vm_g1_type */
	uintptr_t committed[VM_G1_COMMITTED_PARTS];
	uintptr_t committed_regions; /* JDK 11: the exact number of regions, else 0 */
};

/* Maximum bytes of a ZGC page that are needed. */
enum { VM_Z_PAGE_SPAN = 128 };

/* Offsets in a page. */
struct vm_z_fields {
	size_t type, seqnum, start, end, top;
	bool end_is_size;       /* JDK 21 and later */
	size_t live;            /* the words of the live map: cycle, objects, bytes */
	size_t generation, age; /* bytes */
	size_t high;            /* end of the last of them */
};

struct vm_z {
	bool single;          /* without generations, in a JDK that has both */
	uintptr_t table;      /* of page pointers, one for each granule */
	uintptr_t forwarding; /* the same of what is being relocated, 0 when not exported */
	size_t granules;
	uint64_t granule;
	unsigned granule_shift;
	struct vm_z_fields page;
	uint64_t offset_mask, heap;     /* address = heap + (pointer & offset_mask) */
	uintptr_t phase, seqnum;        /* addresses of JDK 17's globals, else 0 */
	uintptr_t load_good, mark_good; /* addresses of the masks of JDK 21 and later, else 0 */
	uintptr_t used, capacity;
};

/* Two bits for each address where an object may begin; one of them set: marked. */
struct vm_mark_map {
	uint64_t low; /* the address of the first two */
	uintptr_t words;
	unsigned shift; /* logarithm of the bytes between two addresses */
};

struct vm_shenandoah {
	uintptr_t table; /* of region pointers */
	size_t count;
	uint64_t heap, region_bytes;
	size_t bottom, end, state, top, index;
	size_t live, age;          /* 0: not known */
	uint8_t state_of[16];      /* enum vm_shenandoah_state */
	uintptr_t used, committed; /* 0: not exported */
	bool generational;
	/* Flags: explicitly requested collections, and collections for other reasons, are
	 * concurrent. */
	bool explicit_concurrent, implicit_concurrent;
	/* With VM_SHENANDOAH_MARKS: the marks, the table of the regions' tops when marking began,
	 * and the flag that marking is complete. */
	struct vm_mark_map marks;
	uintptr_t tops_at_start, marked;
	/* Such flags of the generations; 0: not known. */
	uintptr_t young_marked, old_marked;
};

struct vm_epsilon_fields {
	uintptr_t top;           /* address of the word */
	uintptr_t virtual_space; /* address of the object */
	size_t committed_low, committed_high, reserved_high;
};

struct vm_tlab_fields {
	uintptr_t list; /* address of the pointer to the ThreadsList */
	size_t list_length, list_threads;
	uintptr_t first; /* JDK 11: address of the pointer to the first of linked threads, else 0 */
	size_t next;     /* in a JavaThread */
	size_t start, top, end, hard_end, desired; /* all from the JavaThread */
	size_t refills, refill_waste, gc_waste, slow_allocations, allocated;
	size_t reserve;   /* bytes between the last allocatable byte and the hard end */
	size_t low, high; /* the range that contains all of them */
	bool off;         /* the JVM has no buffers */
};

/* What a weak reference contains: an address, or one with ZGC's colours above or below it. */
enum vm_weak_form { VM_WEAK_PLAIN, VM_WEAK_COLOURED, VM_WEAK_SHIFTED };

struct vm_weak {
	enum vm_weak_form form;
	uintptr_t bad; /* address of the mask of outdated colours; 0: none */
};

/* JDK 17 has up to three code heaps, JDK 25 up to four. */
enum { VM_CODE_HEAPS = 8 };

struct vm_code_heap {
	uintptr_t low;
	uintptr_t high_at; /* address of the end of what is committed, which grows */
	uintptr_t map;     /* of segments, one byte each */
	uintptr_t map_high_at;
	uint32_t shift; /* logarithm of the bytes of a segment */
};

/* Offsets in a blob unless said otherwise. JDK 17 has addresses where JDK 25 has offsets. */
struct vm_code_fields {
	struct vm_code_heap heaps[VM_CODE_HEAPS];
	size_t heap_count;
	size_t block_header, block_length, block_used; /* of the heap's block before the blob */
	bool block_length_is_long;
	size_t size, frame_size, name, kind, compile_id, original_pc;
	bool has_kind;
	uint8_t method_kind;
	size_t code, deoptimized, deoptimized_call;
	size_t immutable, immutable_size; /* JDK 25: descriptions are in memory of their own */
	size_t pcs, pcs_end, scopes;
	/* The method that was compiled, and what is inlined: in the blob, or in memory of its own, after the
	 * relocations there. */
	bool methods_known;
	size_t method, metadata, metadata_end;
	size_t mutable_data, mutable_size, relocation_size; /* 0: in the blob */
	size_t pc_size, pc_offset, pc_scope;                /* of a PcDesc */
	uint32_t excluded; /* number of byte values that UNSIGNED5 does not use: 0
						or 1 */
};

struct vm_stack_fields {
	size_t anchor, base, size;        /* in a JavaThread */
	size_t continuation;              /* likewise; 0: not known */
	size_t last_sp, last_pc, last_fp; /* in an anchor */
	size_t wrapper_anchor;            /* in a JavaCallWrapper */
	ptrdiff_t wrapper;                /* words from the fp of an entry frame */
	ptrdiff_t sender_sp;              /* words from the fp of an interpreted frame */
	uintptr_t call_stub_return;
	uintptr_t continuation_return_at; /* address of the return address of enterSpecial, or 0 */
	struct vm_range interpreter;
	size_t const_method, code_bytes,
	    code_size;      /* Method to ConstMethod, its size and _code_size */
	uintptr_t unloaded; /* PerfData counter, 0: none */
};

/* How a Method leads to its method id and to its name. */
struct vm_method_fields {
	bool ids_are_numbers;                /* method ids are no addresses */
	size_t const_method;                 /* in a Method */
	size_t constants, idnum, name_index; /* in a ConstMethod */
	size_t holder, constants_bytes;      /* in a ConstantPool, and its size */
	size_t ids, class_name;              /* in an InstanceKlass */
	size_t symbol_length, symbol_body;   /* in a Symbol */
	size_t method_of_code;               /* in a compiled method */
	bool known;                          /* all but the last six */
	bool names_known;                    /* all of these */
	size_t source_file;                  /* of a name: in a ConstantPool, or … */
	bool source_in_class;                /* … in an InstanceKlass */
	size_t flags, words;                 /* in a ConstMethod, and its size in words */
	uint32_t lines_flag;                 /* of these flags: it has a table of lines */
	bool lines_known;                    /* all */
};

/* The place of the Klass in an object's header. */
enum vm_klass_place {
	VM_KLASS_WHOLE,   /* a pointer */
	VM_KLASS_NARROW,  /* 32 bits: base + (n << shift) */
	VM_KLASS_IN_MARK, /* the upper bits of the first word (JDK 24's compact headers), likewise */
};

/* Offsets in an object unless said otherwise. */
struct vm_object_fields {
	enum vm_klass_place header;
	size_t klass_at;
	uint64_t base;
	unsigned shift, mark_shift;
	size_t length_at;    /* of an array: 32 bits */
	uint64_t smallest;   /* bytes of an object */
	uint64_t align;      /* of objects, a power of two */
	size_t mirror_words; /* of a class mirror: its size in words, 32 bits */
	size_t chunk_size;   /* of a StackChunk: the words of its stack, 32 bits; 0: not known */
	bool narrow_references;
	size_t layout, name, klass_bytes;  /* in a Klass, and the bytes of it that hold both */
	size_t symbol_length, symbol_body; /* in a Symbol */
	uintptr_t unloaded;                /* PerfData counter, 0: none */
};

struct vm_card_fields {
	uintptr_t table;      /* address of the CardTable */
	size_t map_base;      /* the card of address 0 */
	size_t map, map_size; /* in it */
	unsigned shift;       /* logarithm of the bytes of a card */
	uint8_t clean, dirty;
};

/* The meaning of an entry in the table of object starts (vm_starts.c). */
enum vm_starts_form {
	VM_STARTS_OVER, /* distance from the card back to the start of the object that crosses its
			   border */
	VM_STARTS_LAST, /* where the last object that begins on the card begins */
};

struct vm_starts {
	uint64_t low, high; /* of the old generation */
	uintptr_t base;     /* the entry of address 0 */
	unsigned shift;     /* logarithm of the bytes of a card */
	enum vm_starts_form form;
};

struct vm {
	const struct vm_machine *machine;
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
	struct vm_z z;
	struct vm_shenandoah shenandoah;
	struct vm_epsilon_fields epsilon;
	struct vm_tlab_fields tlab;
	struct vm_weak weak;
	struct vm_object_fields objects;
	struct vm_card_fields cards;
	struct vm_starts starts;
	struct vm_code_fields code;
	struct vm_stack_fields stack;
	struct vm_method_fields method;
	ptrdiff_t env_offset; /* JNIEnv* minus JavaThread* */
	jfieldID eetop;
	jfieldID klass_of_mirror; /* the field of java.lang.Class with its Klass; NULL: not known */
	enum vm_support support[VM_CAPABILITY_COUNT];
	char why[VM_CAPABILITY_COUNT][VM_REASON];
};

/* Sets one capability and its sentence. */
void vm_set(struct vm *vm, enum vm_capability capability, enum vm_support support,
    const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Sets it exported; or missing for the reason that another one is. */
void vm_set_exported(struct vm *vm, enum vm_capability capability);
void vm_set_like(struct vm *vm, enum vm_capability capability, enum vm_capability other);

/* Sets the capabilities from `first` to `last` missing for the same reason. */
void vm_set_missing(struct vm *vm, enum vm_capability first, enum vm_capability last,
    const char *format, ...) __attribute__((format(printf, 4, 5)));

/* True if this collector runs and the range of its heap is known; otherwise sets those capabilities
 * missing. */
bool vm_require(
    struct vm *vm, enum vm_collector collector, enum vm_capability first, enum vm_capability last);

/* Sets it missing because the JVM does not export the first of the candidates `names`. */
void vm_set_unexported(struct vm *vm, enum vm_capability capability, const char *names);

/* Each fills its part and sets its capabilities. */
void vm_open_flags(struct vm *vm);
void vm_open_perf(struct vm *vm);
void vm_open_gc(struct vm *vm);
void vm_open_gc_kinds(struct vm *vm); /* after those of the collectors */
void vm_open_spaces(struct vm *vm);
/* Where a Parallel heap has the pointer to a generation: a static field, from JDK 27 on in the heap. */
uintptr_t vm_find_generation(const struct vm *vm, struct vm_lookup *lookup, const char *name);
void vm_open_g1(struct vm *vm);
void vm_open_z(struct vm *vm);
void vm_open_shenandoah(struct vm *vm);
void vm_open_shenandoah_marks(struct vm *vm);
void vm_open_epsilon(struct vm *vm);
void vm_open_thread(struct vm *vm, JNIEnv *env);
void vm_open_tlab(struct vm *vm, uint64_t some_thread);
void vm_open_weak(struct vm *vm, JNIEnv *env);
void vm_open_objects(struct vm *vm, JNIEnv *env);
void vm_open_cards(struct vm *vm);
void vm_open_starts(struct vm *vm);
void vm_open_code(struct vm *vm);
void vm_open_method(struct vm *vm, JNIEnv *env);
void vm_open_mirror(struct vm *vm, JNIEnv *env);
void vm_open_walk(struct vm *vm);

/* Whether this piece of code, the wrapper of a native method, enters a virtual thread: by the name of
 * its method. False when names are not known. */
bool vm_method_enters_continuation(const struct vm *vm, uintptr_t code);

/* The address of a variable of the ZGC in use, from a field of ZGlobalsForVMStructs: "AddressBadMask"
 * for ZAddressBadMask. 0 without it. */
uintptr_t vm_z_global(const struct vm *vm, const char *name);

/* Reads the pages by safe copies, before they are verified. `*strange` counts the entries of the
 * table that are no pages. */
struct vm_z_page;
size_t vm_z_scan(const struct vm *vm, struct vm_z_page *pages, size_t capacity, size_t *strange);

/* Finds a PerfData entry by name: address and length of its data, and its type ('J', 'B' …).
 * Damaged data are not found. */
bool vm_perf_find(
    const struct vm_perf *perf, const char *name, struct vm_perf_text *data, char *type);

#endif
