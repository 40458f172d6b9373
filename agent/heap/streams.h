/*
 * Descriptions of streams and spaces that several drivers use, and helpers to fill them.
 */
#ifndef GCSPY_AGENT_STREAMS_H
#define GCSPY_AGENT_STREAMS_H

#include <gcspy/blocks.h>

#include "vm.h"

/* Bytes in use, as a share of a block of `block` bytes; summary: used of committed. */
struct gcs_stream stream_used(uint64_t block);
bool stream_set_used(
    struct gcs_snapshot *s, uint32_t space, uint32_t stream, uint64_t used, uint64_t committed);

/* Bytes in threads' allocation buffers, as a share of a block. */
struct gcs_stream stream_tlab(uint64_t block);

/* Bytes that marking found alive, as a share of a block. */
struct gcs_stream stream_live(const char *description, uint64_t block);

/* A plain number from 0 to `most`, painted against the largest of the event. */
struct gcs_stream stream_number(const char *name, const char *description, int64_t most);

/* Bytes of any size, painted against the largest of the event; summary: their total. */
struct gcs_stream stream_bytes(const char *name, const char *description);

/* A count of things, likewise; summary: their total. */
struct gcs_stream stream_count(const char *name, const char *description, const char *suffix);

/* Live bytes of sampled objects, and the error of that estimate, which is the stream `error`. The
 * driver leaves the values of both alone: object_locations.c finds the first by its name in each
 * space with ranges. */
#define STREAM_SAMPLED_NAME "Sampled live bytes"
#define STREAM_ERROR_NAME   "Sampled live error"
struct gcs_stream stream_sampled(uint32_t error);
struct gcs_stream stream_sampled_error(void);

/*
 * The commonest value of a tile's parts, leaving out the first value - free, untouched, not
 * humongous - unless all have it: a lone region in use must not vanish among free neighbours.
 */
uint32_t stream_commonest(const uint32_t *counts, uint32_t count);

/* Removes streams whose capability `needs[i]` (0: none) is missing from the list. `ids[i]` becomes
 * the id of the i-th, or GCS_NONE. Returns how many are left. An estimate's error needs no more than
 * the estimate. */
uint32_t streams_select(struct gcs_stream *streams, uint32_t count, const struct vm *vm,
    const enum vm_capability *needs, uint32_t *ids);

/* Opens the columns of `count` streams for writing, NULL for an id of GCS_NONE; `ids` NULL: 0, 1, …
 * False without memory, and for a space without tiles. */
bool streams_write(
    struct gcs_snapshot *s, uint32_t space, const uint32_t *ids, uint32_t count, int64_t **values);

/* A space of blocks in address order, without its streams; `info` keeps one of its texts. */
struct block_info {
	char text[80];
};
struct gcs_space space_of_blocks(const char *name, const char *description, uint32_t group,
    uint64_t block, struct block_info *info);

#endif
