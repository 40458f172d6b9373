/*
 * Values as text, the same in every program: thousands separators, units, percentages, names,
 * addresses.
 *
 * Each function writes at most `size` bytes including the terminating NUL, truncates what does not
 * fit, and returns `buffer`. Any thread.
 */
#ifndef GCSPY_FORMAT_H
#define GCSPY_FORMAT_H

#include "snapshot.h"

GCS_BEGIN_DECLS

/* "1,234", "0x7f00", "12.5 MiB", "3.25 ms". */
GCS_API char *gcs_format_number(char *buffer, size_t size, int64_t value, enum gcs_format format);

/* "1,234": a counter or sequence number, which may be 2^63 and more. Writes at most `size` bytes with
 * the NUL and returns `buffer`. Any thread. */
GCS_API char *gcs_format_count(char *buffer, size_t size, uint64_t count);

/* A tile's value as its stream presents it: "812 KiB (79 %)", "64 or more objects", "Eden". */
GCS_API char *gcs_format_tile(char *buffer, size_t size, const struct gcs_snapshot *snapshot,
    uint32_t space, uint32_t stream, uint32_t tile);

/* The tile's name, else its address range "0x1000-0x2000", else title and number: "Region 17". */
GCS_API char *gcs_format_tile_name(
    char *buffer, size_t size, const struct gcs_snapshot *snapshot, uint32_t space, uint32_t tile);

/*
 * Streams of a walk over objects have no value in a tile that no walk has reached, although 0 is
 * sent: the stream "Counted" before them says where. The number of that one; GCS_NONE where all
 * tiles have a value. Streams of sampled objects ("Sampled live …") have none while all are 0, that
 * is while nothing is sampled: the stream's own number.
 */
GCS_API uint32_t gcs_space_counted_by(const struct gcs_space *space, uint32_t stream);

/* Its values, which are 0 in tiles without a value; NULL where all tiles have one. */
GCS_API const int64_t *gcs_snapshot_counted(
    const struct gcs_snapshot *snapshot, uint32_t space, uint32_t stream);

/* Whether any tile has a value, so that the summary has a meaning. */
GCS_API bool gcs_snapshot_any_counted(
    const struct gcs_snapshot *snapshot, uint32_t space, uint32_t stream);

/* The stream's summary: "45.1 MiB of 256 MiB (18 %)", "Free 12, Eden 4, Old 3"; "–" where nothing has
 * been counted, "" without one. */
GCS_API char *gcs_format_summary(char *buffer, size_t size, const struct gcs_snapshot *snapshot,
    uint32_t space, uint32_t stream);

/* An attribute's value at this event, or "-" when it is absent. */
GCS_API char *gcs_format_attribute(
    char *buffer, size_t size, const struct gcs_snapshot *snapshot, uint32_t attribute);

/* Parses a whole decimal number, and one with an optional suffix k, m or g (powers of 1,024), or KiB, MiB
 * or GiB, with which it may have a fraction: 1.5m, 512KiB. False, with `number` unchanged, for any
 * other text. */
GCS_API bool gcs_parse_number(const char *text, uint64_t *number);
GCS_API bool gcs_parse_size(const char *text, uint64_t *number);

/* Decodes one code point of UTF-8 text, 0xFFFD for an invalid byte; returns its length in bytes, 0
 * at the terminating NUL. */
GCS_API size_t gcs_decode_utf8(const char *text, uint32_t *code);

GCS_END_DECLS

#endif
