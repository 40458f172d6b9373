/*
 * The memory of GCspy in the program: mapped by itself, never from malloc, because a server must not
 * disturb the heap that it shows. The library's allocator (gcspy/memory.h) is this one.
 *
 * Blocks are never given back to the system but for large ones. Any thread; a short lock, which is held
 * over fork.
 */
#ifndef GCSPYMALLOC_OWN_MEMORY_H
#define GCSPYMALLOC_OWN_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Makes libgcspy use this memory, and registers the handlers of fork. Once, before any other call of
 * libgcspy, whose handlers are then the first to run before a fork and the last after it. */
void own_memory_install(void);

/* Zeroed; NULL without memory. */
void *own_memory_allocate(size_t bytes);

/* `bytes` of zeroed address space that costs nothing until it is used, and is in no core dump; NULL if
 * the system refuses. For ever. Takes no lock: also for the program's events. */
void *own_memory_reserve(size_t bytes);

/* The calling thread is GCspy's: its stack belongs to the memory of GCspy, too. */
void own_memory_add_stack(void);

/* The bytes of start .. end - 1 that are GCspy's. */
uint64_t own_memory_within(uint64_t start, uint64_t end);

#endif
