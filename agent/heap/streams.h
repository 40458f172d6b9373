/*
 * Stream descriptions that several drivers use.
 */
#ifndef GCSPY_AGENT_STREAMS_H
#define GCSPY_AGENT_STREAMS_H

#include <gcspy/model.h>

/* Bytes in use, as a share of a block of `block` bytes; summary: used of committed. */
struct gcs_stream stream_used(uint64_t block);

/* Bytes that lie in threads' allocation buffers, as a share of a block. */
struct gcs_stream stream_tlab(uint64_t block);

/* One of `count` names, of which the first means that there is nothing to see. */
struct gcs_stream stream_enumeration(
    const char *name, const char *description, uint32_t count, const char *const *names);

/* Bytes that a marking found alive, as a share of a block. */
struct gcs_stream stream_live(const char *description, uint64_t block);

/* A plain number from 0 to `most`, painted against the largest of the event. */
struct gcs_stream stream_number(const char *name, const char *description, int64_t most);

/* Bytes of any size, painted against the largest of the event; summary: their total. */
struct gcs_stream stream_bytes(const char *name, const char *description);

/* The stream of the sampled objects that lie in a tile. Its values are not the driver's:
 * object_locations.c finds it by its name in each space with ranges and fills it. */
#define STREAM_SAMPLED_NAME "Sampled live bytes"
struct gcs_stream stream_sampled(void);

/*
 * What most of a tile's parts are, leaving out those that are the first value - free, untouched,
 * not humongous - unless all are: a lone region in use must not vanish among free neighbours.
 */
uint32_t stream_commonest(const uint32_t *counts, uint32_t count);

/* The system streams (F5, F15). */
struct gcs_stream stream_control(int64_t initial);
struct gcs_stream stream_range_start(void);
struct gcs_stream stream_range_end(void);

#endif
