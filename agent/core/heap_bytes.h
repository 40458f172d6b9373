/*
 * The bytes of a piece of the heap for the plugin `memory`, with the sampled objects that are known
 * to begin there. The program runs meanwhile: bytes may be of different moments, and objects may
 * have moved between the two.
 */
#ifndef GCSPY_AGENT_HEAP_BYTES_H
#define GCSPY_AGENT_HEAP_BYTES_H

#include "object_locations.h"

enum { HEAP_BYTES_MOST = 65536 };

/*
 * Encodes `length` bytes (1..HEAP_BYTES_MOST) from `address`; gcs_plugin_free frees `*bytes`.
 * ARGUMENT if they are not all in the heap's reserved range, or not readable. On the thread of
 * object_locations_profile.
 */
enum gcs_status heap_bytes_answer(struct object_locations *p, uint64_t address, uint64_t length,
    void **bytes, size_t *encoded, struct gcs_error *err);

#endif
