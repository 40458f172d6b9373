/*
 * The memory of this process by kind, as the kernel counts it: what the JVM, its libraries and its
 * threads use beside the heap, and the heap itself. On one thread; not in a pause.
 */
#ifndef GCSPY_AGENT_PROCESS_MEMORY_H
#define GCSPY_AGENT_PROCESS_MEMORY_H

#include "memory_kinds.h"
#include "threads.h"
#include "vm.h"

struct process_memory;

/* All borrowed. NULL without memory. */
struct process_memory *process_memory_create(const struct vm *vm, struct threads *threads);
void process_memory_destroy(struct process_memory *p); /* NULL is fine */

/* Reads it; false if /proc cannot be read, or without memory. */
bool process_memory_read(struct process_memory *p);

/* What was read last; valid until the next read. */
typedef uint64_t memory_figures[SMAPS_FIGURE_COUNT];
const memory_figures *process_memory_figures(const struct process_memory *p);
uint32_t process_memory_mappings(const struct process_memory *p);

/* True if this JVM does not expose where memory of that kind is; it is then among others. */
bool process_memory_unknown(const struct process_memory *p, enum memory_kind kind);

#endif
