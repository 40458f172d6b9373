/*
 * The attribute Fragmentation(most, window) of ISMM 2006, section 4.4.3: the most free chunks in any `window`
 * bytes, not farther than `window` bytes from the event's block, of which none has more than `most` bytes.
 *
 * With dlmalloc free chunks are what its walk says, also those that are parked, and so not joined with free
 * neighbours: that is what deferred coalescing makes. With other allocators they are the gaps between the
 * program's blocks: free chunks side by side count as one.
 */
#ifndef GCSPYMALLOC_FRAGMENTATION_H
#define GCSPYMALLOC_FRAGMENTATION_H

#include <stdbool.h>
#include <stdint.h>

/* False if `window` is not 4 KiB to 16 MiB, or `most` is negative. */
bool fragmentation_accepts(const int64_t parameters[2]);

/* At an event that changes the block at `location`. False if these are not accepted. */
bool fragmentation(uint64_t location, const int64_t parameters[2], int64_t *value);

/* In the child of fork. */
void fragmentation_forget(void);

#endif
