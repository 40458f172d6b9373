/*
 * The agent's knowledge of the HotSpot JVM it runs in. This folder is the only code that reads the
 * VM's memory; everything it knows comes from the tables that the JVM exports (vm_structs.h),
 * checked against the live heap when the VM is opened.
 *
 * Knowledge is split into capabilities. One that this JVM does not export, or whose check failed,
 * is missing and says why; the others keep working. Only lack of memory is fatal.
 *
 * The agent opens the VM once, at VMInit or in Agent_OnAttach: earlier the heap does not exist.
 * After that a `struct vm` never changes and any thread may read it. The agent owns it and closes
 * it when no callback can run any more.
 *
 * The captures are in vm_heap.h, vm_g1.h, vm_z.h, vm_shenandoah.h, vm_epsilon.h, vm_tlab.h and
 * vm_gc.h, cards in vm_cards.h, starts of objects in vm_starts.h, addresses of objects in
 * vm_weak.h, the walk over objects in vm_objects.h, the walk of a stack in vm_walk.h; their
 * comments say where they may be called.
 */
#ifndef GCSPY_AGENT_VM_H
#define GCSPY_AGENT_VM_H

#include <jni.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gcspy/status.h"
#include "vm_structs.h"

struct vm;

/* Identifier, name for people, the JVM flag that is true for it. */
#define VM_COLLECTORS(X)                                                                           \
	X(SERIAL, "Serial", "UseSerialGC")                                                         \
	X(PARALLEL, "Parallel", "UseParallelGC")                                                   \
	X(G1, "G1", "UseG1GC")                                                                     \
	X(ZGC, "ZGC", "UseZGC")                                                                    \
	X(SHENANDOAH, "Shenandoah", "UseShenandoahGC")                                             \
	X(EPSILON, "Epsilon", "UseEpsilonGC")

enum vm_collector {
	VM_COLLECTOR_UNKNOWN,
#define X(id, name, flag) VM_COLLECTOR_##id,
	VM_COLLECTORS(X)
#undef X
};

/* Identifier, what it provides. The order is that of the report. */
#define VM_CAPABILITIES(X)                                                                         \
	X(SAFE_READ, "fault-safe reads of memory")                                                 \
	X(FLAGS, "the JVM's flags")                                                                \
	X(COLLECTOR, "the collector in use")                                                       \
	X(HEAP_RANGE, "the reserved range of the heap")                                            \
	X(GENERATION_SPACES, "eden, survivor and old spaces")                                      \
	X(GENERATION_RANGES, "reserved and committed ranges of the generations")                   \
	X(G1_REGIONS, "type and fill of each G1 region")                                           \
	X(G1_COMMITTED, "committed bytes of the G1 heap")                                          \
	X(G1_PARSABLE, "where the walkable part of each G1 region begins")                         \
	X(Z_PAGES, "type and fill of each ZGC page")                                               \
	X(Z_LIVE, "live bytes of each ZGC page")                                                   \
	X(Z_AGE, "generation and age of each ZGC page")                                            \
	X(Z_RELOCATION, "which ZGC pages are being relocated")                                     \
	X(Z_TOTALS, "used and committed bytes of the ZGC heap")                                    \
	X(SHENANDOAH_REGIONS, "state and fill of each Shenandoah region")                          \
	X(SHENANDOAH_LIVE, "live bytes of each Shenandoah region")                                 \
	X(SHENANDOAH_AGE, "age of each Shenandoah region")                                         \
	X(SHENANDOAH_TOTALS, "used and committed bytes of the Shenandoah heap")                    \
	X(SHENANDOAH_MARKS, "what the last marking of Shenandoah found alive")                     \
	X(EPSILON_SPACE, "the space of the Epsilon heap")                                          \
	X(TLABS, "allocation buffers of the threads")                                              \
	X(TLAB_LIST, "the list of all threads at a safepoint")                                     \
	X(TLAB_HARD_END, "the hard end of allocation buffers")                                     \
	X(TLAB_STATISTICS, "refills and waste of allocation buffers")                              \
	X(ALLOCATED_BYTES, "bytes allocated by each thread")                                       \
	X(PERF_DATA, "performance counters of the JVM")                                            \
	X(GC_COUNT, "number of collections")                                                       \
	X(GC_FULL_COUNT, "number of full collections")                                             \
	X(GC_CAUSE, "cause of a collection")                                                       \
	X(GC_KINDS, "kinds of pauses")                                                             \
	X(THREAD_POINTER, "the VM's structure of a thread")                                        \
	X(WEAK_POSITIONS, "addresses of sampled objects")                                          \
	X(OBJECTS, "the objects in a piece of the heap")                                           \
	X(STACK_CHUNKS, "the size of virtual threads' frames in the heap")                         \
	X(UNLOADED_CLASSES, "the number of unloaded classes")                                      \
	X(CARDS, "the card table")                                                                 \
	X(OBJECT_STARTS, "where objects begin in the old generation")                              \
	X(CODE_CACHE, "the compiled method at a program counter")                                  \
	X(STACK_WALK, "fast stacks of sampled allocations")

