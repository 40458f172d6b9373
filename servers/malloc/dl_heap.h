/*
 * What dlmalloc says of the heap's free memory, in the granules of the heap map: free chunks one by one, where
 * the shadow has gaps only. Without dlmalloc these functions have no effect.
 *
 * At an update the touched granules are walked, under the allocator's lock, at most a MiB at a time. One
 * thread at a time: the one that flushes.
 */
#ifndef GCSPYMALLOC_DL_HEAP_H
#define GCSPYMALLOC_DL_HEAP_H

#include <stdbool.h>
#include <stdint.h>

struct gcs_blocks;

bool dl_heap_is_there(void);

/* Brings granules up to date; all of the allocator's segments have granules from then on. True if there are
 * new ones. */
bool dl_heap_update(void);

enum dl_heap_column {
	DL_HEAP_FREE,
	DL_HEAP_CHUNKS,
	DL_HEAP_LARGEST,
	DL_HEAP_PARKED,
	DL_HEAP_COLUMNS
};

/* Adds the present values of a part of the heap. */
void dl_heap_read_zoom(
    enum dl_heap_column column, const struct gcs_blocks *blocks, int64_t *values);

#endif
