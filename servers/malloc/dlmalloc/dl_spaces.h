/*
 * The drivers: dlmalloc's inside as spaces of a server with updates (gcspy/updates.h).
 *
 *	Heap              blocks in the order of addresses, with zoom
 *	Smallbins/…       a space for each free list, a tile for each chunk, in the order of the list
 *	Treebins/…        a space for each trie, a tile for each node
 *	Mspaces           a tile for each mspace
 *	dv and top        two tiles
 *	Parked            a tile for each size of which chunks are parked
 *
 * All have address ranges, except the last, so that a free chunk's tile and its part of the heap are marked
 * together. A server describes them with `add`, gives the tiles to its updates, and calls `prepare` and `fill` from the
 * callbacks of these names, and `read_zoom` from that of its zooms.
 */
#ifndef DL_SPACES_H
#define DL_SPACES_H

#include <gcspy/updates.h>
#include <gcspy/zoom.h>

#include "dlmalloc_inside.h"

struct dl_spaces;

/* One for the heap, one for each bin. */
enum { DL_SPACES_TILES = 1 + DLMALLOC_BINS };

/* Describes all spaces in `group`, or GCS_NONE; before the server's start. `block` is the bytes of a tile of
 * the heap, a power of two from 512 to 16 MiB. NULL with the reason in `err`. */
struct dl_spaces *dl_spaces_add(struct gcs_server *server, const struct dlmalloc_inside *inside,
    uint32_t group, uint32_t block, struct gcs_error *err);

/* For the options of updates; returns how many. */
uint32_t dl_spaces_tiles(const struct dl_spaces *spaces, struct gcs_tiles *tiles[DL_SPACES_TILES]);

/* In the callbacks of the updates with these names. */
void dl_spaces_prepare(struct dl_spaces *spaces);
void dl_spaces_fill(struct dl_spaces *spaces, struct gcs_snapshot *snapshot);

/* In the callback of zooms, for any space; others than the heap's are left alone. */
void dl_spaces_read_zoom(struct dl_spaces *spaces, uint32_t space, uint32_t stream,
    const struct gcs_blocks *blocks, uint32_t count, int64_t *values);

/* After the updates. NULL has no effect. */
void dl_spaces_destroy(struct dl_spaces *spaces);

/*
 * Fragmentation(y, n) of the paper, section 4.4.3, at an event that changes the block at `location`: the
 * most free chunks in any n bytes, not farther than n bytes from there, of which none has more than y. Chunks
 * that are neither used nor joined with their free neighbours count, too: that is what deferred coalescing
 * makes. False if n is out of range: 4 KiB to 16 MiB.
 */
bool dl_fragmentation(const struct dlmalloc_inside *inside, uint64_t location,
    const int64_t parameters[2], int64_t *value);

#endif
