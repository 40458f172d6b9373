/*
 * A pool of large blocks for readers of traces. Going backwards decodes and frees whole segments; the
 * C library would return these megabytes to the system each time, and page faults would cost as much
 * as the decoding.
 *
 * The pool is empty while no reader is open, so servers keep nothing. Any thread.
 */
#ifndef GCSPY_BASE_BUFFER_POOL_H
#define GCSPY_BASE_BUFFER_POOL_H

#include <stddef.h>

#include "shared.h"

#define BUFFER_POOL_LEAST 4096u      /* bytes; smaller blocks are not kept */
#define BUFFER_POOL_MOST  (8u << 20) /* bytes kept for all readers */

/* A reader opens or closes; the last one to close frees all blocks. */
SHARED_WITH_CLIENT void buffer_pool_open(void);
SHARED_WITH_CLIENT void buffer_pool_close(void);

/* A block of exactly that size, or NULL if the pool has none. */
void *buffer_pool_take(size_t bytes);

/* Keeps a block of that size, or frees it. */
void buffer_pool_give(void *block, size_t bytes);

#endif
