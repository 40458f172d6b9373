/*
 * The values of one stream's used tiles, the input of every chart. Reads a snapshot, which must
 * outlive it, and owns nothing. Values may be any int64_t; arithmetic is in double and never yields
 * NaN.
 */
#ifndef GCSPY_CLIENT_CHARTS_DATA_H
#define GCSPY_CLIENT_CHARTS_DATA_H

#include <gcspy/snapshot.h>

struct chart_data {
	const struct gcs_snapshot *snapshot;
	const struct gcs_space *space;
	const struct gcs_stream *stream;
	uint32_t space_id, stream_id;
	const int64_t *values, *control, *limits, *counted; /* the last three may be NULL */
	uint32_t tiles;
	uint32_t used, unused, uncounted; /* used: with a value; the rest is background */
	int64_t min, max;                 /* of used tiles; 0 without any */
	double sum;
	int64_t top; /* maximum of the scale; unused with limits */
};

/* False if the space, the stream or its values do not exist. */
bool chart_data_init(
    struct chart_data *data, const struct gcs_snapshot *snapshot, uint32_t space, uint32_t stream);

/* The same without a pass over the tiles: used, unused, min, max and sum stay 0. */
bool chart_data_open(
    struct chart_data *data, const struct gcs_snapshot *snapshot, uint32_t space, uint32_t stream);

/* As the heap map sees it: a tile with a value, or one whose value has not been counted. */
bool chart_used(const struct chart_data *data, uint32_t tile);
bool chart_uncounted(const struct chart_data *data, uint32_t tile);
bool chart_background(const struct chart_data *data, uint32_t tile);

/* True if values are shown as a percentage of a maximum. */
bool chart_is_share(const struct chart_data *data);

/* The share of the maximum in percent, 0 without one. */
double chart_share(const struct chart_data *data, uint32_t tile);

/* A column of pixels and its tiles. */
struct chart_column {
	double low, high; /* of its used tiles */
	uint32_t at;      /* the first tile with the largest value, or the most common category */
	uint32_t used, unused;
};

/* Divides the tiles, in tile order, into `columns` columns (at most one per tile). share: values in
 * percent. */
void chart_reduce(
    const struct chart_data *data, bool share, uint32_t columns, struct chart_column *column);

/* The first tile of a column, and the column of a tile. */
uint32_t chart_first_tile(uint32_t tiles, uint32_t columns, uint32_t column);
uint32_t chart_column_of(uint32_t tiles, uint32_t columns, uint32_t tile);

#define CHART_RANKED 1000000u /* maximum tiles to rank */

struct chart_ranks {
	int64_t median, p90, p99;
	uint32_t every; /* one of this many used tiles was ranked */
};

/* Percentiles of the used tiles by nearest rank: exact, or from a subset of very many tiles. False
 * without memory or used tiles. */
bool chart_ranks(const struct chart_data *data, struct chart_ranks *ranks);

/* Pearson's correlation of two streams of one space over the tiles that have both; false if one is
 * constant or has categories, or fewer than two tiles count. n: number of tiles. */
bool chart_correlation(
    const struct chart_data *x, const struct chart_data *y, double *r, uint32_t *n);

/* The next data stream after `stream` (GCS_NONE: the first one), GCS_NONE after the last. */
uint32_t chart_next_stream(const struct gcs_space *space, uint32_t stream);

/* A number as its stream writes it, with prefix and unit, limited to what an int64_t holds: for
 * values that no tile has to have. At most size bytes. */
char *chart_amount(char *text, size_t size, const struct gcs_stream *stream, double value);
char *chart_count(char *text, size_t size, uint64_t count, const char *one, const char *many);

/* Same as gcs_format_tile, without a pass over all tiles for each; "" for an unused tile, a dash for
 * one that has not been counted. */
char *chart_tile_text(char *text, size_t size, const struct chart_data *data, uint32_t tile);

/* Removes control characters from an untrusted text. */
char *chart_clean(char *text);

int64_t chart_whole(double value);

#endif
