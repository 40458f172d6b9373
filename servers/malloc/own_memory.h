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

#include <gcspy/memory.h>

/* This memory, for libgcspy, and for another server in the process. */
extern const struct gcs_allocator own_memory_allocator;

/* Makes libgcspy use this memory, and registers the handlers of fork. Once, before any other call of
 * libgcspy, whose handlers are then the first to run before a fork and the last after it. */
void own_memory_install(void);

/* Zeroed; NULL without memory. */
void *own_memory_allocate(size_t bytes);

/*
 * Zeroed memory for what the C library allocates on GCspy's threads, as for threads and names: the program's
 * heap does not have it, and free() takes it from any thread. NULL if there is no room.
 */
void *own_memory_lend(size_t bytes);
void own_memory_take_back(void *block);
size_t own_memory_lent_bytes(const void *block);

extern uintptr_t own_memory_lent_start, own_memory_lent_end;
static inline bool own_memory_is_lent(const void *block)
{
	const uintptr_t address = (uintptr_t)block;
	return address >= own_memory_lent_start && address < own_memory_lent_end;
}

/* `bytes` of zeroed address space that costs nothing until it is used, and is in no core dump; NULL if
 * the system refuses. For ever. Takes no lock: also for the program's events. */
void *own_memory_reserve(size_t bytes);

/* The calling thread is GCspy's: its stack belongs to the memory of GCspy, too. */
void own_memory_add_stack(void);

/* The bytes of start .. end - 1 that are GCspy's. */
uint64_t own_memory_within(uint64_t start, uint64_t end);

#endif
