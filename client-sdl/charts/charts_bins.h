/*
 * The distribution of a stream's values over its used tiles: bins of readable width, or one per
 * category. Pure; owns nothing.
 */
#ifndef GCSPY_CLIENT_CHARTS_BINS_H
#define GCSPY_CLIENT_CHARTS_BINS_H

#include "charts_data.h"

#define BINS_MOST 257 /* every category, and values without one */

struct bins {
	bool names;     /* one bin per category, and one for values without a category, if any */
	uint32_t named; /* bins with a category */
	double first, step; /* bin i holds first + i * step up to, and not with, the next */
	uint32_t count;
	uint32_t tiles[BINS_MOST];
	uint32_t most, used; /* in the fullest bin, and in all */
};

/* About `wanted` bins, fewer than 2.5 times as many. */
void bins_fill(struct bins *bins, const struct chart_data *data, int wanted);

/* The bin of a value. */
uint32_t bins_of(const struct bins *bins, double value);

/* "128 KiB to 256 KiB", "3", "Eden". */
char *bins_text(
    char *text, size_t size, const struct bins *bins, const struct chart_data *data, uint32_t bin);

/* The next used tile of a bin after (dir 1) or before (dir -1) one, wrapping around; from GCS_NONE
 * the first or the last. GCS_NONE for an empty bin. */
uint32_t bins_tile(
    const struct bins *bins, const struct chart_data *data, uint32_t bin, uint32_t from, int dir);

/* The tile's rank in its bin, from 1; 0: not in the bin. */
uint32_t bins_rank(
    const struct bins *bins, const struct chart_data *data, uint32_t bin, uint32_t tile);

#endif
