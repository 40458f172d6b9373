/*
 * What is known of each 64 KiB of address space: whether chunks there have changed, and a used chunk from
 * which a walk may begin. Written by the program's threads without a lock.
 */
#ifndef DL_BLOCKS_H
#define DL_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

/* A chunk is in use, before the program knows of it. */
void blocks_allocated(uint64_t chunk, uint64_t size);

/* A chunk is about to be freed, while it is in use. */
void blocks_freeing(uint64_t chunk);

/* It has been freed. */
void blocks_freed(uint64_t chunk, uint64_t size);

/* A used chunk that begins at `address`, or before it in the same block of 64 KiB; 0 if none is known. Under the
 * allocator's lock. */
uint64_t blocks_start(uint64_t address);

/* dlmalloc_inside.take_touched. */
bool blocks_take_touched(uint64_t address);

#endif
