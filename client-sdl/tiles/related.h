/*
 * Tiles of other spaces that cover the same memory as a tile (F15): a thread's buffer and its
 * region, a region and the zoom into it. Found by address range.
 */
#ifndef GCSPY_CLIENT_RELATED_H
#define GCSPY_CLIENT_RELATED_H

#include <gcspy/snapshot.h>

/* Neighbouring tiles. */
struct tile_run {
	uint32_t first, count;
};

#define RELATED_RUNS 32

struct related {
	uint32_t tiles; /* all of them, including runs that do not fit below */
	uint32_t count;
	struct tile_run run[RELATED_RUNS];
};

/* The addresses of a tile; false if the space has none or the range is empty. */
bool related_range(const struct gcs_snapshot *snapshot, uint32_t space, uint32_t tile,
    uint64_t *start, uint64_t *end);

/* The tiles of the space `other` that overlap a tile of another space; none for its own. */
void related_find(const struct gcs_snapshot *snapshot, uint32_t space, uint32_t tile,
    uint32_t other, struct related *related);

bool related_same(const struct related *a, const struct related *b);

/* Formats the tiles: "17", "0 - 15", "main, worker-1"; "" for none. */
void related_text(const struct gcs_snapshot *snapshot, uint32_t space,
    const struct related *related, char *out, size_t size);

#endif
