/*
 * The agent's allocator: large tables from the system by the page, the rest from the C library.
 *
 * The C library would do the same only for the first agent of a process. Whenever a large block is
 * freed, glibc raises its threshold for asking the system (mallopt(3), M_MMAP_THRESHOLD), so that
 * the tables of an agent that is attached again would come from its heap: cleared explicitly, which
 * makes hardly used tables resident, and kept after a detach.
 */
#ifndef GCSPY_AGENT_AGENT_MEMORY_H
#define GCSPY_AGENT_AGENT_MEMORY_H

#include <stddef.h>

/* Makes it the library's allocator. Before any other call of the library; may be called again. */
void agent_memory_use(void);

/* Blocks not freed yet. Any thread. */
size_t agent_memory_blocks(void);

#endif
