/*
 * A small VM made of arrays, for tests of the VM module without a JVM. Its tables have other rows
 * and strides than HotSpot's, so that only code that believes the exported columns finds anything.
 * Heap addresses are numbers that are never loaded from, as in the captures themselves.
 *
 * A test builds the world, damages it as it likes, and opens it. One world for each process, one
 * thread.
 */
#ifndef GCSPY_TESTS_VM_WORLD_H
#define GCSPY_TESTS_VM_WORLD_H

#include "vm_g1.h"
#include "vm_internal.h"
#include "vm_shenandoah.h"

enum { HEAP = 0x40000000, GRAIN = 1 << 20, REGIONS = 8, MAX_ROWS = 192, MAX_SYMBOLS = 32 };

/* ZGC: a heap of 4 granules in a range of 64. */
enum { GRANULE = 1 << 21, GRANULES = 64, Z_PAGES = 4 };

struct field_row {
	uint64_t pad;
	void *address;
	const char *name;
	uint64_t offset;
	const char *type_string;
	int32_t is_static;
	const char *type;
};

struct type_row {
	uint64_t size;
	const char *name;
};

struct int_row {
	int32_t value;
	const char *name;
};

struct long_row {
	const char *name;
	int64_t value;
	uint64_t pad[3];
};

/* HotSpot's JVMFlag since JDK 16. */
struct flag_row {
	void *address;
	const char *name;
	int32_t flags;
	int32_t type;
};

struct symbol {
	const char *name;
	const void *address;
	uint64_t number; /* what `address` points to when the symbol is a number */
};

/* Everything the VM consists of. Objects are arrays of words; offsets are index times eight. */
struct world {
	struct field_row fields[MAX_ROWS];
	struct type_row types[8];
	struct int_row ints[24];
	struct long_row longs[4];
	size_t field_count, int_count, symbol_count;
	const void *tables[4];
	struct symbol symbols[MAX_SYMBOLS];
	const char *release;
	int32_t major;
	struct flag_row flag_rows[15];
	struct flag_row *flags;
	uint64_t flag_count;
	unsigned char serial, parallel, g1, zgc, use_shenandoah, epsilon, explicit_concurrent;
	const char *shenandoah_mode;
	uint64_t max_heap;
	uint64_t heap[40];
	uint64_t *heap_pointer;
	uint64_t grain;
	uint64_t region[REGIONS][4];
	uint64_t *region_table[REGIONS];
	uint64_t z_page[Z_PAGES][20];
	uint64_t *z_table[GRANULES], *z_forwarding[GRANULES];
	uint64_t *z_globals[10], **z_globals_pointer;
	uint64_t z_phase, z_seqnum, z_offset_mask, z_metadata, z_finalizable, z_load_good,
	    z_mark_good, z_bad;
	uint32_t z_nodes;
	uint64_t z_partition[4];
	uint64_t monitoring[3];
	uint64_t young[8], old[8], space[4][3];
	uint64_t thread[2][16];
	uint64_t *threads[2];
	uint64_t thread_list[2];
	uint64_t *thread_list_pointer;
	unsigned char narrow_classes, compact_headers, narrow_references;
	int32_t alignment;
	uint64_t klass_base;
	int32_t klass_shift, mirror_words;
	uint64_t barrier_set[4], *barrier_set_pointer, card_table[4];
	unsigned char *perf_start;
	uint64_t perf_capacity;
	_Alignas(8) unsigned char perf[512];
	uint64_t *unloaded; /* in it: the count of unloaded classes */
};

extern struct world world;

/* The contents of the regions of the G1 world. */
struct world_region {
	uint32_t tag;
	uint32_t used;
	enum vm_g1_type type;
};
extern const struct world_region WORLD_REGION[REGIONS];

/* Worlds of JDK 17 with two threads (G1) or none (Serial). */
void world_build_g1(void);
void world_build_serial(void);

/*
 * ZGC of JDK 17 or 25, with two threads: a small page in granule 0, a medium one in granules 2 and
 * 3, a large one in the last two; in JDK 25 the medium one is old. The world of 25 has the masks of
 * generations.
 */
void world_build_z(int jdk);

/* Shenandoah of JDK 17 or 25: its regions have the states 0 to 7 of the JVM's numbering, which are
 * these of ours. */
void world_build_shenandoah(int jdk);
extern const enum vm_shenandoah_state WORLD_STATE[REGIONS];

/* What marking found: two bits for each word of the heap, the tops of the regions when it began, and
 * the flag that it has ended. */
struct world_marks {
	uint64_t description[24], other[8], generation[28], young[28], old[28], tops[REGIONS];
	unsigned char *flag;
	uint64_t map[REGIONS * GRAIN / 8 / 32];
};
extern struct world_marks world_marks;

/* Epsilon: 8 MiB, of which 2 are committed and half of that is used. */
void world_build_epsilon(void);

/* For other files of the world: rows of the tables, and what all collectors have. */
void world_add_field(const char *type, const char *name, uint64_t offset);
void world_add_static(const char *type, const char *name, void *address);
void world_add_int(const char *name, int32_t value);
void world_build_common(void);
void world_build_threads(void);

/* Writes the present and the last cause of a collection. */
void world_set_causes(const char *cause, const char *last_cause);

/* As if the JVM did not export it. */
void world_hide_field(const char *type, const char *name);
void world_hide_symbol(const char *name);

/* The world's symbols; `context` is the world. */
void *world_find(void *context, const char *name);

/* As if the JVM said that its type has another size. */
void world_resize_type(const char *type, uint64_t size);

/* Opens the world; the test closes it. */
struct vm *world_open(void);

#endif
