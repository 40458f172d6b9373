/*
 * Values put into words, the same words in every program: thousands separators, units, percentages,
 * names, addresses.
 *
 * Each writes at most `size` bytes with the terminating NUL, cuts what does not fit, and returns
 * `buffer`. Any thread.
 */
#ifndef GCSPY_FORMAT_H
#define GCSPY_FORMAT_H

#include "snapshot.h"

GCS_BEGIN_DECLS

/* "1,234", "0x7f00", "12.5 MiB", "3.25 ms". */
GCS_API char *gcs_format_number(char *buffer, size_t size, int64_t value, enum gcs_format format);

/* A tile's value in its stream's presentation: "812 KiB (79 %)", "64 or more objects", "Eden". */
GCS_API char *gcs_format_tile(char *buffer, size_t size, const struct gcs_snapshot *snapshot,
    uint32_t space, uint32_t stream, uint32_t tile);

/*
 * The tile's own name, else its address range "0x1000-0x2000", else title and number: "Region 17".
 */
GCS_API char *gcs_format_tile_name(
    char *buffer, size_t size, const struct gcs_snapshot *snapshot, uint32_t space, uint32_t tile);

/*
 * The stream's summary: "45.1 MiB of 256 MiB (18 %)", "Free 12, Eden 4, Old 3", or "" without one.
 */
GCS_API char *gcs_format_summary(char *buffer, size_t size, const struct gcs_snapshot *snapshot,
    uint32_t space, uint32_t stream);

/* An attribute's value at this event, or "-" when it is absent. */
GCS_API char *gcs_format_attribute(
    char *buffer, size_t size, const struct gcs_snapshot *snapshot, uint32_t attribute);

/*
 * The other way: a whole number as people write it, and one with an optional k, m or g, which are
 * powers of 1,024. False, with `number` untouched, for anything else.
 */
GCS_API bool gcs_parse_number(const char *text, uint64_t *number);
GCS_API bool gcs_parse_size(const char *text, uint64_t *number);

/* One code point of a UTF-8 text, 0xFFFD for a byte that is none; returns its bytes, 0 at the
 * end. */
GCS_API size_t gcs_decode_utf8(const char *text, uint32_t *code);

GCS_END_DECLS

#endif
