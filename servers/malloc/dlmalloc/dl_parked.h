/* Deferred coalescing: freed chunks that dlmalloc still takes for used (ISMM 2006, section 7). */
#ifndef DL_PARKED_H
#define DL_PARKED_H

#include "dlmalloc_inside.h"

/* Parks a block that the program frees; false if it is to be freed now. */
bool parked_put(void *block);

/* A parked block for a request of that many bytes, or NULL. */
void *parked_get(size_t bytes);

/* Whether a block that dlmalloc takes for used is parked. Any thread, no lock. */
bool parked_is(const void *block);

/* The members of struct dlmalloc_inside with these names. */
void parked_defer(uint32_t percent);
uint32_t parked_sizes(struct dlmalloc_parked *sizes, uint32_t room);

void parked_totals(uint64_t *chunks, uint64_t *bytes);

/* As allocator_fork_begins and allocator_fork_ends; taken before the allocator's locks. */
void parked_fork_begins(void);
void parked_fork_ends(bool child);

#endif
