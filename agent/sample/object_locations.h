/*
 * Where the objects of watched samples lie (F15, S8): the call sites of a part of the heap, the
 * tiles of a call site, and the stream "Sampled live bytes" of the heap's map.
 *
 * Positions are read from the weak references themselves (vm_weak.h) under the sampler's lock,
 * which keeps them from being deleted; no call into the JVM is made, so that a paused program can
 * be asked. Between collections they are right. The VM thread counts when objects begin to move
 * and when they stand again (the epoch): who reads compares it before and after, and reads again.
 */
#ifndef GCSPY_AGENT_OBJECT_LOCATIONS_H
#define GCSPY_AGENT_OBJECT_LOCATIONS_H

#include "heap.h"
#include "sampler.h"

struct object_locations;

/* All borrowed; `driver` may be NULL. NULL without memory. */
struct object_locations *object_locations_create(struct sampler *sampler, const struct vm *vm,
    const struct heap_driver *driver, const void *heap);
void object_locations_destroy(struct object_locations *p);

/* The VM thread: a collection begins to move objects, or has finished; one atomic addition. NULL is
 * fine. */
void object_locations_move(struct object_locations *p, bool begins);

/* Even while objects stand still. Any thread. */
uint32_t object_locations_epoch(const struct object_locations *p);

/* Fills the stream of all spaces that the ticket's clients look at, if objects have not moved since
 * that epoch; otherwise it stays as it was. False without memory. The thread that publishes. */
bool object_locations_map(struct object_locations *p, uint32_t epoch, struct gcs_server *server,
    const struct gcs_ticket *ticket, struct gcs_snapshot *snapshot);

/* The live samples that lie there (heap_filter.h), as a profile; NULL with the reason. One thread,
 * not the one that publishes; waits for a collection to end, two seconds at the most. */
struct gcs_profile *object_locations_profile(
    struct object_locations *p, const char *where, struct gcs_error *err);

/* The answer to the topic "tiles" (gcspy/tiles.h) for a call site's number; the caller frees
 * `*bytes`. As object_locations_profile. */
enum gcs_status object_locations_tiles(struct object_locations *p, const char *site, void **bytes,
    size_t *length, struct gcs_error *err);

#endif
