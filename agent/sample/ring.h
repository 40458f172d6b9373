/*
 * Passes samples from allocating threads to the sampler's thread: a bounded lock-free queue for any
 * number of writers and one reader (D. Vyukov's bounded queue). A writer never waits: when the ring
 * is full the sample is rejected, and the caller counts it.
 */
#ifndef GCSPY_AGENT_RING_H
#define GCSPY_AGENT_RING_H

#include <stdbool.h>
#include <stddef.h>

#include "sample.h"

struct ring;

/* `capacity` must be a power of two. NULL without memory. */
struct ring *ring_create(size_t capacity);
void ring_destroy(struct ring *r);

/* Begins to load the cell that ring_put will probably write. Any thread. */
void ring_prefetch(const struct ring *r);

/* Any thread. False: full. `*position` counts all samples ever put, from 0. */
bool ring_put(struct ring *r, const struct sample *sample, size_t *position);

/* One thread at a time. False: empty. */
bool ring_take(struct ring *r, struct sample *sample);

#endif
