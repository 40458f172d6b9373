/*
 * Blocks that readers of traces give back and take again. Going backwards decodes a segment as a
 * whole and lets it go as a whole; the C library would hand those megabytes to the system each
 * time, and page faults would cost as much as the decoding.
 *
 * Nothing is kept while there is no reader: servers never keep anything. Any thread.
 */
#ifndef GCSPY_BASE_BUFFER_POOL_H
#define GCSPY_BASE_BUFFER_POOL_H

#include <stddef.h>

#define BUFFER_POOL_LEAST 4096u       /* bytes; smaller blocks are not worth it */
#define BUFFER_POOL_MOST  (32u << 20) /* bytes that are kept, for all readers together */

/* A reader begins and ends; the last one's end gives all back to the system. */
void buffer_pool_open(void);
void buffer_pool_close(void);

/* A block of exactly that size, or NULL: there is none. */
void *buffer_pool_take(size_t bytes);

/* Keeps a block that was allocated with that size, or frees it. */
void buffer_pool_give(void *block, size_t bytes);

#endif
