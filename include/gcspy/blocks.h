/*
 * What drivers of address-ordered spaces have in common: from addresses to tiles, the bytes of objects
 * in the blocks that they cross, and descriptions of the usual streams.
 *
 * The functions keep nothing. A driver that owns an array of values for a stream adds an object with
 * gcs_blocks_add when it is allocated and takes it away when it is freed, and its `read` for
 * gcs_tiles_gather copies from that array:
 *
 *	in_use += gcs_blocks_add(&blocks, used, address, address + size, +1);
 */
#ifndef GCSPY_BLOCKS_H
#define GCSPY_BLOCKS_H

#include "tiles.h"

GCS_BEGIN_DECLS

/* The memory low .. high - 1 in blocks of `block` bytes, one per tile; the last one may be cut. */
struct gcs_blocks {
	uint64_t low, high;
	uint64_t block;          /* not 0 */
	struct gcs_tiles *tiles; /* touched by gcs_blocks_add; or NULL */
	uint32_t stream;         /* there */
};

/* The number of blocks, at most UINT32_MAX. */
GCS_API uint32_t gcs_blocks_count(const struct gcs_blocks *blocks);

/* The tile of an address, or GCS_NONE. An object counts once if it counts where it starts. */
GCS_API uint32_t gcs_blocks_tile(const struct gcs_blocks *blocks, uint64_t address);

/*
 * Adds to each tile's value its bytes of start .. end - 1, times `sign` (1 or -1), and touches these
 * tiles. Memory outside of the blocks does not count. Returns the sum of what was added, for a total
 * that counts each object once.
 */
GCS_API int64_t gcs_blocks_add(
    const struct gcs_blocks *blocks, int64_t *values, uint64_t start, uint64_t end, int sign);

/* The ranges of the tiles first .. first + count - 1 (F15); either array may be NULL. */
GCS_API void gcs_blocks_ranges(const struct gcs_blocks *blocks, uint32_t first, uint32_t count,
    int64_t *starts, int64_t *ends);

/*
 * Sets the summaries of the space's streams from its values: totals, shares of `whole`, and numbers of
 * tiles by name. Bytes from gcs_blocks_add count each object once; a stream that counts in several
 * tiles what is one thing needs a summary of the target's own, set after this one. False without memory.
 */
GCS_API bool gcs_blocks_summarize(struct gcs_snapshot *snapshot, uint32_t space, uint64_t whole);

/* Descriptions, complete but for what the caller changes. The texts are not copied. */

/* Bytes as a share of a block of `block` bytes; summary: SHARE. */
GCS_API struct gcs_stream gcs_stream_used(
    const char *name, const char *description, uint64_t block);

/* A number of percent, 0..100, such as how full a block is; no summary. */
GCS_API struct gcs_stream gcs_stream_percentage(const char *name, const char *description);

/* One of `count` names, painted empty for the first; of a truth value, two names. Summary: tiles by
 * name. */
GCS_API struct gcs_stream gcs_stream_enumeration(
    const char *name, const char *description, uint32_t count, const char *const *names);

/* The system streams (F5, F15). `initial` is the control value of a new tile. */
GCS_API struct gcs_stream gcs_stream_control(int64_t initial);
GCS_API struct gcs_stream gcs_stream_range_start(void);
GCS_API struct gcs_stream gcs_stream_range_end(void);

GCS_END_DECLS

#endif
