/*
 * Sums over the used tiles of a space, or of those that are marked: for the side panel and the
 * summary (V2, V4). Pure.
 */
#ifndef GCSPY_CLIENT_HEAP_STATS_H
#define GCSPY_CLIENT_HEAP_STATS_H

#include <gcspy/snapshot.h>

#include "tilemarks.h"

struct heap_stats {
	uint32_t tiles; /* used ones; without any, the rest is 0 */
	int64_t sum;    /* cut to the range of its type */
	int64_t min, max, mean;
	uint32_t names[GCS_MAX_ENUM]; /* of an enumeration: tiles with each of them */
};

/* `marks` NULL: all tiles of the space. */
void heap_stats_of(struct heap_stats *stats, const struct gcs_snapshot *snapshot, uint32_t space,
    uint32_t stream, const struct tilemarks *marks);

/* A value of the stream in words; bytes and durations bring their unit with them. */
char *heap_stats_value(char *text, size_t size, const struct gcs_stream *stream, int64_t value);

/* A value of an expression: "1,234", "0.333333", "1.5e+300"; "no value" for not-a-number. */
char *heap_stats_real(char *text, size_t size, double value, bool percent);

/* "min 0 B · mean 12 KiB · max 1 MiB", or of an enumeration "Old 12, Eden 4". */
char *heap_stats_text(
    char *text, size_t size, const struct heap_stats *stats, const struct gcs_stream *stream);

#endif
