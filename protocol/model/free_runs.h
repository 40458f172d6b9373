/*
 * Fragmentation of a space: its runs of free tiles, and the share of free memory outside the
 * longest (docs/stats.md): in a space in address order with a stream "Used" in bytes, free memory is
 * the unused part of its used tiles, and all of its uncommitted ones, which the owner of the heap may
 * commit; a run ends at tiles that are used, partly used, or preceded by a border. Without such a
 * stream, tiles of a category Free or Empty are entirely free.
 */
#ifndef GCSPY_MODEL_FREE_RUNS_H
#define GCSPY_MODEL_FREE_RUNS_H

#include <gcspy/snapshot.h>

#define FREE_BINS 64

struct free_rule {
	const struct gcs_snapshot *snapshot;
	uint32_t space;
	const int64_t *used, *control, *start, *end, *kind; /* columns or NULL */
	int64_t free_kind;
	double tile_bytes; /* of every tile, without ranges */
	bool in_bytes;     /* else tiles are counted */
	bool uncommitted;  /* unused tiles are uncommitted memory */
	char words[400];   /* what counts as free, or why it is unknown */
};

/* The same for a space by its description alone: false if none of its snapshots exposes free memory
 * in bytes. */
bool free_memory_known(const struct gcs_space *space);

/* False if the space does not expose free memory; `words` says why. */
bool free_rule_init(struct free_rule *rule, const struct gcs_snapshot *snapshot, uint32_t space);

struct free_runs {
	double free, longest, whole; /* bytes or tiles; whole: in runs, without parts of tiles */
	uint32_t count;
	uint32_t longest_first, longest_tiles;
	/* Runs of 2^i up to, and not with, 2^(i+1). */
	uint32_t bin[FREE_BINS];
	double in_bin[FREE_BINS];
	uint32_t first_of[FREE_BINS]; /* first tile of the longest run of each */
	double most_of[FREE_BINS];
};

void free_runs_fill(struct free_runs *runs, const struct free_rule *rule);

/* A run of whole free tiles. */
struct free_run {
	uint64_t start; /* address; without ranges, bytes from the first tile */
	uint64_t bytes;
};

/* The runs of a space with free memory in bytes, in the order of addresses; the caller gives them to
 * gcs_free. NULL without memory. */
struct free_run *free_runs_list(const struct free_rule *rule, uint32_t *count);

/* 0 to 1; negative when nothing is free. */
double free_fragmentation(const struct free_runs *runs);

/* The first tile of the run after (dir 1) or before (dir -1) a tile, wrapping around; GCS_NONE
 * without any. tiles: its length. */
uint32_t free_next_run(const struct free_rule *rule, uint32_t tile, int dir, uint32_t *tiles);

uint32_t free_bin_of(double length);

#endif
