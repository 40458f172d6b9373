/*
 * What became of a space's tiles since an earlier picture, A, of the same or another program: which
 * tile of A a tile is, and its signed difference (V4, C24). Pure but for the memory that it keeps
 * from picture to picture.
 */
#ifndef GCSPY_CLIENT_TILEDIFF_H
#define GCSPY_CLIENT_TILEDIFF_H

#include <gcspy/snapshot.h>
#include <stdbool.h>

/* How tiles are told to be the same: threads and the like by their names, memory by where it
 * begins, all else by number. */
enum tilediff_how { TILEDIFF_NAME, TILEDIFF_ADDRESS, TILEDIFF_NUMBER };

struct tilediff_key {
	const char *name;
	uint64_t start;
	uint32_t tile;
};

struct tilediff {
	enum tilediff_how how;
	uint32_t tiles, tiles_at_a;
	uint32_t *of; /* for each tile its number at A, GCS_NONE: it was not there */
	double *
	    real; /* -1 to 1; not-a-number where the tile has no value, infinite where it had none */
	uint32_t room; /* of both */
	double most;   /* the largest difference, which is 1 */
	bool other;    /* values are names: a tile is as it was, or another */
	/* Used tiles: with more or another name, with less, as they were, without a value at A. */
	uint32_t more, less, same, fresh;
	uint32_t gone;   /* tiles of A that are none now */
	double up, down; /* sums, both from 0 */
	/* The tiles of A in the order of their keys, as long as A is the same. */
	const struct gcs_snapshot *key_of; /* only compared, never followed */
	uint32_t key_space, keys;
	enum tilediff_how key_how;
	struct tilediff_key *key;
};

/* A zeroed one is empty. */
void tilediff_fini(struct tilediff *d);

/* Finds each tile's number at A; false without memory. `a` lives until the next call or fini. */
bool tilediff_match(struct tilediff *d, const struct gcs_snapshot *a, uint32_t space_a,
    const struct gcs_snapshot *now, uint32_t space);

/* Fills in the differences of a stream, after tilediff_match. */
void tilediff_stream(struct tilediff *d, const struct gcs_snapshot *a, uint32_t space_a,
    uint32_t stream_a, const struct gcs_snapshot *now, uint32_t space, uint32_t stream);

/* The same of values that were computed; not-a-number: none. */
void tilediff_reals(struct tilediff *d, const double *a, const double *now);

#endif
