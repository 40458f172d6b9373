/*
 * Statistics over the used tiles of a space, or over the marked ones, for the side panel and the
 * summary (V2, V4). Pure.
 */
#ifndef GCSPY_CLIENT_HEAP_STATS_H
#define GCSPY_CLIENT_HEAP_STATS_H

#include <gcspy/snapshot.h>

#include "tilemarks.h"

struct heap_stats {
	uint32_t tiles;     /* used tiles with a value; if 0, the rest is 0 */
	uint32_t uncounted; /* used tiles without one (tilecode_counted) */
	int64_t sum;        /* saturated */
	int64_t min, max, mean;
	int64_t error;                /* of an estimate's sum; 0: none */
	uint32_t names[GCS_MAX_ENUM]; /* per category: number of tiles */
};

/* `marks` NULL: all tiles of the space. */
void heap_stats_of(struct heap_stats *stats, const struct gcs_snapshot *snapshot, uint32_t space,
    uint32_t stream, const struct tilemarks *marks);

/* Formats a value of the stream; bytes and durations include their unit. */
char *heap_stats_value(char *text, size_t size, const struct gcs_stream *stream, int64_t value);

/* The sum: "12.5 MiB", of an estimate "12.5 MiB ± 1.2 MiB (95 %)"; "" for categories and without
 * tiles. */
char *heap_stats_sum(
    char *text, size_t size, const struct heap_stats *stats, const struct gcs_stream *stream);

/* "1 tile", "1,234 tiles". */
char *heap_put_tiles(char *text, size_t size, uint32_t tiles);

/* "GC end #12"; false for a snapshot that belongs to no event. */
bool heap_put_event(char *text, size_t size, const struct gcs_snapshot *snapshot);

/* A value of an expression: "1,234", "0.333333", "1.5e+300"; "no value" for not-a-number. */
char *heap_stats_real(char *text, size_t size, double value, bool percent);

/* "min 0 B · mean 12 KiB · max 1 MiB", or for categories "Old 12, Eden 4". */
char *heap_stats_text(
    char *text, size_t size, const struct heap_stats *stats, const struct gcs_stream *stream);

#endif
