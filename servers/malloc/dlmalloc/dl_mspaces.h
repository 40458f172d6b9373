/* The program's mspaces: heaps of their own beside the main one. */
#ifndef DL_MSPACES_H
#define DL_MSPACES_H

#include "dlmalloc_inside.h"

/* The members of struct dlmalloc_inside with these names. */
uint32_t mspaces_list(struct dlmalloc_mspace *mspaces, uint32_t room);
void *mspaces_create(size_t capacity);
size_t mspaces_destroy(void *mspace);

/* As allocator_fork_begins and allocator_fork_ends; taken before the allocator's locks. */
void mspaces_fork_begins(void);
void mspaces_fork_ends(bool child);

#endif
