/*
 * Where the agent's memory comes from: large tables from the system by the page, the rest from the
 * C library.
 *
 * The C library would do the same only for the first agent of a process. Whenever a large block is
 * given back, glibc raises the size from which on it asks the system (mallopt(3),
 * M_MMAP_THRESHOLD), so that the tables of an agent that is attached again would come from its
 * heap: written with zeros, which makes tables resident that are hardly used, and kept after a
 * detach.
 */
#ifndef GCSPY_AGENT_AGENT_MEMORY_H
#define GCSPY_AGENT_AGENT_MEMORY_H

#include <stddef.h>

/* Makes it the library's allocator. Before any other call of the library; again is fine. */
void agent_memory_use(void);

/* Blocks that are not given back. Any thread. */
size_t agent_memory_blocks(void);

#endif
