/* dlmalloc itself, and what only the file that has its source can know. */
#ifndef DL_ALLOCATOR_H
#define DL_ALLOCATOR_H

#include "dlmalloc_inside.h"

/* dlmalloc.c's own functions. */
void *dlmalloc(size_t bytes);
void dlfree(void *block);
void *dlcalloc(size_t count, size_t bytes);
void *dlrealloc(void *block, size_t bytes);
void *dlmemalign(size_t alignment, size_t bytes);
void *dlvalloc(size_t bytes);
void *dlpvalloc(size_t bytes);
size_t dlmalloc_usable_size(void *block);
size_t dlmalloc_footprint(void);
void *create_mspace(size_t capacity, int locked);
size_t destroy_mspace(void *mspace);
void *mspace_malloc(void *mspace, size_t bytes);
void mspace_free(void *mspace, void *block);

/* The chunk of a block; false if it is directly mapped, and so in no segment. */
bool allocator_chunk(const void *block, uint64_t *address, uint64_t *size);

/* The size of the chunk that serves a request of that many bytes; 0: too large. */
size_t allocator_chunk_size(size_t bytes);

/* Before and after fork, in the thread that forks: the locks of all heaps. The thread may allocate between
 * the two, as other handlers of fork do. */
void allocator_fork_begins(void);
void allocator_fork_ends(bool child);

/* The same for an mspace: before and after the others. */
void allocator_mspace_fork_begins(void *mspace);
void allocator_mspace_fork_ends(void *mspace, bool child);

/* True for that thread, between the two. */
bool allocator_forking(void);

/* All of `state` but the number. */
void allocator_mspace_state(void *mspace, struct dlmalloc_mspace *state);

/* The members of struct dlmalloc_inside with these names. */
bool allocator_bin_sizes(uint32_t bin, uint64_t *least, uint64_t *most);
uint64_t allocator_take_dirty(void);
uint32_t allocator_walk_bin(
    uint32_t bin, struct dlmalloc_chunk *chunks, uint32_t room, struct dlmalloc_bin *bin_state);
uint32_t allocator_segments(struct dlmalloc_segment *segments, uint32_t room);
void allocator_walk(uint64_t low, uint64_t high, dlmalloc_visit *visit, void *context);
void allocator_state(struct dlmalloc_state *state);
uint64_t allocator_largest_gap(void);
void allocator_check(struct dlmalloc_check *result);

#endif
