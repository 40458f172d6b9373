/*
 * Changes of a space's tiles since an earlier snapshot, A, of the same or another program: each
 * tile's counterpart in A and its signed difference (V4, C24). Pure, except for memory reused
 * between snapshots.
 */
#ifndef GCSPY_CLIENT_TILEDIFF_H
#define GCSPY_CLIENT_TILEDIFF_H

#include <gcspy/snapshot.h>
#include <stdbool.h>

#include "hash.h"

/* How tiles are matched: threads and the like by name, memory by start address, all else by
 * number. */
enum tilediff_how { TILEDIFF_NAME, TILEDIFF_ADDRESS, TILEDIFF_NUMBER };

struct tilediff {
	enum tilediff_how how;
	uint32_t tiles, tiles_at_a;
	uint32_t *of;  /* per tile its number in A, GCS_NONE: absent in A */
	double *real;  /* -1 to 1; NaN if the tile has no value, infinite if it had none in A */
	uint32_t room; /* of both */
	double most;   /* the largest difference, which is 1 */
	bool other;    /* values are categories: a tile is unchanged or changed */
	/* Used tiles: with more or another category, with less, unchanged, without a value in A. */
	uint32_t more, less, same, fresh;
	uint32_t gone;                       /* tiles of A that no longer exist */
	double up, down;                     /* sums, both from 0 */
	struct hash_table index;             /* numbers of the tiles of A by start or name, for: */
	const struct gcs_snapshot *index_of; /* only compared, never dereferenced */
	uint32_t index_space;
	enum tilediff_how index_how;
};

/* Zero-initialized: empty. */
void tilediff_fini(struct tilediff *d);

/* Finds each tile's number in A; false without memory. `a` lives until the next call or fini. */
bool tilediff_match(struct tilediff *d, const struct gcs_snapshot *a, uint32_t space_a,
    const struct gcs_snapshot *now, uint32_t space);

/* Fills in the differences of a stream, after tilediff_match. */
void tilediff_stream(struct tilediff *d, const struct gcs_snapshot *a, uint32_t space_a,
    uint32_t stream_a, const struct gcs_snapshot *now, uint32_t space, uint32_t stream);

/* The same for computed values; NaN: none. */
void tilediff_reals(struct tilediff *d, const double *a, const double *now);

#endif
