/*
 * Addresses of the objects of tracked samples (F15, S8): the call sites of a part of the heap, the
 * tiles of a call site, and the stream "Sampled live bytes" of the heap map.
 *
 * Addresses are read from the weak references themselves (sampler_position) under the sampler's lock,
 * which keeps them from being deleted. There is no call into the JVM, so that it works while the
 * program is paused. Between collections they are exact. The VM thread increments the epoch when
 * objects begin to move and when they stop: a reader compares it before and after, and retries.
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

/* In the VM thread: a collection begins to move objects, or has finished; one atomic addition. NULL
 * is fine. */
void object_locations_move(struct object_locations *p, bool begins);

/* Odd while objects move. Any thread. */
uint32_t object_locations_epoch(const struct object_locations *p);

/* Fills the stream of all spaces that the ticket's clients look at, unless objects have moved since
 * that epoch. False without memory. On the thread that publishes. */
bool object_locations_map(struct object_locations *p, uint32_t epoch, struct gcs_server *server,
    const struct gcs_ticket *ticket, struct gcs_snapshot *snapshot);

/* What a client asks for. */
struct profile_query {
	enum gcs_profile_kind kind;
	const char *where; /* heap_filter.h; NULL: everywhere */
	uint64_t min_size; /* of an object; 0: any */
};

/*
 * The profile of what passes the query; NULL with the reason. Live samples have the address and the
 * region where they are, as far as they are known, others the region where they were allocated. One
 * thread, not the one that publishes; waits at most two seconds for a collection to end.
 */
struct gcs_profile *object_locations_profile(
    struct object_locations *p, const struct profile_query *query, struct gcs_error *err);

/* The answer to the topic "tiles" (site_tiles.h) for a call site's number; the caller frees
 * `*bytes`. As object_locations_profile. */
enum gcs_status object_locations_tiles(struct object_locations *p, const char *site, void **bytes,
    size_t *length, struct gcs_error *err);

#endif