enum vm_capability {
#define X(id, text) VM_##id,
	VM_CAPABILITIES(X)
#undef X
	    VM_CAPABILITY_COUNT
};

enum vm_support {
	VM_MISSING,
	VM_DERIVED,  /* not exported: found by a rule that a check confirmed */
	VM_EXPORTED, /* by the JVM's own tables */
};

/* Reads the JVM's tables and checks them. `env` belongs to the calling thread. NULL only without
 * memory. Calls Thread.currentThread, so only at or after VMInit. */
struct vm *vm_open(JNIEnv *env, struct gcs_error *err);

/* The same with other tables and, when `env` is NULL, without JNI: for tests. */
struct vm *vm_open_tables(vm_symbol_fn *find, void *context, JNIEnv *env, struct gcs_error *err);

/* NULL is fine. */
void vm_close(struct vm *vm);

bool vm_has(const struct vm *vm, enum vm_capability capability);
enum vm_support vm_support(const struct vm *vm, enum vm_capability capability);

/* One sentence: why it is missing, how it was derived, "" when it is exported. Lives as long as
 * `vm`. */
const char *vm_why(const struct vm *vm, enum vm_capability capability);

/* "cause of a collection". */
const char *vm_capability_text(enum vm_capability capability);

enum vm_collector vm_collector(const struct vm *vm);
const char *vm_collector_name(enum vm_collector collector);

/* "17.0.15+6-Debian-1deb12u1" and 17; "?" and 0 if unknown. */
const char *vm_release(const struct vm *vm);
int vm_jdk_major(const struct vm *vm);

/* False of a JVM that exports nothing about itself: every capability is missing, for the same reason. */
bool vm_has_tables(const struct vm *vm);

/* Half-open range of addresses. */
struct vm_range {
	uint64_t low;
	uint64_t high;
};

/* Region i covers [heap + i * region_bytes, heap + (i + 1) * region_bytes). Fixed at open. */
struct vm_region_layout {
	uint64_t heap;
	uint64_t region_bytes;
	size_t regions; /* of the reserved heap */
};

/* The heap's reserved range; empty without VM_HEAP_RANGE. */
struct vm_range vm_heap_range(const struct vm *vm);

/* The limit of the heap (-Xmx) in bytes, 0 when unknown. */
uint64_t vm_max_heap(const struct vm *vm);

/* Flags by name; false without a flag of that name and kind. Linear search: not in a pause. */
bool vm_flag_bool(const struct vm *vm, const char *name, bool *value);
/* Any integer flag (int, uint, intx, uintx, uint64_t, size_t). */
bool vm_flag_number(const struct vm *vm, const char *name, int64_t *value);

/* True if the flag is a string with this value. */
bool vm_flag_is(const struct vm *vm, const char *name, const char *value);

/* Fault-safe copy from this process's memory; see vm_read.h for its cost. Any thread. */
bool vm_read(const struct vm *vm, void *to, uint64_t from, size_t bytes);

/* The VM's JavaThread of a JNI environment, 0 without VM_THREAD_POINTER. Any thread, while the
 * environment's thread is alive; in ThreadStart and ThreadEnd callbacks it is the caller's. */
uint64_t vm_thread_of(const struct vm *vm, const JNIEnv *env);

/*
 * The JavaThread of a java.lang.Thread, 0 when it is not alive, is virtual, or the capability is
 * missing. A JNI call: not in a pause. The caller makes sure that the thread does not end
 * meanwhile.
 */
uint64_t vm_thread_of_object(const struct vm *vm, JNIEnv *env, jobject thread);

#endif
